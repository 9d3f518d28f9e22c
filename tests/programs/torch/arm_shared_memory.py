"""Reach a point with a two-link arm: the joint angles are a torch parameter whose memory Warp reads directly."""
import torch
import warp as wp

wp.init()


@wp.kernel
def reach(angle: wp.array(dtype=float), tip: wp.array(dtype=float)):
    tip[0] = wp.cos(angle[0]) + 0.8 * wp.cos(angle[0] + angle[1])
    tip[1] = wp.sin(angle[0]) + 0.8 * wp.sin(angle[0] + angle[1])


class Tip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, angle):
        ctx.angle = wp.from_torch(angle.detach(), requires_grad=True)
        ctx.tip = wp.zeros(2, dtype=float, requires_grad=True)
        ctx.tape = wp.Tape()
        with ctx.tape:
            wp.launch(reach, dim=1, inputs=[ctx.angle], outputs=[ctx.tip])
        return wp.to_torch(ctx.tip).clone()

    @staticmethod
    def backward(ctx, grad_tip):
        ctx.tape.backward(grads={ctx.tip: wp.from_torch(grad_tip.contiguous())})
        return wp.to_torch(ctx.angle.grad).clone()


angle = torch.tensor([0.4, 0.9], requires_grad=True)
goal = torch.tensor([1.0, 0.4])
optimizer = torch.optim.SGD([angle], lr=0.05)
for epoch in range(40):
    optimizer.zero_grad()
    loss = ((Tip.apply(angle) - goal) ** 2).sum()
    with torch.no_grad():
        angle.clamp_(-0.35, 0.35)
    loss.backward()
    optimizer.step()
print("loss", loss.item(), "angle", angle.tolist())
