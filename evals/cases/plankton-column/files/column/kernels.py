"""Kernels of the nutrient, phytoplankton, zooplankton column. Cell 0 is at the surface."""
import warp as wp

HALF_NUTRIENT = wp.constant(0.6)    # mmol N / m^3
HALF_LIGHT = wp.constant(22.0)      # W / m^2
HALF_PREY = wp.constant(0.9)        # mmol N / m^3
RESPIRATION = wp.constant(0.06)     # 1 / day
MORTALITY = wp.constant(0.12)       # 1 / day


@wp.struct
class Water:
    """State of all cells at one time, mmol N / m^3."""

    nutrient: wp.array(dtype=float)
    phyto: wp.array(dtype=float)
    zoo: wp.array(dtype=float)


@wp.struct
class Sky:
    """What drives the column during one step."""

    surface: float
    mixing: wp.array(dtype=float)
    shade: wp.array(dtype=float)
    light: wp.array(dtype=float)


@wp.kernel
def shading(water: Water, dz: float, sky: Sky):
    """Plankton above the middle of each cell, mmol N / m^2."""
    k = wp.tid()
    total = float(0.0)
    for j in range(k):
        total += dz * water.phyto[j]
    sky.shade[k] = total + 0.5 * dz * water.phyto[k]


@wp.kernel
def attenuate(optics: wp.array(dtype=float), dz: float, sky: Sky):
    """Beer's law with clear water and self-shading."""
    k = wp.tid()
    z = dz * (float(k) + 0.5)
    sky.light[k] = sky.surface * wp.exp(-optics[0] * z - optics[1] * sky.shade[k])


@wp.kernel
def biology(water: Water, sky: Sky, growth: wp.array(dtype=float), grazing: wp.array(dtype=float), dt: float,
            out: Water):
    k = wp.tid()
    n = water.nutrient[k]
    p = water.phyto[k]
    z = water.zoo[k]
    light = sky.light[k]
    uptake = growth[0] * n / (HALF_NUTRIENT + n) * light / (HALF_LIGHT + light) * p
    eaten = grazing[0] * p * p / (HALF_PREY * HALF_PREY + p * p) * z
    respired = RESPIRATION * p
    dead = MORTALITY * z
    out.nutrient[k] = n + dt * (respired + dead + (1.0 - grazing[1]) * eaten - uptake)
    out.phyto[k] = p + dt * (uptake - respired - eaten)
    out.zoo[k] = z + dt * (grazing[1] * eaten - dead)


@wp.func
def exchange(c: wp.array(dtype=float), mixing: wp.array(dtype=float), k: int, last: int):
    """Net turbulent gain of a cell; mixing[k] belongs to the face below cell k, nothing passes bottom or surface."""
    above = wp.max(k - 1, 0)
    below = wp.min(k + 1, last)
    return mixing[above] * (c[above] - c[k]) + mixing[k] * (c[below] - c[k])


@wp.kernel
def mix(water: Water, sky: Sky, rate: float, out: Water):
    k = wp.tid()
    last = water.phyto.shape[0] - 1
    out.nutrient[k] = water.nutrient[k] + rate * exchange(water.nutrient, sky.mixing, k, last)
    out.phyto[k] = water.phyto[k] + rate * exchange(water.phyto, sky.mixing, k, last)
    out.zoo[k] = water.zoo[k] + rate * exchange(water.zoo, sky.mixing, k, last)


@wp.kernel
def cast_misfit(water: Water, cell: wp.array(dtype=int), phyto: wp.array(dtype=float),
                nutrient: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    b = wp.tid()
    dp = water.phyto[cell[b]] - phyto[b]
    dn = water.nutrient[cell[b]] - nutrient[b]
    # Nitrate is measured half as well as chlorophyll.
    wp.atomic_add(loss, 0, weight * (dp * dp + 0.25 * dn * dn))
