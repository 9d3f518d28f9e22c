"""Fit reflectivity and haze of three layers from a radar swept over five elevations."""
import warp as wp

START = [0.6, 0.9, 0.4, 0.3]
N_ITERS = 30
LAYERS = 3
ELEVATIONS = [0.3, 0.5, 0.8, 1.1, 1.4]


class Radar:
    def __init__(self):
        self.scene = wp.array(START, dtype=float, requires_grad=True)
        self.haze = wp.zeros(LAYERS, dtype=float, requires_grad=True)
        self.angle = wp.zeros(1, dtype=float)
        self.echo = wp.zeros(len(ELEVATIONS), dtype=float, requires_grad=True)
        self.measured = wp.array([0.75, 0.85, 1.0, 1.1, 1.15], dtype=float)

    def prepare(self):
        wp.launch(haze_profile, dim=LAYERS, inputs=[self.scene], outputs=[self.haze])

    def sweep(self):
        for e, angle in enumerate(ELEVATIONS):
            self.angle.fill_(angle)
            wp.launch(look, dim=LAYERS, inputs=[self.scene, self.haze, self.angle, e], outputs=[self.echo])

    def gradient(self):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.echo.zero_()
        self.prepare()
        tape = wp.Tape()
        with tape:
            self.sweep()
            wp.launch(echo_error, dim=len(ELEVATIONS), inputs=[self.echo, self.measured], outputs=[loss])
        tape.backward(loss)
        g = self.scene.grad.numpy()
        value = float(loss.numpy()[0])
        return value, g


@wp.kernel
def haze_profile(scene: wp.array(dtype=float), haze: wp.array(dtype=float)):
    i = wp.tid()
    haze[i] = wp.exp(-scene[3] * (1.0 + float(i)))


@wp.kernel
def look(scene: wp.array(dtype=float), haze: wp.array(dtype=float), angle: wp.array(dtype=float), e: int,
         echo: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(echo, e, scene[i] * haze[i] * wp.sin(angle[0] * (0.6 + 0.4 * float(i))) + 0.2 * scene[3])


@wp.kernel
def echo_error(echo: wp.array(dtype=float), measured: wp.array(dtype=float), loss: wp.array(dtype=float)):
    e = wp.tid()
    d = echo[e] - measured[e]
    wp.atomic_add(loss, 0, d * d)


radar = Radar()
for it in range(N_ITERS):
    value, g = radar.gradient()
    radar.scene.assign(radar.scene.numpy() - 0.003 * g)
    if it % 3 == 0:
        print(f"iter {it} loss {value:.6f} scene {radar.scene.numpy()}")
