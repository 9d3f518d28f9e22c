"""Learn rudder gains that bring a boat onto a heading."""
import numpy as np
import warp as wp
from warp.optim import SGD

START = [0.8, 0.3]
N_ITERS = 40
STEPS, DT = 15, 0.15


@wp.kernel
def steer(s: wp.array(dtype=wp.vec2), gain: wp.array(dtype=float), dt: float, out: wp.array(dtype=wp.vec2)):
    b = wp.tid()
    heading = s[b][0]
    rate = s[b][1]
    rudder = -gain[0] * heading - gain[1] * rate
    rate = rate + dt * (0.8 * wp.sin(rudder) - 0.4 * rate)
    out[b] = wp.vec2(heading + dt * rate, rate)


@wp.kernel
def heading_loss(s: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    b = wp.tid()
    wp.atomic_add(loss, 0, s[b][0] * s[b][0] + 0.3 * s[b][1] * s[b][1])


class Boat:
    def __init__(self, headings):
        self.initial = np.array([[h, 0.0] for h in headings], dtype=np.float32)
        self.gain = wp.array(START, dtype=float, requires_grad=True)
        self.optimizer = SGD([self.gain], lr=0.8)

    def rollout(self):
        s = wp.array(self.initial, dtype=wp.vec2, requires_grad=True)
        for _ in range(STEPS):
            nxt = wp.zeros_like(s)
            wp.launch(steer, dim=s.size, inputs=[s, self.gain, DT], outputs=[nxt])
            s = nxt
        return s

    def train_step(self):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            final = self.rollout()
            wp.launch(heading_loss, dim=final.size, inputs=[final], outputs=[loss])
        self.optimizer.step([self.gain.grad])
        self.gain.grad.zero_()
        tape.backward(loss)
        return float(loss.numpy()[0])


boat = Boat([1.0, -0.6, 0.3])
for it in range(N_ITERS):
    value = boat.train_step()
    print("iter", it, "loss", value, "gains", boat.gain.numpy())
