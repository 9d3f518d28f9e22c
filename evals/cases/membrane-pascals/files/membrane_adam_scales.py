"""Identify modulus (pascal) and damping time (seconds) of a membrane cell from its step response."""
import warp as wp
from warp.optim import Adam

SAMPLES = 30


@wp.kernel
def response(modulus: wp.array(dtype=float), tau: wp.array(dtype=float), cell: wp.array2d(dtype=float)):
    c, s = wp.tid()
    t = 2.0e-4 * float(s + 1)
    strain = 1000.0 / modulus[c]
    cell[c, s] = strain * (1.0 - wp.exp(-t / tau[c]))


@wp.kernel
def relative_error(cell: wp.array2d(dtype=float), seen: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    c, s = wp.tid()
    e = cell[c, s] / seen[c, s] - 1.0
    wp.atomic_add(loss, 0, e * e / 90.0)


def simulate(modulus, tau):
    cell = wp.zeros((3, SAMPLES), dtype=float, requires_grad=True)
    wp.launch(response, dim=cell.shape, inputs=[modulus, tau], outputs=[cell])
    return cell


seen = wp.clone(simulate(wp.array([2.0e5, 1.5e5, 3.1e5], dtype=float), wp.array([1.0e-3, 2.5e-3, 1.6e-3], dtype=float)))
modulus = wp.full(3, 2.4e5, dtype=float, requires_grad=True)
tau = wp.full(3, 1.8e-3, dtype=float, requires_grad=True)
stiff_opt = Adam([modulus], lr=2.0e3)
tau_opt = Adam([tau], lr=2.0e-5)
for epoch in range(50):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(relative_error, dim=(3, SAMPLES), inputs=[simulate(modulus, tau), seen], outputs=[loss])
    tape.backward(loss)
    stiff_opt.step([modulus.grad])
    tau_opt.step([tau.grad])
    tape.zero()
    if epoch % 10 == 0:
        print(f"epoch {epoch} loss {loss.numpy()[0]:.3e} E {modulus.numpy()} tau {tau.numpy()}")
