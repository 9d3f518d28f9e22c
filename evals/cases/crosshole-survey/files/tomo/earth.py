"""The section between the boreholes."""
import numpy as np
import warp as wp

from tomo import kernels

# From the driller's log, surface to bottom, s/km.
DRILLED = (0.64, 0.67, 0.66, 0.71, 0.60, 0.56, 0.57)


class Earth:
    """Log slowness at the nodes, and the cells that rays are traced through."""

    def __init__(self, nodes_x, nodes_z, cells_x, cells_z):
        log_depth = np.linspace(0.0, nodes_z - 1.0, len(DRILLED))
        first = np.tile(np.log(np.interp(np.arange(nodes_z), log_depth, DRILLED)), (nodes_x, 1))
        self.nodes = wp.array(first, dtype=float, requires_grad=True)
        self.shape = (cells_x, cells_z)
        self._cells = None
        self._made_for = None

    def cells(self):
        """Slowness of the cells, s/km. The same model is asked for by several ray sets, it is made once."""
        current = self.nodes.numpy()
        if self._cells is None or not np.array_equal(current, self._made_for):
            self._cells = wp.zeros(self.shape, dtype=float, requires_grad=True)
            wp.launch(kernels.cell_slowness, dim=self.shape, inputs=[self.nodes], outputs=[self._cells])
            self._made_for = current.copy()
        return self._cells

    def times(self, rays, width, depth, samples):
        """Travel times of a set of rays, ms."""
        out = wp.zeros(rays.count, dtype=float, requires_grad=True)
        wp.launch(kernels.trace, dim=(rays.count, samples),
                  inputs=[rays.shot, rays.phone, self.cells(), width, depth, samples], outputs=[out])
        return out

    def slowness(self):
        """At the nodes, s/km, on the host."""
        return np.exp(self.nodes.numpy())
