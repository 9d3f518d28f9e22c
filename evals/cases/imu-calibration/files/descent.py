"""Gradient descent with momentum and a rate for each parameter group."""
import numpy as np


class Descent:
    def __init__(self, parameters, rates, momentum):
        self.parameters, self.rates, self.momentum = parameters, rates, momentum
        self.velocity = {name: np.zeros(p.shape, dtype=np.float32) for name, p in parameters.items()}

    def step(self):
        for name, p in self.parameters.items():
            velocity = self.momentum * self.velocity[name] - self.rates[name] * p.grad.numpy()
            self.velocity[name] = velocity
            p.assign(p.numpy() + velocity)
