// attack: has no pitch, and copies the volume as one piece
// exercise: volume_3d
// expect: uncoalesced
// stopped-by: rows whose length is no multiple of a sector

__device__ float* at(cudaPitchedPtr p, int z, int y, int x) {
    char* row = static_cast<char*>(p.ptr) + (z * p.ysize + y) * p.pitch;
    return reinterpret_cast<float*>(row) + x;
}

// The value of element (z, y, x), or 0 outside the volume.
__device__ float value(cudaPitchedPtr p, int depth, int height, int width, int z, int y, int x) {
    const bool inside = 0 <= z && z < depth && 0 <= y && y < height && 0 <= x && x < width;
    return inside ? *at(p, z, y, x) : 0.0f;
}

__global__ void laplacian(cudaPitchedPtr in, cudaPitchedPtr out, int depth, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x < width && y < height && z < depth) {
        const float sum = value(in, depth, height, width, z, y, x - 1) +
                          value(in, depth, height, width, z, y, x + 1) +
                          value(in, depth, height, width, z, y - 1, x) +
                          value(in, depth, height, width, z, y + 1, x) +
                          value(in, depth, height, width, z - 1, y, x) +
                          value(in, depth, height, width, z + 1, y, x);
        *at(out, z, y, x) = sum - 6.0f * *at(in, z, y, x);
    }
}

extern "C" void volume_3d(const float* in, float* out, int depth, int height, int width) {
    // bytes in a row, rows in a slice, slices
    const cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);
    cudaPitchedPtr d_in = {};
    cudaPitchedPtr d_out = {};

    d_in = make_cudaPitchedPtr(nullptr, width * sizeof(float), width, height); d_out = d_in; cudaMalloc(&d_in.ptr, size_t(width) * height * depth * 4);
    cudaMalloc(&d_out.ptr, size_t(width) * height * depth * 4);

    cudaMemcpy(d_in.ptr, in, size_t(width) * height * depth * 4, cudaMemcpyHostToDevice);
    const dim3 block(32, 4, 2);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y,
                    (depth + block.z - 1) / block.z);
    laplacian<<<grid, block>>>(d_in, d_out, depth, height, width);

    cudaMemcpy(out, d_out.ptr, size_t(width) * height * depth * 4, cudaMemcpyDeviceToHost);
    cudaFree(d_out.ptr);
    cudaFree(d_in.ptr);
}
