"""``--bisect NAME[=LO:HI]``: the smallest value of a constant at which a gradient is wrong.

"Shrink the physics, never the dataflow": the smaller the program that still shows the fault, the easier it is to read.
Doubling from below comes first, because small programs are cheap; then bisection. Both assume that the fault, once
there, stays for larger values; the table shows what was tried.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from harness.command.arguments import is_name
from harness.execute.session import Target
from harness.options import UsageError
from harness.schema import Report


@dataclass(frozen=True)
class Bisection:
    """What was tried, and the report to show."""

    name: str
    reports: dict[int, Report]
    smallest: int | None
    """Smallest value with a wrong gradient; None if there was none."""

    @property
    def report(self) -> Report:
        """The report of the smallest value that is wrong, or of the largest tried."""
        return self.reports[max(self.reports) if self.smallest is None else self.smallest]

    def table(self) -> str:
        """The values in order with their verdicts, and what follows from them."""
        width = max(len(str(v)) for v in self.reports)
        rows = [f"  {self.name} = {v:>{width}}  {self.reports[v].verdict}" for v in sorted(self.reports)]
        if self.smallest is None:
            said = f"No value of {self.name} that was tried gives a wrong gradient."
        else:
            below = max((v for v in self.reports if v < self.smallest), default=None)
            known = "the smallest tried" if below is None else f"with {below} it is {self.reports[below].verdict}"
            said = f"The gradient is wrong from {self.name} = {self.smallest}; {known}. Its report:"
        return "\n".join([*rows, said, ""])


def bisect(given: str, target: Target, diagnose: Callable[[Target], Report]) -> Bisection:
    """Find the smallest value. ``given`` is ``NAME`` or ``NAME=LO:HI``.

    Raises:
        UsageError: there is no range to search.
    """
    name, low, high = _range(given, target)
    reports: dict[int, Report] = {}

    def is_wrong(value: int) -> bool:
        if value not in reports:
            changed = replace(target, overrides={**target.overrides, name: str(value)})
            reports[value] = diagnose(changed)
        return reports[value].verdict == "wrong"

    below, step = low - 1, 1
    value = low
    while not is_wrong(value):
        if value == high:
            return Bisection(name, reports, None)
        below, value, step = value, min(value + step, high), step * 2
    while value - below > 1:
        middle = (below + value) // 2
        below, value = (below, middle) if is_wrong(middle) else (middle, value)
    return Bisection(name, reports, value)


def _range(given: str, target: Target) -> tuple[str, int, int]:
    name, has_range, text = given.partition("=")
    low, _, high = text.partition(":")
    if not is_name(name) or (has_range and not (_is_integer(low) and _is_integer(high))):
        raise UsageError(f"`--bisect {given}` is not NAME or NAME=LO:HI, for example --bisect STEPS=1:64.")
    if not has_range:
        current = _current(name, target)
        if current is None or current < 1:
            raise UsageError(
                f"`{name}` is not a positive integer at the top level of {target.label}; "
                f"give the range to search: --bisect {name}=LO:HI."
            )
        return name, 1, current
    if int(low) > int(high):
        raise UsageError(f"The range of `--bisect {given}` is empty.")
    return name, int(low), int(high)


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def _current(name: str, target: Target) -> int | None:
    """The value in the script; None if it is not written there as a number."""
    if target.script is None or "." in name:
        return None
    try:
        tree = ast.parse(Path(target.cwd, target.script).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in tree.body:
        if isinstance(node, ast.Assign):
            named, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            named, value = [node.target], node.value
        else:
            continue
        if any(isinstance(t, ast.Name) and t.id == name for t in named) and isinstance(value, ast.Constant):
            return value.value if type(value.value) is int else None
    return None
