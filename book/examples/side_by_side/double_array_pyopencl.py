import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, """
    __kernel void double_array(__global float* a) {
        const int idx = get_local_id(1) * get_local_size(0) + get_local_id(0);
        a[idx] *= 2.0f;
    }
""").build()

a = np.arange(15, dtype=np.float32).reshape(3, 5)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
a_gpu = cl.Buffer(context, flags, hostbuf=a)

program.double_array(queue, (5, 3), (5, 3), a_gpu)  # all work-items, and one group

doubled = np.empty_like(a)
cl.enqueue_copy(queue, doubled, a_gpu)
print(doubled)
