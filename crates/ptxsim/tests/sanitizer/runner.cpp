// Loads a cubin, launches one kernel with plain cuMemAlloc buffers, and prints the result of the launch.
//   runner CUBIN KERNEL GX GY GZ BX BY BZ SHARED (buf:BYTES:FILE | val:HEXBYTES)...
// FILE has the first bytes of the buffer; the rest stays uninitialised. "-" is no file.
#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static void check(CUresult status, const char* what) {
    if (status != CUDA_SUCCESS) {
        const char* name = "?";
        cuGetErrorName(status, &name);
        printf("RUNNER %s %s\n", what, name);
        fflush(stdout);
        exit(3);
    }
}

int main(int argc, char** argv) {
    if (argc < 10) return 2;
    check(cuInit(0), "init");
    CUdevice device;
    check(cuDeviceGet(&device, 0), "device");
    CUcontext context;
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    CUmodule module;
    check(cuModuleLoad(&module, argv[1]), "load");
    CUfunction function;
    check(cuModuleGetFunction(&function, module, argv[2]), "kernel");
    unsigned n[7];
    for (int i = 0; i < 7; ++i) n[i] = atoi(argv[3 + i]);
    std::vector<std::vector<char>> values;
    std::vector<std::pair<CUdeviceptr, size_t>> buffers;
    for (int i = 10; i < argc; ++i) {
        std::string arg = argv[i];
        std::vector<char> value;
        if (arg.rfind("buf:", 0) == 0) {
            size_t colon = arg.find(':', 4);
            size_t bytes = std::stoull(arg.substr(4, colon - 4));
            std::string file = arg.substr(colon + 1);
            CUdeviceptr p;
            check(cuMemAlloc(&p, bytes), "alloc");
            if (file != "-") {
                std::ifstream in(file, std::ios::binary);
                std::vector<char> data((std::istreambuf_iterator<char>(in)), {});
                check(cuMemcpyHtoD(p, data.data(), data.size()), "copy");
            }
            buffers.push_back({p, bytes});
            value.resize(8);
            memcpy(value.data(), &p, 8);
        } else {
            for (size_t k = 4; k + 1 < arg.size(); k += 2)
                value.push_back((char)strtol(arg.substr(k, 2).c_str(), nullptr, 16));
        }
        values.push_back(value);
    }
    std::vector<void*> params;
    for (auto& v : values) params.push_back(v.data());
    check(cuLaunchKernel(function, n[0], n[1], n[2], n[3], n[4], n[5], n[6], nullptr, params.data(), nullptr), "launch");
    check(cuCtxSynchronize(), "run");
    printf("RUNNER done\n");
    return 0;
}
