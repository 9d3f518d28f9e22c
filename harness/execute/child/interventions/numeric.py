"""Replace the adjoint of a kernel by differences of its launch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....record import memory
from ....record.backward import Bound
from ....record.events import Event, Touches
from .base import Intervention

STEPS = (2.0**-6, 2.0**-8)
"""Relative to each array's size. The two are extrapolated: what is left of the truncation error falls with the fourth
power of the step, and float32 rounding stays near 1e-5."""
CLOSER_STEP = 2.0**-11
"""Taken alone where the two are far apart: they span a kink or a jump, such as a contact that one end misses."""
FAR_APART = 0.02
"""Of the larger slope."""

MAX_ELEMENTS = 4096


class NumericAdjoint(Intervention):
    """The vector-Jacobian product of each launch of ``kernels`` by central differences, element by element.

    Launches whose inputs have more than `MAX_ELEMENTS` elements keep their own adjoint.
    """

    def __init__(self, kernels: list[str]) -> None:
        self._kernels = set(kernels)
        self._before: dict[int, list[np.ndarray]] = {}

    def before(self, event: Any, touches: Touches) -> None:
        """Keep everything the launch finds, so that it can be repeated."""
        if event.kind in ("launch", "prebuilt-launch") and event.name in self._kernels:
            self._before[event.seq] = [memory.host_copy(a) for _, a in touches]

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """Launches of kernels compiled without an adjoint are skipped by backward: put ours in their place."""
        for bound in self.log.bound.get(self.recorder.tape_id(tape), []):
            if bound.event.seq in self._before and not callable(bound.entry) and _is_skipped(bound.entry[0]):
                tape.launches[bound.position] = functools.partial(self._run_skipped, tape, bound)

    def _run_skipped(self, tape: Any, bound: Bound) -> None:
        # As backward does for every launch: the tape has to know the gradients to clear them in `tape.zero()`.
        for argument in (*bound.entry[3], *bound.entry[4]):
            tape.get_adjoint(argument)
        self.run_adjoint(bound, _nothing)

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Differences instead of the compiled adjoint."""
        found = self._before.get(bound.event.seq)
        if found is None or not self.is_on or callable(bound.entry):
            return run()
        differentiable = [i for i, (_, a) in enumerate(bound.touches) if a.grad is not None and memory.is_floating(a)]
        if sum(found[i].size for i in differentiable) > MAX_ELEMENTS:
            return run()
        current = [memory.host_copy(a) for _, a in bound.touches]
        found = self._as_the_adjoint_finds_them(bound, found, current)
        outputs = self._written(bound, found, differentiable)
        seeds = {i: memory.host_copy(bound.touches[i][1].grad).astype(np.float64) for i in outputs}
        products = {i: self._product(bound, found, i, outputs, seeds) for i in differentiable}
        for index, (_, array) in enumerate(bound.touches):
            self._put(array, current[index])
        self._accumulate(bound, products, outputs)
        return None

    def _as_the_adjoint_finds_them(
        self, bound: Bound, found: list[np.ndarray], current: list[np.ndarray]
    ) -> list[np.ndarray]:
        """What the launch itself changed is taken back; what others changed since stays changed.

        The adjoint of the kernel is to be judged, not the wiring: with overwritten inputs ours is as wrong as Warp's.
        """
        after = bound.event.info.get("after", {})
        return [
            before if touch.digest != after.get(touch.path, touch.digest) else now
            for (touch, _), before, now in zip(bound.touches, found, current, strict=True)
        ]

    def _written(self, bound: Bound, found: list[np.ndarray], differentiable: list[int]) -> list[int]:
        """Arrays the kernel may write: those whose contents a launch changes, where its source leaves it open."""
        possible = [i for i in differentiable if bound.touches[i][0].writes]
        if not any(bound.touches[i][0].reads for i in possible):
            return possible
        return [i for i in possible if not bound.touches[i][0].reads or self._is_changed(bound, found, i)]

    def _is_changed(self, bound: Bound, found: list[np.ndarray], index: int) -> bool:
        after = self._launch(bound, found, index, found[index], [index])[index]
        return not np.array_equal(after, found[index].astype(np.float64), equal_nan=True)

    def _product(
        self, bound: Bound, found: list[np.ndarray], index: int, outputs: list[int], seeds: dict[int, np.ndarray]
    ) -> np.ndarray:
        """J^T w for one input array, by four launches per element."""
        contents = found[index]
        product = np.zeros(contents.shape, dtype=np.float64)
        scale = float(np.sqrt(np.mean(np.square(contents.astype(np.float64))))) if contents.size else 0.0
        for position in np.ndindex(contents.shape):
            # The element's own size, so that one array may hold quantities of different units.
            own = abs(float(contents[position]))
            size = own if own > 1e-3 * scale and own > 0.0 else max(scale, 1e-2)
            slope = functools.partial(self._slope, bound, found, index, position, outputs, seeds)
            coarse, fine = (slope(step * size) for step in STEPS)
            if abs(coarse - fine) > FAR_APART * max(abs(coarse), abs(fine)):
                product[position] = slope(CLOSER_STEP * size)
            else:
                product[position] = (16.0 * fine - coarse) / 15.0
        return product

    def _slope(
        self,
        bound: Bound,
        found: list[np.ndarray],
        index: int,
        position: tuple[int, ...],
        outputs: list[int],
        seeds: dict[int, np.ndarray],
        width: float,
    ) -> float:
        """Central difference of seed times outputs along one element, over the realised step."""
        ends = []
        for sign in (1.0, -1.0):
            changed = found[index].copy()
            changed[position] += sign * width
            ends.append((float(changed[position]), self._launch(bound, found, index, changed, outputs)))
        (upper, above), (lower, below) = ends
        if upper == lower:
            return 0.0
        return sum(float(np.sum(seeds[o] * (above[o] - below[o]))) for o in outputs) / (upper - lower)

    def _launch(
        self, bound: Bound, found: list[np.ndarray], index: int, contents: np.ndarray, outputs: list[int]
    ) -> dict[int, np.ndarray]:
        for i, (_, array) in enumerate(bound.touches):
            self._put(array, contents if i == index else found[i])
        kernel, dim, max_blocks, inputs, launch_outputs, device, block_dim = bound.entry[:7]
        rec = self.recorder
        rec.depth += 1
        try:
            rec.original_launch(
                kernel=kernel, dim=dim, inputs=inputs, outputs=launch_outputs, device=device, record_tape=False,
                max_blocks=max_blocks, block_dim=block_dim,
            )  # fmt: skip
        finally:
            rec.depth -= 1
        return {o: memory.host_copy(bound.touches[o][1]).astype(np.float64) for o in outputs}

    def _accumulate(self, bound: Bound, products: dict[int, np.ndarray], outputs: list[int]) -> None:
        """What the launch wrote is replaced by the product; what it only read gets the product added."""
        for index, product in products.items():
            gradient = bound.touches[index][1].grad
            before = memory.host_copy(gradient)
            total = product if index in outputs else before.astype(np.float64) + product
            memory.put(gradient, total.astype(before.dtype))

    def _put(self, array: Any, contents: np.ndarray) -> None:
        memory.put(array, contents)
        self.recorder.invalidate(array)


def _is_skipped(kernel: Any) -> bool:
    """True if backward passes over launches of this kernel."""
    own = kernel.options.get("enable_backward")
    return (own if own is not None else kernel.module.options.get("enable_backward")) is False


def _nothing() -> None:
    """The adjoint of a kernel that has none."""
