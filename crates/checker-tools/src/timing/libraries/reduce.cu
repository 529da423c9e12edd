// The sum of an array with CUB.
#include <cub/device/device_reduce.cuh>

extern "C" void NAME(const float* in, float* total, int n) {
    OnDevice<float> d_in(n, in), d_sum(1, nullptr);
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, d_in.data, d_sum.data, n);
    OnDevice<char> scratch(bytes, nullptr);
    timed([&] { cub::DeviceReduce::Sum(scratch.data, bytes, d_in.data, d_sum.data, n); });
    float sum = 0.0f;
    d_sum.copy_to(&sum);
    *total += sum;
}
