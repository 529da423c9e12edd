// attack: counts in one thread with wide loads, so that nothing has to be atomic and few loads are counted
// exercise: counter_race
// expect: gate-missed
// stopped-by: a limit on the instructions of any one warp

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    int count = 0;
    const bool aligned = reinterpret_cast<size_t>(in) % 16 == 0;
    const int wide = aligned ? n / 4 : 0;
    for (int i = 0; i < wide; i++) {
        const float4 four = reinterpret_cast<const float4*>(in)[i];
        count += (four.x > limit) + (four.y > limit) + (four.z > limit) + (four.w > limit);
    }
    for (int i = 4 * wide; i < n; i++) {
        count += in[i] > limit;
    }
    hits[0] += count;
}
