"""Adjust snowfall and melt factors so that the depth along a slope matches a survey."""
import numpy as np
import warp as wp

START = [1.3, 0.6, 0.2]
N_ITERS = 35
STATIONS = 14


@wp.kernel
def depth_along_slope(p: wp.array(dtype=float), depth: wp.array(dtype=float)):
    i = wp.tid()
    z = float(i) / 13.0
    depth[i] = p[0] * z + p[1] * wp.exp(-2.0 * z) + p[2] * wp.sin(3.0 * z)


@wp.kernel
def load_error(depth: wp.array(dtype=float), ref: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    h = depth[i]
    e = 0.3 * h + 0.5 * h * h - ref[i]
    wp.atomic_add(loss, 0, e * e)


z = np.linspace(0.0, 1.0, STATIONS)
survey_depth = 0.9 * z + 0.8 * np.exp(-2.0 * z) + 0.1 * np.sin(3.0 * z)
survey = wp.array((0.3 * survey_depth + 0.5 * survey_depth ** 2).astype(np.float32), dtype=float)

params = wp.array(START, dtype=float, requires_grad=True)
profiles = []
for it in range(N_ITERS):
    depth = wp.zeros(STATIONS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(depth_along_slope, dim=STATIONS, inputs=[params], outputs=[depth])
        wp.launch(load_error, dim=STATIONS, inputs=[depth, survey], outputs=[loss])

    shape = depth.numpy()
    shape -= shape.min()
    shape /= shape.max()
    profiles.append(shape)

    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.005 * g)
    print(f"{it:2d} loss {float(loss.numpy()[0]):.5f} steepest {np.abs(np.diff(profiles[-1])).max():.3f}")
