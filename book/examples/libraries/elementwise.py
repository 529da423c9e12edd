"""clip(a * x + b * y, 0, 1) over many floats: as an expression of arrays, which is a kernel per operation, and as one kernel."""

import cupy as cp
from cupyx.profiler import benchmark

N = 1 << 26
x = cp.random.random(N, dtype=cp.float32)
y = cp.random.random(N, dtype=cp.float32)
a, b = cp.float32(1.5), cp.float32(-0.5)


def expression():
    return cp.clip(a * x + b * y, 0, 1)


one_kernel = cp.ElementwiseKernel(
    "float32 a, float32 x, float32 b, float32 y",
    "float32 out",
    "out = min(max(a * x + b * y, 0.0f), 1.0f)",
    "one_kernel",
)


@cp.fuse()
def fused(a, x, b, y):
    return cp.clip(a * x + b * y, 0, 1)


print(abs(expression() - one_kernel(a, x, b, y)).max(), abs(expression() - fused(a, x, b, y)).max())
for name, work in [
    ("expression", expression),
    ("ElementwiseKernel", lambda: one_kernel(a, x, b, y)),
    ("fuse", lambda: fused(a, x, b, y)),
]:
    times = benchmark(work, n_repeat=20).gpu_times
    print(f"{name:18} {times.min() * 1000:.3f} ms")
