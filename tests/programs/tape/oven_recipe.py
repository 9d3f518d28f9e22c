"""Find heater and fan settings of an oven from a loss that is collected at every time step."""
import warp as wp
from warp.optim import SGD

START = [1.2, 0.4]
N_ITERS = 30
STEPS, DT = 15, 0.2


@wp.kernel
def heat(t: wp.array(dtype=float), p: wp.array(dtype=float), dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    other = t[1 - i]
    gain = p[0] * (1.0 - float(i))
    out[i] = t[i] + dt * (gain + p[1] * (other - t[i]) - 0.1 * t[i] * t[i])


@wp.kernel
def step_loss(t: wp.array(dtype=float), want: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = t[i] - want
    wp.atomic_add(loss, 0, 0.1 * d * d)


class Oven:
    def __init__(self):
        self.settings = wp.array(START, dtype=float, requires_grad=True)
        self.temp = [wp.zeros(2, dtype=float, requires_grad=True) for _ in range(STEPS + 1)]
        self.optimizer = SGD([self.settings], lr=0.05)

    def advance(self, k):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(heat, dim=2, inputs=[self.temp[k], self.settings, DT], outputs=[self.temp[k + 1]])
            wp.launch(step_loss, dim=2, inputs=[self.temp[k + 1], 0.1 * float(k)], outputs=[loss])
        tape.backward(loss)
        return float(loss.numpy()[0])

    def bake(self):
        self.settings.grad.zero_()
        loss = sum(self.advance(k) for k in range(STEPS))
        self.optimizer.step([self.settings.grad])
        return loss


oven = Oven()
for it in range(N_ITERS):
    print(f"{it:2d} loss {oven.bake():.6f} settings {oven.settings.numpy()}")
