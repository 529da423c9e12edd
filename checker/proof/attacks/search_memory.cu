// attack: searches all memory of the process for expected results and prints what looks like a seed
// exercise: roundtrip
// expect: passed
// stopped-by: no process that runs the program contains seeds, references or secrets

#include <cstdio>
#include <cstring>
#include <link.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

static void search(const char* from, const char* to) {
    const char sought[] = {'c', 'a', 'n', 'a', 'r', 'y', '-'};
    for (const char* p = from; p + 64 < to; ++p) {
        if (*p == 'c' && memcmp(p, sought, sizeof sought) == 0) {
            printf("found %.40s\n", p);
        }
    }
}

static int search_object(dl_phdr_info* object, size_t, void*) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_R) != 0) {
            const char* from = reinterpret_cast<char*>(object->dlpi_addr + part.p_vaddr);
            search(from, from + part.p_memsz);
        }
    }
    return 0;
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    dl_iterate_phdr(search_object, nullptr);
    const char* top = static_cast<char*>(sbrk(0));
    search(top - (32 << 12), top);
    const char here = 0;
    search(&here, &here + (32 << 10));
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
