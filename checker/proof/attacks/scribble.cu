// attack: overwrites all writable memory of the process, including the checker's part
// exercise: roundtrip
// expect: host-crash or never-finishes
// idle: yes
// stopped-by: the process contains nothing except its own answer

#include <cstring>
#include <link.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

// The first object is the checker's own program.
static int scribble(dl_phdr_info* object, size_t, void*) {
    char *from = nullptr, *to = nullptr;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        char* start = reinterpret_cast<char*>(object->dlpi_addr + part.p_vaddr);
        if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
            from = from == nullptr ? start : from;
            to = start + part.p_memsz;
        }
    }
    const size_t page = sysconf(_SC_PAGESIZE);
    // the parts that have become read-only are left out
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        if (part.p_type == PT_GNU_RELRO) {
            const size_t end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
            from = reinterpret_cast<char*>((end + page - 1) / page * page);
        }
    }
    char* top = static_cast<char*>(sbrk(0));
    memset(top - 32 * page, 0x5a, 32 * page);
    memset(from, 0x5a, to - from);
    return 1;
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    dl_iterate_phdr(scribble, nullptr);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
