"""What the interpreter of a program can do, one line of JSON for each step as soon as it is known.

Started by path in that interpreter: ``python probe.py``. A step that crashes or hangs is the one without a line.
Annotations are evaluated, as those of a kernel that is defined in a function have to be.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

_LEAST_PYTHON = (3, 10)
_LEAST_WARP = (1, 13)


def python() -> tuple[bool, str, str]:
    """The interpreter itself."""
    version = ".".join(map(str, sys.version_info[:3]))
    is_new = sys.version_info[:2] >= _LEAST_PYTHON
    return is_new, f"{version}  {sys.executable}", "It has to be 3.10 or newer; name another one with --python."


def numpy() -> tuple[bool, str, str]:
    """Its numpy."""
    import numpy

    return True, numpy.__version__, ""


def warp() -> tuple[bool, str, str]:
    """Its Warp."""
    import warp

    version = str(warp.config.version)
    is_new = tuple(int(p) for p in version.split(".")[:2]) >= _LEAST_WARP
    return is_new, version, "It has to be 1.13 or newer: use a fresh virtual environment with warp-lang and numpy."


def fork() -> tuple[bool, str, str]:
    """Whether runs can be forked; without it every run starts afresh, which is slower and nothing worse."""
    return True, "available" if hasattr(os, "fork") else "not available: every run starts a fresh process", ""


def devices() -> tuple[bool, str, str]:
    """Devices that Warp sees."""
    import warp

    warp.config.quiet = True
    warp.init()
    return True, ", ".join(f"{d} ({d.name})" for d in warp.get_devices()), ""


def cache() -> tuple[bool, str, str]:
    """The folder of compiled kernels."""
    import warp

    folder = str(warp.config.kernel_cache_dir)
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return (
            False,
            f"{folder}: {error.strerror}",
            "Name a folder that can be written: WARP_CACHE_PATH=/tmp/warp-cache.",
        )
    return True, folder, ""


def gradient() -> tuple[bool, str, str]:
    """A kernel compiled, launched and taken backward."""
    import warp as wp

    @wp.kernel  # type: ignore[untyped-decorator]
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):  # type: ignore[no-untyped-def,valid-type]
        y[0] = x[0] * x[0]

    x = wp.array([3.0], dtype=float, requires_grad=True)
    y = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=1, inputs=[x], outputs=[y])
    tape.backward(y)
    found = float(x.grad.numpy()[0])
    return (
        found == 6.0,
        f"d(x * x)/dx at 3 is {found:g}",
        "Warp itself does not work here; reinstall it in a fresh environment.",
    )


STEPS: dict[str, Callable[[], tuple[bool, str, str]]] = {
    "python": python,
    "numpy": numpy,
    "warp": warp,
    "fork": fork,
    "devices": devices,
    "kernel cache": cache,
    "kernel and tape": gradient,
}
_INSTALL = "Install it there, or better into a fresh virtual environment: pip install warp-lang numpy."


def main() -> None:
    """Go through the steps; one that needs what is missing ends it."""
    # This folder must not shadow modules of the interpreter's.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
    for name, step in STEPS.items():
        try:
            is_fine, found, remedy = step()
        except ImportError as error:
            is_fine, found, remedy = False, f"{error}", _INSTALL
        except Exception as error:
            is_fine, found, remedy = False, f"{type(error).__name__}: {error}".splitlines()[0], "Mend this first."
        line: dict[str, Any] = {"name": name, "is_fine": is_fine, "found": found, "remedy": "" if is_fine else remedy}
        os.write(1, (json.dumps(line) + "\n").encode())
        if not is_fine and name in ("python", "numpy", "warp", "kernel cache"):
            return


if __name__ == "__main__":
    main()
