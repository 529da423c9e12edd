// Neighbours along x are neighbours in memory, so threadIdx.x runs along x, and y and z choose the
// row. Each element takes seven loads and one store. A request needs 4 or 5 sectors, and fewer than
// 4.5 on average. One copy each way moves the whole volume. An extent consists of a width in bytes,
// a height in rows and a depth in slices. The host's array has no padding, so its pitch is simply
// the number of bytes in a row.

// The address of element (z, y, x), which has z slices of p.ysize rows and then y rows before it.
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

    cudaMalloc3D(&d_in, extent);
    cudaMalloc3D(&d_out, extent);

    cudaMemcpy3DParms way_in = {};
    way_in.srcPtr =
        make_cudaPitchedPtr(const_cast<float*>(in), width * sizeof(float), width, height);
    way_in.dstPtr = d_in;
    way_in.extent = extent;
    way_in.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&way_in);

    const dim3 block(32, 4, 2);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y,
                    (depth + block.z - 1) / block.z);
    laplacian<<<grid, block>>>(d_in, d_out, depth, height, width);

    cudaMemcpy3DParms way_out = {};
    way_out.srcPtr = d_out;
    way_out.dstPtr = make_cudaPitchedPtr(out, width * sizeof(float), width, height);
    way_out.extent = extent;
    way_out.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&way_out);

    cudaFree(d_out.ptr);
    cudaFree(d_in.ptr);
}
