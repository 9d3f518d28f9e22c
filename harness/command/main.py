"""Arguments in, exit code out. Heavy imports wait until the arguments are known to be good."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from harness.command.arguments import check, options_again, options_of, overrides, parser, split
from harness.command.packages import check_packages
from harness.options import UsageError

if TYPE_CHECKING:
    from harness.execute.session import Target
    from harness.schema import Report

_FAILED = 2

# The first argument that is none of these is a script to judge. Each module has `run(arguments) -> exit code` and may
# raise UsageError; it is imported when it is asked for.
SUBCOMMANDS = {
    "agent": "harness.command.agent",
    "doctor": "harness.command.doctor",
    "explain": "harness.command.explain",
    "install": "harness.command.install",
    "render": "harness.command.render",
    "transcript": "harness.command.transcript",
    "verify": "harness.command.verify",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        if given and given[0] in SUBCOMMANDS:
            return _subcommand(given[0], given[1:])
        own, script_arguments = split(given)
        return _run(parser().parse_args(own), script_arguments)
    except UsageError as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted; every process of the program was ended.", file=sys.stderr)
    except BrokenPipeError:
        # Python flushes standard output once more at exit, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        print(_own_failure(error, "--debug" in given), file=sys.stderr)
    return _FAILED


def _subcommand(name: str, arguments: list[str]) -> int:
    run: Callable[[list[str]], int] = importlib.import_module(SUBCOMMANDS[name]).run
    return run(arguments)


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt


def _own_failure(error: Exception, is_debugging: bool) -> str:
    if is_debugging:
        return traceback.format_exc()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    return (
        f"This tool failed by itself: {type(error).__name__}: {error} ({where}). Nothing is known about the gradient. "
        "Run again with --debug for a traceback to report."
    )


def _run(parsed: argparse.Namespace, script_arguments: list[str]) -> int:
    check(parsed, script_arguments)
    check_packages()
    from harness.schema import exit_code

    if parsed.session:
        report = _repeat(parsed)
    else:
        from harness.execute.session import Target

        given = overrides(parsed.settings)
        target = Target(parsed.script, parsed.module, tuple(script_arguments), os.getcwd(), given)
        report = _bisect(parsed, target) if parsed.bisect else _diagnose(parsed, target)
    _write(parsed, report)
    return int(exit_code(report))


def _diagnose(parsed: argparse.Namespace, target: Target) -> Report:
    from harness.command.progress import Reporter
    from harness.diagnose import diagnose, live_session
    from harness.execute.journaled import recorded

    options = options_of(parsed)
    live = live_session(target, options)
    with Reporter(target.label, not parsed.quiet and sys.stderr.isatty()) as progress:
        if parsed.record:
            return diagnose(recorded(live, parsed.record, asdict(options)), options, progress)
        return diagnose(live, options, progress)


def _repeat(parsed: argparse.Namespace) -> Report:
    from contextlib import nullcontext

    from harness.diagnose import diagnose
    from harness.execute.journaled import repeated

    with repeated(parsed.session) as (session, recorded_options):
        return diagnose(nullcontext(session), options_again(parsed, recorded_options))


def _bisect(parsed: argparse.Namespace, target: Target) -> Report:
    from harness.command.bisect import bisect

    parsed.full_seconds = 0.0  # the values tried are compared with each other
    answer = bisect(parsed.bisect, target, lambda changed: _diagnose(parsed, changed))
    print(answer.table(), file=sys.stdout if parsed.format == "text" and not parsed.output else sys.stderr)
    return answer.report


def _write(parsed: argparse.Namespace, report: Report) -> None:
    from harness.report import render

    is_terminal = parsed.output is None and sys.stdout.isatty()
    width = min(os.get_terminal_size().columns, 110) if is_terminal else 80
    text = render(report, parsed.format, color=is_terminal and "NO_COLOR" not in os.environ, width=width)
    text += "" if text.endswith("\n") else "\n"
    if parsed.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(parsed.output).write_text(text, encoding="utf-8")
    except OSError as error:
        sys.stdout.write(text)  # the work is done: do not lose it
        raise UsageError(f"`{parsed.output}` cannot be written ({error.strerror}); the report is above.") from None
    print(f"{report.verdict}: report written to {parsed.output}")
