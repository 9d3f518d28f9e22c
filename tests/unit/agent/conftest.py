"""The fixture of the agent's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def talk(tmp_path: Path) -> Any:
    """A `Talk`: a conversation that has not begun."""
    from talking import Talk  # needs the SDK

    return Talk(tmp_path)
