import numpy as np
from numba import cuda


@cuda.jit
def double_array(a):
    row, column = cuda.threadIdx.y, cuda.threadIdx.x
    a[row, column] *= 2.0


a = np.arange(15, dtype=np.float32).reshape(3, 5)
a_gpu = cuda.to_device(a)

double_array[(1, 1), (5, 3)](a_gpu)

print(a_gpu.copy_to_host())
