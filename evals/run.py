"""``python -m evals.run SUBCOMMAND``; ``--help`` lists them."""

from __future__ import annotations

import sys

from evals.command.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
