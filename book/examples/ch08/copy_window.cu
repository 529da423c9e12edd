// Copies a window of a picture and a box of a volume asynchronously.
#include <cstdio>

__global__ void negate(int* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = -v[i];
    }
}

// ANCHOR: window
// The window of 3 x 4 numbers at row 2, column 5 of a picture
void window(const int* picture, int cols, cudaStream_t stream) {
    int* d_window = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_window, &pitch, 4 * sizeof(int), 3);
    int* back = nullptr;
    cudaMallocHost(&back, 12 * sizeof(int));

    cudaMemcpy2DAsync(d_window, pitch,                          // (1)
                      picture + 2 * cols + 5,                   // (2)
                      cols * sizeof(int),                       // (3)
                      4 * sizeof(int), 3,                       // (4)
                      cudaMemcpyHostToDevice, stream);          // (5)
    cudaMemcpy2DAsync(back, 4 * sizeof(int), d_window, pitch,
                      4 * sizeof(int), 3, cudaMemcpyDeviceToHost,
                      stream);
    cudaStreamSynchronize(stream);                              // (6)

    for (int row = 0; row < 3; ++row) {
        for (int col = 0; col < 4; ++col) {
            printf("%4d", back[row * 4 + col]);
        }
        printf("\n");
    }
    cudaFreeHost(back);
    cudaFree(d_window);
}
// ANCHOR_END: window

// ANCHOR: box
// The box of 2 x 2 x 3 numbers at (1, 1, 2) of a volume of 4 x 4 x 6
void box(int* volume, cudaStream_t stream) {
    int* d_box = nullptr;
    cudaMalloc(&d_box, 12 * sizeof(int));

    cudaMemcpy3DParms in = {};                                   // (1)
    in.srcPtr = make_cudaPitchedPtr(volume, 6 * sizeof(int), 6, 4);
    in.srcPos = make_cudaPos(2 * sizeof(int), 1, 1);             // (2)
    in.dstPtr = make_cudaPitchedPtr(d_box, 3 * sizeof(int), 3, 2);
    in.extent = make_cudaExtent(3 * sizeof(int), 2, 2);          // (3)
    in.kind = cudaMemcpyHostToDevice;

    cudaMemcpy3DParms out = in;                                  // (4)
    out.srcPtr = in.dstPtr;
    out.srcPos = make_cudaPos(0, 0, 0);
    out.dstPtr = in.srcPtr;
    out.dstPos = in.srcPos;
    out.kind = cudaMemcpyDeviceToHost;

    cudaMemcpy3DAsync(&in, stream);
    negate<<<1, 32, 0, stream>>>(d_box, 12);
    cudaMemcpy3DAsync(&out, stream);
    cudaStreamSynchronize(stream);
    cudaFree(d_box);
}
// ANCHOR_END: box

int main() {
    constexpr int ROWS = 6, COLS = 10;
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    int* picture = nullptr;
    cudaMallocHost(&picture, ROWS * COLS * sizeof(int));
    for (int i = 0; i < ROWS * COLS; ++i) {
        picture[i] = i;
    }
    window(picture, COLS, stream);

    int* volume = nullptr;
    cudaMallocHost(&volume, 4 * 4 * 6 * sizeof(int));
    for (int i = 0; i < 4 * 4 * 6; ++i) {
        volume[i] = i;
    }
    box(volume, stream);
    printf("layer 1 of the volume:\n");
    for (int i = 24; i < 48; ++i) {
        printf("%4d%s", volume[i], i % 6 == 5 ? "\n" : "");
    }

    cudaFreeHost(volume);
    cudaFreeHost(picture);
    cudaStreamDestroy(stream);
}
