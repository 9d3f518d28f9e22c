"""Arguments that several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from evals.corpus import CASES, StoredCase, select, shard


def parser(name: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """An argument parser as all subcommands have it."""
    return argparse.ArgumentParser(
        prog=f"python -m evals.run {name}", description=description, epilog=epilog, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip


def add_cases(made: argparse.ArgumentParser) -> None:
    """Which cases."""
    made.add_argument("cases", nargs="*", metavar="CASE", help="ids, globs or tag:NAME (all)")
    made.add_argument("--corpus", type=Path, default=CASES, metavar="DIR", help="folder with the cases")
    made.add_argument("--shard", metavar="K/N", default="1/1", help="only part K of N")


def cases_of(parsed: argparse.Namespace) -> list[StoredCase]:
    """The chosen cases."""
    return shard(select(parsed.cases, parsed.corpus), parsed.shard)
