"""Set the pitch of three blades so that the generator output is steady over a range of wind speeds."""
import numpy as np
import warp as wp
from rotor import Rotor, blade_torque, generator, induce, power_loss
from warp.optim import Adam

START = [0.35, 0.55, 0.2]
N_ITERS = 30
N = 9


class Turbine:
    def __init__(self):
        self.wind = wp.array(np.linspace(1.2, 2.4, N).astype(np.float32), dtype=float)
        self.rotor = Rotor()
        self.rotor.pitch = wp.array(START, dtype=float, requires_grad=True)
        self.rotor.inflow = wp.zeros(N, dtype=float)
        self.rotor.torque = wp.zeros(N, dtype=float, requires_grad=True)

    def forward(self, loss):
        wp.launch(induce, dim=N, inputs=[self.rotor, self.wind])
        wp.launch(blade_torque, dim=N, inputs=[self.rotor])
        wp.launch(generator, dim=N, inputs=[self.rotor])
        wp.launch(power_loss, dim=N, inputs=[self.rotor, 0.45], outputs=[loss])


turbine = Turbine()
pitch = turbine.rotor.pitch
adam = Adam([pitch], lr=0.02)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        turbine.forward(loss)
    tape.backward(loss)
    adam.step([pitch.grad])
    if it % 5 == 0:
        print(f"iter {it} loss {loss.numpy()[0]:.6f} pitch {pitch.numpy()}")
