// Has four loads of a word in flight instead of one load of 16 bytes, and adds nothing to a bin
// without bytes.

constexpr int COPIES = 16;

extern "C" __global__ void histogram_bytes(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned counts[256 * COPIES];
    const int tid = threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    const int me = blockIdx.x * blockDim.x + tid;
    for (int i = tid; i < 256 * COPIES; i += blockDim.x) {
        counts[i] = 0;
    }
    __syncthreads();

    auto add = [&](unsigned word) {
        for (int k = 0; k < 4; ++k, word >>= 8) {
            atomicAdd(&counts[(word & 255) * COPIES + tid % COPIES], 1u);
        }
    };
    const unsigned* words = reinterpret_cast<const unsigned*>(in);
    int i = me;
    for (; i + 3 * threads < n / 4; i += 4 * threads) {
        unsigned v[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = words[i + k * threads];
        }
        for (int k = 0; k < 4; ++k) {
            add(v[k]);
        }
    }
    for (; i < n / 4; i += threads) {
        add(words[i]);
    }
    if (me < n % 4) {
        atomicAdd(&counts[in[n / 4 * 4 + me] * COPIES + tid % COPIES], 1u);
    }
    __syncthreads();

    for (int bin = tid; bin < 256; bin += blockDim.x) {
        unsigned sum = 0;
        for (int k = 0; k < COPIES; ++k) {
            sum += counts[bin * COPIES + (k + bin / 2) % COPIES];
        }
        if (sum > 0) {
            atomicAdd(&bins[bin], sum);
        }
    }
}
