"""Choose inflow rates so that a stirred dye matches three photographs taken during the run."""
import numpy as np
import warp as wp

N, STEPS, SHOTS = 24, 18, (5, 11, 17)


@wp.kernel
def stir(c: wp.array(dtype=float), inflow: wp.array(dtype=float), step: int, out: wp.array(dtype=float)):
    i = wp.tid()
    n = c.shape[0]
    up = c[(i + n - 1) % n]
    far = c[(i + n // 2) % n]
    source = float(0.0)
    if i % 8 == 0:
        source = inflow[i // 8] * (1.0 + 0.5 * wp.sin(0.4 * float(step)))
    out[i] = 0.55 * c[i] + 0.35 * up + 0.1 * far * far + source


@wp.kernel
def photograph_error(shot: wp.array(dtype=float), photo: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    e = wp.tanh(shot[i]) - photo[i]
    wp.atomic_add(loss, 0, e * e)


def run(inflow):
    c = wp.zeros(N, dtype=float, requires_grad=True)
    shots = []
    for s in range(STEPS):
        nxt = wp.zeros(N, dtype=float, requires_grad=True)
        wp.launch(stir, dim=N, inputs=[c, inflow, s], outputs=[nxt])
        if s in SHOTS:
            shots.append(wp.clone(nxt))
        c = nxt
    return shots


truth = wp.array([0.08, 0.02, 0.05], dtype=float)
photos = [wp.array(np.tanh(s.numpy()), dtype=float) for s in run(truth)]
inflow = wp.array([0.03, 0.05, 0.03], dtype=float, requires_grad=True)
for it in range(25):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for shot, photo in zip(run(inflow), photos):
            wp.launch(photograph_error, dim=N, inputs=[shot, photo], outputs=[loss])
    tape.backward(loss)
    step = 0.002 * inflow.grad.numpy()
    inflow = wp.array(inflow.numpy() - step, dtype=float, requires_grad=True)
    if it % 5 == 0:
        print(f"iteration {it} loss {loss.numpy()[0]:.6f} inflow {inflow.numpy()}")
