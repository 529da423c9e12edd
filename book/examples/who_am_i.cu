extern "C" __global__ void who_am_i() {
    printf("block %d, thread %d\n", blockIdx.x, threadIdx.x);
}
