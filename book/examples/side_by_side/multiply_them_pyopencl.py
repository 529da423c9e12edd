import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, """
    __kernel void multiply_them(__global float* dest, __global const float* a, __global const float* b) {
        const int i = get_global_id(0);
        dest[i] = a[i] * b[i];
    }
""").build()

a = np.random.randn(400).astype(np.float32)
b = np.random.randn(400).astype(np.float32)
dest = np.zeros_like(a)
read = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
a_gpu = cl.Buffer(context, read, hostbuf=a)
b_gpu = cl.Buffer(context, read, hostbuf=b)
dest_gpu = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, dest.nbytes)

program.multiply_them(queue, (400,), None, dest_gpu, a_gpu, b_gpu)

cl.enqueue_copy(queue, dest, dest_gpu)
print(abs(dest - a * b).max())
