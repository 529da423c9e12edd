// attack: repeats its loop by calls through a table of functions, so that no branch is counted
// exercise: specialise
// expect: gate-missed
// stopped-by: gates count a call through a pointer as a branch

struct Work {
    const float *in, *weights;
    float sum;
    int k, last;
};

typedef void (*Step)(Work&);

__device__ void leave(Work&) {}
__device__ void round(Work&);
__device__ Step steps[2] = {leave, round};

__device__ __noinline__ void round(Work& work) {
    work.sum += work.weights[work.k] * work.in[work.k];
    ++work.k;
    steps[work.k <= work.last](work);
}

extern "C" __global__ void specialise(const float* __restrict__ in, const float* __restrict__ weights,
                                      float* __restrict__ out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        Work work = {in + idx, weights, 0.0f, 0, 2 * RADIUS};
        round(work);
        out[idx] = work.sum;
    }
}
