"""Thin layers of graded glass: each one bends and attenuates a bundle of rays."""
import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def bend(height: wp.array(dtype=float), slope: wp.array(dtype=float), power: wp.array(dtype=float), layer: int,
         height_out: wp.array(dtype=float), slope_out: wp.array(dtype=float)):
    r = wp.tid()
    s = slope[r] - power[layer] * height[r]
    slope_out[r] = s
    height_out[r] = height[r] + 0.5 * s


def through(height, slope, power, layer):
    """Return heights and slopes behind one layer."""
    h = wp.empty_like(height, requires_grad=True)
    s = wp.empty_like(slope, requires_grad=True)
    wp.launch(bend, dim=height.shape[0], inputs=[height, slope, power, layer], outputs=[h, s])
    return h, s
