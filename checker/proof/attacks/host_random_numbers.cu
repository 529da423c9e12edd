// attack: computes the random words on the host, from the seed alone
// exercise: ising
// expect: computed-on-host
// stopped-by: the flow of data: much data that the host has made must not depend on the numbers that it gets

#include <vector>

unsigned high(unsigned a, unsigned b) { return static_cast<unsigned>((1ull * a * b) >> 32); }

// The x of philox4x32 for the counter (place, sweep, colour, 0) and the key (seed, 0).
unsigned word(unsigned place, unsigned sweep, unsigned colour, unsigned seed) {
    unsigned c[4] = {place, sweep, colour, 0}, key[2] = {seed, 0};
    for (int round = 0; round < 10; ++round) {
        const unsigned low0 = 0xD2511F53u * c[0], low1 = 0xCD9E8D57u * c[2];
        const unsigned x = high(0xCD9E8D57u, c[2]) ^ c[1] ^ key[0];
        const unsigned z = high(0xD2511F53u, c[0]) ^ c[3] ^ key[1];
        c[0] = x, c[1] = low1, c[2] = z, c[3] = low0;
        key[0] += 0x9E3779B9u, key[1] += 0xBB67AE85u;
    }
    return c[0];
}

__global__ void update(int colour, int* mine, const int* theirs, const unsigned* words, int rows, int half,
                       unsigned flip2, unsigned flip4) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && k < half) {
        const int at = row * half + k;
        const int beside = (row + colour) % 2 ? (k + 1) % half : (k + half - 1) % half;
        const int sum = theirs[(row + rows - 1) % rows * half + k] + theirs[(row + 1) % rows * half + k] +
                        theirs[at] + theirs[row * half + beside];
        const int agree = mine[at] * sum;
        if (agree <= 0 || words[at] < (agree == 2 ? flip2 : flip4)) {
            mine[at] = -mine[at];
        }
    }
}

extern "C" void ising(int* black, int* white, int rows, int cols, int sweeps, unsigned flip2, unsigned flip4,
                      unsigned seed) {
    const int half = cols / 2, sites = rows * half;
    const size_t bytes = sites * sizeof(int);
    std::vector<unsigned> words(2 * sweeps * sites);
    for (int i = 0; i < 2 * sweeps * sites; ++i) {
        words[i] = word(i % sites, i / sites / 2, i / sites % 2, seed);
    }
    int *spins[2];
    unsigned* table;
    cudaMalloc(&spins[0], bytes);
    cudaMalloc(&spins[1], bytes);
    cudaMalloc(&table, words.size() * sizeof(unsigned) + 4);
    cudaMemcpy(spins[0], black, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(spins[1], white, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(table, words.data(), words.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    const dim3 block(32, 8), grid((half + 31) / 32, (rows + 7) / 8);
    for (int step = 0; step < 2 * sweeps; ++step) {
        const int colour = step % 2;
        update<<<grid, block>>>(colour, spins[colour], spins[1 - colour], table + step * sites, rows, half, flip2, flip4);
    }
    cudaMemcpy(black, spins[0], bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(white, spins[1], bytes, cudaMemcpyDeviceToHost);
    cudaFree(table);
    cudaFree(spins[1]);
    cudaFree(spins[0]);
}
