"""Reaction rates with their own derivative, to keep exp() from being evaluated twice."""
import warp as wp

GAS_CONSTANT = wp.constant(8.314e-3)


@wp.func
def arrhenius(log_a: float, barrier: float, temperature: float):
    return wp.exp(log_a - barrier / (GAS_CONSTANT * temperature))


@wp.func_grad(arrhenius)
def adj_arrhenius(log_a: float, barrier: float, temperature: float, adj_ret: float):
    k = wp.exp(log_a - barrier / (GAS_CONSTANT * temperature))
    wp.adjoint[log_a] += k * adj_ret
    wp.adjoint[barrier] -= k / (GAS_CONSTANT * temperature) * adj_ret


@wp.kernel
def conversion(theta: wp.array(dtype=float), inlet: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    temperature = inlet[i] + 60.0 * theta[2]
    k = arrhenius(theta[0], 10.0 * theta[1], temperature)
    out[i] = 1.0 - wp.exp(-k)
