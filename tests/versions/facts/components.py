"""Stores to one component of a vector, a matrix, a quaternion or a struct."""

import warp as wp

from facts.judging import gradient_is_right, scalar


@wp.struct
class Particle:
    weight: float
    charge: float


@wp.kernel
def store_component(x: wp.array(dtype=float), points: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    points[i].x = x[i] * x[i]


@wp.kernel
def add_component(x: wp.array(dtype=float), points: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    points[i].x += x[i] * x[i]


@wp.kernel
def sum_points(points: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, points[i][0] * points[i][0])


@wp.kernel
def store_field(x: wp.array(dtype=float), particles: wp.array(dtype=Particle)):
    i = wp.tid()
    particles[i].weight = x[i] * x[i]


@wp.kernel
def sum_weights(particles: wp.array(dtype=Particle), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, particles[i].weight * particles[i].weight)


@wp.kernel
def reassign_vector(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    v = wp.vec2(x[0], x[1])
    v[0] = v[0] * v[1]
    v[0] = v[0] * v[1]
    loss[0] = v[0]


@wp.kernel
def add_to_vector(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    v = wp.vec2(x[0], x[1])
    v[0] += x[0] * x[1]
    v[0] += x[1] * x[1]
    loss[0] = v[0] * v[1]


@wp.kernel
def reassign_matrix(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    m = wp.mat22(x[0], 0.0, 0.0, x[1])
    m[0, 0] = m[0, 0] * m[1, 1]
    m[0, 0] = m[0, 0] * m[1, 1]
    loss[0] = m[0, 0]


@wp.kernel
def reassign_quaternion(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    q = wp.quat(x[0], x[1], 0.0, 1.0)
    q[0] = q[0] * q[1]
    q[0] = q[0] * q[1]
    loss[0] = q[0]


def _points_loss(kernel):
    def forward(x):
        points = wp.zeros(2, dtype=wp.vec2, requires_grad=True)
        loss = scalar()
        wp.launch(kernel, dim=2, inputs=[x], outputs=[points])
        wp.launch(sum_points, dim=2, inputs=[points], outputs=[loss])
        return loss

    return forward


def _single(kernel):
    def forward(x):
        loss = scalar()
        wp.launch(kernel, dim=1, inputs=[x], outputs=[loss])
        return loss

    return forward


def array_component_store() -> bool:
    return gradient_is_right(_points_loss(store_component), [0.8, 1.2])


def array_component_add() -> bool:
    return gradient_is_right(_points_loss(add_component), [0.8, 1.2])


def array_struct_field_store() -> bool:
    def forward(x):
        particles = wp.zeros(2, dtype=Particle, requires_grad=True)
        loss = scalar()
        wp.launch(store_field, dim=2, inputs=[x], outputs=[particles])
        wp.launch(sum_weights, dim=2, inputs=[particles], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8, 1.2])


def local_vector_component_reassigned() -> bool:
    return gradient_is_right(_single(reassign_vector), [0.8, 1.2])


def local_vector_component_added() -> bool:
    return gradient_is_right(_single(add_to_vector), [0.8, 1.2])


def local_matrix_entry_reassigned() -> bool:
    return gradient_is_right(_single(reassign_matrix), [0.8, 1.2])


def local_quaternion_component_reassigned() -> bool:
    return gradient_is_right(_single(reassign_quaternion), [0.8, 1.2])
