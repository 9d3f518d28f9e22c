"""Stage-discharge relation: kernels and the model."""
import warp as wp


@wp.kernel
def discharge(stage: wp.array(dtype=wp.float64), p: wp.array(dtype=wp.float64), q: wp.array(dtype=wp.float64)):
    i = wp.tid()
    depth = stage[i] - p[1]
    q[i] = p[0] * wp.pow(depth, p[2])


@wp.kernel
def mean_square(q: wp.array(dtype=wp.float64), seen: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    r = q[i] - seen[i]
    wp.atomic_add(loss, 0, r * r / wp.float64(q.shape[0]))


class RatingCurve:
    def __init__(self, start):
        self.p = wp.array(start, dtype=wp.float64, requires_grad=True)

    def mse(self, stage, seen):
        q = wp.zeros(stage.shape[0], dtype=wp.float64, requires_grad=True)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(discharge, dim=q.shape[0], inputs=[stage, self.p], outputs=[q])
        wp.launch(mean_square, dim=q.shape[0], inputs=[q, seen], outputs=[loss])
        return loss
