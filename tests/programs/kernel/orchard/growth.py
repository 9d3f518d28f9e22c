"""Yearly growth of trees: height, then shading, then pruning, all on one state array."""
import warp as wp


@wp.struct
class Climate:
    warmth: float
    rain: float


@wp.kernel
def grow_year(climate: Climate, vigour: wp.array(dtype=float), last: wp.array(dtype=float),
              height: wp.array(dtype=float)):
    t = wp.tid()
    height[t] = last[t] + climate.warmth * vigour[t] * (3.0 - last[t])
    height[t] = height[t] * wp.exp(-climate.rain * height[t])
