"""Choose heater powers that straighten a loaded frame: a thermal and an elastic solver with a tape each."""
import elastic
import thermal
import warp as wp

START = [0.5, 1.0, 0.3]
N_ITERS = 30


def array(values=(0.0, 0.0, 0.0), grad=True):
    return wp.array(values, dtype=float, requires_grad=grad)


class ThermalSolver:
    def __init__(self, power):
        self.power, self.temp, self.modulus = power, array(), array()

    def forward(self):
        self.tape = wp.Tape()
        with self.tape:
            wp.launch(thermal.bar_temperature, dim=3, inputs=[self.power], outputs=[self.temp])
            wp.launch(thermal.softening, dim=3, inputs=[self.temp], outputs=[self.modulus])

    def backward(self, adjoints):
        self.tape.backward(grads=adjoints)


class ElasticSolver:
    def __init__(self):
        self.load, self.want = array([0.10, 0.15, 0.08], False), array([0.05, 0.0, 0.1], False)

    def forward(self, temp, modulus):
        self.temp, self.modulus = wp.clone(temp), wp.clone(modulus)
        self.tip, self.loss = array(), wp.zeros(1, dtype=float, requires_grad=True)
        self.tape = wp.Tape()
        with self.tape:
            wp.launch(elastic.deflect, dim=3, inputs=[self.temp, self.modulus, self.load], outputs=[self.tip])
            wp.launch(elastic.tip_error, dim=3, inputs=[self.tip, self.want], outputs=[self.loss])


power = array(START)
hot, frame = ThermalSolver(power), ElasticSolver()
for it in range(N_ITERS):
    hot.forward()
    frame.forward(hot.temp, hot.modulus)
    frame.tape.backward(frame.loss)
    hot.backward({hot.temp: frame.temp.grad})
    g = power.grad.numpy().copy()
    hot.tape.zero()
    frame.tape.zero()
    power.assign(power.numpy() - 2.0 * g)
    print(f"{it:2d} loss {frame.loss.numpy()[0]:.7f} power {power.numpy()}")
