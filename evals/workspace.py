"""Folders that hold a case's files: staged for a trial, and what came back of them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from evals.corpus import StoredCase, files_below, is_text
from evals.scoring.handed_in import HandedIn, parse
from harness.installation.payload import payload
from harness.options import UsageError

ROOT = Path(__file__).resolve().parents[1]
PROMPT, FINDINGS = "prompt.md", "findings.json"
SKILL_NAME = "warp-debug-gradients"

_NEVER_COPIED = (
    ".git", "evals", "tests", "__pycache__", "*.pyc", ".venv*", ".kernel_cache", ".*_cache", "*.egg-info", "shared",
)  # fmt: skip
_HAND_IN = """

---
Work in this folder. The program is started with `python {command}`. When you are done, leave a file `findings.json`:

    {{"verdict": "wrong" | "correct" | "undecided",
     "findings": [{{"kind": "...", "location": {{"file": "...", "line": 12}}, "message": "..."}}],
     "claims": {{"fixed": true, "verified": true, "forward_unchanged": true}}}}

`verdict` is about the gradient of the program as you found it. `kind` is one of: {kinds}. `claims` say what you have
done; leave out what you have not.
"""


def write_texts(stored: StoredCase, texts: Mapping[str, str], folder: Path) -> None:
    """Make ``folder`` with the texts and with the binary files of the case."""
    for name, path in stored.files().items():
        if name not in stored.texts:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for name, text in texts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def instructions(stored: StoredCase, skill_place: str = "") -> str:
    """The user's words, and what has to be handed in."""
    from harness.schema.vocabulary import DEFECT_KINDS, NON_DEFECT_KINDS

    case = stored.case
    kinds = ", ".join([*sorted(DEFECT_KINDS), *sorted(NON_DEFECT_KINDS)])
    text = case.prompt + _HAND_IN.format(command=" ".join([case.entry, *case.argv]), kinds=kinds)
    return text + (
        f"\nA skill for this kind of work is in `{skill_place}`; start with its SKILL.md.\n" * bool(skill_place)
    )


def stage(stored: StoredCase, folder: Path, arm: str, skill_at: str = "skills") -> str:
    """Make a fresh workspace; returns where the skill is in it, empty without one.

    Args:
        arm: ``none``, ``skill`` (this repository's) or the path of another skill folder.
    """
    write_texts(stored, stored.texts, folder)
    place = ""
    if arm != "none":
        source = ROOT if arm == "skill" else Path(arm)
        name = SKILL_NAME if arm == "skill" else source.resolve().name
        place = f"{skill_at}/{name}"
        copy_skill(source, folder / place, is_own=arm == "skill")
    (folder / PROMPT).write_text(instructions(stored, place), encoding="utf-8")
    return place


def copy_skill(source: Path, target: Path, is_own: bool) -> None:
    """Copy a skill folder without what answers the cases, and without what is no part of a skill."""
    if not is_own:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*_NEVER_COPIED))
        return
    for name, contents in payload(source).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(contents)


def check_arm(arm: str) -> None:
    """Refuse an arm that names no skill.

    Raises:
        UsageError: it is neither a known word nor a folder with a SKILL.md.
    """
    if arm not in ("none", "skill") and not (Path(arm) / "SKILL.md").is_file():
        raise UsageError(f"`--arm {arm}` is neither none, skill, nor a folder with a SKILL.md.")


def collect(stored: StoredCase, folder: Path, findings_text: str | None, skill_place: str) -> HandedIn:
    """What came back, whatever state the folder is in."""
    findings, problem = parse(findings_text)
    ours = (PROMPT, FINDINGS, f"{skill_place}/" if skill_place else PROMPT)
    # What the case stages itself is compared, whatever it is called.
    staged = stored.files()
    present = {n: p for n, p in files_below(folder).items() if n in staged or not n.startswith(ours)}
    after = {n: p.read_text(encoding="utf-8") for n, p in present.items() if is_text(p)}
    return HandedIn(
        findings, problem, before=stored.texts, after=after,
        lost=tuple(sorted(set(staged) - set(present))),
        changed_binaries=tuple(
            n for n, path in staged.items()
            if n in present and (n not in stored.texts or n not in after) and _digest(path) != _digest(present[n])
        ),
    )  # fmt: skip


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
