"""``generate``: fresh cases from a seed."""

from __future__ import annotations

import argparse
import random
import shutil
from collections import Counter
from pathlib import Path

from evals.command.arguments import parser
from evals.generator.build import NotUsable, build
from evals.generator.combinations import Combination, every, sample
from evals.generator.faults import FAULTS
from evals.generator.hosts import Host, all_hosts
from evals.measure import Bench
from evals.validate import validate
from harness.options import UsageError
from harness.schema.vocabulary import DEFECT_KINDS

_DRAWS = 5
_EPILOG = """\
examples:
  python -m evals.run generate --list
  python -m evals.run generate --seed 7 --out /tmp/fresh --count 20
  python -m evals.run generate --seed 7 --out /tmp/fresh --kind wrong-seed --host heat-rod
  python -m evals.run validate --corpus /tmp/fresh

exit codes: 0 as many cases as asked for were made, 1 fewer, 2 usage
"""


def run(arguments: list[str]) -> int:
    """Make cases, or list what can be made."""
    made = parser("generate", "Make fresh cases from a seed: simulations with faults put in.", _EPILOG)
    made.add_argument("--seed", type=int, metavar="N", help="the same seed makes the same cases")
    made.add_argument("--out", type=Path, metavar="DIR", help="new folder for the cases")
    made.add_argument("--count", type=int, default=20, metavar="K", help="how many (20)")
    made.add_argument("--host", metavar="H", help="only this simulation")
    made.add_argument("--kind", metavar="KIND", help="only cases with a fault of this kind")
    made.add_argument("--faults", metavar="A,B", help="exactly these faults; `none` for controls")
    made.add_argument("--unchecked", action="store_true", help="keep cases without validating them")
    made.add_argument("--list", action="store_true", help="count what can be made, and make nothing")
    parsed = made.parse_args(arguments)
    hosts = _hosts(parsed)
    if parsed.list:
        _list(hosts, parsed.kind)
        return 0
    if parsed.seed is None or parsed.out is None:
        raise UsageError("`generate` needs --seed N and --out DIR (or --list).")
    if parsed.out.exists() and any(parsed.out.iterdir()):
        raise UsageError(f"`{parsed.out}` is not empty; cases go into a new folder.")
    return _generate(hosts, parsed)


def _hosts(parsed: argparse.Namespace) -> list[Host]:
    known = all_hosts()
    if parsed.host is not None and parsed.host not in known:
        raise UsageError(f"There is no host `{parsed.host}`; there are {', '.join(known)}.")
    if parsed.kind is not None and parsed.kind not in DEFECT_KINDS:
        raise UsageError(f"There is no kind `{parsed.kind}`; there are {', '.join(sorted(DEFECT_KINDS))}.")
    return [known[parsed.host]] if parsed.host else list(known.values())


def _wanted(hosts: list[Host], parsed: argparse.Namespace) -> list[Combination]:
    if parsed.faults is not None:
        ids = [] if parsed.faults == "none" else parsed.faults.split(",")
        found = [(h, f) for h, f in every(hosts) if sorted(x.id for x in f) == sorted(ids)]
        if not found:
            raise UsageError(f"No host has the faults {ids} together; there are {', '.join(FAULTS)}.")
        return [found[i % len(found)] for i in range(parsed.count)]
    # More than asked for: one that cannot be made gives way to the next.
    found = list(sample(hosts, parsed.kind, 2 * parsed.count, random.Random(parsed.seed)))
    if not found:
        raise UsageError(f"No host has a fault of the kind `{parsed.kind}`.")
    return found


def _generate(hosts: list[Host], parsed: argparse.Namespace) -> int:
    made = 0
    with Bench() as bench:
        for number, (host, faults) in enumerate(_wanted(hosts, parsed)):
            folder = parsed.out / f"{host.name}-{parsed.seed}-{number:03d}"
            why = ""
            for draw in range(_DRAWS):
                why = _one(bench, (host, faults), f"{parsed.seed}/{number}/{draw}", folder, parsed.unchecked)
                if not why:
                    break
            words = ", ".join(fault.id for fault in faults) or "control"
            print(f"{folder.name:28} {words}{'  NOT MADE: ' + why if why else ''}", flush=True)
            made += not why
            if made == parsed.count:
                break
    print(f"{made} cases in {parsed.out}")
    return int(made < parsed.count)


def _one(bench: Bench, wanted: Combination, seed: str, folder: Path, is_unchecked: bool) -> str:
    """Make one case; returns why it cannot be used, and leaves nothing then."""
    try:
        stored = build(bench, *wanted, seed, folder)
    except NotUsable as error:
        why = str(error)
    else:
        if is_unchecked:
            return ""
        result = validate(bench, stored)
        why = "; ".join(f"{c.name}: {c.detail}" for c in result.checks if not c.passed)
    if why:
        shutil.rmtree(folder, ignore_errors=True)
    return why


def _list(hosts: list[Host], kind: str | None) -> None:
    found = every(hosts, kind)
    print(f"{'host':20} controls  single  pairs")
    for host in hosts:
        sizes = Counter(len(faults) for h, faults in found if h is host)
        print(f"{host.name:20} {sizes[0]:8}  {sizes[1]:6}  {sizes[2]:5}")
    single = sum(len(faults) == 1 for _, faults in found)
    print(f"{len(found)} combinations, {single} of them with one fault")
