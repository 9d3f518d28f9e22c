"""What a diagnosis is asked to do, and what it says when it cannot."""

from __future__ import annotations

import sys
from dataclasses import dataclass

VERSION = "0.1.0"


class UsageError(Exception):
    """The request cannot be carried out; the message says what to do. Exit code 2."""


@dataclass(frozen=True)
class Options:
    """Settings of one diagnosis; see ``python -m harness.run --help``."""

    python: str = sys.executable
    iterations: int = 3
    """Iterations to record and judge, counted from the first."""
    timeout: float = 300.0
    """Seconds for one execution of the program."""
    budget: float = 60.0
    """Seconds for all differences together; slow programs are judged with fewer of them."""
    max_memory_gib: float | None = None
    jobs: int = 2
    seed: int = 0
    """Seed of the random directions."""
    fork: bool = True
    allow_writes: bool = False
    causes: bool = True
    """Look for the causes of a wrong gradient, and for reasons why a right one does not help."""
    full_seconds: float = 60.0
    """Seconds for one run of the program without its overrides, where a smaller one is correct; 0: it is not run."""
    elements: bool = False
    """Also locate the wrong elements of each wrong gradient."""
