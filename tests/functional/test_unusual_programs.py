"""Programs that do unusual things and train correctly all the same: the verdict is about their gradient."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from driving import HEADER, Diagnose

QUICK = ("--iterations", "1", "--budget", "5")
TRAIN = "for step in range(2):\n    iterate()\n"

PROGRAMS = {
    "leaves through os._exit": HEADER + "import os\niterate()\nos._exit(0)\n",
    "raises after an iteration": HEADER + "iterate()\nraise RuntimeError('late')\n",
    "prints megabytes": HEADER + "print('x' * 20_000_000)\n" + TRAIN,
    "forks": HEADER + "import os, sys\nif os.fork() == 0:\n    sys.exit(0)\nos.wait()\n" + TRAIN,
    "leaves forks running": HEADER
    + "import os, time\nif os.fork() == 0:\n    time.sleep(30)\n    os._exit(0)\n"
    + TRAIN,
    "uses a pool": HEADER
    + "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool:\n    pool.map(abs, [1])\n"
    + TRAIN,
    "starts threads": HEADER
    + "import threading, time\nthreading.Thread(target=lambda: time.sleep(1e6), daemon=True).start()\n"
    + TRAIN,
    "imports Warp in other ways": "import warp as w\nimport warp.optim\nfrom warp import launch\nw.init()\n"
    + HEADER.replace("wp.launch(", "launch(")
    + TRAIN,
    "changes Warp's settings": "import warp as w\nw.config.verify_fp = True\nw.config.mode = 'debug'\n"
    "w.config.kernel_cache_dir = 'my_cache'\nw.config.quiet = True\n" + HEADER + TRAIN,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_gradient_is_judged(name: str, diagnose: Diagnose, tmp_path: Path) -> None:
    outcome = diagnose(PROGRAMS[name], *QUICK)
    assert outcome.report.verdict == "correct", outcome.report
    assert outcome.code == 0
    assert os.listdir(tmp_path) == ["program.py"]


def test_an_endless_loop_after_an_iteration_costs_the_rest_alone(diagnose: Diagnose) -> None:
    outcome = diagnose(HEADER + "iterate()\nwhile True:\n    pass\n", "--timeout", "6", "--budget", "5")
    assert outcome.report.verdict == "correct"
    assert any("time limit" in spot for spot in outcome.report.blind_spots)


def test_a_loss_that_becomes_nan_leaves_the_first_iteration_judged(diagnose: Diagnose) -> None:
    outcome = diagnose(HEADER + "for step in range(2):\n    iterate()\n    x.fill_(float('nan'))\n", "--budget", "5")
    assert outcome.report.verdict == "undecided"
    assert [c.verdict for c in outcome.report.parameters[0].checks] == ["agrees", "undecided"]


def test_an_integer_parameter_is_never_judged(diagnose: Diagnose) -> None:
    program = (
        HEADER.replace("x: wp.array(dtype=float)", "x: wp.array(dtype=int)")
        .replace("x[i] * x[i] * x[i]", "float(x[i])")
        .replace("np.array([0.5, 1.0, 1.5, 2.0], dtype=np.float32)", "np.array([1, 2, 3, 4], dtype=np.int32)")
        .replace("x.assign(x.numpy() - 0.01 * x.grad.numpy())", "x.assign(x.numpy() - x.grad.numpy().astype(int))")
    )
    outcome = diagnose(program + TRAIN, *QUICK)
    assert outcome.code == 3
    assert "floating-point" in outcome.report.parameters[0].checks[0].explanation


def test_a_module_with_relative_imports_and_arguments(diagnose: Diagnose, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.py").write_text(HEADER)
    (package / "train.py").write_text(
        "import sys\nfrom .model import iterate\nfor step in range(int(sys.argv[1])):\n    iterate()\n"
    )
    outcome = diagnose(None, "-m", "package.train", *QUICK, "--format", "json", "--", "2")
    assert outcome.report.verdict == "correct"
    assert outcome.report.program.argv == ("2",)


def test_a_path_with_spaces_and_data_beside_the_working_folder(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "my scripts").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "steps.txt").write_text("2")
    script = tmp_path / "my scripts" / "train it.py"
    script.write_text(HEADER + "for step in range(int(open('steps.txt').read())):\n    iterate()\n")
    outcome = diagnose(Path("..", "my scripts", "train it.py"), *QUICK, cwd=tmp_path / "work")
    assert outcome.report.verdict == "correct"
    assert outcome.report.reproduce[0].endswith("'../my scripts/train it.py'")


def test_packages_of_the_user_with_our_names_are_imported(diagnose: Diagnose, tmp_path: Path) -> None:
    names = ("harness", "templates", "evals", "record", "schema", "report")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"OWNER = 'user {name}'\n")
    asserts = "".join(f"import {n}\nassert {n}.OWNER == 'user {n}'\n" for n in names)
    assert diagnose(HEADER + asserts + TRAIN, *QUICK).report.verdict == "correct"


def contents(folder: Path) -> dict[str, tuple[bytes, float, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mtime, p.stat().st_mode) for p in files}


def test_nothing_of_the_users_is_changed(diagnose: Diagnose, tmp_path: Path) -> None:
    for name in ("log.txt", "old.txt", "gone.txt"):
        (tmp_path / name).write_text(name)
    program = HEADER + (
        "import os, shutil\n"
        "for step in range(2):\n"
        "    loss = iterate()\n"
        "    open('log.txt', 'a').write('line\\n')\n"
        "    np.save(f'loss_{step}.npy', loss.numpy())\n"
        "    os.makedirs(f'plots/{step}')\n"
        "os.rename('old.txt', 'new.txt')\n"
        "os.remove('gone.txt')\n"
        "shutil.rmtree('plots')\n"
        "assert open('new.txt').read() == 'old.txt' and not os.path.exists('gone.txt')\n"
        "iterate()\n"
    )
    (tmp_path / "program.py").write_text(program)
    before = contents(tmp_path)
    outcome = diagnose(Path("program.py"), "--iterations", "3", "--budget", "5")
    assert outcome.report.verdict == "correct"
    assert outcome.report.program.iterations_observed == 3  # so the lines after the loop ran
    assert contents(tmp_path) == before


def test_writes_are_real_where_they_are_allowed(diagnose: Diagnose, tmp_path: Path) -> None:
    outcome = diagnose(HEADER + "open('made.txt', 'w').write('x')\n" + TRAIN, *QUICK, "--allow-writes")
    assert outcome.report.verdict == "correct"
    assert (tmp_path / "made.txt").exists()


AWAY = "not np.array_equal(x.numpy(), np.array([0.5, 1.0, 1.5, 2.0], dtype=np.float32))"


@pytest.mark.parametrize(
    ("statement", "said"),
    [("while {}:\n        pass\n", "took too long"), ("if {}:\n        import os; os.abort()\n", "crashed")],
    ids=["hangs", "crashes"],
)
def test_a_program_that_fails_only_with_other_parameters_is_undecided(
    statement: str, said: str, diagnose: Diagnose
) -> None:
    program = HEADER.replace("    tape.backward(loss)", f"    {statement.format(AWAY)}    tape.backward(loss)")
    outcome = diagnose(program + "iterate()\n", "--timeout", "5", *QUICK)
    assert outcome.code == 3
    assert said in outcome.report.parameters[0].checks[0].explanation
    assert outcome.report.cost.seconds < 90


def test_an_update_without_a_backward_pass_of_its_own_is_a_blind_spot(diagnose: Diagnose) -> None:
    every_second_time = HEADER.replace(
        "    tape.backward(loss)\n", "    if step % 2 == 0:\n        tape.backward(loss)\n"
    )
    kept = every_second_time.replace("    tape.zero()\n", "") + "for step in range(3):\n    iterate()\n"
    spots = diagnose(kept).report.blind_spots
    assert len(spots) == 1
    assert spots[0].startswith("Iteration 1 updates `x` without a backward pass of its own (program.py:"), spots
    assert diagnose(HEADER + TRAIN).report.blind_spots == ()
