// texture_rotate | chapter 9 | "Between the pixels"
//
// Goal    rotate the image anticlockwise about its centre. A pixel of `out` that is `right`
//         pixels right of the centre and `down` pixels below it has the image's value at the point
//             right * cosine - down * sine   to the right of the centre, and
//             right * sine + down * cosine   below it.
//         This point is usually between four pixels, which the texture unit blends.
//
// image   [height][width]  f32, in the host's memory, read only
// out     [height][width]  f32, in the host's memory, every element must be written
// cosine, sine   the cosine and the sine of the angle of the rotation
// edge    0: pixels outside the image are 0.  1: the pixel at the edge repeats.
//
// Run     cargo checker check texture_rotate   Stuck?  cargo checker hint texture_rotate

__global__ void rotate(cudaTextureObject_t image, float* out, int height, int width, float cosine,
                       float sine) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < height && col < width) {
        const float right = col - 0.5f * (width - 1);  // distance from the centre of the image
        const float down = row - 0.5f * (height - 1);

        // TODO 1: where in the texture is the source of this pixel? Texel (0, 0) fills the square
        //         from (0, 0) to (1, 1). Where is the centre of the image?

        // TODO 2: fetch the value at this position (tex2D) and store it.
    }
}

extern "C" void texture_rotate(const float* image, float* out, int height, int width, float cosine,
                               float sine, int edge) {
    const size_t row_bytes = width * sizeof(float);
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();

    // TODO 3: allocate an array (cudaMallocArray), and copy the image to it (cudaMemcpy2DToArray).

    cudaResourceDesc resource = {};
    // TODO 4: what does the texture read? Set resType, and the array in res.array.array.

    cudaTextureDesc look = {};
    // TODO 5: how does the texture read? Set addressMode for x and for y, filterMode, readMode and
    //         normalizedCoords.

    cudaTextureObject_t texture = 0;
    // TODO 6: create the texture object (cudaCreateTextureObject).

    float* d_out = nullptr;
    // TODO 7: allocate memory for the result, launch the kernel, and copy the result back.

    // TODO 8: release the three objects that you created. Each of them needs its own call.
}
