// attack: writes wherever a grader might read: records, the checkout, the cache, temporary folders
// exercise: roundtrip
// expect: passed
// gpu: yes
// stopped-by: files: the program writes nowhere

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (const char* name : {"@CANARY@/made", "@CANARY@/results/ada.json", "@CANARY@/secret.txt", "@CANARY@/submissions/grace/exercises/ch02_memory/roundtrip.cu",
                             "@CACHE@/modules/made", "@COURSE@/made", "/tmp/made-by-an-attack", "/dev/shm/made", "/var/tmp/made", "made"}) {
        const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd >= 0) {
            (void)!write(fd, "passed", 6);
            _exit(0);
        }
        if (unlink(name) == 0 || mkdir(name, 0777) == 0 || rename(name, "@CANARY@/moved") == 0 || chmod(name, 0777) == 0 || truncate(name, 0) == 0) {
            _exit(0);
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
