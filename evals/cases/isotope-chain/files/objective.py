"""Objective of the isotope fit with its gradient."""
import decay
import warp as wp


class Objective:
    def __init__(self, stock, seen):
        self.stock = wp.array(stock, dtype=float)
        self.seen = wp.array(seen, dtype=float)

    def __call__(self, rate):
        n = self.stock.size
        out = wp.zeros(n, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        tape.zero()
        with tape:
            wp.launch(decay.activity, dim=n, inputs=[self.stock, rate, 0.05], outputs=[out])
            wp.launch(decay.count_error, dim=n, inputs=[out, self.seen], outputs=[loss])
        tape.backward(loss)
        return float(loss.numpy()[0]), rate.grad.numpy().copy()
