"""The flag that refreshes the rendered reports."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-gold", action="store_true", help="write the rendered reports instead of comparing them")


@pytest.fixture
def update_gold(request: pytest.FixtureRequest) -> bool:
    # The flag is unknown when a run starts above this folder; such a run only compares.
    return bool(request.config.getoption("--update-gold", default=False))
