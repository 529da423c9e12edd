constexpr int BLOCK = 256;

// halve the number of live elements until one is left
extern "C" __global__ void reduce_tree(const float* in, float* out, int n)
{
    __shared__ float s[BLOCK];
    int me = threadIdx.x;
    int where = me + BLOCK * blockIdx.x;
    if (where >= n)
        s[me] = 0.0f;
    else
        s[me] = in[where];
    int live = BLOCK;
    do {
        __syncthreads();
        live = live / 2;
        if (me < live) {
            float upper = s[live + me];
            s[me] = s[me] + upper;
        }
    } while (live > 1);
    if (!me)
        out[blockIdx.x] = *s;
}
