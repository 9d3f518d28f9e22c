"""RMSprop on Warp arrays, on the host: there are only six numbers."""
import numpy as np


class RMSprop:
    def __init__(self, parameters, rate, decay=0.9, floor=1e-3):
        self.parameters, self.rate, self.decay, self.floor = parameters, rate, decay, floor
        self.square = {name: None for name in parameters}

    def step(self):
        for name, p in self.parameters.items():
            g = p.grad.numpy()
            seen = self.square[name]
            # The first gradient sets the scale, instead of a bias correction.
            self.square[name] = g * g if seen is None else self.decay * seen + (1.0 - self.decay) * g * g
            p.assign(p.numpy() - self.rate * g / (np.sqrt(self.square[name]) + self.floor))

    def zero_grad(self):
        for p in self.parameters.values():
            p.grad.zero_()
