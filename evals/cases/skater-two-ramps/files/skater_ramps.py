"""Fit push-off and friction of a skater over two ramps; each ramp is a tape of its own."""
import warp as wp

START = [1.6, 0.35]
N_ITERS = 30
RAMPS, STEPS, DT = 2, 10, 0.08


@wp.kernel
def push_off(p: wp.array(dtype=float), s: wp.array(dtype=wp.vec2)):
    s[0] = wp.vec2(0.0, p[0])


@wp.kernel
def glide(s: wp.array(dtype=wp.vec2), tired: wp.array(dtype=float), p: wp.array(dtype=float), slope: float, dt: float,
          out: wp.array(dtype=wp.vec2), tired_out: wp.array(dtype=float)):
    v = s[0][1]
    drag = p[1] * v * v
    state = s[0] + dt * wp.vec2(v, slope - drag - 0.8 * tired[0] * v)
    if state[1] > 1.45:
        state[1] = 1.45 + 0.6 * (state[1] - 1.45)
    out[0] = state
    tired_out[0] = tired[0] + dt * (1.5 * drag - 0.2 * tired[0])


@wp.kernel
def marks(s: wp.array(dtype=wp.vec2), where: float, loss: wp.array(dtype=float)):
    d = s[0][0] - where
    wp.atomic_add(loss, 0, d * d)


def ramp(s, tired, p, slope, where, loss):
    for _ in range(STEPS):
        s_next, tired_next = wp.zeros_like(s), wp.zeros_like(tired)
        wp.launch(glide, dim=1, inputs=[s, tired, p, slope, DT], outputs=[s_next, tired_next])
        s, tired = s_next, tired_next
    wp.launch(marks, dim=1, inputs=[s, where], outputs=[loss])
    return s, tired


p = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss_a = wp.zeros(1, dtype=float, requires_grad=True)
    loss_b = wp.zeros(1, dtype=float, requires_grad=True)
    start = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
    rested = wp.array([0.1], dtype=float, requires_grad=True)
    with wp.Tape() as tape_a:
        wp.launch(push_off, dim=1, inputs=[p], outputs=[start])
        half, tired = ramp(start, rested, p, 0.5, 1.0, loss_a)
    half_b, tired_b = wp.clone(half), wp.clone(tired)
    with wp.Tape() as tape_b:
        ramp(half_b, tired_b, p, -0.1, 1.8, loss_b)

    tape_b.backward(loss_b)
    tape_a.backward(loss_a, grads={half: half_b.grad})
    g = p.grad.numpy().copy()
    p.grad.zero_()
    value = float(loss_a.numpy()[0]) + float(loss_b.numpy()[0])
    p.assign(p.numpy() - 0.25 * g)
    print(f"{it:2d} loss {value:.6f} push {p.numpy()[0]:.4f} friction {p.numpy()[1]:.4f}")
