"""Fit line strengths and line widths of a stellar spectrum; the two groups have their own rates."""
import warp as wp

STRENGTH = [0.5, 0.3, 0.6]
WIDTH = [0.05, 0.07, 0.04]
N_ITERS = 40
N = 40


@wp.kernel
def spectrum(strength: wp.array(dtype=float), width: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    x = float(i) / 40.0
    depth = float(0.0)
    for k in range(3):
        d = (x - 0.2 - 0.3 * float(k)) / width[k]
        depth += strength[k] / (1.0 + d * d)
    out[i] = wp.exp(-depth)


@wp.kernel
def chi_square(model: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = model[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


def synthesise(strength, width):
    out = wp.zeros(N, dtype=float, requires_grad=True)
    wp.launch(spectrum, dim=N, inputs=[strength, width], outputs=[out])
    return out


seen = synthesise(wp.array([0.8, 0.2, 0.4], dtype=float), wp.array([0.06, 0.05, 0.05], dtype=float))
strength = wp.array(STRENGTH, dtype=float, requires_grad=True)
width = wp.array(WIDTH, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    strength.grad.zero_()
    with wp.Tape() as tape:
        wp.launch(chi_square, dim=N, inputs=[synthesise(strength, width), seen], outputs=[loss])
    tape.backward(loss)
    strength.assign(strength.numpy() - 0.1 * strength.grad.numpy())
    width.assign(width.numpy() - 0.0005 * width.grad.numpy())
    if it % 5 == 0:
        print(f"iter {it} loss {loss.numpy()[0]:.6f} {strength.numpy()} {width.numpy()}")
