"""Replace the adjoint of a kernel by differences of its launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....record import memory
from ....record.backward import Bound
from .base import Intervention, Touches

STEP = 2.0**-7
"""Relative to each array's size: truncation and float32 rounding are both near 1e-5 there."""

MAX_ELEMENTS = 4096


class NumericAdjoint(Intervention):
    """The vector-Jacobian product of each launch of ``kernels`` by central differences, element by element.

    Launches whose inputs have more than `MAX_ELEMENTS` elements keep their own adjoint.
    """

    def __init__(self, kernels: list[str]) -> None:
        self._kernels = set(kernels)
        self.is_partial = False
        self._before: dict[int, list[np.ndarray]] = {}

    def before(self, event: Any, touches: Touches) -> None:
        """Keep everything the launch finds, so that it can be repeated."""
        if event.kind == "launch" and event.name in self._kernels:
            self._before[event.seq] = [memory.host_copy(a) for _, a in touches]

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Differences instead of the compiled adjoint."""
        found = self._before.get(bound.event.seq)
        if found is None or not self.is_on or callable(bound.entry):
            return run()
        inputs = [i for i, (_, a) in enumerate(bound.touches) if a.grad is not None and memory.is_floating(a)]
        if sum(found[i].size for i in inputs) > MAX_ELEMENTS:
            self.is_partial = True
            return run()
        current = [memory.host_copy(a) for _, a in bound.touches]
        outputs = [
            i for i, (t, a) in enumerate(bound.touches) if t.writes and a.grad is not None and memory.is_floating(a)
        ]
        seeds = {i: memory.host_copy(bound.touches[i][1].grad).astype(np.float64) for i in outputs}
        products = {i: self._product(bound, found, i, outputs, seeds) for i in inputs}
        for index, (_, array) in enumerate(bound.touches):
            self._put(array, current[index])
        self._accumulate(bound, products, outputs)
        return None

    def _product(
        self, bound: Bound, found: list[np.ndarray], index: int, outputs: list[int], seeds: dict[int, np.ndarray]
    ) -> np.ndarray:
        """J^T w for one input array, by two launches per element."""
        contents = found[index]
        product = np.zeros(contents.shape, dtype=np.float64)
        scale = float(np.sqrt(np.mean(np.square(contents.astype(np.float64))))) if contents.size else 0.0
        for position in np.ndindex(contents.shape):
            width = STEP * max(abs(float(contents[position])), scale, 1e-2)
            changed = [contents.copy(), contents.copy()]
            changed[0][position] += width
            changed[1][position] -= width
            ends = [self._launch(bound, found, index, c, outputs) for c in changed]
            step = float(changed[0][position]) - float(changed[1][position])
            if step:
                total = sum(float(np.sum(seeds[o] * (ends[0][o] - ends[1][o]))) for o in outputs)
                product[position] = total / step
        return product

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
