"""Normalised descent for logarithms."""
import numpy as np


class LogDescent:
    """Every element moves by at most ``rate``; the step shrinks when the gradient turns."""

    def __init__(self, theta, rate):
        self.theta = theta
        self.rate = np.full(theta.shape, rate, dtype=np.float32)
        self.sign = np.zeros(theta.shape, dtype=np.float32)

    def step(self):
        g = self.theta.grad.numpy()
        turned = np.sign(g) * self.sign < 0.0
        self.rate = np.where(turned, 0.5 * self.rate, np.minimum(1.1 * self.rate, 0.05)).astype(np.float32)
        self.sign = np.sign(g)
        self.theta.assign(self.theta.numpy() - self.rate * self.sign)
