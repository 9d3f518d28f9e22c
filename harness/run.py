"""Command line: ``python -m harness.run SCRIPT``, or this file by its path."""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from harness.command.main import main

if __name__ == "__main__":
    sys.exit(main())
