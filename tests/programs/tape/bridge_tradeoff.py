"""Trade sag against cable mass of a small bridge; the two gradients are weighted on the host."""
import warp as wp

START = [0.9, 1.2, 0.7]
N_ITERS = 40
WEIGHT = 0.3


@wp.kernel
def sag_and_mass(area: wp.array(dtype=float), load: wp.array(dtype=float), sag: wp.array(dtype=float),
                 mass: wp.array(dtype=float)):
    i = wp.tid()
    s = load[i] / area[i]
    wp.atomic_add(sag, 0, s * s)
    wp.atomic_add(mass, 0, area[i] * wp.sqrt(1.0 + 0.1 * area[i]))


class Bridge:
    def __init__(self, area):
        self.area = wp.array(area, dtype=float, requires_grad=True)
        self.load = wp.array([0.6, 0.9, 0.5], dtype=float)

    def forward(self):
        self.sag = wp.zeros(1, dtype=float, requires_grad=True)
        self.mass = wp.zeros(1, dtype=float, requires_grad=True)
        self.tape = wp.Tape()
        with self.tape:
            wp.launch(sag_and_mass, dim=3, inputs=[self.area, self.load], outputs=[self.sag, self.mass])
        return float(self.sag.numpy()[0]), float(self.mass.numpy()[0])

    def gradient(self, term):
        self.area.grad.zero_()
        self.tape.backward(term)
        return self.area.grad.numpy().copy()


bridge = Bridge(START)
for it in range(N_ITERS):
    sag, mass = bridge.forward()
    loss = sag + WEIGHT * mass
    g_sag = bridge.gradient(bridge.sag)
    g_mass = bridge.gradient(bridge.mass)
    bridge.area.assign(bridge.area.numpy() - 0.1 * (g_sag + WEIGHT * g_mass))
    print(f"{it:2d} loss {loss:.5f} sag {sag:.4f} mass {mass:.4f} areas {bridge.area.numpy()}")
