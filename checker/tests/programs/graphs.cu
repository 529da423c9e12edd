// The same work as an explicit graph and as a captured one, each launched twice.
#include <cstdio>

__global__ void scale(float* x, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

__global__ void sum(const float* x, const float* y, int n, float* result) {
    float all = 0;
    for (int i = 0; i < n; ++i) all += x[i] + y[i];
    *result = all;
}

static void count(void* data) {
    ++*static_cast<int*>(data);
}

int main() {
    const int n = 100;
    float *x, *y, *result, *host, got = 0;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    cudaMallocHost(&host, n * sizeof(float));
    for (int i = 0; i < n; ++i) host[i] = 1;

    // x and y are filled by two branches, which the sum joins
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t copy, set, kernel, join, back, call;
    cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, x, host, n * sizeof(float), cudaMemcpyHostToDevice);
    int length = n;
    float by = 3;
    void* scale_arguments[] = {&x, &length, &by};
    cudaKernelNodeParams params = {};
    params.func = (void*)scale;
    params.gridDim = dim3(1);
    params.blockDim = dim3(128);
    params.kernelParams = scale_arguments;
    cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &params);
    cudaMemsetParams fill = {};
    fill.dst = y;
    fill.value = 0x40000000;  // 2.0f
    fill.elementSize = 4;
    fill.width = n;
    fill.height = 1;
    cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill);
    void* sum_arguments[] = {&x, &y, &length, &result};
    params.func = (void*)sum;
    params.blockDim = dim3(1);
    params.kernelParams = sum_arguments;
    cudaGraphNode_t both[] = {kernel, set};
    cudaGraphAddKernelNode(&join, graph, both, 2, &params);
    cudaGraphAddMemcpyNode1D(&back, graph, &join, 1, &got, result, sizeof(float), cudaMemcpyDeviceToHost);
    int calls = 0;
    cudaHostNodeParams counting = {count, &calls};
    cudaGraphAddHostNode(&call, graph, &back, 1, &counting);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    printf("%zu nodes\n", nodes);

    cudaStream_t stream, other;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaGraphExec_t exec;
    printf("%s\n", cudaGetErrorName(cudaGraphInstantiate(&exec, graph, 0)));
    for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    printf("sum %g, %d calls\n", got, calls);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);

    // a capture with a second stream
    cudaEvent_t fork, joined;
    cudaEventCreate(&fork);
    cudaEventCreate(&joined);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(other, fork, 0);
    cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaMemsetAsync(y, 0, n * sizeof(float), other);
    cudaEventRecord(joined, other);
    scale<<<1, 128, 0, stream>>>(x, n, 5);
    cudaStreamWaitEvent(stream, joined, 0);
    sum<<<1, 1, 0, stream>>>(x, y, n, result);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphGetNodes(graph, nullptr, &nodes);
    printf("%zu nodes\n", nodes);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, stream);
    cudaMemcpyAsync(host, result, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("sum %g\n", host[0]);

    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(joined);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
    cudaFreeHost(host);
    cudaFree(x);
    cudaFree(y);
    cudaFree(result);
}
