"""Work that every fork of a paused program would otherwise repeat, done once before they are made."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import warp as wp

from ...record import access
from ...record.internals import context


def load_modules(names: Sequence[str]) -> None:
    """Load the kernel modules that the program is going to launch from, as far as they are defined by now.

    A module that cannot be loaded yet is left to the launch that needs it.
    """
    device = wp.get_device()
    if not device.is_cpu:
        return
    for name in names:
        module = context.user_modules.get(name)
        if module is None:
            continue
        with contextlib.suppress(Exception):
            module.load(device, 1)  # on the CPU every launch has blocks of one thread
            for kernel in module.kernels.values():
                access.kernel_access(kernel)
