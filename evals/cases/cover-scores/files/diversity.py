"""Species cover of survey plots and the log-cover score used in the field guide."""
import warp as wp


@wp.func
def cover(strength: float, site: float):
    return strength * strength * site / (1.0 + site)


@wp.func
def log_cover(c: float):
    # the guide scores anything below exp(-4) as trace
    return wp.max(wp.log(c), -4.0)


@wp.kernel
def score(strength: wp.array(dtype=float), site: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    p, s = wp.tid()
    out[p, s] = log_cover(cover(strength[s], site[p, s]))
