"""Frames of the anneal as the microscope would see them."""
import numpy as np
import warp as wp

import kernels


class Recorder:
    """Keeps a blurred frame every few steps, and what is said about them in the log."""

    def __init__(self, pool, every):
        self.pool, self.every = pool, every
        self.frames = []

    def clear(self):
        self.frames = []

    def see(self, step, c):
        if self.every and (step + 1) % self.every == 0:
            self.frames.append((step + 1, self.develop(c)))

    def develop(self, c):
        """A frame on the host; the field for the blur is only borrowed."""
        blurred = self.pool.take()
        wp.launch(kernels.smooth, dim=blurred.shape, inputs=[c], outputs=[blurred])
        frame = blurred.numpy().copy()
        self.pool.rewind()
        return frame

    def summary(self):
        """Contrast of the last frame and its main period along x, in cells."""
        if not self.frames:
            return "no frames"
        _, frame = self.frames[-1]
        spectrum = np.abs(np.fft.rfft(frame, axis=0)).sum(axis=1)
        wave = 1 + int(np.argmax(spectrum[1:]))
        return f"frames {len(self.frames)} contrast {frame.std():.3f} period {frame.shape[0] / wave:.1f}"

    def save(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for step, frame in self.frames:
            np.save(folder / f"frame_{step:04d}.npy", frame)
