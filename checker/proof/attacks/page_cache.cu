// attack: stores secret inputs in the page cache, by touching pages of a file that nothing else uses, for a later exercise that prints them
// exercise: roundtrip
// expect: passed
// prints-not: page fault
// limit: on a GPU, the driver has to read the system's folders, so a program can leave a message in the page cache
// stopped-by: files: a program opens no file of the system, and cannot count its page faults

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

static const char* const files[] = {"/usr/lib/gcc/x86_64-linux-gnu/12/lto1",
                                    "/usr/bin/env",
                                    "/lib/x86_64-linux-gnu/libm.so.6",
                                    "/lib/aarch64-linux-gnu/libm.so.6",
                                    "/lib64/libm.so.6",
                                    "/etc/ld.so.cache",
                                    "/proc/self/exe"};

extern "C" void roundtrip(const float* a, float* out, int n) {
    const long page = sysconf(_SC_PAGESIZE);
    rusage usage = {};
    for (const char* name : files) {
        const int file = open(name, O_RDONLY);
        if (file < 0) {
            continue;
        }
        void* pages = mmap(nullptr, 32 * page, PROT_READ, MAP_PRIVATE, file, 0);
        const unsigned bits = *reinterpret_cast<const unsigned*>(a);
        for (int bit = 0; bit < 32 && pages != MAP_FAILED; bit++) {
            if (bits >> bit & 1) {
                (void)static_cast<volatile char*>(pages)[bit * page];
            }
        }
        printf("page faults are possible in %s\n", name);
    }
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        printf("page faults can be counted\n");
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
