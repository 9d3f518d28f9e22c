"""Fit four spring constants with a torch optimiser to measured deflections."""
import torch
from bridge import Deflection, Springs

N_ITERS = 40


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sim = Springs([0.9, 0.4, 0.7, 1.0])
    seen = torch.tensor([0.42, 0.35, 0.36, 0.50])
    k = torch.tensor([1.0, 1.6, 0.8, 1.2], requires_grad=True)
    optimizer = torch.optim.SGD([k], lr=0.6, momentum=0.5)
    for it in range(N_ITERS):
        optimizer.zero_grad()
        x = Deflection.apply(k, sim)
        loss = ((x - seen) ** 2).sum()
        loss.backward()
        optimizer.step()
        if it % 5 == 0 or it == N_ITERS - 1:
            print(f"{it:2d} loss {loss.item():.7f} |g| {k.grad.norm().item():.5f} k {k.detach().numpy()}")


if __name__ == "__main__":
    main()
