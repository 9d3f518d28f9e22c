"""Shape a loudspeaker horn for a wanted response."""
import numpy as np
import warp as wp

START = [0.6, 0.3, 0.5]
N_ITERS = 30
BANDS = 10


@wp.kernel
def response(shape: wp.array(dtype=float), out: wp.array(dtype=float)):
    b = wp.tid()
    f = 0.3 + 0.2 * float(b)
    gain = shape[0] + shape[1] * f + shape[2] * wp.sin(2.0 * f)
    out[b] = gain / (1.0 + 0.3 * f * f)


@wp.kernel
def power_error(out: wp.array(dtype=float), want: wp.array(dtype=float), loss: wp.array(dtype=float)):
    b = wp.tid()
    d = out[b] * out[b] - want[b]
    wp.atomic_add(loss, 0, 0.2 * d * d)


@wp.kernel
def to_neper(out: wp.array(dtype=float)):
    b = wp.tid()
    out[b] = wp.log(wp.abs(out[b]) + 1.0e-6)


class Horn:
    def __init__(self):
        self.shape = wp.array(START, dtype=float, requires_grad=True)
        self.out = wp.zeros(BANDS, dtype=float, requires_grad=True)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.want = wp.array(np.linspace(0.9, 0.4, BANDS).astype(np.float32), dtype=float)
        self.tape = wp.Tape()

    def evaluate(self):
        self.loss.zero_()
        with self.tape:
            wp.launch(response, dim=BANDS, inputs=[self.shape], outputs=[self.out])
            wp.launch(power_error, dim=BANDS, inputs=[self.out, self.want], outputs=[self.loss])
        return float(self.loss.numpy()[0])

    def ripple(self):
        wp.launch(to_neper, dim=BANDS, inputs=[self.out])
        level = self.out.numpy()
        return float(level.max() - level.min())

    def update(self, rate):
        self.tape.backward(self.loss)
        g = self.shape.grad.numpy().copy()
        self.tape.zero()
        self.shape.assign(self.shape.numpy() - rate * g)


horn = Horn()
for it in range(N_ITERS):
    loss = horn.evaluate()
    ripple = horn.ripple()
    horn.update(0.02)
    print(f"{it:2d} loss {loss:.6f} ripple {ripple:.2f} Np shape {horn.shape.numpy()}")
