"""Arrays known by memory range: buffers, digests, contents.

Two ``wp.array`` objects that share memory (a view, a struct member, a pointer wrap, a zero-copy import) are one
`Buffer` here. A buffer is named by where it was made and how many were made there before, which stays the same from
run to run of one program, interventions included.
"""

from __future__ import annotations

import ctypes
import hashlib
import weakref
from bisect import bisect_right, insort
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from .internals import types
from .sites import SiteTable

_FOLD_WIDTH = 509
"""Prime number of 8-byte words a digest is folded to: moving data inside an array changes its lane."""


@dataclass
class Buffer:
    """One allocation, alive or gone."""

    key: str
    start: int
    nbytes: int
    site: int
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool = False
    retain_grad: bool = False
    gradient_of: str | None = None
    origin: str = "warp"
    """"warp", or "foreign": the memory belongs to numpy, torch or whoever made the pointer."""
    origin_data: bool = False
    """Made from contents given by the host."""
    created: int = -1
    """Event before which it was made."""
    exposed_at: int | None = None
    """Site where the program took a host view or a pointer that can change the contents unseen."""
    owner: Any = field(default=None, repr=False)
    digests: dict[tuple[int, int], bytes] = field(default_factory=dict, repr=False)
    last_digest: dict[tuple[int, int], bytes] = field(default_factory=dict, repr=False)

    def invalidate(self) -> None:
        """Contents may have changed: forget the digests, remember them as the last ones known."""
        self.last_digest.clear()
        self.digests.clear()


class Memory:
    """Registry of buffers by address."""

    def __init__(self, sites: SiteTable) -> None:
        self._sites = sites
        self._starts: list[int] = []
        self._by_start: dict[int, Buffer] = {}
        self._counts: dict[str, int] = {}
        self._allocating_gradient_of: list[Any] = []
        self.buffers: dict[str, Buffer] = {}
        self.arrays: dict[str, Any] = {}

    # --- registration -----------------------------------------------------------------------------------------
    def register(self, array: Any) -> None:
        """Note a newly constructed array; an annotation or an empty array is ignored."""
        if not getattr(array, "ptr", None) or array.device is None:
            return
        if "_recorded" not in array.__dict__:
            self._place(array)
        self._note_gradient_flag(array, array.__dict__["_recorded"])

    def _place(self, array: Any) -> None:
        """Find the buffer an array's memory lies in, or make one."""
        start, nbytes = extent(array)
        known = self._find(start, nbytes)
        owns = array.deleter is not None
        if known is None or owns or not self._is_alive(known):
            self._forget_overlapping(start, nbytes)
            known = self._new_buffer(array, start, nbytes, owns)
        array.__dict__["_recorded"] = known

    def _new_buffer(self, array: Any, start: int, nbytes: int, owns: bool) -> Buffer:
        site = self._sites.current()
        frames = self._sites.table[site]
        primal = self._allocating_gradient_of[-1] if self._allocating_gradient_of else None
        if primal is not None:
            key = f"{primal}.grad"
        else:
            place = f"{frames[0][0]}:{frames[0][1]}" if frames else "?"
            # Whether foreign memory is seen as new depends on addresses, so it is counted apart.
            place += "#" if owns else "~"
            self._counts[place] = self._counts.get(place, 0) + 1
            key = f"{place}{self._counts[place] - 1}"
        buffer = Buffer(key, start, nbytes, site, tuple(array.shape), dtype_name(array.dtype), gradient_of=primal)
        buffer.origin = "warp" if owns else "foreign"
        if not owns:
            # Whoever owns the memory (numpy, torch) can write it with no operation of Warp.
            buffer.exposed_at = site
        buffer.owner = weakref.ref(array)
        self.buffers[key] = buffer
        self._by_start[start] = buffer
        insort(self._starts, start)
        return buffer

    def _note_gradient_flag(self, array: Any, buffer: Buffer) -> None:
        buffer.requires_grad |= bool(array.requires_grad)
        buffer.retain_grad |= bool(getattr(array, "retain_grad", False))
        if array.requires_grad and array.grad is not None:
            self.link_gradient(array, array.grad)

    def link_gradient(self, array: Any, gradient: Any) -> None:
        """Note that ``gradient`` holds the adjoint of ``array``."""
        primal, adjoint = self.of(array), self.of(gradient)
        if primal is not None and adjoint is not None and adjoint.gradient_of is None:
            adjoint.gradient_of = primal.key
            primal.requires_grad = True

    def begin_gradient_of(self, array: Any) -> None:
        """The next allocation is the gradient of ``array``."""
        # The constructor of ``array`` may still be running, before it was registered.
        if "_recorded" not in array.__dict__ and getattr(array, "ptr", None):
            self._place(array)
        buffer = self.of(array)
        self._allocating_gradient_of.append(buffer.key if buffer else None)

    def end_gradient(self) -> None:
        """Ends what `begin_gradient_of` began."""
        self._allocating_gradient_of.pop()

    # --- look-up ----------------------------------------------------------------------------------------------
    def of(self, array: Any) -> Buffer | None:
        """The buffer an array's memory belongs to; None for an empty array."""
        known: Buffer | None = array.__dict__.get("_recorded")
        if known is not None:
            return known
        parent = array.__dict__.get("_ref")
        if isinstance(parent, wp.array):
            known = self.of(parent)
        if known is None:
            self.register(array)
            known = array.__dict__.get("_recorded")
        else:
            array.__dict__["_recorded"] = known
        return known

    def at(self, address: int) -> Buffer | None:
        """The live buffer that holds an address."""
        return self._find(address, 1)

    def _find(self, start: int, nbytes: int) -> Buffer | None:
        index = bisect_right(self._starts, start) - 1
        if index < 0:
            return None
        buffer = self._by_start[self._starts[index]]
        return buffer if start + nbytes <= buffer.start + max(buffer.nbytes, 1) else None

    def _is_alive(self, buffer: Buffer) -> bool:
        return buffer.owner is not None and buffer.owner() is not None

    def _forget_overlapping(self, start: int, nbytes: int) -> None:
        index = max(bisect_right(self._starts, start) - 1, 0)
        while index < len(self._starts) and self._starts[index] < start + nbytes:
            buffer = self._by_start[self._starts[index]]
            if buffer.start + buffer.nbytes > start:
                del self._by_start[self._starts[index]]
                del self._starts[index]
            else:
                index += 1


def extent(array: Any) -> tuple[int, int]:
    """First address and number of bytes an array spans (strided views span their gaps)."""
    item = types.type_size_in_bytes(array.dtype)
    if array.is_contiguous:
        return int(array.ptr), int(array.size) * item
    span = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=False) if n > 0 and s > 0)
    return int(array.ptr), int(span) + item


def dtype_name(dtype: Any) -> str:
    """Name of a Warp dtype: ``float32``, ``vec3f``, ``quatf``, a struct's name."""
    name = getattr(dtype, "__name__", None) or getattr(dtype, "key", None) or str(dtype)
    if name in ("vec_t", "mat_t"):
        return f"{name[:3]}{'x'.join(str(n) for n in dtype._shape_)}_{dtype._wp_scalar_type_.__name__}"
    return str(name)


def is_floating(array: Any) -> bool:
    """True if the array's scalars are floating point."""
    scalar = getattr(array.dtype, "_wp_scalar_type_", array.dtype)
    return scalar in (wp.float16, wp.float32, wp.float64)


# --- contents -------------------------------------------------------------------------------------------------------
def bytes_of(array: Any) -> np.ndarray:
    """Contents as flat bytes (uint8), zero-copy for a contiguous array on the CPU."""
    if array.device.is_cpu and array.is_contiguous:
        nbytes = int(array.size) * types.type_size_in_bytes(array.dtype)
        raw = (ctypes.c_uint8 * nbytes).from_address(int(array.ptr))
        return np.frombuffer(raw, dtype=np.uint8)
    return np.ascontiguousarray(host_copy(array)).view(np.uint8).reshape(-1)


def host_view(array: Any) -> np.ndarray:
    """Contents as numpy, zero-copy on the CPU, by Warp's own conversion (not the recorded one)."""
    result: np.ndarray = _original_numpy(array)
    return result


def host_copy(array: Any) -> np.ndarray:
    """A copy of the contents as numpy; vector dtypes add trailing axes."""
    return np.array(host_view(array), copy=True)


def put(array: Any, contents: np.ndarray) -> None:
    """Overwrite the contents of an array without the program or the recorder noticing an operation."""
    if array.device.is_cpu:
        view = host_view(array)
        view[...] = contents.reshape(view.shape)
    else:
        source = wp.array(contents.reshape(host_view(array).shape), dtype=array.dtype, device="cpu")
        _original_copy(array, source)


def digest(array: Any) -> bytes:
    """Digest of the contents: folded at memory speed for large arrays, then hashed.

    Large simulations are digested several times per launch, so the cost has to stay near that of reading the memory
    once; a cryptographic hash of everything would dominate the run.
    """
    raw = bytes_of(array)
    if raw.nbytes <= 8 * _FOLD_WIDTH:
        return hashlib.blake2b(raw.tobytes(), digest_size=12).digest()
    words = raw[: raw.nbytes // 8 * 8].view(np.uint64)
    rows = words.size // _FOLD_WIDTH
    body = words[: rows * _FOLD_WIDTH].reshape(rows, _FOLD_WIDTH)
    state = hashlib.blake2b(digest_size=12)
    state.update(np.add.reduce(body, axis=0).tobytes())
    state.update(words[rows * _FOLD_WIDTH :].tobytes())
    state.update(raw[words.size * 8 :].tobytes())
    return state.digest()


def is_zero(array: Any) -> bool:
    """True if every byte of the contents is zero."""
    raw = bytes_of(array)
    head = raw[: raw.nbytes // 8 * 8].view(np.uint64)
    return not head.any() and not raw[head.size * 8 :].any()


_original_numpy: Any = wp.array.numpy
_original_copy: Any = wp.copy
