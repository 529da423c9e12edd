"""Makes an operator of PyTorch from the kernels in gated_torch.cu, compares it with PyTorch's own, and measures both.

It needs PyTorch for CUDA, nvcc, g++ and ninja.
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

# ANCHOR: load
kernels = load_inline(
    "gated_torch",
    cpp_sources="""
        torch::Tensor forward(const torch::Tensor& g, const torch::Tensor& u);
        std::vector<torch::Tensor> gradients(const torch::Tensor& g, const torch::Tensor& u,
                                             const torch::Tensor& d_out);
    """,
    cuda_sources=Path(__file__).with_suffix(".cu").read_text(),
    functions=["forward", "gradients"],
)
# ANCHOR_END: load


# ANCHOR: operator
@torch.library.custom_op("workbook::gated", mutates_args=())  # (1)
def gated(g: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    return kernels.forward(g.contiguous(), u.contiguous())


@torch.library.custom_op("workbook::gated_gradients", mutates_args=())
def gated_gradients(g: torch.Tensor, u: torch.Tensor, d_out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    d_g, d_u = kernels.gradients(g.contiguous(), u.contiguous(), d_out.contiguous())
    return d_g, d_u


@gated.register_fake  # (2)
def _(g, u):
    return torch.empty_like(g, memory_format=torch.contiguous_format)


@gated_gradients.register_fake
def _(g, u, d_out):
    return (
        torch.empty_like(g, memory_format=torch.contiguous_format),
        torch.empty_like(u, memory_format=torch.contiguous_format),
    )


def save_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, d_out):
    return gated_gradients(*ctx.saved_tensors, d_out)


gated.register_autograd(backward, setup_context=save_inputs)  # (3)
# ANCHOR_END: operator


def expression(g, u):
    return F.silu(g) * u


def inputs(*shape, dtype=torch.float32):
    torch.manual_seed(1)
    return [torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True) for _ in range(2)]


def milliseconds(work, *tensors):
    """The time of a call, from the fastest of 20 groups of calls. In a group, the device doesn't wait for the host."""
    calls = 10
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = []
    for _ in range(23):
        start.record()
        for _ in range(calls):
            work(*tensors)
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) / calls)
    return min(times[3:])


# ANCHOR: test
g, u = inputs(1000, 1001)
own, theirs = gated(g, u), expression(g, u)
print("largest difference of results:  ", (own - theirs).abs().max().item())
d_out = torch.randn_like(own)
for a, b in zip(torch.autograd.grad(own, (g, u), d_out), torch.autograd.grad(theirs, (g, u), d_out)):
    print("largest difference of gradients:", (a - b).abs().max().item())

doubles = inputs(3, 5, dtype=torch.float64)
print("gradcheck:", torch.autograd.gradcheck(gated, doubles))
for name, result in torch.library.opcheck(gated, inputs(3, 5)).items():
    print(f"opcheck: {name}: {result}")
# ANCHOR_END: test
torch.testing.assert_close(own, theirs)
torch.testing.assert_close(gated(g.t(), u.t()), theirs.t())
torch.testing.assert_close(gated(g[:0], u[:0]), theirs[:0])

g, u = [tensor.detach() for tensor in inputs(8192, 8192)]
print(torch.cuda.get_device_name(), "with PyTorch", torch.__version__)
for name, work in [
    ("F.silu(g) * u", expression),
    ("torch.compile", torch.compile(expression)),
    ("gated", gated),
    ("gated in torch.compile", torch.compile(lambda g, u: gated(g, u))),
]:
    print(f"{name:22} {milliseconds(work, g, u):.3f} ms")
