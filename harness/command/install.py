"""``python -m harness.run install --assistant NAME``: put the skill where a coding assistant finds it.

Imports the standard library alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.installation import ASSISTANTS, NAME, Outcome, install_copy, install_link, skills_folder
from harness.installation.payload import has_skill
from harness.options import VERSION, UsageError

_SHOWN = 5

EPILOG = f"""\
examples:
  python -m harness.run install --assistant claude                    for you, in every project
  python -m harness.run install --assistant codex --scope project     for the project in this folder
  python -m harness.run install --assistant cursor --link             a link: follows this folder as it changes
  python -m harness.run install --target ~/my-assistant/skills        any folder that holds skills

It makes a folder {NAME} there. A second run brings it up to date. Files that it did not write, or that
you have changed since, stay as they are and are named. To remove it, delete that folder.
"""


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    made = argparse.ArgumentParser(
        prog="python -m harness.run install",
        description="Install this skill for a coding assistant.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--assistant", choices=sorted(ASSISTANTS), help="whose folder of skills")
    made.add_argument(
        "--scope", choices=("user", "project"), default="user", help="for you (default), or for this folder"
    )
    made.add_argument("--target", metavar="DIR", type=Path, help="another folder that holds skills")
    how = made.add_mutually_exclusive_group()
    how.add_argument("--copy", action="store_true", help="copy what the skill needs (default)")
    how.add_argument("--link", action="store_true", help="link to this folder instead")
    made.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    return made


def run(arguments: list[str]) -> int:
    """Install, and say what was done.

    Raises:
        UsageError: it is not clear where to, or something else stands there.
    """
    parsed = parser().parse_args(arguments)
    if (parsed.target is None) == (parsed.assistant is None):
        raise UsageError(
            f"Name an assistant ({', '.join(sorted(ASSISTANTS))}) with --assistant, or a folder with --target."
        )
    if not has_skill():
        raise UsageError(
            "The skill is not beside this package; run install from its folder: python3 FOLDER/harness/run.py."
        )
    skills = parsed.target.expanduser() if parsed.target else skills_folder(parsed.assistant, parsed.scope)
    install = install_link if parsed.link else install_copy
    outcome = install(Path(skills).absolute() / NAME, parsed.dry_run)
    print(_told(outcome, parsed.dry_run))
    return 0


def _told(outcome: Outcome, is_dry: bool) -> str:
    return "\n".join([_headline(outcome, is_dry), *_kept(outcome), *_next(outcome, is_dry)])


def _headline(outcome: Outcome, is_dry: bool) -> str:
    would = "would be " if is_dry else ""
    if not outcome.has_changed:
        return f"Already installed, version {VERSION}: {outcome.folder}"
    if outcome.is_link:
        return f"{outcome.folder} {would or 'is now '}a link to the skill, version {VERSION}."
    counts = f"{len(outcome.written)} files written"
    counts += f", {len(outcome.removed)} removed" if outcome.removed else ""
    if outcome.old_version is None:
        return f"Version {VERSION} {would}installed: {outcome.folder}, {counts}."
    if outcome.old_version == VERSION:
        return f"Version {VERSION} {would}updated: {outcome.folder}, {counts}."
    return f"Version {outcome.old_version} {would}brought to version {VERSION}: {outcome.folder}, {counts}."


def _kept(outcome: Outcome) -> list[str]:
    if not outcome.kept:
        return []
    more = f" and {len(outcome.kept) - _SHOWN} more" if len(outcome.kept) > _SHOWN else ""
    return [f"Kept, because they are yours or you have changed them: {', '.join(outcome.kept[:_SHOWN])}{more}."]


def _next(outcome: Outcome, is_dry: bool) -> list[str]:
    if is_dry or not outcome.has_changed:
        return []
    return [f"Next: python3 {outcome.folder}/harness/run.py doctor; then start a new session of the assistant."]
