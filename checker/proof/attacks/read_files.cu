// attack: reads files whose paths it knows: the secret seed, submissions, solutions, keys
// exercise: roundtrip
// expect: passed
// gpu: yes
// stopped-by: files: they cannot be opened

#include <cstdio>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const char* files[] = {"@CANARY@/secret.txt",
                           "@CANARY@/submissions/grace/exercises/ch02_memory/roundtrip.cu",
                           "@CANARY@/results/grace.json",
                           "@COURSE@/solutions/ch02_memory/roundtrip.cu",
                           "@CACHE@/modules/canary.txt",
                           "/etc/passwd",
                           "/etc/shadow",
                           "/root/.ssh/id_ed25519",
                           "/proc/1/environ",
                           "/proc/cmdline",
                           "/sys/kernel/notes",
                           "/dev/mem",
                           "/dev/kmsg"};
    for (const char* name : files) {
        FILE* file = fopen(name, "r");
        int c;
        while (file != nullptr && (c = fgetc(file)) != EOF) {
            putchar(c);
        }
    }
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
