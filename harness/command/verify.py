"""``python -m harness.run verify BEFORE AFTER``: is the second program a fix of the first one's gradient?"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.command.arguments import overrides, split
from harness.command.packages import check_packages
from harness.options import Options, UsageError

if TYPE_CHECKING:
    from harness.schema import Verification
    from harness.verify import VerifySettings

EPILOG = """\
BEFORE and AFTER are two files, or two folders with one program each. Arguments of the program go after --.

examples:
  python -m harness.run verify train_before.py train.py
  python -m harness.run verify old/ new/ --entry fit.py --metric 'final loss = {}'
  python -m harness.run verify old/ new/ -m sim.train --set STEPS=20 -- --epochs 50
  python -m harness.run verify train_before.py train.py --format markdown --bundle evidence/

checks: gradient wrong before; right after, at iterations 0 to 2 and from other parameter values; same parameters;
forward values unchanged; as many updates; the metric better; more than constants changed; no file deleted.

exit codes:
  0 verified   1 refuted: a check failed   2 usage, or a failure of this tool
  3 undecided  4 blocked: a program did not get to a gradient
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of a verification."""
    default = Options()
    made = argparse.ArgumentParser(
        prog="python -m harness.run verify",
        description="Measure whether AFTER is a fix of the gradient of BEFORE. Both run unmodified.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("before", metavar="BEFORE", type=Path, help="the program as it was")
    made.add_argument("after", metavar="AFTER", type=Path, help="the program as it is now")
    run = made.add_argument_group("running the programs")
    run.add_argument("--entry", metavar="SCRIPT", help="the script in the folders; needed where it is not clear")
    run.add_argument("-m", dest="module", metavar="MODULE", help="run a module in the folders, as python -m would")
    run.add_argument("--python", default=default.python, metavar="EXE", help="interpreter that runs them (this one)")
    run.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="NAME=VALUE",
        help="replace a module-level constant in both; without it both run at full size",
    )  # fmt: skip
    run.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for one execution (300)")
    run.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8), metavar="N", help="runs side by side")
    run.add_argument("--no-fork", action="store_false", dest="fork", help="start a fresh process for every run")
    judge = made.add_argument_group("judging")
    judge.add_argument("--metric", metavar="PATTERN", help="a printed line with {} for the number; the last one counts")
    judge.add_argument("--higher-is-better", action="store_true", help="of the metric; lower is, otherwise")
    judge.add_argument(
        "--iterations", type=int, default=default.iterations, metavar="K", help="iterations to judge (3)"
    )
    judge.add_argument("--elements", action="store_true", help="each element of parameters with few, by itself")
    judge.add_argument("--values", type=int, default=2, metavar="N", help="sets of other parameter values (2)")
    judge.add_argument(
        "--budget", type=float, default=60.0, metavar="S", help="seconds for the differences of one (60)"
    )
    judge.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random directions (0)")
    judge.add_argument(
        "--no-run-to-end", action="store_false", dest="run_to_end", help="no metric, no count of updates"
    )
    judge.add_argument("--no-causes", action="store_false", dest="causes", help="no causes where AFTER is wrong still")
    judge.add_argument("--allow-deleted", action="store_true", help="deleted files are meant to be deleted")
    judge.add_argument(
        "--allow-changed-forward", action="store_true", help="the loss or the physics is meant to change"
    )
    out = made.add_argument_group("report")
    out.add_argument("--format", default="text", choices=("text", "json", "markdown"))
    out.add_argument("--bundle", metavar="DIR", type=Path, help="write the evidence into a new folder")
    out.add_argument("--quiet", action="store_true", help="no progress")
    out.add_argument("--debug", action="store_true", help="show the traceback of a failure of this tool")
    return made


def run(arguments: list[str]) -> int:
    """Verify and print.

    Raises:
        UsageError: the request cannot be carried out.
    """
    own, script_arguments = split(arguments)
    parsed = parser().parse_args(own)
    if parsed.iterations < 1 or parsed.jobs < 1 or parsed.values < 0 or not parsed.timeout > 0 or not parsed.budget > 0:
        raise UsageError("--iterations, --jobs, --timeout and --budget must be positive, and --values not negative.")
    check_packages()
    from harness.command.progress import Reporter
    from harness.verify import investigate
    from harness.verify.bundle import check_bundle, write_bundle

    if parsed.bundle is not None:
        check_bundle(parsed.bundle)
    settings = _settings(parsed, tuple(script_arguments))
    with Reporter(str(parsed.after), not parsed.quiet and sys.stderr.isatty()) as progress:
        found = investigate(parsed.before, parsed.after, settings, progress)
    _print(found.verification, parsed.format)
    if parsed.bundle is not None:
        left_out = write_bundle(parsed.bundle, found)
        more = f", without {', '.join(left_out)}" if left_out else ""
        print(f"Evidence written to {parsed.bundle}{more}; {parsed.bundle}/reproduce.sh repeats it.", file=sys.stderr)
    return int(found.verification.exit_code)


def _settings(parsed: argparse.Namespace, script_arguments: tuple[str, ...]) -> VerifySettings:
    from harness.verify import VerifySettings

    options = Options(
        python=parsed.python, iterations=parsed.iterations, timeout=parsed.timeout, budget=parsed.budget,
        jobs=parsed.jobs, seed=parsed.seed, fork=parsed.fork, causes=parsed.causes, full_seconds=0.0,
        elements=parsed.elements,
    )  # fmt: skip
    return VerifySettings(
        options=options,
        argv=script_arguments,
        overrides=overrides(parsed.settings),
        entry=parsed.entry,
        module=parsed.module,
        metric=parsed.metric,
        higher_is_better=parsed.higher_is_better,
        other_values=parsed.values,
        allow_deleted=parsed.allow_deleted,
        allow_changed_forward=parsed.allow_changed_forward,
        run_to_end=parsed.run_to_end,
    )


def _print(verification: Verification, format: str) -> None:
    from harness.report import verification as pages

    if format == "json":
        text = verification.model_dump_json(indent=2) + "\n"
    elif format == "markdown":
        text = pages.markdown(verification)
    else:
        is_terminal = sys.stdout.isatty()
        width = min(os.get_terminal_size().columns, 110) if is_terminal else 100
        text = pages.text(verification, width=width, color=is_terminal and "NO_COLOR" not in os.environ)
    sys.stdout.write(text)
    sys.stdout.flush()
