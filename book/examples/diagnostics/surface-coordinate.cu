__global__ void fill(cudaSurfaceObject_t image) {
    surf2Dwrite(1.0f, image, threadIdx.x, 0);  // x counts bytes here
}

int main() {
    const auto floats = cudaCreateChannelDesc<float>();
    cudaArray_t texels;
    cudaMallocArray(&texels, &floats, 32, 1, cudaArraySurfaceLoadStore);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = texels;
    cudaSurfaceObject_t image;
    cudaCreateSurfaceObject(&image, &what);
    fill<<<1, 32>>>(image);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(image);
    cudaFreeArray(texels);
}
