"""Checks that the fix left alone what it had to: the forward values, and the files."""

from __future__ import annotations

import math

from ..report.numbers import count, number, percent
from ..schema import Number, VerifyCheck
from .forward import OBJECTIVE
from .gradients import start_name
from .measured import Measured
from .sources import FileChanges

FORWARD = "forward values unchanged"
FILES = "files kept"
_NOTES = (".md", ".rst")
"""Files that no program reads: one that was not copied along is no loss."""
SMALL = 1e-3
"""Relative change that is told and let pass: a constant under a root, a sum in another order."""


def forward_unchanged(before: Measured, after: Measured, is_change_allowed: bool) -> VerifyCheck:
    """The objective of the first iteration is the same, from the values as written and from others."""
    if before.is_blocked or after.is_blocked:
        return VerifyCheck(name=FORWARD, outcome="not-applicable", message="A program did not get to a gradient.")
    shared = _shared(before, after)
    if not shared:
        message = (
            "The two programs seed backward differently and report no number under one name, so their forward values "
            "cannot be compared. Print the loss under the same name in both."
        )
        return VerifyCheck(name=FORWARD, outcome="undecided", message=message)
    elsewhere = _elsewhere(before, after)
    numbers: list[Number] = []
    largest, said = 0.0, ""
    for label, old, new, roundoff in shared + elsewhere:
        numbers += [Number(label=f"{label}, before", value=old), Number(label=f"{label}, after", value=new)]
        if abs(new - old) <= roundoff or largest > SMALL:
            continue
        change = abs(new - old) / max(abs(old), abs(new)) if math.isfinite(new - old) else math.inf
        if change > largest:
            largest = change
            said = f"{label} is {number(new)} instead of {number(old)}, {percent(change)} apart"
    if not said:
        label, value, *_ = shared[0]
        beside = f"; the same from {count(len(elsewhere), 'set')} of other parameter values" if elsewhere else ""
        message = f"{label[:1].upper()}{label[1:]} {number(value, 7)} in both, to roundoff{beside}."
        return VerifyCheck(name=FORWARD, outcome="passed", message=message, numbers=numbers)
    if largest <= SMALL:
        message = f"Nearly: {said}, more than roundoff and too little to be another loss."
        return VerifyCheck(name=FORWARD, outcome="passed", message=message, numbers=numbers)
    if before.is_random or after.is_random:
        message = f"The program is random from run to run, so this may be chance: {said}. Seed it, and ask again."
        return VerifyCheck(name=FORWARD, outcome="undecided", message=message, numbers=numbers)
    if is_change_allowed:
        return VerifyCheck(name=FORWARD, outcome="passed", message=f"Allowed to change: {said}.", numbers=numbers)
    message = f"The fix changes the forward computation (the physics, the loss, or the number of steps): {said}."
    return VerifyCheck(name=FORWARD, outcome="failed", message=message, numbers=numbers)


Pair = tuple[str, float, float, float]
"""What, before, after, and the difference that roundoff explains."""


def _shared(before: Measured, after: Measured) -> list[Pair]:
    """Values that both programs have: losses if both have them, else outputs, else scalars by name."""
    old, new = before.forward, after.forward
    for wanted in (OBJECTIVE, "output", "scalar"):
        names = [n for n in old.values if n.startswith(wanted)]
        if names and (wanted == "scalar" or names == [n for n in new.values if n.startswith(wanted)]):
            found = [
                (f"the {n}", old.values[n], new.values[n], max(old.roundoff[n], new.roundoff[n]))
                for n in names
                if n in new.values
            ]
            return [p for p in found if abs(p[1] - p[2]) <= p[3]][:3] if wanted == "scalar" else found
    return []


def _elsewhere(before: Measured, after: Measured) -> list[Pair]:
    relative = 0.0
    for forward in (before.forward, after.forward):
        if forward.values.get(OBJECTIVE):
            relative = max(relative, forward.roundoff[OBJECTIVE] / abs(forward.values[OBJECTIVE]))
    found = []
    for index, (old, new) in enumerate(zip(before.others, after.others, strict=False)):
        if old.objective is not None and new.objective is not None:
            roundoff = relative * max(abs(old.objective), abs(new.objective))
            found.append((f"the objective from {start_name(index)}", old.objective, new.objective, roundoff))
    return found


def files_kept(files: FileChanges, is_deletion_allowed: bool) -> VerifyCheck:
    """No file of the user's is gone."""
    deleted = [name for name in files.deleted if not name.lower().endswith(_NOTES)]
    if not deleted:
        said = [f"{len(names)} {word}" for names, word in ((files.changed, "changed"), (files.added, "added")) if names]
        gone = f" but notes: {', '.join(files.deleted[:5])}" if files.deleted else ""
        return VerifyCheck(name=FILES, outcome="passed", message=f"{', '.join(said) or 'Nothing'}, none deleted{gone}.")
    names = ", ".join(f"`{name}`" for name in deleted[:5])
    if is_deletion_allowed:
        return VerifyCheck(name=FILES, outcome="passed", message=f"Allowed to be deleted: {names}.")
    message = f"Deleted: {names}. Put it back, or say --allow-deleted."
    return VerifyCheck(name=FILES, outcome="failed", message=message)
