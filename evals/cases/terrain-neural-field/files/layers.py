"""Dense layers and their activation for small fields."""
import warp as wp

FREQUENCY = wp.constant(3.0)


@wp.kernel
def dense(x: wp.array2d(dtype=float), w: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    s, j = wp.tid()
    n = x.shape[1]
    total = w[j, n]
    for i in range(n):
        total += w[j, i] * x[s, i]
    out[s, j] = total


@wp.kernel
def sine(h: wp.array2d(dtype=float)):
    s, j = wp.tid()
    h[s, j] = wp.sin(FREQUENCY * h[s, j])


@wp.kernel
def readout(h: wp.array2d(dtype=float), w: wp.array(dtype=float), out: wp.array(dtype=float)):
    s = wp.tid()
    n = h.shape[1]
    total = w[n]
    for i in range(n):
        total += w[i] * h[s, i]
    out[s] = total


def layer(x, w, activate=True):
    """Values of a layer for all samples; the last column of `w` is the bias."""
    out = wp.zeros((x.shape[0], w.shape[0]), dtype=float, requires_grad=True)
    wp.launch(dense, dim=out.shape, inputs=[x, w], outputs=[out])
    if activate:
        wp.launch(sine, dim=out.shape, inputs=[out])
    return out
