import numpy as np
import pycuda.autoinit  # selects the first device, and releases it at the end
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("""
    __global__ void double_array(float* a) {
        const int idx = threadIdx.y * blockDim.x + threadIdx.x;
        a[idx] *= 2.0f;
    }
""")
double_array = module.get_function("double_array")

a = np.arange(15, dtype=np.float32).reshape(3, 5)
a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)

double_array(a_gpu, block=(5, 3, 1), grid=(1, 1))

doubled = np.empty_like(a)
cuda.memcpy_dtoh(doubled, a_gpu)
print(doubled)
