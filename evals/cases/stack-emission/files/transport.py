"""Advection and decay of a puff chain; the state object keeps the previous and current field."""
import warp as wp


@wp.kernel
def advect(c: wp.array(dtype=float), previous: wp.array(dtype=float), wind: float, out: wp.array(dtype=float)):
    i = wp.tid()
    n = c.shape[0]
    upstream = c[(i + n - 1) % n]
    out[i] = c[i] - wind * (c[i] - upstream) - 0.3 * (c[i] - previous[i]) * c[i]


class PuffState:
    def __init__(self, initial):
        self.current = initial
        self.previous = wp.zeros_like(initial, requires_grad=True)
        self.previous.assign(initial)

    def advance(self, wind):
        out = wp.zeros_like(self.current, requires_grad=True)
        wp.launch(advect, dim=out.shape[0], inputs=[self.current, self.previous, wind], outputs=[out])
        self.previous, self.current = self.current, out
