"""Progress lines for the antenna fit."""
import numpy as np


def progress(it, tape, loss, phase):
    """One line with the loss and the size of the gradient."""
    tape.backward(loss)
    size = float(np.linalg.norm(phase.grad.numpy()))
    print(f"iteration {it:2d} loss {float(loss.numpy()[0]):.6f} |gradient| {size:.5f}")
