"""Tune a crane's trolley gains; a heavier load is tried after each rollout to see how robust they are."""
import warp as wp

START = [1.0, 0.5]
N_ITERS = 25
STEPS, DT = 20, 0.1


@wp.kernel
def swing(s: wp.array(dtype=wp.vec2), gain: wp.array(dtype=float), mass: float, dt: float,
          out: wp.array(dtype=wp.vec2)):
    angle = s[0][0]
    rate = s[0][1]
    force = gain[0] * angle + gain[1] * rate * wp.abs(rate)
    rate = rate + dt * (-2.0 * wp.sin(angle) - force / mass)
    out[0] = wp.vec2(angle + dt * rate, rate)


@wp.kernel
def residual_swing(s: wp.array(dtype=wp.vec2), gain: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, wp.dot(s[0], s[0]) + 0.01 * gain[0] * gain[0])


class Crane:
    def __init__(self):
        self.states = [wp.zeros(1, dtype=wp.vec2, requires_grad=True) for _ in range(STEPS + 1)]
        self.gain = wp.array(START, dtype=float, requires_grad=True)

    def rollout(self, mass):
        self.states[0].assign([[0.9, 0.0]])
        for k in range(STEPS):
            wp.launch(swing, dim=1, inputs=[self.states[k], self.gain, mass, DT], outputs=[self.states[k + 1]])
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(residual_swing, dim=1, inputs=[self.states[-1], self.gain], outputs=[loss])
        return loss


crane = Crane()
for it in range(N_ITERS):
    with wp.Tape() as tape:
        loss = crane.rollout(1.0)
    heavy = crane.rollout(4.0)
    tape.backward(loss)
    g = crane.gain.grad.numpy().copy()
    tape.zero()
    crane.gain.assign(crane.gain.numpy() - 0.6 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.5f} heavy {heavy.numpy()[0]:.5f} gains {crane.gain.numpy()}")
