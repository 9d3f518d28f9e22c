"""Skipping stones: drag and lift-off loss from the distance each stone covers in its counted hops."""
import numpy as np
import warp as wp
import warp.optim

START = [0.20, 0.9]
N_ITERS = 120
N = 7

speed = wp.array([2.0, 2.4, 3.1, 3.5, 2.8, 4.0, 1.6], dtype=float)
hops = wp.array([3, 4, 6, 8, 5, 9, 2], dtype=int)
measured = wp.array([2.9, 4.2, 6.9, 8.7, 5.5, 10.0, 1.8], dtype=float)


@wp.kernel
def skip(speed: wp.array(dtype=float), hops: wp.array(dtype=int), water: wp.array(dtype=float),
         distance: wp.array(dtype=float)):
    i = wp.tid()
    v = speed[i]
    x = float(0.0)
    n = int(0)
    while n < hops[i]:
        x = x + 0.4 * v * v / (1.0 + 0.2 * v)
        v = water[1] * v - water[0] * 0.3 * v * v
        n += 1
    distance[i] = x


@wp.kernel
def tape_measure(distance: wp.array(dtype=float), measured: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = (distance[i] - measured[i]) / measured[i]
    wp.atomic_add(loss, 0, d * d)


water = wp.array(START, dtype=float, requires_grad=True)
optimizer = warp.optim.Adam([water], lr=0.01)
losses = []
for it in range(N_ITERS):
    distance = wp.zeros(N, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(skip, dim=N, inputs=[speed, hops, water], outputs=[distance])
        wp.launch(tape_measure, dim=N, inputs=[distance, measured], outputs=[loss])
    tape.backward(loss)
    optimizer.step([water.grad])
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    print(f"{it:2d} misfit {losses[-1]:.6f} water {np.round(water.numpy(), 4)}")
