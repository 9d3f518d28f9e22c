"""Match the decay of a room's echoes by fitting wall absorption and air loss."""
import numpy as np
import warp as wp

START = [0.9, 0.15, 0.5]
N_ITERS = 40
N = 10

echo_time = wp.array(np.linspace(0.1, 2.0, N), dtype=float)
recorded = wp.array(1.2 * np.exp(-1.1 * np.linspace(0.1, 2.0, N)), dtype=float)


@wp.kernel
def emit(source: wp.array(dtype=float), echo_time: wp.array(dtype=float), level: wp.array(dtype=float)):
    i = wp.tid()
    level[i] = source[0] * (1.0 + source[1] * echo_time[i])


@wp.kernel
def absorb(source: wp.array(dtype=float), echo_time: wp.array(dtype=float), level: wp.array(dtype=float)):
    i = wp.tid()
    level[i] *= wp.exp(-source[2] * echo_time[i])


@wp.kernel
def compare(level: wp.array(dtype=float), recorded: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = level[i] - recorded[i]
    wp.atomic_add(loss, 0, d * d)


source = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    level = wp.zeros(N, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(emit, dim=N, inputs=[source, echo_time], outputs=[level])
        wp.launch(absorb, dim=N, inputs=[source, echo_time], outputs=[level])
        wp.launch(compare, dim=N, inputs=[level, recorded], outputs=[loss])
    tape.backward(loss)
    g = source.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    source.assign(source.numpy() - 0.05 * g)
    if it % 10 == 0:
        print(f"echo {it} loss {losses[-1]:.6f} source {source.numpy()}")
