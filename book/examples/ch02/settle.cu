// Adds a payment to every account, and marks the accounts in debt.
#include <cstdio>

// ANCHOR: kernel
__global__ void settle(const float* payment, float* balance, int* in_debt,
                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        balance[i] += payment[i];         // (1)
        in_debt[i] = balance[i] < 0.0f;   // (2)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 5;
    float payment[n] = {-30.0f, 50.0f, -80.0f, 10.0f, 25.0f};
    float balance[n] = {100.0f, 20.0f, 60.0f, -40.0f, -25.0f};
    int in_debt[n];
    int grid = 1;
    int block = 32;

    // ANCHOR: host
    float *d_payment, *d_balance;
    int* d_in_debt;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_payment, bytes);
    cudaMalloc(&d_balance, bytes);
    cudaMalloc(&d_in_debt, n * sizeof(int));

    cudaMemcpy(d_payment, payment, bytes, cudaMemcpyHostToDevice);  // (3)
    cudaMemcpy(d_balance, balance, bytes, cudaMemcpyHostToDevice);  // (4)

    settle<<<grid, block>>>(d_payment, d_balance, d_in_debt, n);

    cudaMemcpy(balance, d_balance, bytes, cudaMemcpyDeviceToHost);  // (4)
    cudaMemcpy(in_debt, d_in_debt, n * sizeof(int),
               cudaMemcpyDeviceToHost);                             // (5)
    // ANCHOR_END: host

    cudaFree(d_payment);
    cudaFree(d_balance);
    cudaFree(d_in_debt);
    for (int i = 0; i < n; ++i) {
        printf("account %d: %6.2f%s\n", i, balance[i],
               in_debt[i] ? "  in debt" : "");
    }
}
