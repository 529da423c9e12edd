// Computes an account's balance after each of 256 payments, with one block.
#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 256;

__global__ void balances(const int* payments, int* balance) {
    __shared__ int sums[BLOCK];

    int tid = threadIdx.x;
    sums[tid] = payments[tid];
    __syncthreads();

    for (int distance = 1; distance < BLOCK; distance *= 2) {      // (1)
        int before = 0;
        if (tid >= distance) {
            before = sums[tid - distance];                         // (2)
        }
        __syncthreads();                                           // (3)
        sums[tid] += before;                                       // (4)
        __syncthreads();                                           // (5)
    }

    balance[tid] = sums[tid];
}
// ANCHOR_END: kernel

int main() {
    int payments[BLOCK], balance[BLOCK];
    for (int i = 0; i < BLOCK; ++i) {
        payments[i] = i * 13 % 7 - 3;
    }
    payments[0] = 100;
    int *d_payments, *d_balance;
    cudaMalloc(&d_payments, sizeof payments);
    cudaMalloc(&d_balance, sizeof balance);
    cudaMemcpy(d_payments, payments, sizeof payments,
               cudaMemcpyHostToDevice);

    balances<<<1, BLOCK>>>(d_payments, d_balance);

    cudaMemcpy(balance, d_balance, sizeof balance, cudaMemcpyDeviceToHost);
    int expected = 0, wrong = 0;
    for (int i = 0; i < BLOCK; ++i) {
        expected += payments[i];
        wrong += balance[i] != expected;
    }
    printf("%d %d %d %d ... %d: %d of %d are wrong\n", balance[0],
           balance[1], balance[2], balance[3], balance[BLOCK - 1], wrong,
           BLOCK);
    cudaFree(d_balance);
    cudaFree(d_payments);
}
