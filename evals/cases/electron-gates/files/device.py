"""The device: an electron packet, four gates, a detector behind them that is read after every time window."""
from dataclasses import dataclass

import numpy as np
import warp as wp

import wave


@dataclass(frozen=True)
class Settings:
    cells: int = 96
    dx: float = 0.5
    dt: float = 0.18
    windows: int = 3
    steps: int = 38                               # per window
    centre: float = 11.0
    width: float = 2.6
    first_gate: float = 19.0
    pitch: float = 3.0
    spread: float = 0.9
    edge: float = 29.0                            # of the detector
    gates: tuple = (0.55, 0.72, 0.45, 0.60)       # start values
    launch: tuple = (1.35, 0.01)
    wanted: tuple = (0.02, 0.40, 0.70)

    def __post_init__(self):
        highest = 2.0 / self.dx**2 + 1.5 * max(self.gates)
        if self.dt * highest >= 2.0:
            raise ValueError(f"dt={self.dt} is unstable: dt * highest energy is {self.dt * highest:.2f}")

    def swing(self, step):
        """Common drive of the gates: they are lowered once and come back."""
        t = step * self.dt
        return 1.0 - 0.55 * np.exp(-0.5 * ((t - 9.0) / 3.0) ** 2)


@dataclass
class Packet:
    """A wave function; im is half a step ahead of re."""

    re: wp.array
    im: wp.array

    def clone(self):
        return Packet(wp.clone(self.re), wp.clone(self.im))

    def norm(self, dx):
        return dx * float(np.sum(self.re.numpy() ** 2) + np.sum(self.im.numpy() ** 2))


class Gates:
    """Potential under the gates at any time."""

    def __init__(self, settings, voltages):
        self.settings, self.voltages = settings, voltages
        self.potential = wp.zeros(settings.cells, dtype=float, requires_grad=True)

    def at(self, step):
        s = self.settings
        wp.launch(wave.gate_potential, dim=s.cells,
                  inputs=[self.voltages, s.first_gate, s.pitch, s.spread, float(s.swing(step)), s.dx],
                  outputs=[self.potential])
        return self.potential


class Device:
    def __init__(self, settings):
        self.settings = settings
        self.gates = wp.array(settings.gates, dtype=float, requires_grad=True)
        self.launch = wp.array(settings.launch, dtype=float, requires_grad=True)
        self.wanted = wp.array(settings.wanted, dtype=float)
        self.field = Gates(settings, self.gates)
        self.norms = []

    def line(self):
        return wp.zeros(self.settings.cells, dtype=float, requires_grad=True)

    def emit(self):
        s = self.settings
        packet = Packet(self.line(), self.line())
        wp.launch(wave.emit_packet, dim=s.cells, inputs=[self.launch, s.centre, s.width, s.dx, s.dt],
                  outputs=[packet.re, packet.im])
        return packet

    def advance(self, packet, step):
        """One step; the packet passed in is left as it is."""
        s = self.settings
        v = self.field.at(step)
        re, im = self.line(), self.line()
        wp.launch(wave.advance_re, dim=s.cells, inputs=[packet.re, packet.im, v, s.dx, s.dt], outputs=[re])
        wp.launch(wave.advance_im, dim=s.cells, inputs=[re, packet.im, v, s.dx, s.dt], outputs=[im])
        return Packet(re, im)

    def window(self, packet, number, share, loss):
        """All steps of one window and the reading at its end."""
        s = self.settings
        for step in range(number * s.steps, (number + 1) * s.steps):
            packet = self.advance(packet, step)
        wp.launch(wave.share_beyond, dim=s.cells, inputs=[packet.re, packet.im, s.edge, s.dx, share, number])
        wp.launch(wave.share_error, dim=1, inputs=[share, self.wanted, number], outputs=[loss])
        return packet

    def evaluate(self):
        """Shares seen after each window and the summed error; gradients land in the parameters."""
        s = self.settings
        share = wp.zeros(s.windows, dtype=float, requires_grad=True)
        total = 0.0
        self.norms = []
        packet = None
        for number in range(s.windows):
            # A window at a time, the launches of a whole flight are too many to keep.
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            tape = wp.Tape()
            with tape:
                packet = self.emit() if packet is None else packet
                packet = self.window(packet, number, share, loss)
            tape.backward(loss)
            total += float(loss.numpy()[0])
            self.norms.append(packet.norm(s.dx))
            packet = packet.clone()
        return share.numpy(), total
