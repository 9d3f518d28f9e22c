"""From log slowness at a few nodes to cells, and from cells to travel times."""
import warp as wp


@wp.kernel
def cell_slowness(nodes: wp.array2d(dtype=float), cells: wp.array2d(dtype=float)):
    """Bilinear in the logarithm, so that slowness stays positive. Nodes sit on the corners of the section too."""
    i, j = wp.tid()
    a = (float(i) + 0.5) / float(cells.shape[0]) * float(nodes.shape[0] - 1)
    b = (float(j) + 0.5) / float(cells.shape[1]) * float(nodes.shape[1] - 1)
    p = wp.min(int(a), nodes.shape[0] - 2)
    q = wp.min(int(b), nodes.shape[1] - 2)
    u = a - float(p)
    v = b - float(q)
    left = (1.0 - v) * nodes[p, q] + v * nodes[p, q + 1]
    right = (1.0 - v) * nodes[p + 1, q] + v * nodes[p + 1, q + 1]
    cells[i, j] = wp.exp((1.0 - u) * left + u * right)


@wp.kernel
def trace(shot: wp.array(dtype=wp.vec2), phone: wp.array(dtype=wp.vec2), cells: wp.array2d(dtype=float),
          width: float, depth: float, samples: int, time: wp.array(dtype=float)):
    """Travel time in ms; each thread adds one sample of one ray. The cell that a sample lies in counts."""
    r, s = wp.tid()
    t = (float(s) + 0.5) / float(samples)
    at = shot[r] + t * (phone[r] - shot[r])
    i = wp.clamp(int(at[0] / width * float(cells.shape[0])), 0, cells.shape[0] - 1)
    j = wp.clamp(int(at[1] / depth * float(cells.shape[1])), 0, cells.shape[1] - 1)
    wp.atomic_add(time, r, wp.length(phone[r] - shot[r]) / float(samples) * cells[i, j])


@wp.kernel
def robust_misfit(time: wp.array(dtype=float), picked: wp.array(dtype=float), scale: float, weight: float,
                  loss: wp.array(dtype=float)):
    """Quadratic for small residuals, linear for picks on the wrong arrival."""
    r = wp.tid()
    x = (time[r] - picked[r]) / scale
    wp.atomic_add(loss, 0, weight * (wp.sqrt(1.0 + x * x) - 1.0))


@wp.kernel
def roughness(nodes: wp.array2d(dtype=float), weight: float, loss: wp.array(dtype=float)):
    """Second differences along both axes; a layered section is not rough across."""
    i, j = wp.tid()
    total = float(0.0)
    if i > 0 and i < nodes.shape[0] - 1:
        d = nodes[i - 1, j] - 2.0 * nodes[i, j] + nodes[i + 1, j]
        total += d * d
    if j > 0 and j < nodes.shape[1] - 1:
        d = nodes[i, j - 1] - 2.0 * nodes[i, j] + nodes[i, j + 1]
        total += 0.4 * d * d
    wp.atomic_add(loss, 0, weight * total)
