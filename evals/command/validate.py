"""``validate``: is every case what it says."""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from evals.command.arguments import add_cases, cases_of, parser
from evals.corpus import StoredCase
from evals.measure import Bench
from evals.validate import Validation, validate

_EPILOG = """\
examples:
  python -m evals.run validate
  python -m evals.run validate two-planes --verbose
  python -m evals.run validate --shard 1/4 --jobs 2

exit codes: 0 every case passed or was skipped, 1 a case failed, 2 usage
"""


def run(arguments: list[str]) -> int:
    """Validate the chosen cases."""
    made = parser("validate", "Check that every case is what it says.", _EPILOG)
    add_cases(made)
    made.add_argument("--jobs", type=int, default=1, metavar="N", help="cases side by side (1)")
    made.add_argument("--verbose", "-v", action="store_true", help="show checks that passed too")
    parsed = made.parse_args(arguments)
    cases = cases_of(parsed)
    started = time.perf_counter()
    found = _validate_all(cases, parsed)
    failed = [v.id for v in found if v.failed]
    skipped = sum(bool(v.skipped) for v in found)
    seconds = time.perf_counter() - started
    print(f"{len(found) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped in {seconds:.1f} s")
    if not found:
        print("No case was validated.")
    return int(bool(failed) or not found)


def _validate_all(cases: list[StoredCase], parsed: argparse.Namespace) -> list[Validation]:
    found = []
    if parsed.jobs <= 1 or len(cases) <= 1:
        with Bench() as bench:
            for stored in cases:
                found.append(validate(bench, stored))
                _show(found[-1], parsed.verbose)
        return found
    # Processes of their own: a bench forks, and must not inherit another one's channels.
    with ProcessPoolExecutor(min(parsed.jobs, len(cases)), get_context("spawn"), initializer=_open_bench) as pool:
        for result in pool.map(_validate_one, cases):
            found.append(result)
            _show(result, parsed.verbose)
    return found


_BENCH: Bench | None = None


def _open_bench() -> None:
    global _BENCH
    _BENCH = Bench().__enter__()


def _validate_one(stored: StoredCase) -> Validation:
    assert _BENCH is not None
    return validate(_BENCH, stored)


def _show(result: Validation, is_verbose: bool) -> None:
    word = "skipped" if result.skipped else "passed " if result.passed else "FAILED "
    print(f"{word} {result.id} ({result.seconds:.1f} s) {result.skipped}".rstrip(), flush=True)
    for check in result.checks:
        if is_verbose or not check.passed:
            print(f"    {'ok  ' if check.passed else 'NOT '} {check.name}: {check.detail}".rstrip(": "), flush=True)
