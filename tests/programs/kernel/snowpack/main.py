"""Fit compaction rate and ground warming to snow depths before and after one night."""
import warp as wp
from physics import night

START = [1.4, 0.8]
N_ITERS = 30
SITES = 5


@wp.kernel
def depth_error(morning: wp.array(dtype=float), probe: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    r = morning[i] - probe[i]
    wp.atomic_add(loss, 0, r * r)


def evaluate(theta, depth, probe):
    morning = wp.zeros(SITES, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(night, dim=SITES, inputs=[depth, theta], outputs=[morning])
    wp.launch(depth_error, dim=SITES, inputs=[morning, probe], outputs=[loss])
    return loss


depth = wp.array([0.4, 0.8, 1.2, 1.6, 2.0], dtype=float)
probe = wp.array([0.33, 0.56, 0.74, 0.88, 0.99], dtype=float)
theta = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    tape = wp.Tape()
    with tape:
        loss = evaluate(theta, depth, probe)
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    theta.assign(theta.numpy() - 0.1 * theta.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print("night", it, "error", losses[-1], theta.numpy())
