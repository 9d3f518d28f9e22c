"""Recover source strengths from microphone levels."""
import acoustics
import numpy as np
import warp as wp

START = [0.3, 0.6, 0.2]
N_ITERS = 30

source = wp.array([[0.0, 0.0, 0.0], [1.0, 0.2, 0.3], [-0.6, 0.8, 0.1]], dtype=wp.vec3)
rng = np.random.default_rng(4)
mic = wp.array((rng.normal(0.0, 1.0, (8, 3)) + [0.0, 0.0, 1.8]).astype(np.float32), dtype=wp.vec3)


def main():
    seen = wp.zeros(8, dtype=float)
    truth = wp.array([0.7, 0.2, 0.5], dtype=float)
    wp.launch(acoustics.receive, dim=(3, 8), inputs=[truth, source, mic], outputs=[seen])
    strength = wp.array(START, dtype=float, requires_grad=True)
    heard = wp.zeros(8, dtype=float, requires_grad=True)
    for it in range(N_ITERS):
        heard.zero_()
        strength.grad.zero_()
        tape = wp.Tape()
        with tape:
            wp.launch(acoustics.receive, dim=(3, 8), inputs=[strength, source, mic], outputs=[heard])
        loss = wp.zeros(1, dtype=float)
        wp.launch(acoustics.seed_residual, dim=8, inputs=[heard, seen], outputs=[heard.grad, loss])
        tape.backward()
        g = strength.grad.numpy().copy()
        strength.assign(strength.numpy() - 0.2 * g)
        print(f"iter {it:2d} loss {loss.numpy()[0]:.6f} strengths {strength.numpy()}")


if __name__ == "__main__":
    main()
