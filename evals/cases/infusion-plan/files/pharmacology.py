"""Kernels: two compartments and an effect site per patient, infusions by a pump that is set once per tick.

Amounts in mg, volumes in l, times in h, concentrations in mg/l.
"""
import warp as wp


@wp.struct
class Body:
    """Constants of all patients of a ward."""

    volume: wp.array(dtype=float)
    elimination: wp.array(dtype=float)      # 1/h
    out: wp.array(dtype=float)              # 1/h, to the tissue
    back: wp.array(dtype=float)             # 1/h, from the tissue
    onset: wp.array(dtype=float)            # 1/h, of the effect
    weight: wp.array(dtype=float)           # kg


@wp.func
def soft_excess(x: float):
    """Smooth max(x, 0). The exponential must not overflow far above the limit."""
    return wp.max(x, 0.0) + 0.05 * wp.log(1.0 + wp.exp(-20.0 * wp.abs(x)))


@wp.func
def bounded(x: float):
    """The number itself."""
    return x


@wp.func_grad(bounded)
def adj_bounded(x: float, adj_ret: float):
    # Early plans had patients far above every limit; nothing near this size is seen in sane ones.
    wp.adjoint[x] += wp.clamp(adj_ret, -1.0e4, 1.0e4)


@wp.kernel
def pump(rate: wp.array(dtype=float), start: wp.array(dtype=float), hours: float, t: float, body: Body,
         central: wp.array(dtype=float), dt: float):
    """Add what the pump delivers during one tick, per kg of body weight."""
    k = wp.tid()
    total = float(0.0)
    for j in range(3):
        if t >= start[j] and t < start[j] + hours:
            total += rate[j]
    central[k] += dt * total * body.weight[k]


@wp.kernel
def distribute(body: Body, central: wp.array(dtype=float), tissue: wp.array(dtype=float),
               effect: wp.array(dtype=float), dt: float, central_out: wp.array(dtype=float),
               tissue_out: wp.array(dtype=float), effect_out: wp.array(dtype=float)):
    k = wp.tid()
    c = bounded(central[k])
    moved = body.out[k] * c - body.back[k] * tissue[k]
    # Elimination saturates at high concentrations.
    cleared = body.elimination[k] * c / (1.0 + 0.08 * c / body.volume[k])
    central_out[k] = c - dt * (moved + cleared)
    tissue_out[k] = tissue[k] + dt * moved
    effect_out[k] = effect[k] + dt * body.onset[k] * (c / body.volume[k] - effect[k])


@wp.kernel
def deviation(body: Body, central: wp.array(dtype=float), effect: wp.array(dtype=float), target: float, limit: float,
              scale: float, loss: wp.array(dtype=float)):
    """Distance of the effect from the target, and concentrations above the toxic limit."""
    k = wp.tid()
    d = effect[k] - target
    wp.atomic_add(loss, 0, scale * (d * d + 4.0 * soft_excess(central[k] / body.volume[k] - limit)))


@wp.kernel
def drug_cost(rate: wp.array(dtype=float), hours: float, price: float, loss: wp.array(dtype=float)):
    j = wp.tid()
    wp.atomic_add(loss, 0, price * hours * rate[j] * rate[j])
