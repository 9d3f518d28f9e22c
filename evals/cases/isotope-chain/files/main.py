"""Estimate two decay constants from counted activities."""
import warp as wp
from objective import Objective

START = [1.1, 0.9]
N_ITERS = 25

objective = Objective([0.5, 1.0, 1.6], [0.15, 0.32, 0.50])
rate = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    value, grad = objective(rate)
    rate.assign(rate.numpy() - 0.1 * grad)
    print(f"iter {it:2d} loss {value:.6f} rates {rate.numpy()}")
