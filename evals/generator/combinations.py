"""Which faults go together in which host, and a fair selection of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import combinations

from evals.generator.faults import FAULTS, Fault, fits, requirements
from evals.generator.hosts import Host

Combination = tuple[Host, tuple[Fault, ...]]


def sets_for(host: Host) -> Iterator[tuple[Fault, ...]]:
    """No fault, every single one that fits, and every pair that can be in one program."""
    single = [fault for fault in FAULTS.values() if fits(fault, host.features)]
    yield ()
    yield from ((fault,) for fault in single)
    yield from (pair for pair in combinations(single, 2) if requirements(pair) is not None)


def every(hosts: Iterable[Host], kind: str | None = None) -> list[Combination]:
    """All of them; with ``kind`` those that hold a fault of that kind."""
    return [
        (host, faults)
        for host in hosts
        for faults in sets_for(host)
        if kind is None or any(fault.kind == kind for fault in faults)
    ]


def sample(hosts: Iterable[Host], kind: str | None, count: int, rng: random.Random) -> Iterator[Combination]:
    """Combinations without end: of twenty, three controls and four pairs; kinds and hosts in turn."""
    found = every(hosts, kind)
    pools: dict[tuple[int, str], list[Combination]] = {}
    for host, faults in found:
        kinds: set[str] = {fault.kind for fault in faults}
        for key in kinds or {""}:
            pools.setdefault((len(faults), key), []).append((host, faults))
    turns = {size: _turns([key for key in pools if key[0] == size], rng) for size in (0, 1, 2)}
    last: dict[str, int] = {}
    for number in range(count):
        size = 0 if number % 20 in (4, 11, 17) else 2 if number % 20 in (3, 8, 13, 18) else 1
        turn = turns[size] or turns[1] or turns[2] or turns[0]
        pool = pools[next(turn)] if turn else []
        if not pool:
            return
        fewest = min(last.get(host.name, 0) for host, _ in pool)
        host, faults = rng.choice([(h, f) for h, f in pool if last.get(h.name, 0) == fewest])
        last[host.name] = fewest + 1
        yield host, faults


def _turns(keys: list[tuple[int, str]], rng: random.Random) -> Iterator[tuple[int, str]] | None:
    if not keys:
        return None
    order = rng.sample(keys, len(keys))
    return (order[i % len(order)] for i in range(10**9))
