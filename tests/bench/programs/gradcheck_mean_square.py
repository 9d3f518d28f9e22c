"""``gradcheck_mean_square.py N [zeroed]``: Warp's own check of the loss in `mean_square.py`, as one line of JSON."""

import json
import sys

import mean_square
import warp as wp
import warp.autograd

N, IS_ZEROED = mean_square.N, mean_square.IS_ZEROED
kernel = mean_square.mean_square_zeroed if IS_ZEROED else mean_square.mean_square
start, goal = mean_square.contents(N)
x = wp.array(start, dtype=float, requires_grad=True)
target = wp.array(goal, dtype=float)
evaluations = 0


def loss_of(values):
    global evaluations
    evaluations += 1
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(kernel, dim=N, inputs=[values, target], outputs=[loss])
    return loss


passed = wp.autograd.gradcheck(loss_of, inputs=[x], raise_exception=False, show_summary=False)
json.dump({"passed": bool(passed), "evaluations": evaluations}, sys.stdout)
