"""``python -m harness.run transcript FILE``: a run of the agent, to read."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from harness.command.packages import check_packages
from harness.options import UsageError

EPILOG = """\
examples:
  python -m harness.run transcript RUN_FOLDER
  python -m harness.run transcript RUN_FOLDER/transcript.jsonl --format markdown
  python -m harness.run transcript RUN_FOLDER --format html --output run.html
"""


def run(arguments: list[str]) -> int:
    """Print the transcript, or write it to a file.

    Raises:
        UsageError: the file is none, or the output exists.
    """
    parsed = _parser().parse_args(arguments)
    check_packages()
    from harness.agent.transcript import read
    from harness.agent.transcript_pages import render

    path = Path(parsed.file)
    text = render(read(path / "transcript.jsonl" if path.is_dir() else path), parsed.format)
    if parsed.output is None:
        sys.stdout.write(text)
        return 0
    if os.path.exists(parsed.output) and not parsed.force:
        raise UsageError(f"`{parsed.output}` exists; choose another --output, or overwrite it with --force.")
    try:
        Path(parsed.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"`{parsed.output}` cannot be written ({error.strerror}).") from None
    print(f"transcript written to {parsed.output}")
    return 0


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m harness.run transcript",
        description="Show what an agent did: replies, tool calls, measurements, usage and cost.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("file", help="transcript.jsonl, or the folder of the run")
    made.add_argument("--format", default="text", choices=("text", "markdown", "html"))
    made.add_argument("--output", metavar="PATH", help="write it to a file")
    made.add_argument("--force", action="store_true", help="overwrite --output if it exists")
    return made
