"""Fit four rod stiffnesses so that the end of a hanging chain sits at a marked point."""
import numpy as np
import physics as ph
import warp as wp

START = [2.0, 1.5, 2.5, 1.8]
N_ITERS = 30
SWEEPS = 8
REST = np.array([[0.1 * k, -0.55 * k, 0.0] for k in range(5)], dtype=np.float32)


def new_chain():
    c = ph.Chain()
    c.node = wp.array(REST, dtype=wp.vec3, requires_grad=True)
    c.pull = wp.zeros(5, dtype=wp.vec3)
    return c


def settle(stiff):
    chain = new_chain()
    for _ in range(SWEEPS):
        moved = new_chain()
        wp.launch(ph.tension, dim=4, inputs=[chain, stiff])
        wp.launch(ph.relax, dim=5, inputs=[chain, 0.2, moved])
        chain = moved
    return chain


def main():
    stiff = wp.array(START, dtype=float, requires_grad=True)
    goal = wp.vec3(0.45, -2.35, 0.0)
    for it in range(N_ITERS):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            chain = settle(stiff)
            wp.launch(ph.tip_error, dim=4, inputs=[chain, stiff, goal], outputs=[loss])
        tape.backward(loss)
        g = stiff.grad.numpy().copy()
        tape.zero()
        stiff.assign(stiff.numpy() - 2.0 * g)
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} stiffness {stiff.numpy()}")


if __name__ == "__main__":
    main()
