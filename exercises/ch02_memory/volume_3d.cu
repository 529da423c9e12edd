// volume_3d | chapter 2 | "Slices of rows"
//
// Goal    out = the sum of the six neighbours of each element, less six times the element itself:
//         the Laplacian of a volume. Beyond it all is 0. One copy each way, 4.5 sectors a request.
//
// in      [depth][height][width]  f32, in the host's memory, read only
// out     [depth][height][width]  f32, in the host's memory, every element must be written
// depth, height, width   slices, rows in a slice, elements in a row
//
// cudaMalloc3D gives each row its pitch, as cudaMallocPitch does, and keeps the address, the pitch
// and the number of rows in a slice together in a cudaPitchedPtr.
//
// Run     cargo checker check volume_3d        Stuck?  cargo checker hint volume_3d

// Element (z, y, x): z slices of p.ysize rows lie before its slice, and y rows before its row.
__device__ float* at(cudaPitchedPtr p, int z, int y, int x) {
    char* row = static_cast<char*>(p.ptr) + (z * p.ysize + y) * p.pitch;
    return reinterpret_cast<float*>(row) + x;
}

// The same element's value, and 0 beyond the faces.
__device__ float value(cudaPitchedPtr p, int depth, int height, int width, int z, int y, int x) {
    const bool inside = 0 <= z && z < depth && 0 <= y && y < height && 0 <= x && x < width;
    return inside ? *at(p, z, y, x) : 0.0f;
}

__global__ void laplacian(cudaPitchedPtr in, cudaPitchedPtr out, int depth, int height, int width) {
    // TODO 1: which element is mine? The neighbours of a warp in memory are neighbours in x.

    // TODO 2: if it is inside the volume, sum up the six neighbours, take six times the element
    //         off, and write.
}

extern "C" void volume_3d(const float* in, float* out, int depth, int height, int width) {
    // bytes in a row, rows in a slice, slices
    const cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);
    cudaPitchedPtr d_in = {};
    cudaPitchedPtr d_out = {};

    // TODO 3: memory on the device for both (cudaMalloc3D).

    cudaMemcpy3DParms way_in = {};
    // TODO 4: what is copied where, how much, and which way? Then cudaMemcpy3D. The host's array is
    //         a cudaPitchedPtr, too: make_cudaPitchedPtr(address, bytes from row to row, elements
    //         in a row, rows in a slice).

    // TODO 5: launch. The block has three sides, and so has the grid.

    cudaMemcpy3DParms way_out = {};
    // TODO 6: the same for the way back.

    // TODO 7: give the memory back: the address is in .ptr.
}
