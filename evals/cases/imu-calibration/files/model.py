"""The sensor model with its parameters and its gradient."""
import kernels
import warp as wp


class SensorModel:
    def __init__(self, true, warm, raw):
        self.count = len(true)
        self.true = wp.array(true, dtype=wp.vec3)
        self.warm = wp.array(warm, dtype=float)
        self.raw = wp.array(raw, dtype=wp.vec3)
        self.scale = wp.array([1.0, 1.0, 1.0], dtype=float, requires_grad=True)
        self.bias = wp.array([0.05, 0.05, 0.05], dtype=float, requires_grad=True)
        self.drift = wp.array([0.04, 0.04, 0.04], dtype=float, requires_grad=True)
        self.offset = wp.zeros(self.count, dtype=wp.vec3, requires_grad=True)

    @property
    def parameters(self):
        return {"scale": self.scale, "bias": self.bias, "drift": self.drift}

    def prepare(self):
        wp.launch(kernels.drift_offset, dim=self.count, inputs=[self.warm, self.drift], outputs=[self.offset])

    def evaluate(self):
        """Loss; gradients land in the parameters."""
        out = wp.zeros(self.count, dtype=wp.vec3, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.prepare()
        self.tape = wp.Tape()
        with self.tape:
            wp.launch(kernels.reading, dim=self.count,
                      inputs=[self.true, self.scale, self.bias, self.offset], outputs=[out])
            wp.launch(kernels.robust_misfit, dim=self.count, inputs=[out, self.raw], outputs=[loss])
        self.tape.backward(loss)
        return float(loss.numpy()[0])
