// The kernel waits for the host's answer to its message, which a simulator that runs a kernel as a whole cannot do.
__global__ void ask(volatile int* question, volatile int* answer) {
    *question = 1;
    __threadfence_system();
    while (*answer == 0) {}
}

int main() {
    int* flags;
    cudaMallocHost(&flags, 2 * sizeof(int));
    flags[0] = flags[1] = 0;
    ask<<<1, 1>>>(flags, flags + 1);
    volatile int* shared = flags;
    while (shared[0] == 0) {}
    shared[1] = 1;
    cudaDeviceSynchronize();
    cudaFreeHost(flags);
}
