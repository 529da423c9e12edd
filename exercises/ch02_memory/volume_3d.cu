// volume_3d | chapter 2 | "Slices of rows"
//
// Goal    compute the Laplacian, the sum of an element's six neighbours (0 outside the volume)
//         minus six times the element, with one copy each way and at most 4.5 sectors per request.
//
// in      [depth][height][width]  f32, in the host's memory, read only
// out     [depth][height][width]  f32, in the host's memory, every element must be written
// depth, height, width   numbers of slices, of rows in a slice, and of elements in a row
//
// cudaMalloc3D gives each row a pitch, as cudaMallocPitch does. It stores the address, the pitch
// and the number of rows in a slice in one structure, a cudaPitchedPtr.
//
// Run     cargo checker check volume_3d        Stuck?  cargo checker hint volume_3d

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
    // TODO 1: which element is mine? Elements next to each other in memory are neighbours in x.

    // TODO 2: if it is inside the volume, add up the six neighbours, subtract six times the
    //         element, and store the result.
}

extern "C" void volume_3d(const float* in, float* out, int depth, int height, int width) {
    // bytes in a row, rows in a slice, slices
    const cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);
    cudaPitchedPtr d_in = {};
    cudaPitchedPtr d_out = {};

    // TODO 3: allocate memory on the device for both arrays (cudaMalloc3D).

    cudaMemcpy3DParms way_in = {};
    // TODO 4: set the source, the destination, the size and the direction of the copy. Then call
    //         cudaMemcpy3D. Describe the host's array with make_cudaPitchedPtr(address,
    //         bytes from row to row, elements in a row, rows in a slice).

    // TODO 5: launch the kernel. Both the block and the grid have three dimensions.

    cudaMemcpy3DParms way_out = {};
    // TODO 6: copy the results back in the same way.

    // TODO 7: free the memory of both arrays. An array's address is in `.ptr`.
}
