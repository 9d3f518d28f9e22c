"""What is used of Warp below its public interface, in one place.

Module objects, never copies of what they hold: functions in them are replaced while a program is recorded, and the
runtime only comes to be when the program first needs a device.
"""

from __future__ import annotations

from typing import Any

import warp as wp

_SOURCE: Any = vars(wp)["_src"]

build: Any = _SOURCE.build
codegen: Any = _SOURCE.codegen
context: Any = _SOURCE.context
types: Any = _SOURCE.types
utilities: Any = _SOURCE.utils
