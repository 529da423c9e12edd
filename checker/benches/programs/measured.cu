// Programs as people write them to measure a GPU: the same launches again and again, on some
// megabytes. The argument chooses one. Each checks its result on the host.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#define CHECK(call)                                                                    \
    do {                                                                               \
        const cudaError_t error = (call);                                              \
        if (error != cudaSuccess) {                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));     \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

constexpr int ROUNDS = 50;
constexpr int THREADS = 256;

unsigned random_state = 1;

unsigned next_random() {
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

template <class T>
struct Device {
    T* data = nullptr;

    explicit Device(size_t n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }

    explicit Device(const std::vector<T>& from) : Device(from.size()) { set(from); }

    ~Device() { cudaFree(data); }

    void set(const std::vector<T>& from) {
        CHECK(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }

    std::vector<T> get(size_t n) const {
        std::vector<T> all(n);
        CHECK(cudaMemcpy(all.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
        return all;
    }
};

// The price of a call option by the Black-Scholes formula.
__global__ void price(const float* stock, const float* strike, const float* years, float* call, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float rate = 0.02f, volatility = 0.3f, spread = volatility * sqrtf(years[i]);
    const float d = (logf(stock[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
    call[i] = stock[i] * normcdff(d) - strike[i] * expf(-rate * years[i]) * normcdff(d - spread);
}

bool pricing() {
    const int n = 1 << 20;
    std::vector<float> stock(n), strike(n), years(n);
    for (int i = 0; i < n; ++i) {
        stock[i] = 5 + next_random() % 25;
        strike[i] = 1 + next_random() % 99;
        years[i] = 1 + next_random() % 9;
    }
    const Device<float> d_stock(stock), d_strike(strike), d_years(years), d_call(n);
    for (int round = 0; round < ROUNDS; ++round) {
        price<<<n / THREADS, THREADS>>>(d_stock.data, d_strike.data, d_years.data, d_call.data, n);
    }
    bool right = true;
    for (const float call : d_call.get(n)) {
        right &= call >= 0 && call < 30;
    }
    return right;
}

// An exclusive prefix sum of each block's elements, with volatile shared memory.
__global__ void scan(const unsigned* from, unsigned* to) {
    __shared__ unsigned sums[2 * THREADS];
    volatile unsigned* mine = sums + THREADS + threadIdx.x;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    mine[-THREADS] = 0;
    const unsigned value = from[i];
    *mine = value;
    for (int offset = 1; offset < THREADS; offset *= 2) {
        __syncthreads();
        const unsigned sum = *mine + mine[-offset];
        __syncthreads();
        *mine = sum;
    }
    to[i] = *mine - value;
}

bool scanning() {
    const int n = 1 << 20;
    std::vector<unsigned> numbers(n);
    for (unsigned& number : numbers) {
        number = next_random() % 100;
    }
    const Device<unsigned> from(numbers), to(n);
    for (int round = 0; round < ROUNDS; ++round) {
        scan<<<n / THREADS, THREADS>>>(from.data, to.data);
    }
    const std::vector<unsigned> sums = to.get(n);
    bool right = true;
    for (int i = 1; i < n; ++i) {
        right &= sums[i] == (i % THREADS ? sums[i - 1] + numbers[i - 1] : 0);
    }
    return right;
}

// Counts the upper 6 bits of bytes: each thread in counters of one byte of its own.
__global__ void count(const unsigned* words, int n, unsigned* totals) {
    __shared__ unsigned char counters[64 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += 64) {
        counters[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) {
        for (unsigned word = words[i], byte = 0; byte < 4; ++byte, word >>= 8) {
            counters[((word & 255) >> 2) * 64 + threadIdx.x]++;
        }
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 64; ++i) {
        sum += counters[threadIdx.x * 64 + i];
    }
    totals[blockIdx.x * 64 + threadIdx.x] = sum;
}

bool histogram() {
    const int n = 1 << 20, blocks = n / 64 / 60 + 1;
    std::vector<unsigned> words(n);
    for (unsigned& word : words) {
        word = next_random() << 8 ^ next_random();
    }
    const Device<unsigned> d_words(words), totals(blocks * 64);
    for (int round = 0; round < ROUNDS; ++round) {
        count<<<blocks, 64>>>(d_words.data, n, totals.data);
    }
    size_t sum = 0;
    for (const unsigned total : totals.get(blocks * 64)) {
        sum += total;
    }
    return sum == size_t(n) * 4;
}

// The mean of 17 texels in a row.
__global__ void blur(cudaTextureObject_t image, float* to, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0;
    for (int i = -8; i <= 8; ++i) {
        sum += tex2D<float>(image, x + i + 0.5f, y + 0.5f);
    }
    to[y * width + x] = sum / 17;
}

bool convolution() {
    const int width = 1024, height = 512;
    std::vector<float> pixels(width * height, 3);
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.filterMode = cudaFilterModeLinear;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t image;
    CHECK(cudaCreateTextureObject(&image, &resource, &description, nullptr));
    const Device<float> to(width * height);
    for (int round = 0; round < 10; ++round) {
        blur<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(image, to.data, width, height);
    }
    bool right = true;
    for (const float pixel : to.get(width * height)) {
        right &= fabsf(pixel - 3) < 1e-5f;
    }
    CHECK(cudaDestroyTextureObject(image));
    CHECK(cudaFreeArray(array));
    return right;
}

__global__ void add(int* data, const int* step, int times) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int time = 0; time < times; ++time) {
        data[i] += *step;
    }
}

bool streams() {
    const int n = 1 << 20, parts = 4;
    int* copies;
    CHECK(cudaMallocHost(&copies, n * sizeof(int)));
    const Device<int> data(std::vector<int>(n, 0)), step(std::vector<int>{5});
    cudaStream_t each[parts];
    for (cudaStream_t& stream : each) {
        CHECK(cudaStreamCreate(&stream));
    }
    for (int round = 0; round < 2 * ROUNDS; ++round) {
        const int part = round % parts;
        int* mine = data.data + part * (n / parts);
        add<<<n / parts / THREADS, THREADS, 0, each[part]>>>(mine, step.data, 5);
        CHECK(cudaMemcpyAsync(copies + part * (n / parts), mine, n / parts * sizeof(int),
                              cudaMemcpyDeviceToHost, each[part]));
    }
    CHECK(cudaDeviceSynchronize());
    bool right = true;
    for (int i = 0; i < n; ++i) {
        right &= copies[i] == 2 * ROUNDS / parts * 25;
    }
    for (const cudaStream_t stream : each) {
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFreeHost(copies));
    return right;
}

bool sorting() {
    const int n = 1 << 17;
    std::vector<unsigned> keys(n);
    for (unsigned& key : keys) {
        key = next_random();
    }
    const Device<unsigned> from(keys), to(n);
    size_t bytes = 0;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, from.data, to.data, n));
    const Device<char> workspace(bytes);
    for (int round = 0; round < 10; ++round) {
        CHECK(cub::DeviceRadixSort::SortKeys(workspace.data, bytes, from.data, to.data, n));
    }
    const std::vector<unsigned> sorted = to.get(n);
    bool right = true;
    for (int i = 1; i < n; ++i) {
        right &= sorted[i - 1] <= sorted[i];
    }
    return right;
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "pricing";
    const struct { const char* name; bool (*run)(); } all[] = {
        {"pricing", pricing}, {"scan", scanning}, {"histogram", histogram},
        {"convolution", convolution}, {"streams", streams}, {"sort", sorting},
    };
    for (const auto& each : all) {
        if (strcmp(each.name, name) == 0) {
            const bool right = each.run();
            printf("%s is %s\n", name, right ? "right" : "wrong");
            return right ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    return EXIT_FAILURE;
}
