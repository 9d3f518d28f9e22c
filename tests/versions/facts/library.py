"""Warp's own libraries under a tape: sparse products, a linear solver, finite elements."""

import warp as wp
import warp.fem as fem
import warp.optim.linear
import warp.sparse as sparse

from facts.judging import gradient_is_right, scalar, zeros_like


@wp.kernel
def sum_squares(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i] * y[i])


def _diagonal():
    index = wp.array([0, 1], dtype=int)
    return sparse.bsr_from_triplets(2, 2, index, index, wp.array([2.0, 3.0], dtype=float))


def sparse_matrix_vector_product() -> bool:
    matrix = _diagonal()

    def forward(x):
        y, loss = zeros_like(x), scalar()
        sparse.bsr_mv(matrix, x, y)
        wp.launch(sum_squares, dim=2, inputs=[y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8, 1.2])


def conjugate_gradient_solve() -> bool:
    matrix = _diagonal()

    def forward(x):
        y, loss = zeros_like(x), scalar()
        warp.optim.linear.cg(matrix, x, y, tol=1.0e-6)
        wp.launch(sum_squares, dim=2, inputs=[y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8, 1.2])


@fem.integrand
def squared_field(s: fem.Sample, u: fem.Field):
    return u(s) * u(s)


def fem_integral() -> bool:
    geometry = fem.Grid2D(res=wp.vec2i(1, 1))
    field = fem.make_polynomial_space(geometry, degree=1).make_field()

    def forward(x):
        field.dof_values = x
        loss = scalar()
        fem.integrate(squared_field, domain=fem.Cells(geometry), fields={"u": field}, output=loss)
        return loss

    return gradient_is_right(forward, [0.8, 1.2, 0.5, 1.0])


@fem.integrand
def scaled_basis(s: fem.Sample, u: fem.Field, scale: wp.array(dtype=float)):
    return scale[0] * scale[0] * u(s)


@wp.kernel
def add_up(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i])


def _interpolation_matrix(reduction: str) -> bool:
    geometry = fem.Grid2D(res=wp.vec2i(2, 2))
    space = fem.make_polynomial_space(geometry, degree=1)
    trial = fem.make_trial(space, domain=fem.Cells(geometry))

    def forward(x):
        matrix = sparse.bsr_zeros(space.node_count(), space.node_count(), block_type=float)
        matrix.values = wp.empty(0, dtype=float, requires_grad=True)
        loss = scalar()
        fem.interpolate(
            scaled_basis,
            dest=matrix,
            dest_space=space,
            fields={"u": trial},
            values={"scale": x},
            reduction=reduction,
            kernel_options={"enable_backward": True},
        )
        count = matrix.nnz_sync()
        wp.launch(add_up, dim=count, inputs=[matrix.values[:count]], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8])


def fem_interpolation_matrix_of_first_element() -> bool:
    return _interpolation_matrix("first")


def fem_interpolation_matrix_of_mean() -> bool:
    return _interpolation_matrix("mean")
