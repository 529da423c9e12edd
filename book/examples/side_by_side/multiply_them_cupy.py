import cupy as cp
import numpy as np

multiply_them = cp.ElementwiseKernel(
    "float32 a, float32 b",  # in
    "float32 dest",  # out
    "dest = a * b",
    "multiply_them",
)

a = np.random.randn(400).astype(np.float32)
b = np.random.randn(400).astype(np.float32)

dest = multiply_them(cp.asarray(a), cp.asarray(b))  # or, with no kernel: cp.asarray(a) * cp.asarray(b)

print(abs(cp.asnumpy(dest) - a * b).max())
