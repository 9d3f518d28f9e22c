"""One kernel with a backward pass in a module that has it switched off."""

import warp as wp

from facts.judging import gradient_is_right, scalar

wp.set_module_options({"enable_backward": False})


@wp.func
def bend(a: float):
    return a * a * a


@wp.kernel
def forward_only(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = bend(x[0])


@wp.kernel(enable_backward=True)
def with_backward(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = bend(x[0])


def _single(kernel):
    def forward(x):
        loss = scalar()
        wp.launch(kernel, dim=1, inputs=[x], outputs=[loss])
        return loss

    return forward


def backward_kernel_in_forward_module() -> bool:
    return gradient_is_right(_single(with_backward), [0.8])


def forward_only_kernel() -> bool:
    return gradient_is_right(_single(forward_only), [0.8])
