// warp_shuffle | chapter 6 | "From register to register"
//
// Goal    find the sum and the maximum of each row, with at most two barriers and at most 256 bytes
//         of shared memory (two slots per warp), and one load per element. Lanes of a warp exchange
//         registers, so only the results of whole warps need shared memory.
//
// in      [rows][cols]  f32, read only
// sums    [rows]        f32, one for each row
// maxima  [rows]        f32, one for each row
// cols    count         any cols from 1 to the number of threads in a block
// launch  one block for each row; a block is 1 to 32 whole warps
//
// Run     cargo checker check warp_shuffle     Stuck?  cargo checker hint warp_shuffle

constexpr unsigned ALL = 0xffffffffu;        // all 32 lanes of a warp
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    __shared__ float warp_sums[32];    // a slot for each warp
    __shared__ float warp_maxima[32];  // a slot for each warp

    const int row = blockIdx.x;
    const int tid = threadIdx.x;        // index in the row, 0 .. blockDim.x-1
    const int lane = tid % 32;          // index in the warp
    const int warp = tid / 32;          // index of the warp in the block
    const int warps = blockDim.x / 32;  // number of warps in the block

    // TODO 1: start a sum and a maximum with my element. Which values replace it if tid >= cols?

    // TODO 2: reduce my warp in five steps. Which lane has the result then?

    // TODO 3: that lane stores both results in its warp's slots. When may other threads read them?

    // TODO 4: warp 0 loads one slot per lane. Which values does a lane without a slot use?

    // TODO 5: reduce warp 0 in the same way. One thread stores the row's results.
}
