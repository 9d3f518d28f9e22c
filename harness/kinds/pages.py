"""Writes ``references/kinds/<kind>.md`` from the docstrings: ``python -m harness.kinds.pages``."""

from __future__ import annotations

from pathlib import Path

from .. import pages

FOLDER = Path(__file__).resolve().parents[2] / "references" / "kinds"
NOTICE = "<!-- Generated from harness/kinds/{module}.py by `python -m harness.kinds.pages`; edit it there. -->\n"


def rendered() -> dict[str, str]:
    """File name to contents, for every kind that has a page."""
    return {
        f"{kind}.md": NOTICE.format(module=kind.replace("-", "_")) + "\n" + pages.page(kind) for kind in pages.names()
    }


def write(folder: Path = FOLDER) -> list[Path]:
    """Write all pages and remove those of kinds that are gone; returns what is there now."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {folder / name: text for name, text in rendered().items()}
    for path in set(folder.glob("*.md")) - set(files):
        path.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return sorted(files)


if __name__ == "__main__":
    print(f"{len(write())} pages written to {FOLDER}")
