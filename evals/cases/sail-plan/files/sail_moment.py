"""Maximise the drive of a sail plan: camber and twist of three sails, summed over panels."""
import warp as wp

START = [0.10, 0.05, 0.12, 0.08, 0.06, 0.15]
N_ITERS = 30
SAILS = 3


@wp.kernel
def negative_drive(shape: wp.array(dtype=float), wind: wp.array(dtype=float), cost: wp.array(dtype=float)):
    s = wp.tid()
    camber = shape[2 * s]
    twist = shape[2 * s + 1]
    lift = wind[s] * (2.0 * camber - 4.0 * camber * camber)
    cost[s] = -lift * wp.cos(3.0 * twist) + 0.3 * twist * (twist - 0.2)


wind = wp.array([1.0, 1.3, 0.7], dtype=float)
shape = wp.array(START, dtype=float, requires_grad=True)
ones = wp.ones(SAILS, dtype=float)
for it in range(N_ITERS):
    cost = wp.empty(SAILS, dtype=float)
    tape = wp.Tape()
    with tape:
        wp.launch(negative_drive, dim=SAILS, inputs=[shape, wind], outputs=[cost])
    tape.backward(grads={cost: ones})
    g = shape.grad.numpy().copy()
    tape.zero()
    shape.assign(shape.numpy() - 0.1 * g)
    print("iter", it, "loss", cost.numpy().sum(), "shape", shape.numpy())


def describe(values):
    for s in range(SAILS):
        camber, twist = values[2 * s], values[2 * s + 1]
        print(f"sail {s + 1}: camber {camber:.3f} twist {twist:.3f}")


describe(shape.numpy())
print("wind", wind.numpy())
print("total drive", -cost.numpy().sum())
