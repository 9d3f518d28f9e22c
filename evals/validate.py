"""Is a case what it says: fault there and visible, fix right, forward values kept, answer not given away."""

from __future__ import annotations

import importlib.util
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.case import Case, Lines
from evals.corpus import StoredCase
from evals.judge import (
    Check,
    forward_is_unchanged,
    gradient_is_right,
    gradient_is_wrong,
    metric_is_reached,
)
from evals.measure import Bench, Contents, Measurement, unseen
from evals.patch import PatchError, apply, apply_blocks, blocks, touched
from evals.truth import BadReference, Reference, load_reference
from evals.workspace import write_texts
from harness.schema.vocabulary import DEFECT_KINDS, NON_DEFECT_KINDS

_GIVEAWAYS = (
    r"\bbugs?\b", r"\bfixme\b", r"\btodo\b", r"\bfault(y|s)?\b", r"\bwrong gradient", r"gradient is (wrong|zero)",
    r"\bwarp-debug-gradients\b", r"\bdecoy",
)  # fmt: skip


@dataclass(frozen=True)
class Validation:
    """What was found out about one case."""

    id: str
    checks: tuple[Check, ...]
    seconds: float
    skipped: str = ""
    """Why nothing was checked: this machine has not what the case needs."""

    @property
    def passed(self) -> bool:
        """Every check passed, and there was at least one."""
        return not self.skipped and bool(self.checks) and all(c.passed for c in self.checks)

    @property
    def failed(self) -> bool:
        """A check failed, or there was none at all."""
        return not self.skipped and not self.passed


def validate(bench: Bench, stored: StoredCase) -> Validation:
    """Check one case."""
    started = time.perf_counter()
    skipped = why_not_here(stored.case, bench.warp_version)
    checks: list[Check] = []
    if not skipped:
        checks += text_checks(stored)
        if all(c.passed for c in checks):
            checks += _program_checks(bench, stored)
    return Validation(stored.case.id, tuple(checks), time.perf_counter() - started, skipped)


def why_not_here(case: Case, warp_version: str) -> str:
    """Why a case cannot run on this machine; empty if it can."""
    for package in case.needs:
        if importlib.util.find_spec(package) is None:
            return f"needs {package}, which is not installed"
    here = _version(warp_version)
    if case.warp.min is not None and here < _version(case.warp.min):
        return f"needs Warp {case.warp.min} or newer; this is {warp_version}"
    if case.warp.max is not None and here > _version(case.warp.max):
        return f"needs Warp {case.warp.max} or older; this is {warp_version}"
    return ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text)[:3])


# --- what needs no run ------------------------------------------------------------------------------------------------
def text_checks(stored: StoredCase) -> list[Check]:
    """Files, lines, decoys, patch and words."""
    problems = [
        ("entry exists", _missing_entry(stored)),
        ("lines exist", _bad_lines(stored)),
        ("decoys exist", _bad_decoys(stored, stored.texts)),
        ("the fix applies", _bad_patch(stored)),
        ("the answer is not given away", _giveaways(stored)),
    ]
    return [Check(name, not found, "; ".join(found)) for name, found in problems]


def fixed_texts(stored: StoredCase) -> dict[str, str]:
    """Staged text files with the reference fix."""
    return apply(stored.patch, stored.texts)


def _missing_entry(stored: StoredCase) -> list[str]:
    return [] if stored.case.entry in stored.texts else [f"there is no files/{stored.case.entry}"]


def _bad_lines(stored: StoredCase) -> list[str]:
    expected = stored.case.expected
    places: list[Lines] = []
    for cause in expected.causes:
        places += [cause, *cause.elsewhere]
    places += [p for remark in expected.remarks for p in remark.places]
    found = []
    for place in places:
        lines = stored.texts.get(place.file, "").splitlines()
        for line in place.lines:
            if line > len(lines) or not lines[line - 1].strip():
                found.append(f"{place.file}:{line} is no line of code")
    return found


def _bad_decoys(stored: StoredCase, texts: Mapping[str, str]) -> list[str]:
    return [
        f"{d.file} does not contain {d.snippet!r}"
        for d in stored.case.decoys
        if d.snippet not in texts.get(d.file, "")
    ]  # fmt: skip


def _bad_patch(stored: StoredCase) -> list[str]:
    if not stored.patch:
        return ["a wrong gradient needs fix.patch"] if stored.case.expected.verdict == "wrong" else []
    found = [f"{name} does not end with a line break" for name, text in stored.texts.items() if text[-1:] not in "\n"]
    try:
        fixed = fixed_texts(stored)
    except PatchError as error:
        return [*found, str(error)]
    if fixed == stored.texts:
        found.append("fix.patch changes nothing")
    found += [f"after the fix {text}" for text in _bad_decoys(stored, fixed)]
    return found + [f"{name} is protected" for name in touched(stored.patch) if Path(name).match("test_*.py")]


def _giveaways(stored: StoredCase) -> list[str]:
    kinds = [re.escape(k).replace(r"\-", "[-_ ]") for k in sorted(DEFECT_KINDS | NON_DEFECT_KINDS) if "-" in k]
    words = re.compile("|".join([*(rf"\b{k}\b" for k in kinds), *_GIVEAWAYS]), re.IGNORECASE)
    found = [f"the path {name} says {m[0]!r}" for name in stored.files() if (m := words.search(name))]
    for name, text in stored.texts.items():
        found += [f"{name} says {m[0]!r}" for m in words.finditer(text)]
    kind_words = re.compile("|".join(rf"\b{k}\b" for k in kinds), re.IGNORECASE)
    return found + [f"the prompt says {m[0]!r}" for m in kind_words.finditer(stored.case.prompt)]


# --- what needs runs --------------------------------------------------------------------------------------------------
def _program_checks(bench: Bench, stored: StoredCase) -> Iterator[Check]:
    try:
        reference = load_reference(stored.reference_path) if not stored.case.truth.absent else None
    except BadReference as error:
        yield Check("the reference loads", False, str(error))
        return
    with tempfile.TemporaryDirectory(prefix="evals-validate-") as folder:
        original, fixed = Path(folder, "original"), Path(folder, "fixed")
        write_texts(stored, stored.texts, original)
        write_texts(stored, fixed_texts(stored), fixed)
        is_wrong = stored.case.expected.verdict == "wrong"
        if reference is not None:
            right = bench.measure(stored.case, fixed)
            yield from _right(bench, stored, reference, fixed, right, "with the fix" if stored.patch else "as it is")
            if stored.patch and right.points:
                yield from _original(bench, stored, reference, original, right.initial(), is_wrong)
                yield from _each_cause(bench, stored, reference, Path(folder), right.initial())
        if stored.case.metric is not None:
            name = "the metric is reached" + " with the fix" * bool(stored.patch)
            yield metric_is_reached(name, stored.case, bench.run(stored.case, fixed))
            if stored.patch:
                missed = metric_is_reached("", stored.case, bench.run(stored.case, original))
                yield Check("the metric is missed without the fix", not missed.passed, missed.detail)
        elif reference is None:
            run = bench.run(stored.case, original)
            yield Check("the program runs", not run.failure, run.failure or f"{run.seconds:.1f} s")


def _right(
    bench: Bench, stored: StoredCase, reference: Reference, folder: Path, measured: Measurement, when: str
) -> Iterator[Check]:
    """The gradient agrees with the reference at the given and at unseen values; so do the forward values."""
    case = stored.case
    yield gradient_is_right(f"the gradient is right {when}", case, reference, measured, {})
    yield forward_is_unchanged(f"forward is the reference's {when}", case, reference, measured)
    bad_shapes = [
        f"{p.name} is {measured.initial()[p.name].shape}, not {p.shape}"
        for p in case.parameters
        if p.name in measured.initial() and measured.initial()[p.name].shape != p.shape
    ]
    if bad_shapes:
        yield Check("parameters have their shapes", False, "; ".join(bad_shapes))
        return
    for seed in case.probes if measured.points else ():
        start = unseen(case, measured.initial(), seed)
        elsewhere = bench.measure(case, folder, start)
        where = f"{when}, at unseen values {seed}"
        yield gradient_is_right(f"the gradient is right {where}", case, reference, elsewhere, {})
        yield forward_is_unchanged(f"forward is the reference's {where}", case, reference, elsewhere)


def _each_cause(
    bench: Bench, stored: StoredCase, reference: Reference, folder: Path, initial: Contents
) -> Iterator[Check]:
    """With several causes: each one is visible when all others are mended."""
    causes = stored.case.expected.causes
    if len(causes) < 2:
        return
    changes = blocks(stored.texts, fixed_texts(stored))
    for index, cause in enumerate(causes):
        if not cause.blocks:
            continue
        name = f"{cause.kind} is visible by itself"
        if max(cause.blocks) > len(changes):
            yield Check(name, False, f"fix.patch has {len(changes)} changes, blocks names {max(cause.blocks)}")
            continue
        others = [change for number, change in enumerate(changes, 1) if number not in cause.blocks]
        place = folder / f"only-{index}"
        write_texts(stored, apply_blocks(others, stored.texts), place)
        measured = bench.measure(stored.case, place)
        broken = measured.failure if "ended with" in measured.failure else ""
        check = gradient_is_wrong(name, stored.case, reference, measured, initial)
        yield Check(name, check.passed and not broken, broken or check.detail)


def _original(
    bench: Bench, stored: StoredCase, reference: Reference, folder: Path, initial: Contents, is_wrong: bool
) -> Iterator[Check]:
    case = stored.case
    measured = bench.measure(case, folder)
    judge: Callable[..., Check] = gradient_is_wrong if is_wrong else gradient_is_right
    name = "the fault is visible" if is_wrong else "the gradient is right without the fix"
    yield judge(name, case, reference, measured, initial)
    if measured.points and set(measured.initial()) >= set(initial):
        yield forward_is_unchanged("forward is the reference's without the fix", case, reference, measured)
