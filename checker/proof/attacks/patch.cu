// attack: makes the checker's own code writable and overwrites it
// exercise: roundtrip
// expect: host-crash or never-finishes
// stopped-by: the process contains nothing except its own answer

#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

// The first object is the checker's own program.
static int patch(dl_phdr_info* object, size_t, void*) {
    const size_t page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            const size_t start = (object->dlpi_addr + part.p_vaddr) / page * page;
            char* from = reinterpret_cast<char*>(start);
            mprotect(from, part.p_memsz, PROT_READ | PROT_WRITE | PROT_EXEC);
            memset(from, 0x90, part.p_memsz);
        }
    }
    return 1;
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    dl_iterate_phdr(patch, nullptr);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
