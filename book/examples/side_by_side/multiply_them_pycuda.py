import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("""
    __global__ void multiply_them(float* dest, const float* a, const float* b) {
        const int i = threadIdx.x;
        dest[i] = a[i] * b[i];
    }
""")
multiply_them = module.get_function("multiply_them")

a = np.random.randn(400).astype(np.float32)
b = np.random.randn(400).astype(np.float32)
dest = np.zeros_like(a)

multiply_them(cuda.Out(dest), cuda.In(a), cuda.In(b), block=(400, 1, 1), grid=(1, 1))

print(abs(dest - a * b).max())
