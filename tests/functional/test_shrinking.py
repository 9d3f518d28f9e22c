"""A program that `--set` makes small: what only the program as it stands does is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import HEADER, Diagnose

FOLDER = Path(__file__).resolve().parents[1] / "programs" / "shrunk"
LOOP = "for step in range(STEPS):\n    iterate()\n"


def test_a_branch_inside_a_kernel_is_named(diagnose: Diagnose) -> None:
    report = diagnose(FOLDER / "drop_on_floor.py", "--set", "STEPS=12").report
    assert report.verdict == "correct", report.summary
    missed = report.blind_spots[0]
    assert missed.startswith("`if height < 0.0` at drop_on_floor.py:13 is never taken with STEPS=12;")
    assert "`--bisect STEPS`" in missed
    assert not any("Branches inside kernels" in spot for spot in report.blind_spots)


def test_the_fault_is_in_the_branch_that_was_named(diagnose: Diagnose) -> None:
    report = diagnose(FOLDER / "drop_on_floor.py").report
    assert report.verdict == "wrong", report.summary
    (finding,) = report.findings
    assert finding.location is not None
    assert (finding.kind, finding.location.line) == ("dynamic-loop", 15)
    assert report.blind_spots == ()


def test_a_branch_of_the_host_and_the_kernel_in_it_are_named(diagnose: Diagnose) -> None:
    spots = diagnose(FOLDER / "ball_over_wall.py", "--set", "STEPS=10").report.blind_spots
    assert spots[0].startswith("`if step > 30` at ball_over_wall.py:40 is never taken with STEPS=10;")
    assert spots[1] == "With STEPS=10 these kernels are never launched: `gust`."


@pytest.mark.parametrize("seconds", ["0", "60"])
def test_a_smaller_program_that_does_the_same_hides_nothing(seconds: str, diagnose: Diagnose) -> None:
    program = HEADER + "STEPS = 8\n" + LOOP
    report = diagnose(program, "--set", "STEPS=5", "--full-seconds", seconds).report
    assert report.verdict == "correct", report.summary
    assert len(report.blind_spots) == (0 if seconds == "0" else 1)
    assert not any("never" in spot for spot in report.blind_spots)


def test_a_branch_that_only_the_smaller_program_takes_is_named_too(diagnose: Diagnose) -> None:
    program = HEADER + "STEPS = 40\nif STEPS < 10:\n    print('short')\n" + LOOP
    spots = diagnose(program, "--set", "STEPS=5").report.blind_spots
    assert spots[0].startswith("`if STEPS < 10` at program.py:")
    assert "is taken with STEPS=5, and never by the program as it stands" in spots[0]


def test_a_program_that_takes_too_long_as_it_stands_is_stopped(diagnose: Diagnose) -> None:
    program = HEADER + "import time\nPAUSE = 600.0\ntime.sleep(PAUSE)\n" + LOOP.replace("STEPS", "6")
    spots = diagnose(program, "--set", "PAUSE=0.0", "--full-seconds", "8").report.blind_spots
    assert spots[0] == (
        "The program as it stands was stopped at 8 s after 0 of 3 iterations; the rest is not compared."
    )
