import numpy as np
from numba import cuda


@cuda.jit
def multiply_them(dest, a, b):
    i = cuda.threadIdx.x
    dest[i] = a[i] * b[i]


a = np.random.randn(400).astype(np.float32)
b = np.random.randn(400).astype(np.float32)
dest = cuda.device_array_like(a)

multiply_them[1, 400](dest, cuda.to_device(a), cuda.to_device(b))

print(abs(dest.copy_to_host() - a * b).max())
