"""Keeping overwritten components: the configuration switch works, the module option of the same name does not."""

import warp as wp

from facts.judging import gradient_is_right, scalar

wp.set_module_options({"enable_vector_component_overwrites": True})


@wp.kernel
def reassign_with_module_option(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    v = wp.vec2(x[0], x[1])
    v[0] = v[0] * v[1]
    v[0] = v[0] * v[1]
    loss[0] = v[0]


@wp.kernel(module="unique")
def reassign_with_config(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    v = wp.vec2(x[0], x[1])
    v[0] = v[0] * v[1]
    v[0] = v[0] * v[1]
    loss[0] = v[0]


@wp.kernel(module="unique")
def reassign_matrix_with_config(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    m = wp.mat22(x[0], 0.0, 0.0, x[1])
    m[0, 0] = m[0, 0] * m[1, 1]
    m[0, 0] = m[0, 0] * m[1, 1]
    loss[0] = m[0, 0]


def _is_right(kernel) -> bool:
    def forward(x):
        loss = scalar()
        wp.launch(kernel, dim=1, inputs=[x], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8, 1.2])


def _is_right_with_config(kernel) -> bool:
    wp.config.enable_vector_component_overwrites = True
    try:
        return _is_right(kernel)
    finally:
        wp.config.enable_vector_component_overwrites = False


def overwrites_kept_by_module_option() -> bool:
    return _is_right(reassign_with_module_option)


def overwrites_kept_by_config() -> bool:
    return _is_right_with_config(reassign_with_config)


def matrix_overwrites_kept_by_config() -> bool:
    return _is_right_with_config(reassign_matrix_with_config)
