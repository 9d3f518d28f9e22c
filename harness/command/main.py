"""Arguments in, exit code out. Heavy imports wait until the arguments are known to be good."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.options import VERSION, Options, UsageError

EPILOG = """\
examples:
  python -m harness.run train.py
  python -m harness.run train.py -- --steps 50          arguments of the script go after --
  python -m harness.run -m mypackage.train --format json --output report.json
  python -m harness.run train.py --set N=32 --set sim.STEPS=20
  python -m harness.run train.py --python ~/sim/.venv/bin/python

exit codes:
  0 gradients are correct   1 a gradient is wrong   2 usage, or a failure of this tool
  3 cannot be decided       4 the program failed, or used no gradient
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of a diagnosis."""
    made = argparse.ArgumentParser(
        prog="python -m harness.run",
        description="Judge the gradients that an NVIDIA Warp program consumes. The program runs unmodified.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("script", nargs="?", help="the training script, as it stands")
    made.add_argument("-m", dest="module", metavar="MODULE", help="run a module instead, as python -m would")
    run = made.add_argument_group("running the program")
    run.add_argument("--python", default=sys.executable, metavar="EXE", help="interpreter that runs it (this one)")
    run.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="NAME=VALUE",
        help="replace a module-level constant while it is loaded; module.NAME=VALUE for another module",
    )  # fmt: skip
    run.add_argument("--iterations", type=int, default=3, metavar="K", help="iterations to judge (3)")
    run.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for one execution (300)")
    run.add_argument("--max-memory", type=float, metavar="GIB", help="memory for one execution")
    run.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8), metavar="N", help="runs side by side")
    run.add_argument("--no-fork", action="store_true", help="start a fresh process for every run")
    run.add_argument("--allow-writes", action="store_true", help="let the program write files for real")
    judge = made.add_argument_group("judging")
    judge.add_argument("--budget", type=float, default=60.0, metavar="S", help="seconds for all differences (60)")
    judge.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random directions (0)")
    judge.add_argument("--elements", action="store_true", help="locate the wrong elements of each wrong gradient")
    out = made.add_argument_group("report")
    out.add_argument("--format", default="text", choices=("text", "json", "markdown", "sarif", "html"))
    out.add_argument("--output", metavar="PATH", help="write the report to a file")
    out.add_argument("--force", action="store_true", help="overwrite --output if it exists")
    out.add_argument("--quiet", action="store_true", help="no progress")
    made.add_argument("--version", action="version", version=f"warp-debug-gradients {VERSION}")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, script_arguments = _split(given)
    parsed = parser().parse_args(own)
    try:
        return _diagnose(parsed, script_arguments)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted; every process of the program was ended.", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 2


def _split(given: list[str]) -> tuple[list[str], list[str]]:
    if "--" in given:
        index = given.index("--")
        return given[:index], given[index + 1 :]
    return given, []


def _diagnose(parsed: argparse.Namespace, script_arguments: list[str]) -> int:
    _check(parsed)
    from harness.command.progress import Reporter
    from harness.diagnose import diagnose
    from harness.execute.session import Target
    from harness.report import render
    from harness.schema import exit_code

    target = Target(parsed.script, parsed.module, tuple(script_arguments), os.getcwd(), _overrides(parsed.settings))
    options = Options(
        python=parsed.python,
        iterations=parsed.iterations,
        timeout=parsed.timeout,
        budget=parsed.budget,
        max_memory_gib=parsed.max_memory,
        jobs=parsed.jobs,
        seed=parsed.seed,
        fork=not parsed.no_fork,
        allow_writes=parsed.allow_writes,
        elements=parsed.elements,
    )
    with Reporter(target.label, is_shown=not parsed.quiet and sys.stderr.isatty()) as progress:
        report = diagnose(target, options, progress)
    is_terminal = parsed.output is None and sys.stdout.isatty()
    width = min(os.get_terminal_size().columns, 110) if is_terminal else 80
    text = render(report, parsed.format, color=is_terminal and "NO_COLOR" not in os.environ, width=width)
    if parsed.output:
        Path(parsed.output).write_text(text, encoding="utf-8")
        print(f"{report.verdict}: report written to {parsed.output}")
    else:
        print(text, end="" if text.endswith("\n") else "\n")
    return int(exit_code(report))


def _check(parsed: argparse.Namespace) -> None:
    if bool(parsed.script) == bool(parsed.module):
        raise UsageError("Name one program: a script, or -m MODULE. See --help for examples.")
    if parsed.script and not os.path.exists(parsed.script):
        raise UsageError(f"There is no file `{parsed.script}`. Paths are relative to {os.getcwd()}.")
    if parsed.iterations < 1 or parsed.jobs < 1 or parsed.timeout <= 0 or parsed.budget <= 0:
        raise UsageError("--iterations, --jobs, --timeout and --budget must be positive.")
    if parsed.output and os.path.exists(parsed.output) and not parsed.force:
        raise UsageError(f"`{parsed.output}` exists; choose another --output, or overwrite it with --force.")
    if parsed.output and not Path(parsed.output).resolve().parent.is_dir():
        raise UsageError(f"The folder of `{parsed.output}` does not exist.")


def _overrides(settings: list[str]) -> dict[str, str]:
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not all(part.isidentifier() for part in name.split(".")):
            raise UsageError(f"`--set {setting}` is not NAME=VALUE, for example --set STEPS=20 or --set sim.N=32.")
        found[name] = value
    return found
