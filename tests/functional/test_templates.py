"""`render` as a command, and `fd_check` on small right and wrong programs; other templates have a file of their own."""

from __future__ import annotations

import pytest
from rendered_scripts import CASES, Rendered

# The command.


def test_the_list_names_every_template(rendered: Rendered) -> None:
    from harness.templates import TEMPLATES

    listed = rendered.render("--list")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.stdout.splitlines() if line[:1].isalpha()][: len(TEMPLATES)] == list(
        TEMPLATES
    )


def test_the_help_of_a_template_shows_its_variables(rendered: Rendered) -> None:
    shown = rendered.render("fd_check", "--help")
    assert shown.code == 0
    assert "parameters\n" in shown.stdout
    assert "backwards = 1" in shown.stdout
    assert "python -m harness.run render fd_check" in shown.stdout


def test_an_existing_file_is_not_overwritten(rendered: Rendered) -> None:
    precious = rendered.folder / "mine.py"
    precious.write_text("mine")
    refused = rendered.render("fd_check", "--output", "mine.py", script="a.py", parameters=["x"])
    assert refused.code == 2
    assert "--force" in refused.stderr
    assert precious.read_text() == "mine"
    forced = rendered.render("fd_check", "--output", "mine.py", "--force", script="a.py", parameters=["x"])
    assert forced.code == 0
    assert precious.read_text() != "mine"


def test_a_missing_variable_is_named_and_nothing_is_written(rendered: Rendered) -> None:
    refused = rendered.render("fd_check", "--output", "probe.py", script="a.py")
    assert refused.code == 2
    assert "`parameters` is missing" in refused.stderr
    assert not (rendered.folder / "probe.py").exists()


def test_code_in_a_variable_is_not_run(rendered: Rendered) -> None:
    attack = "__import__('pathlib').Path('ran').write_text('')"
    answer, code, _ = rendered.run(
        "fd_check", script=CASES / "inplace_leapfrog.py", parameters=["params"], arguments=[attack]
    )
    assert (answer.verdict, code) == ("correct", 0)
    assert not (rendered.folder / "ran").exists()


# fd_check


@pytest.mark.parametrize(
    ("script", "further", "verdict"),
    [
        ("inplace_leapfrog", {}, "correct"),
        ("relax_field_before_backward", {}, "wrong"),
        ("guarded_softplus", {}, "wrong"),
        ("windowed_rollout", {"backwards": 6}, "wrong"),
        ("zero_on_fresh_tape", {}, "correct"),
        ("zero_on_fresh_tape", {"iteration": 1}, "wrong"),
        ("nearest_cell_soil", {}, "undecided"),
    ],
)
def test_fd_check_judges_a_script_as_it_stands(
    rendered: Rendered, script: str, further: dict[str, int], verdict: str
) -> None:
    path = CASES / f"{script}.py"
    before = path.read_bytes()
    answer = rendered.verdict("fd_check", script=path, parameters=["params"], **further)
    assert answer.verdict == verdict
    assert path.read_bytes() == before


def test_fd_check_does_not_blame_chaos_on_the_gradient(rendered: Rendered) -> None:
    script = CASES.parent / "correct" / "double_pendulum_release.py"
    assert rendered.verdict("fd_check", script=script, parameters=["angles"]).verdict == "undecided"


def test_fd_check_does_not_take_a_minibatch_for_an_iteration(rendered: Rendered) -> None:
    script = CASES.parent / "correct" / "beam_minibatch_sum.py"
    answer = rendered.verdict("fd_check", script=script, parameters=["ei"], iteration=1)
    assert (answer.verdict, answer.reason) == ("undecided", "no_update")


def test_fd_check_gives_the_ratio_that_is_known(rendered: Rendered) -> None:
    wrong = rendered.verdict("fd_check", script=CASES / "bounce_component.py", parameters=["params"])
    assert wrong.verdict == "wrong"
    check = wrong.checks[0]
    assert check.measured is not None
    assert check.interval is not None
    assert check.interval < 0.05 * abs(check.measured)


@pytest.mark.parametrize(("function", "verdict"), [("right", "correct"), ("wrong", "wrong")])
def test_fd_check_judges_a_function(rendered: Rendered, function: str, verdict: str) -> None:
    answer = rendered.verdict("fd_check", forward=f"functions.py:{function}", parameters='{"x": "functions.py:START"}')
    assert answer.verdict == verdict
    assert [check.subject for check in answer.checks] == ["d(loss)/d(x)"]


@pytest.mark.parametrize(("gradient", "verdict"), [("gradient", "correct"), ("doubled_gradient", "wrong")])
def test_fd_check_takes_a_gradient_function(rendered: Rendered, gradient: str, verdict: str) -> None:
    answer = rendered.verdict(
        "fd_check",
        forward="functions.py:as_number",
        gradient=f"functions.py:{gradient}",
        parameters='{"x": [0.5, 1.0, 2.0, 4.0]}',
    )
    assert answer.verdict == verdict
    ratio = answer.checks[0].ratio
    assert ratio == pytest.approx(1.0 if verdict == "correct" else 2.0, rel=1e-2)


def test_fd_check_never_passes_a_loss_that_does_not_depend(rendered: Rendered) -> None:
    answer = rendered.verdict("fd_check", forward="functions.py:nothing", parameters='{"x": [1.0]}')
    assert (answer.verdict, answer.reason) == ("undecided", "no_dependence")


@pytest.mark.parametrize(
    ("forward", "code", "said"),
    [
        ("functions.py:broken", 4, "KeyError: 'stiffness' (functions.py:"),
        ("functions.py:rihgt", 2, "close to it: right"),
        ("functions.py:START", 2, "is not a function; it is list"),
        ("functions.py:cubes", 2, "a kernel"),
        ("functions.py:as_number", 2, "from which no backward pass can start"),
        ("absent.py:loss", 2, "There is no file `absent.py`"),
        ("no_such_module:loss", 4, "ModuleNotFoundError"),
    ],
)
def test_fd_check_says_what_is_wrong_with_the_function(rendered: Rendered, forward: str, code: int, said: str) -> None:
    answer, left_with, _ = rendered.run("fd_check", forward=forward, parameters='{"x": [1.0]}')
    assert answer.verdict == "blocked"
    assert said in answer.summary
    assert left_with == code


def test_fd_check_reports_a_loss_that_is_not_a_number(rendered: Rendered) -> None:
    answer, code, _ = rendered.run(
        "fd_check", forward="functions.py:not_a_number", gradient="functions.py:gradient", parameters='{"x": [1.0]}'
    )
    assert (answer.verdict, answer.reason, code) == ("blocked", "nonfinite_objective", 4)


def test_fd_check_names_an_array_that_the_script_lacks(rendered: Rendered) -> None:
    answer, code, _ = rendered.run("fd_check", script=CASES / "inplace_leapfrog.py", parameters=["gains"])
    assert code == 2
    assert "No array named `gains`" in answer.summary


def test_fd_check_says_that_a_script_has_no_backward(rendered: Rendered) -> None:
    answer, code, _ = rendered.run("fd_check", script="functions.py", parameters=["x"])
    assert (answer.reason, code) == ("no_gradient", 4)
