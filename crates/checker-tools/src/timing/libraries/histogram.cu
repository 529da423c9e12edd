// The number of times that each byte occurs, with CUB.
#include <cub/device/device_histogram.cuh>

extern "C" void NAME(const unsigned char* in, unsigned int* bins, int n) {
    constexpr int BINS = 256;
    OnDevice<unsigned char> d_in(n, in);
    OnDevice<unsigned int> d_bins(BINS, nullptr);
    size_t bytes = 0;
    cub::DeviceHistogram::HistogramEven(nullptr, bytes, d_in.data, d_bins.data, BINS + 1, 0, BINS, n);
    OnDevice<char> scratch(bytes, nullptr);
    timed([&] { cub::DeviceHistogram::HistogramEven(scratch.data, bytes, d_in.data, d_bins.data, BINS + 1, 0, BINS, n); });
    unsigned int counts[BINS] = {};
    d_bins.copy_to(counts);
    for (int bin = 0; bin < BINS; ++bin) {
        bins[bin] += counts[bin];
    }
}
