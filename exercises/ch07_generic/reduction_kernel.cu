// reduction_kernel | chapter 7 | "The neutral value"
//
// Goal    reduce n elements to one number, with one generic kernel in at most two launches:
//             DOT    the sum of x[i] * y[i]
//             MAX    the largest of -|x[i]|
//             COUNT  the number of x[i] that are above `limit`
//         The result must be right for n = 0, too. DOT and COUNT are then 0, and MAX is -infinity,
//         because no number is smaller.
//
// what    DOT, MAX or COUNT
// x, y    [n]  f32, in the host's memory, read only
// limit   a number, which only COUNT uses
// result  [1]  f32, in the host's memory, must be written
// n       count, 0 or more
//
// This program isn't right yet. If n is 0, the first launch fails, because its grid has no blocks.
// MAX is wrong for every n, unless one of the x[i] is 0.
//
// Run     cargo checker check reduction_kernel   Stuck?  cargo checker hint reduction_kernel

constexpr int BLOCK = 256;       // threads per block; a power of two
constexpr int MOST_BLOCKS = 64;  // for larger arrays, each thread combines several elements

constexpr int DOT = 0;
constexpr int MAX = 1;
constexpr int COUNT = 2;

// Each of these functors returns the value of element i.
struct Product {
    const float *x, *y;
    __device__ float operator()(int i) const {
        return x[i] * y[i];
    }
};

struct MinusMagnitude {
    const float* x;
    __device__ float operator()(int i) const {
        return -fabsf(x[i]);
    }
};

struct IsAbove {
    const float* x;
    float limit;
    __device__ float operator()(int i) const {
        return x[i] > limit ? 1.0f : 0.0f;
    }
};

struct Itself {
    const float* x;
    __device__ float operator()(int i) const {
        return x[i];
    }
};

// Each of these functors combines two values.
struct Sum {
    __device__ float operator()(float a, float b) const {
        return a + b;
    }
};

struct Larger {
    __device__ float operator()(float a, float b) const {
        return fmaxf(a, b);
    }
};

// Block b combines its elements and stores the result in out[b]. A grid-stride loop covers all n
// elements.
template <typename Map, typename Reduce>
__global__ void reduce(Map map, Reduce combine, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;  // 0 .. BLOCK-1
    float acc = 0.0f;
    for (int idx = blockIdx.x * BLOCK + tid; idx < n; idx += gridDim.x * BLOCK) {
        acc = combine(acc, map(idx));
    }
    tile[tid] = acc;
    __syncthreads();  // every slot is filled before any thread reads another thread's slot

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] = combine(tile[tid], tile[tid + stride]);
        }
        __syncthreads();  // every thread has finished this round
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}

// The first launch reduces the elements to one number for each block, and the second launch
// reduces these numbers to the result.
template <typename Map, typename Reduce>
void reduce_all(Map map, Reduce combine, float* result, int n) {
    const int needed = (n + BLOCK - 1) / BLOCK;
    const int grid = needed < MOST_BLOCKS ? needed : MOST_BLOCKS;
    float *d_partial, *d_result;
    cudaMalloc(&d_partial, MOST_BLOCKS * sizeof(float));
    cudaMalloc(&d_result, sizeof(float));

    reduce<<<grid, BLOCK>>>(map, combine, d_partial, n);
    reduce<<<1, BLOCK>>>(Itself{d_partial}, combine, d_result, grid);

    cudaMemcpy(result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_result);
    cudaFree(d_partial);
}

extern "C" void reduction_kernel(int what, const float* x, const float* y, float limit,
                                 float* result, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    if (what == DOT) {
        reduce_all(Product{d_x, d_y}, Sum{}, result, n);
    }
    if (what == MAX) {
        reduce_all(MinusMagnitude{d_x}, Larger{}, result, n);
    }
    if (what == COUNT) {
        reduce_all(IsAbove{d_x, limit}, Sum{}, result, n);
    }

    cudaFree(d_y);
    cudaFree(d_x);
}
