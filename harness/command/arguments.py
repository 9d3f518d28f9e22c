"""The arguments of a diagnosis: what they are, and which of them cannot be. Imports nothing heavy."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from harness.options import VERSION, Options, UsageError

EPILOG = """\
examples:
  python -m harness.run train.py
  python -m harness.run train.py -- --steps 50          arguments of the script go after --
  python -m harness.run -m mypackage.train --format json --output report.json
  python -m harness.run train.py --set N=32 --set sim.STEPS=20
  python -m harness.run train.py --python ~/sim/.venv/bin/python
  python -m harness.run train.py --bisect STEPS         smallest STEPS at which the gradient is wrong
  python -m harness.run train.py --record run.session   keep everything, to be judged again elsewhere:
  python -m harness.run --from run.session --format html --output report.html

other commands, each with --help:
  verify BEFORE AFTER      is AFTER a fix: gradient, forward values, the program's own metric
  explain [KIND]           what a kind of finding means
  render NAME              a standalone script that checks one thing; --list shows them
  agent SCRIPT             a model measures, mends a copy and hands in what was verified (needs a key)
  transcript FILE          what an agent did
  doctor                   which Python, Warp and devices there are, and what does not work
  install                  copy or link this folder where a coding assistant finds its skills

exit codes:
  0 gradients are correct   1 a gradient is wrong   2 usage, or a failure of this tool (Ctrl-C too)
  3 cannot be decided       4 the program failed, or used no gradient
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of a diagnosis."""
    default = Options()
    made = argparse.ArgumentParser(
        prog="python -m harness.run",
        description="Judge the gradients that an NVIDIA Warp program consumes. The program runs unmodified.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("script", nargs="?", help="the training script, as it stands")
    made.add_argument("-m", dest="module", metavar="MODULE", help="run a module instead, as python -m would")
    run = made.add_argument_group("running the program")
    run.add_argument("--python", default=default.python, metavar="EXE", help="interpreter that runs it (this one)")
    run.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="NAME=VALUE",
        help="replace a module-level constant while it is loaded; module.NAME=VALUE for another module",
    )  # fmt: skip
    run.add_argument(
        "--bisect", metavar="NAME[=LO:HI]", help="find the smallest integer value of a constant that gives a wrong one"
    )
    run.add_argument("--iterations", type=int, default=default.iterations, metavar="K", help="iterations to judge (3)")
    run.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for one execution (300)")
    run.add_argument("--max-memory", type=float, metavar="GIB", dest="max_memory_gib", help="memory for one execution")
    run.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8), metavar="N", help="runs side by side")
    run.add_argument("--no-fork", action="store_false", dest="fork", help="start a fresh process for every run")
    run.add_argument("--allow-writes", action="store_true", help="let the program write files for real")
    judge = made.add_argument_group("judging")
    judge.add_argument("--budget", type=float, default=60.0, metavar="S", help="seconds for all differences (60)")
    judge.add_argument(
        "--full-seconds", type=float, default=default.full_seconds, metavar="S",
        help="with --set and a correct gradient: seconds for the program as it stands, to name the branches that only "
        "it takes; 0: do not run it (60)",
    )  # fmt: skip
    judge.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random directions (0)")
    judge.add_argument("--no-causes", action="store_false", dest="causes", help="judge only; do not look for causes")
    judge.add_argument(
        "--elements",
        action="store_true",
        help="measure each element of small parameters, find the wrong ones of large ones",
    )
    out = made.add_argument_group("report")
    out.add_argument("--format", default="text", choices=("text", "json", "markdown", "sarif", "html"))
    out.add_argument("--output", metavar="PATH", help="write the report to a file")
    out.add_argument("--record", metavar="FILE", help="keep the session in a file that --from repeats")
    out.add_argument("--from", metavar="FILE", dest="session", help="judge a recorded session; nothing is run")
    out.add_argument("--force", action="store_true", help="overwrite --output and --record if they exist")
    out.add_argument("--quiet", action="store_true", help="no progress")
    out.add_argument("--debug", action="store_true", help="show the traceback of a failure of this tool")
    made.add_argument("--version", action="version", version=f"warp-debug-gradients {VERSION}")
    return made


def split(given: list[str]) -> tuple[list[str], list[str]]:
    """Our arguments and those of the script, which stand after ``--``."""
    if "--" in given:
        index = given.index("--")
        return given[:index], given[index + 1 :]
    return given, []


def options_of(parsed: argparse.Namespace) -> Options:
    """The options of a diagnosis."""
    return Options(**{f.name: getattr(parsed, f.name) for f in fields(Options)})


def options_again(parsed: argparse.Namespace, recorded: dict[str, Any]) -> Options:
    """The options that a session was recorded with, and on top of them those that this command line changes."""
    default = asdict(options_of(parser().parse_args([])))
    changed = {name: value for name, value in asdict(options_of(parsed)).items() if value != default[name]}
    return replace(Options(**recorded), **changed)


def check(parsed: argparse.Namespace, script_arguments: list[str]) -> None:
    """Refuse what cannot be carried out, before anything is started.

    Raises:
        UsageError: the message says which argument, and what to do.
    """
    if parsed.session:
        if parsed.script or parsed.module or parsed.settings or parsed.bisect or parsed.record or script_arguments:
            raise UsageError(
                "--from judges a recorded session; it takes no program, and none of --set, --bisect, --record."
            )
    elif bool(parsed.script) == bool(parsed.module):
        raise UsageError("Name one program: a script, or -m MODULE. See --help for examples.")
    if parsed.script:
        _check_script(parsed.script)
    if parsed.iterations < 1 or parsed.jobs < 1 or not parsed.timeout > 0 or not parsed.budget > 0:
        raise UsageError("--iterations, --jobs, --timeout and --budget must be positive.")
    if not parsed.full_seconds >= 0:
        raise UsageError("--full-seconds must not be negative.")
    if parsed.max_memory_gib is not None and not parsed.max_memory_gib > 0:
        raise UsageError("--max-memory must be positive; it is in GiB, for example --max-memory 4.")
    if parsed.bisect and parsed.record:
        raise UsageError("--record keeps one diagnosis, --bisect makes many; use them one after the other.")
    for option, path in (("--output", parsed.output), ("--record", parsed.record)):
        if path:
            _check_writable(option, path, parsed.force)


def _check_script(script: str) -> None:
    if not os.path.exists(script):
        raise UsageError(f"There is no file `{script}`. Paths are relative to {os.getcwd()}.")
    if os.path.isdir(script) and not os.path.exists(os.path.join(script, "__main__.py")):
        raise UsageError(f"`{script}` is a folder without `__main__.py`. Name the script in it that trains.")


def _check_writable(option: str, path: str, is_forced: bool) -> None:
    if os.path.isdir(path):
        raise UsageError(f"`{path}` is a folder; name a file with {option}.")
    if os.path.exists(path) and not is_forced:
        raise UsageError(f"`{path}` exists; choose another {option}, or overwrite it with --force.")
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise UsageError(f"The folder of `{path}` does not exist; make it first, or choose another {option}.")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"The folder of `{path}` may not be written; choose another {option}.")


def overrides(settings: list[str]) -> dict[str, str]:
    """``["N=4", "sim.DT=1e-2"]`` to a mapping."""
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not is_name(name):
            raise UsageError(f"`--set {setting}` is not NAME=VALUE, for example --set STEPS=20 or --set sim.N=32.")
        found[name] = value
    return found


def is_name(text: str) -> bool:
    """Whether a text can name a constant, with or without its module."""
    return all(part.isidentifier() for part in text.split("."))
