"""Builtins and how functions bring their own adjoint."""

import warp as wp

from facts.judging import close_to, gradient_is_right, scalar, tape_gradient


@wp.kernel
def use_frac(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.frac(x[i]))


@wp.kernel
def use_mod(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.mod(x[i], 1.0))


@wp.kernel
def use_exch(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_exch(y, i, x[i] * x[i])


@wp.kernel
def use_cas(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_cas(y, i, 0.0, x[i] * x[i])


@wp.kernel
def sum_squares(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i] * y[i])


@wp.kernel
def use_tile_max(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    t = wp.tile_load(x, shape=4)
    wp.tile_store(loss, wp.tile_max(t))


@wp.func
def energy(q: float, k: float):
    return k * q * q * q


@wp.kernel
def force_squared(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    dq, dk = wp.grad(energy)(x[0], x[1])
    loss[0] = dq * dq


@wp.kernel
def triangle_height(mesh: wp.uint64, loss: wp.array(dtype=float)):
    p = wp.mesh_eval_position(mesh, 0, 0.3, 0.3)
    loss[0] = p[2] * p[2]


@wp.kernel
def lift(x: wp.array(dtype=float), points: wp.array(dtype=wp.vec3), lifted: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    lifted[i] = points[i] + wp.vec3(0.0, 0.0, x[0])


@wp.func_native("return a * a;")
def native_square(a: float) -> float: ...


@wp.kernel
def use_native(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, native_square(x[i]))


@wp.func
def cube_assigning(a: float):
    return a * a * a


@wp.func_grad(cube_assigning)
def adj_cube_assigning(a: float, adj_ret: float):
    wp.adjoint[a] = 3.0 * a * a * adj_ret


@wp.func
def cube_adding(a: float):
    return a * a * a


@wp.func_grad(cube_adding)
def adj_cube_adding(a: float, adj_ret: float):
    wp.adjoint[a] += 3.0 * a * a * adj_ret


@wp.kernel
def use_assigning_twice(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    a = x[0]
    first = a * a
    second = cube_assigning(a)
    third = cube_assigning(a)
    loss[0] = first + second * third


@wp.kernel
def use_adding_twice(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    a = x[0]
    first = a * a
    second = cube_adding(a)
    third = cube_adding(a)
    loss[0] = first + second * third


@wp.kernel
def store_same_element(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[0] = x[wp.tid()]


def _direct(kernel, dim):
    def forward(x):
        loss = scalar()
        wp.launch(kernel, dim=dim, inputs=[x], outputs=[loss])
        return loss

    return forward


def _through_array(kernel):
    def forward(x):
        y = wp.zeros(x.shape, dtype=float, requires_grad=True)
        loss = scalar()
        wp.launch(kernel, dim=x.shape, inputs=[x], outputs=[y])
        wp.launch(sum_squares, dim=x.shape, inputs=[y], outputs=[loss])
        return loss

    return forward


def builtin_frac() -> bool:
    return gradient_is_right(_direct(use_frac, 2), [0.3, 1.6])


def builtin_mod() -> bool:
    return gradient_is_right(_direct(use_mod, 2), [0.3, 1.6])


def builtin_atomic_exch() -> bool:
    return gradient_is_right(_through_array(use_exch), [0.8, 1.2])


def builtin_atomic_cas() -> bool:
    return gradient_is_right(_through_array(use_cas), [0.8, 1.2])


def builtin_tile_max() -> bool:
    def forward(x):
        loss = scalar()
        wp.launch_tiled(use_tile_max, dim=[1], inputs=[x], outputs=[loss], block_dim=32)
        return loss

    return gradient_is_right(forward, [0.2, 1.4, 0.9, 0.1])


def builtin_grad_in_kernel() -> bool:
    return gradient_is_right(_direct(force_squared, 1), [0.8, 1.2])


def builtin_mesh_points_through_id() -> bool:
    corners = wp.array([[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]], dtype=wp.vec3, requires_grad=True)
    meshes = []

    def forward(x):
        lifted = wp.zeros(3, dtype=wp.vec3, requires_grad=True)
        loss = scalar()
        wp.launch(lift, dim=3, inputs=[x, corners], outputs=[lifted])
        mesh = wp.Mesh(points=lifted, indices=wp.array([0, 1, 2], dtype=int))
        meshes.append(mesh)
        wp.launch(triangle_height, dim=1, inputs=[mesh.id], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8])


def native_function_without_adjoint() -> bool:
    return gradient_is_right(_direct(use_native, 2), [0.8, 1.2])


def custom_gradient_that_assigns() -> bool:
    return gradient_is_right(_direct(use_assigning_twice, 1), [0.8])


def custom_gradient_that_adds() -> bool:
    return gradient_is_right(_direct(use_adding_twice, 1), [0.8])


def store_race_gives_gradient_to_one_thread() -> bool:
    """Four threads store to one element: exactly one of them receives the gradient."""

    def forward(x):
        y, loss = scalar(), scalar()
        wp.launch(store_same_element, dim=4, inputs=[x], outputs=[y])
        wp.launch(sum_squares, dim=1, inputs=[y], outputs=[loss])
        return loss

    gradient = tape_gradient(forward, [1.0, 1.0, 1.0, 1.0])
    return close_to(sorted(gradient), [0.0, 0.0, 0.0, 2.0])
