// The product of two matrices with cuBLAS, in the arithmetic of floats. The library is opened by its name, because it's no part of
// the compiler's packages.
#include <dlfcn.h>

extern "C" void NAME(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    void* library = dlopen("libcublas.so.13", RTLD_NOW);
    if (!library) {
        library = dlopen("libcublas.so.12", RTLD_NOW);
    }
    if (!library) {
        return;
    }
    // cublas_v2.h: a handle is a pointer, and operations and results are enumerations.
    using Create = int (*)(void**);
    using Destroy = int (*)(void*);
    using Sgemm = int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                          float*, int);
    const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
    const auto destroy = reinterpret_cast<Destroy>(dlsym(library, "cublasDestroy_v2"));
    const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cublasSgemm_v2"));
    void* handle = nullptr;
    if (!create || !destroy || !sgemm || create(&handle) != 0) {
        return;
    }
    OnDevice<float> d_a(size_t(rows) * inner, a), d_b(size_t(inner) * cols, b), d_c(size_t(rows) * cols, nullptr);
    const float one = 1.0f, zero = 0.0f;
    // cuBLAS stores matrices by columns, so it sees the transposed ones, and the transposed product is B^T A^T.
    timed([&] {
        sgemm(handle, 0, 0, cols, rows, inner, &one, d_b.data, cols, d_a.data, inner, &zero, d_c.data, cols);
    });
    d_c.copy_to(c);
    destroy(handle);
}
