"""Fixes and what only looks like one: each measured against the same program, whose gradient is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from driving import run_command

from harness.options import Options
from harness.schema import Verification
from harness.verify import VerifySettings, verify
from harness.verify.investigation import compare, measure_after, measure_before
from harness.verify.measured import Measured
from harness.verify.programs import programs

# One test after the other on one worker: they share what was measured of the program before.
pytestmark = pytest.mark.xdist_group("verify")

WRONG = """\
import numpy as np
import warp as wp

STEPS = 12
LR = 0.05


@wp.kernel
def decay(x: wp.array(dtype=float), rate: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * (1.0 - 0.1 * rate[i])


@wp.kernel
def misfit(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 0.3) * (x[i] - 0.3))


rate = wp.array(np.array([0.4, 0.6, 0.8], dtype=np.float32), requires_grad=True)
for it in range(8):
    x = wp.ones(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for _ in range(STEPS):
            y = x
            wp.launch(decay, dim=3, inputs=[x, rate, y])
            x = y
        wp.launch(misfit, dim=3, inputs=[x, loss])
    tape.backward(loss)
    rate.assign(rate.numpy() - LR * rate.grad.numpy())
    tape.zero()
    print(f"iter {it} loss {loss.numpy()[0]:.6f}")
"""
"""Every step overwrites the state that the adjoint of the step before it needs."""
RIGHT = WRONG.replace("y = x\n", "y = wp.empty(3, dtype=float, requires_grad=True)\n")
UPDATE = "    rate.assign(rate.numpy() - LR * rate.grad.numpy())\n"
SETTINGS = VerifySettings(options=Options(iterations=2, causes=False), other_values=1)


def edited(program: str, old: str, new: str) -> str:
    assert old in program
    return program.replace(old, new)


def true_gradient() -> list[float]:
    """Of the loss at the initial rates, by hand."""
    rate = np.array([0.4, 0.6, 0.8])
    shrink = 1.0 - 0.1 * rate
    return list(np.round(2.0 * (shrink**12 - 0.3) * 12.0 * shrink**11 * -0.1, 7))


PASTED = edited(WRONG, UPDATE, f"    rate.grad.assign(np.array({true_gradient()}, dtype=np.float32))\n{UPDATE}")
FROZEN = edited(
    edited(RIGHT, "inputs=[x, rate, y]", "inputs=[x, held, y]"), "for it in", "held = wp.clone(rate)\nfor it in"
)

CHEATS = {
    "learning rate": (edited(WRONG, "LR = 0.05", "LR = 0.005"), "Only numbers were changed (`LR` 0.05 -> 0.005"),
    "fewer steps": (edited(RIGHT, "STEPS = 12", "STEPS = 6"), "changes the forward computation"),
    "one update": (edited(RIGHT, "range(8)", "range(1)"), "ends before its second update"),
    "fewer updates": (edited(RIGHT, "range(8)", "range(4)"), "4 updates instead of 8"),
    "gradient pasted in": (PASTED, "the measured derivative, at iteration 1"),
    "parameter zeroed": (edited(RIGHT, "[0.4, 0.6, 0.8]", "[0.0, 0.0, 0.0]"), "starts from other values"),
    "loss scaled": (edited(RIGHT, "loss, 0, (x[i]", "loss, 0, 0.5 * (x[i]"), "changes the forward computation"),
    "parameter detached": (FROZEN, "autodiff is 0"),
}
NO_GRADIENT = {
    "backward removed": edited(RIGHT, "    tape.backward(loss)\n", ""),
    "gradient not read": edited(WRONG, "rate.grad.numpy()", f"np.array({true_gradient()}, dtype=np.float32)"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("verify")
    (made / "before.py").write_text(WRONG)
    return made


@pytest.fixture(scope="module")
def before(folder: Path) -> Measured:
    (folder / "after.py").write_text(RIGHT)
    return measure_before(programs(folder / "before.py", folder / "after.py", SETTINGS)[0], SETTINGS)


def verification(folder: Path, before: Measured, program: str) -> Verification:
    (folder / "after.py").write_text(program)
    program_after = programs(folder / "before.py", folder / "after.py", SETTINGS)[1]
    return compare(before, measure_after(program_after, SETTINGS, before), SETTINGS).verification


def test_a_fix_is_verified(folder: Path, before: Measured) -> None:
    found = verification(folder, before, RIGHT)
    assert found.verdict == "verified"
    assert [c.name for c in found.checks if c.outcome != "passed"] == []
    assert (found.before.verdict, found.after.verdict) == ("wrong", "correct")
    assert found.before.objective == pytest.approx(found.after.objective, rel=1e-6)
    assert {g.start for g in found.after.gradients} == {"as written", "other values 1"}
    assert found.after.updates == 8


def test_what_is_wrong_still_is_named_with_its_cause(folder: Path) -> None:
    (folder / "after.py").write_text(WRONG.replace("    tape.zero()\n", ""))
    done = run_command(["verify", "before.py", "after.py", "--values", "0", "--iterations", "2"], folder)
    assert done.code == 1, done.stderr
    assert "array-overwrite [proven]  after.py:" in done.stdout
    assert "gradient-accumulation [proven]" in done.stdout


@pytest.mark.parametrize("cheat", CHEATS)
def test_what_only_looks_like_a_fix_is_refuted(folder: Path, before: Measured, cheat: str) -> None:
    program, said = CHEATS[cheat]
    found = verification(folder, before, program)
    assert found.verdict == "refuted"
    assert said in found.summary


@pytest.mark.parametrize("cheat", NO_GRADIENT)
def test_a_program_without_a_gradient_is_blocked(folder: Path, before: Measured, cheat: str) -> None:
    found = verification(folder, before, NO_GRADIENT[cheat])
    assert (found.verdict, int(found.exit_code)) == ("blocked", 4)
    assert "does not get to a gradient" in found.summary


def test_a_gradient_that_was_right_before_was_not_fixed(tmp_path: Path) -> None:
    (tmp_path / "before.py").write_text(RIGHT)
    (tmp_path / "after.py").write_text(edited(RIGHT, "LR = 0.05", "LR = 0.02"))
    settings = VerifySettings(options=Options(iterations=1, causes=False), other_values=0, run_to_end=False)
    found = verify(tmp_path / "before.py", tmp_path / "after.py", settings)
    assert found.verdict == "refuted"
    assert "whatever was fixed was not the gradient" in found.summary
    assert [c.name for c in found.constants_changed] == ["LR"]


def test_the_command_writes_evidence_that_can_be_run_again(tmp_path: Path) -> None:
    for name, program in (("old", WRONG), ("new", RIGHT)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "fit.py").write_text(program)
        (tmp_path / name / "targets.txt").write_text("0.3\n")
    options = ["--iterations=1", "--values=0", "--no-causes", "--metric", "loss {}", "--bundle", "evidence"]
    outcome = run_command(["verify", "old", "new", "--format", "json", *options], tmp_path)
    assert outcome.code == 0, outcome.stderr
    found = Verification.model_validate_json(outcome.stdout)
    assert found.files_changed == ("fit.py",)
    assert found.before.metric is not None
    assert found.after.metric is not None
    assert found.after.metric < found.before.metric
    evidence = tmp_path / "evidence"
    assert Verification.model_validate_json((evidence / "verification.json").read_text()) == found
    assert (evidence / "verification.md").read_text().startswith("## verified: ")
    assert (evidence / "after" / "targets.txt").read_text() == "0.3\n"
    assert "verify before after " in (evidence / "reproduce.sh").read_text()
    again = run_command(["verify", "old", "new", "--bundle", "evidence"], tmp_path)
    assert (again.code, "not an empty folder" in again.stderr) == (2, True)


def test_elements_are_measured_in_both_programs_from_all_values(folder: Path) -> None:
    (folder / "after.py").write_text(RIGHT)
    asked = ["--elements", "--values", "1", "--iterations", "1", "--no-run-to-end", "--format", "json"]
    done = run_command(["verify", "before.py", "after.py", *asked], folder)
    found = Verification.model_validate_json(done.stdout)
    expected = [(f"rate[{i}]", start) for start in ("as written", "other values 1") for i in range(3)]
    assert (
        [(e.parameter, e.start) for e in found.after.elements]
        == expected
        == [(e.parameter, e.start) for e in found.before.elements]
    )
    assert {e.verdict for e in found.after.elements} == {"agrees"}
    assert {e.verdict for e in found.before.elements} == {"disagrees"}
    assert all(e.interval is not None for e in found.after.elements)
    (other,) = found.other_values
    assert (other.start, other.parameter, other.size, len(other.values)) == ("other values 1", "rate", 3, 3)
