"""Cases made from a seed: the same ones again, enough of them, and each what it says."""

from __future__ import annotations

import ast
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from evals.command.main import main
from evals.generator.build import build, draft
from evals.generator.combinations import every, sample, sets_for
from evals.generator.faults import FAULTS, hidden, requirements
from evals.generator.hosts import all_hosts
from evals.generator.rendering import program
from evals.measure import Bench
from evals.validate import text_checks, validate
from harness.schema.vocabulary import DEFECT_KINDS, NON_DEFECT_KINDS

HOSTS = list(all_hosts())


def test_there_are_hundreds_of_combinations_in_a_dozen_hosts() -> None:
    found = every(all_hosts().values())
    assert len(HOSTS) >= 12
    assert sum(len(faults) == 1 for _, faults in found) >= 300
    assert len(found) > 3000


def test_every_kind_of_defect_can_be_made_except_that_of_old_versions_of_warp() -> None:
    assert {fault.kind for fault in FAULTS.values()} == DEFECT_KINDS - {"copy-adjoint"}


def test_faults_at_one_site_exclude_each_other() -> None:
    assert requirements([FAULTS["rollout-pingpong"], FAULTS["rollout-copy"]]) is None
    assert requirements([FAULTS["clear-never"], FAULTS["read-view"]]) is None
    assert requirements([FAULTS["clear-never"], FAULTS["tape-reentered"]]) is None
    assert requirements([FAULTS["rollout-pingpong"], FAULTS["law-loop"]]) is not None


def test_a_gradient_that_is_zero_hides_the_other_fault() -> None:
    view, loop, cut = FAULTS["read-view"], FAULTS["law-loop"], FAULTS["derive-host"]
    assert hidden([view, loop], gain=True, penalty=True) == {"law-loop": view}
    assert hidden([cut, FAULTS["rollout-pingpong"]], gain=True, penalty=True) == {"rollout-pingpong": cut}
    assert hidden([cut, FAULTS["clear-never"]], gain=False, penalty=True) == {}
    assert hidden([cut, FAULTS["clear-never"]], gain=False, penalty=False) == {"clear-never": cut}


def test_of_two_cuts_neither_is_out_of_sight() -> None:
    assert hidden([FAULTS["law-disabled"], FAULTS["rollout-no-grad"]], gain=True, penalty=False) == {}


@pytest.mark.parametrize("name", HOSTS)
def test_every_fault_changes_a_program_that_parses_and_marks_its_lines(name: str) -> None:
    host = all_hosts()[name]
    for faults in sets_for(host):
        if len(faults) != 1:
            continue
        made = draft(host, faults, f"{name}/{faults[0].id}")
        assert all(made.choice.style[key] in allowed for key, allowed in faults[0].needs.items())
        clean = program(made.choice, (), made.seen, 0.1)
        shown = program(made.choice, [faults[0].id], made.seen, 0.1)
        assert shown.files != clean.files
        assert shown.places[faults[0].id]
        for text in [*shown.files.values(), *clean.files.values(), made.reference]:
            ast.parse(text)
            assert "#!" not in text


@pytest.mark.parametrize("name", HOSTS)
def test_a_reference_is_zero_apart_from_rounding_at_the_values_behind_the_measurements(name: str) -> None:
    made = draft(all_hosts()[name], (), f"{name}/true")
    namespace: dict[str, object] = {}
    exec(made.reference, namespace)
    choice = made.choice
    parameters = {choice.names["params"]: np.array(choice.true)}
    if choice.style["gain"]:
        parameters[choice.names["gain"]] = np.ones(1)
    readings = list(namespace["rounds"](parameters))[-1]  # type: ignore[operator]
    assert np.abs(readings - made.seen).max() <= 1e-4
    assert 0.01 < np.abs(readings).max() < 50.0


def test_the_same_seed_makes_the_same_files_and_another_one_does_not() -> None:
    host, faults = all_hosts()["heat-rod"], (FAULTS["law-loop"],)
    texts = [program((d := draft(host, faults, seed)).choice, ["law-loop"], d.seen, 0.1).files for seed in "aab"]
    assert texts[0] == texts[1] != texts[2]


def test_a_selection_holds_controls_pairs_and_all_kinds() -> None:
    chosen = list(sample(all_hosts().values(), None, 100, random.Random(3)))
    sizes = [len(faults) for _, faults in chosen]
    assert (sizes.count(0), sizes.count(2)) == (15, 20)
    assert {fault.kind for _, faults in chosen for fault in faults} == DEFECT_KINDS - {"copy-adjoint"}
    assert {host.name for host, _ in chosen} == set(HOSTS)


def test_the_command_counts_and_says_what_it_cannot_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["generate", "--list"]) == 0
    assert "combinations" in capsys.readouterr().out
    assert main(["generate"]) == 2
    assert main(["generate", "--seed", "1", "--out", str(tmp_path / "x"), "--host", "none"]) == 2
    assert "heat-rod" in capsys.readouterr().err


@pytest.mark.parametrize("rule", ["sgd", "momentum", "optim"])
def test_an_early_step_comes_between_forward_and_backward_and_the_fix_puts_it_behind(rule: str) -> None:
    host, fault = all_hosts()["hanging-net"], FAULTS["step-early"]
    made = next(
        d for seed in range(100) if (d := draft(host, [fault], f"early/{seed}")).choice.style["rule"] == rule
    )  # fmt: skip
    main = made.choice.files["main"]
    for ids, is_early in ((["step-early"], True), ([], False)):
        text = program(made.choice, ids, made.seen, 0.1).files[main]
        step = text.index("optimizer.step(") if rule == "optim" else text.rindex(".assign(")
        backward = text.index("tape.backward(")
        assert text.index("with tape:") < min(step, backward)
        assert (step < backward) is is_early


_CHECKED = [(name, ()) for name in HOSTS] + [
    ("heat-rod", ("rollout-zero",)), ("spring-chain", ("segments-second",)), ("falling-balls", ("rollout-in-place",)),
    ("hanging-net", ("step-early",)), ("spring-chain", ("read-view", "law-loop")),
    ("heat-rod", ("clear-never", "readout-local")),
]  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "ids"), _CHECKED)
def test_made_cases_are_valid(name: str, ids: tuple[str, ...], bench: Bench, tmp_path: Path) -> None:
    stored = build(bench, all_hosts()[name], [FAULTS[i] for i in ids], "test", tmp_path / "made")
    words = (stored.case.prompt + "".join(stored.texts.values())).lower()
    assert not [k for k in DEFECT_KINDS | NON_DEFECT_KINDS if k in words or k.replace("-", " ") in words]
    assert all(check.passed for check in text_checks(stored))
    result = validate(bench, stored)
    assert result.passed, [c for c in result.checks if not c.passed]


@pytest.mark.parametrize("name", HOSTS)
def test_names_can_stand_in_compiled_kernels_and_files_hide_no_module(name: str) -> None:
    host = all_hosts()[name]
    words = {word for pool in [*host.names.values(), *host.states.values()] for word in pool}
    assert not words & {
        "register",
        "union",
        "default",
        "char",
        "short",
        "switch",
        "new",
        "signed",
        "this",
        "near",
        "far",
    }
    assert not set(host.files + host.kernel_files) & sys.stdlib_module_names
