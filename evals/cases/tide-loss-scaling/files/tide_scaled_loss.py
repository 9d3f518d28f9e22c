"""Fit tidal constituents; the loss is scaled up before the backward pass and the step scaled down again."""
import warp as wp

HOURS, SCALE = 72, 1024.0
PERIODS = wp.constant(wp.vec3(12.42, 12.0, 25.82))


@wp.kernel
def tide(amp: wp.array(dtype=float), phase: wp.array(dtype=float), level: wp.array(dtype=float)):
    h, c = wp.tid()
    w = 6.2831853 / PERIODS[c]
    wp.atomic_add(level, h, amp[c] * wp.cos(w * float(h) - phase[c]))


@wp.kernel
def level_error(level: wp.array(dtype=float), gauge: wp.array(dtype=float), loss: wp.array(dtype=float)):
    h = wp.tid()
    d = level[h] - gauge[h]
    wp.atomic_add(loss, 0, d * d / 72.0)


@wp.kernel
def scale_up(loss: wp.array(dtype=float), factor: float, scaled: wp.array(dtype=float)):
    scaled[0] = factor * loss[0]


def forward(amp, phase):
    level = wp.zeros(HOURS, dtype=float, requires_grad=True)
    wp.launch(tide, dim=(HOURS, 3), inputs=[amp, phase], outputs=[level])
    return level


true_amp, true_phase = wp.array([1.1, 0.4, 0.3], dtype=float), wp.array([0.5, 1.2, -0.4], dtype=float)
gauge = wp.array(forward(true_amp, true_phase).numpy(), dtype=float)
amp = wp.array([0.8, 0.6, 0.1], dtype=float, requires_grad=True)
phase = wp.array([0.2, 0.9, 0.0], dtype=float, requires_grad=True)
for it in range(40):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    scaled = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(level_error, dim=HOURS, inputs=[forward(amp, phase), gauge], outputs=[loss])
        wp.launch(scale_up, dim=1, inputs=[loss, SCALE], outputs=[scaled])
    tape.backward(scaled)
    for p in (amp, phase):
        p.assign(p.numpy() - 0.3 / SCALE * p.grad.numpy())
    tape.zero()
    if it % 8 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "amplitudes", amp.numpy())
