// The program doesn't copy the balances to the device before the launch.
#include <cstdio>

__global__ void settle(const float* payment, float* balance, int* in_debt,
                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        balance[i] += payment[i];
        in_debt[i] = balance[i] < 0.0f;
    }
}

int main() {
    const int n = 5;
    float payment[n] = {-30.0f, 50.0f, -80.0f, 10.0f, 25.0f};
    float balance[n] = {100.0f, 20.0f, 60.0f, -40.0f, -25.0f};
    int in_debt[n];

    float *d_payment, *d_balance;
    int* d_in_debt;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_payment, bytes);
    cudaMalloc(&d_balance, bytes);
    cudaMalloc(&d_in_debt, n * sizeof(int));

    // ANCHOR: copies
    cudaMemcpy(d_payment, payment, bytes, cudaMemcpyHostToDevice);
    // the copy of balance to d_balance is missing here
    settle<<<1, 32>>>(d_payment, d_balance, d_in_debt, n);
    cudaMemcpy(balance, d_balance, bytes, cudaMemcpyDeviceToHost);
    // ANCHOR_END: copies
    cudaMemcpy(in_debt, d_in_debt, n * sizeof(int),
               cudaMemcpyDeviceToHost);

    cudaFree(d_payment);
    cudaFree(d_balance);
    cudaFree(d_in_debt);
    for (int i = 0; i < n; ++i) {
        printf("account %d: %6.2f%s\n", i, balance[i],
               in_debt[i] ? "  in debt" : "");
    }
}
