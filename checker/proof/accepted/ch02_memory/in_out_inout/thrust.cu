// Vectors and one algorithm of Thrust instead of allocations, copies and a kernel.

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/transform.h>

struct MultiplyAdd {
    float c;
    __host__ __device__ float operator()(float x, float y) const {
        return x * y + c;
    }
};

extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    thrust::device_vector<float> d_a(a, a + n), d_b(b, b + n);
    thrust::transform(d_a.begin(), d_a.end(), d_b.begin(), d_a.begin(), MultiplyAdd{c});
    thrust::copy(d_a.begin(), d_a.end(), out);
}
