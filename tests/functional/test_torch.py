"""Warp inside a torch.autograd.Function: each tape is judged on seed times output."""

from __future__ import annotations

import pytest
from driving import Diagnose

pytest.importorskip("torch")

PROGRAM = """\
import torch
import warp as wp


@wp.kernel
def extend(k: wp.array(dtype=float), f: wp.array(dtype=float), x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = f[i] / (0.1 + k[i] * k[i])


force = wp.array([0.5, 0.8, 1.2], dtype=float)


class Extension(torch.autograd.Function):
    @staticmethod
    def forward(ctx, k):
        ctx.k = wp.from_torch(k.detach(), requires_grad=True)
        ctx.x = wp.zeros(3, dtype=float, requires_grad=True)
        ctx.tape = wp.Tape()
        with ctx.tape:
            wp.launch(extend, dim=3, inputs=[ctx.k, force], outputs=[ctx.x])
        out = wp.to_torch(ctx.x).clone()
        AFTER
        return out

    @staticmethod
    def backward(ctx, grad_x):
        ctx.tape.backward(grads={ctx.x: wp.from_torch(grad_x.contiguous())})
        return wp.to_torch(ctx.k.grad).clone()


k = torch.tensor([0.6, 0.9, 1.1], requires_grad=True)
want = torch.tensor([0.8, 0.7, 0.9])
optimizer = torch.optim.SGD([k], lr=0.1)
for it in range(8):
    optimizer.zero_grad()
    loss = ((Extension.apply(k) - want) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(it, loss.item())
"""


def test_a_right_function_is_correct_in_every_iteration(diagnose: Diagnose) -> None:
    report = diagnose(PROGRAM.replace("AFTER", "")).report
    assert report.verdict == "correct", report.summary
    assert [c.iteration for c in report.parameters[0].checks] == [0, 1, 2]


def test_an_input_changed_before_backward_is_found(diagnose: Diagnose) -> None:
    report = diagnose(PROGRAM.replace("AFTER", "ctx.k.fill_(1.5)")).report
    assert report.verdict == "wrong", report.summary
