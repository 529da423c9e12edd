// attack: asks for the sizes and the times of the secret and of another student's record
// exercise: roundtrip
// expect: passed
// prints-not: size
// limit: on a GPU, the driver needs the call that tells the size and the time of a file by its path
// stopped-by: system calls: on the simulator, those that ask about a file by its path fail

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (const char* path : {"@CANARY@/secret.txt", "@CANARY@/results/grace.json"}) {
        struct stat about = {};
        struct statfs system = {};
        if (stat(path, &about) == 0 || lstat(path, &about) == 0 || fstatat(AT_FDCWD, path, &about, AT_EMPTY_PATH) == 0 ||
            syscall(SYS_stat, path, &about) == 0 || syscall(SYS_newfstatat, AT_FDCWD, path, &about, 0) == 0) {
            printf("size %ld at %ld\n", long(about.st_size), long(about.st_mtime));
        }
        char statx_buffer[512];
        if (syscall(SYS_statx, AT_FDCWD, path, 0, 0x7ff, statx_buffer) == 0 || statfs(path, &system) == 0 ||
            access(path, F_OK) == 0) {
            printf("size is there\n");
        }
        const int handle = open(path, O_PATH);
        if (handle >= 0 && fstat(handle, &about) == 0) {
            printf("size %ld\n", long(about.st_size));
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
