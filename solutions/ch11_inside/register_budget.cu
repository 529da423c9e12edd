// A thread never has more than 33 values. In each round, it drops the least and the greatest value,
// which can't be the median, and loads one new value, until three values are left.

constexpr int PICTURES = 63;
constexpr int KEPT = PICTURES / 2 + 2;  // values at the beginning

__device__ void put_in_order(float& low, float& high) {
    const float least = fminf(low, high);
    high = fmaxf(low, high);
    low = least;
}

extern "C" __global__ void register_budget(const float* stack, float* median, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }

    float v[KEPT];
#pragma unroll
    for (int k = 0; k < KEPT; ++k) {
        v[k] = stack[k * n + i];
    }
#pragma unroll
    for (int left = KEPT; left >= 3; --left) {
#pragma unroll
        for (int k = 0; k + 1 < left; ++k) {
            put_in_order(v[k], v[k + 1]);  // the greatest value moves to v[left - 1]
        }
#pragma unroll
        for (int k = left - 2; k > 0; --k) {
            put_in_order(v[k - 1], v[k]);  // the least value moves to v[0]
        }
        if (left > 3) {
            v[0] = stack[(2 * KEPT - left) * n + i];
        }
    }
    median[i] = v[1];
}
