"""Fit the launch velocity and outgassing of a comet to one sighting; the orbit is taped in segments."""
import warp as wp

START = [0.2, 1.0, 0.05]
N_ITERS = 25
SEGMENTS, STEPS, DT = 3, 8, 0.08


@wp.kernel
def depart(p: wp.array(dtype=float), v: wp.array(dtype=wp.vec2)):
    v[0] = wp.vec2(p[0], p[1])


@wp.kernel
def orbit(x: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), p: wp.array(dtype=float), dt: float,
          x_out: wp.array(dtype=wp.vec2), v_out: wp.array(dtype=wp.vec2)):
    r = wp.length(x[0])
    acc = -x[0] / (r * r * r) + p[2] * x[0] / r
    vel = v[0] + dt * acc
    v_out[0] = vel
    x_out[0] = x[0] + dt * vel


@wp.kernel
def sighting(x: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    loss[0] = wp.length_sq(x[0] - wp.vec2(-0.35, 0.95))


def vec():
    return wp.zeros(1, dtype=wp.vec2, requires_grad=True)


params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    starts, ends, tapes = [], [], []
    x, v = wp.array([[1.0, 0.0]], dtype=wp.vec2, requires_grad=True), vec()
    for s in range(SEGMENTS):
        starts.append((x, v))
        tape = wp.Tape()
        with tape:
            if s == 0:
                wp.launch(depart, dim=1, inputs=[params], outputs=[v])
            for _ in range(STEPS):
                x_new, v_new = vec(), vec()
                wp.launch(orbit, dim=1, inputs=[x, v, params, DT], outputs=[x_new, v_new])
                x, v = x_new, v_new
            if s == SEGMENTS - 1:
                wp.launch(sighting, dim=1, inputs=[x], outputs=[loss])
        tapes.append(tape)
        ends.append((x, v))
        x, v = wp.clone(x), wp.clone(v)
    tapes[-1].backward(loss)
    for s in range(SEGMENTS - 1, 0, -1):
        x_end, v_end = ends[s - 1]
        x_start, v_start = starts[s]
        tapes[s - 1].backward(grads={x_end: x_start.grad})
    g = params.grad.numpy().copy()
    for tape in tapes:
        tape.zero()
    params.assign(params.numpy() - 0.02 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.6f} launch {params.numpy()}")
