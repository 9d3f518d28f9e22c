"""``python -m harness.run doctor``: what works here, and what to do about the rest.

Imports the standard library alone: it has to run where everything else is missing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.command.packages import NEEDED
from harness.options import VERSION, UsageError

_PROBE = Path(__file__).resolve().parents[1] / "execute" / "child" / "probe.py"
_FAILED = 2

EPILOG = """\
examples:
  python -m harness.run doctor
  python -m harness.run doctor --python ~/sim/.venv/bin/python

exit codes:
  0 all is well   2 something is missing or does not work; its line says what to do
"""


class Line(NamedTuple):
    """One thing that was looked at."""

    is_fine: bool
    name: str
    found: str
    remedy: str = ""


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    made = argparse.ArgumentParser(
        prog="python -m harness.run doctor",
        description="Say which interpreters are used, what works, and what to do about the rest.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "--python", default=sys.executable, metavar="EXE", help="interpreter that runs the programs (this one)"
    )
    made.add_argument("--timeout", type=float, default=180.0, metavar="S", help="seconds for the checks in it (180)")
    return made


def run(arguments: list[str]) -> int:
    """Look at everything, a line each; returns the exit code.

    Raises:
        UsageError: the time limit is not positive.
    """
    parsed = parser().parse_args(arguments)
    if not parsed.timeout > 0:
        raise UsageError("--timeout must be positive.")
    bad = 0
    print(f"warp-debug-gradients {VERSION}, {_PROBE.parents[3]}")
    for title, lines in (
        ("The harness itself", own_lines()),
        (f"Programs, run by {parsed.python}", program_lines(parsed.python, parsed.timeout)),
    ):
        print(f"\n{title}")
        for line in lines:
            bad += not line.is_fine
            print(f"  {'ok' if line.is_fine else 'problem':8} {line.name:16} {line.found}", flush=True)
            if line.remedy:
                print(f"  {'':8} {'':16} -> {line.remedy}", flush=True)
    print(f"\n{_verdict(bad)}")
    return _FAILED if bad else 0


def _verdict(bad: int) -> str:
    if not bad:
        return "All is well. Next: python -m harness.run SCRIPT"
    return "One thing needs attention." if bad == 1 else f"{bad} things need attention; begin with the first."


def own_lines() -> Iterator[Line]:
    """The interpreter of this command, and the packages that judging and reporting need."""
    version = ".".join(map(str, sys.version_info[:3]))
    is_new = sys.version_info[:2] >= (3, 10)
    yield Line(is_new, "python", f"{version}  {sys.executable}", "" if is_new else "Use Python 3.10 or newer.")
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    for name in NEEDED:
        if name not in missing:
            yield Line(True, name, _version(name))
    for name in missing:
        last = name == missing[-1]
        yield Line(False, name, "missing", _install(missing) if last else "")


def _install(missing: list[str]) -> str:
    return (
        f"{sys.executable} -m pip install {' '.join(missing)}; or leave this environment as it is: "
        f"python3 -m venv ~/.wdg && ~/.wdg/bin/pip install {' '.join(NEEDED)}, then "
        f"~/.wdg/bin/python {_PROBE.parents[3] / 'harness' / 'run.py'} --python {sys.executable} SCRIPT"
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "version unknown"


def program_lines(python: str, seconds: float) -> Iterator[Line]:
    """What the probe says in the other interpreter, and how it ended if it did not come to its end."""
    try:
        done = subprocess.run(
            [python, str(_PROBE)], capture_output=True, text=True, errors="replace", timeout=seconds,
            stdin=subprocess.DEVNULL, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        output, said, how = done.stdout, done.stderr, f"ended with status {done.returncode}" if done.returncode else ""
    except OSError as error:
        yield Line(False, "python", f"cannot be started ({error.strerror})", "Name another interpreter with --python.")
        return
    except subprocess.TimeoutExpired as error:
        output, said = (_text(s) for s in (error.stdout, error.stderr))
        how = f"was still busy after {seconds:.0f} s"
    found = [line for line in map(_line, output.splitlines()) if line is not None]
    yield from found
    if how or not found:
        step = f"the step after `{found[-1].name}`" if found else "the first step"
        last = said.strip().splitlines()[-1:]
        remedy = f"{last[0]}" if last else f"Run it by itself: {python} {_PROBE}"
        yield Line(False, "probe", f"{step} {how or 'said nothing'}", remedy)


def _text(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def _line(text: str) -> Line | None:
    """What the probe says of one step; None for what else was printed."""
    try:
        entry = json.loads(text)
        return Line(bool(entry["is_fine"]), str(entry["name"]), str(entry["found"]), str(entry["remedy"]))
    except (ValueError, TypeError, KeyError):
        return None
