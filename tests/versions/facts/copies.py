"""Copies whose source is read again later."""

import warp as wp

from facts.judging import gradient_is_right, scalar, zeros_like


@wp.kernel
def product_sum(a: wp.array(dtype=float), b: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, a[i] * a[i] * b[i])


def copy_source_read_again() -> bool:
    def forward(x):
        y, loss = zeros_like(x), scalar()
        wp.copy(y, x)
        wp.launch(product_sum, dim=2, inputs=[x, y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.7, 1.3])


def copy_source_not_read_again() -> bool:
    def forward(x):
        y, loss = zeros_like(x), scalar()
        wp.copy(y, x)
        wp.launch(product_sum, dim=2, inputs=[y, y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.7, 1.3])


def clone_source_read_again() -> bool:
    def forward(x):
        loss = scalar()
        y = wp.clone(x)
        wp.launch(product_sum, dim=2, inputs=[x, y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.7, 1.3])


def assign_source_read_again() -> bool:
    def forward(x):
        y, loss = zeros_like(x), scalar()
        y.assign(x)
        wp.launch(product_sum, dim=2, inputs=[x, y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.7, 1.3])
