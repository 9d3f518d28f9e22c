"""What every test relies on: one kernel cache for the whole run, and skips that say what is missing."""

import importlib.util
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Set before anything imports Warp, and inherited by every process the tests start.
os.environ.setdefault("WARP_CACHE_PATH", str(ROOT / ".kernel_cache"))

# A shell ignores Ctrl-C on behalf of what it runs in the background, and every process started there inherits that: the
# tests that press Ctrl-C would wait for programs that never see it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what this machine cannot run; both questions are asked only where a test needs the answer."""
    _skip(items, "torch", "PyTorch is not installed", lambda: importlib.util.find_spec("torch") is not None)
    _skip(items, "gpu", "no CUDA device", _has_cuda_device)


def _skip(items: list[pytest.Item], marker: str, reason: str, is_available: Callable[[], bool]) -> None:
    marked = [item for item in items if item.get_closest_marker(marker)]
    if marked and not is_available():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))


def _has_cuda_device() -> bool:
    """Asked of the driver's device files: importing Warp here would start a device in the parent of every fork."""
    return any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()
