// C++ around CUDA: memory that is freed by a destructor, errors as exceptions, kernels that take functions.
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& where) : std::runtime_error(where + ": " + cudaGetErrorString(code)), code_(code) {}
    cudaError_t code() const { return code_; }

private:
    cudaError_t code_;
};

static void check(cudaError_t code, const char* where) {
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        throw CudaError(code, where);
    }
}

template <typename T>
class Buffer {
public:
    explicit Buffer(size_t size) : size_(size) {
        check(cudaMalloc(&data_, size * sizeof(T)), "allocating");
        ++alive;
    }
    explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) {
        check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copying in");
    }
    Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (data_ != nullptr) {
            cudaFree(data_);
            --alive;
        }
    }
    T* get() const { return data_; }
    size_t size() const { return size_; }
    std::vector<T> host() const {
        std::vector<T> values(size_);
        check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copying out");
        return values;
    }
    static int alive;

private:
    T* data_ = nullptr;
    size_t size_ = 0;
};

template <typename T>
int Buffer<T>::alive = 0;

struct Affine {
    float a, b;
    __device__ float operator()(float x) const { return a * x + b; }
};

struct Clamp {
    int low, high;
    __device__ int operator()(int x) const { return x < low ? low : x > high ? high : x; }
};

template <typename T, typename F>
__global__ void map(const T* in, T* out, size_t n, F f) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = f(in[i]);
    }
}

template <typename T, typename F>
Buffer<T> transformed(const Buffer<T>& in, F f, unsigned block = 128) {
    Buffer<T> out(in.size());
    const unsigned grid = static_cast<unsigned>((in.size() + block - 1) / block);
    map<<<grid, block>>>(in.get(), out.get(), in.size(), f);
    check(cudaGetLastError(), "launching");
    return out;
}

static void attempt(const char* what, const std::function<void()>& action) {
    try {
        action();
        printf("%s: fine\n", what);
    } catch (const CudaError& error) {
        printf("%s: %s (%d)\n", what, error.what(), error.code());
    } catch (const std::exception& error) {
        printf("%s: %s\n", what, error.what());
    }
}

int main() {
    attempt("floats", [] {
        std::vector<float> x(1000);
        std::iota(x.begin(), x.end(), 0.0f);
        const auto y = transformed(transformed(Buffer<float>(x), Affine{2.0f, 1.0f}), Affine{0.5f, -0.5f}).host();
        printf("same again: %d\n", y == x);
    });
    attempt("ints", [] {
        std::vector<int> x(777);
        std::iota(x.begin(), x.end(), -300);
        const auto y = transformed(Buffer<int>(x), Clamp{-10, 20}).host();
        printf("sum %d\n", std::accumulate(y.begin(), y.end(), 0));
    });
    attempt("a block that is too large", [] { transformed(Buffer<float>(64), Affine{1, 1}, 4096); });
    attempt("too much memory", [] { Buffer<double> huge(size_t(1) << 45); });
    attempt("nothing to do with CUDA", [] {
        auto kept = std::make_unique<Buffer<int>>(16);
        throw std::logic_error("a plain exception");
    });
    printf("left: %d floats, %d ints, %d doubles\n", Buffer<float>::alive, Buffer<int>::alive, Buffer<double>::alive);
}
