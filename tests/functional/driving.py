"""Runs the real command on small programs, in a subprocess, as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.schema import Report

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, str(ROOT / "harness" / "run.py")]

HEADER = """\
import numpy as np
import warp as wp


@wp.kernel
def cubes(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * x[i])


x = wp.array(np.array([0.5, 1.0, 1.5, 2.0], dtype=np.float32), requires_grad=True)


def iterate():
    loss = wp.zeros(1, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(cubes, dim=4, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
    return loss

"""
"""A program that trains correctly: `iterate()` is one step."""


@dataclass(frozen=True)
class Outcome:
    """What the command did."""

    code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> Report:
        """The report, for `--format json` on standard output."""
        return Report.model_validate_json(self.stdout)


Diagnose = Callable[..., Outcome]


def run_command(arguments: list[str], cwd: Path, temporary: Path | None = None) -> Outcome:
    """The command with these arguments; its input is empty. ``temporary``: its temporary folder, made here."""
    environment = dict(os.environ)
    if temporary is not None:
        temporary.mkdir()
        environment["TMPDIR"] = str(temporary)
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=environment,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
