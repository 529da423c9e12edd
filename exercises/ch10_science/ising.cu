// ising | chapter 10 | "Which spins may change at the same time?"
//
// Goal    simulate a magnet as a lattice of spins, each +1 or -1. A spin tends to agree with its
//         four neighbours, while heat disturbs it. In each sweep, first update all black spins
//         and then all white spins. No thread may read a spin while another thread changes it.
//         A request may take at most 5 sectors.
//
// black   [rows][cols/2]  i32, in the host's memory, updated: the spins where row + col is even
// white   [rows][cols/2]  i32, in the host's memory, updated: the spins where row + col is odd
//         The spin in row `row` and column 2k + (row + colour) % 2 is element (row, k) of its
//         colour's array, where `colour` is 0 for black and 1 for white.
// rows, cols  counts, both even; the neighbour beyond an edge is the site at the opposite edge
// flip2, flip4  u32: limits for the random words of spins that agree with neighbours (see Rule)
// seed    number  a site's random word is the x of philox with the counter (place, sweep, colour,
//                 0) and the key (seed, 0), where `place` is the site's index in its colour's array
//
// The rule for a single site is right, but this program updates all sites at the same time.
//
// Run     cargo checker check ising            Stuck?  cargo checker hint ising

constexpr int BLOCK_X = 32;
constexpr int BLOCK_Y = 8;
constexpr int BLACK = 0;
constexpr int WHITE = 1;

// The rule of Metropolis and others (1953). A spin that agrees with three of its four neighbours
// flips if its random word is below flip2, and a spin that agrees with all four flips if its random
// word is below flip4. A spin that agrees with fewer neighbours always flips.
struct Rule {
    unsigned int flip2;
    unsigned int flip4;
    unsigned int seed;
};

// Philox4x32, as in rng_pi: four random words from a counter and a key.
__device__ uint4 philox(uint4 c, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const unsigned int high0 = __umulhi(0xD2511F53u, c.x);
        const unsigned int low0 = 0xD2511F53u * c.x;
        const unsigned int high1 = __umulhi(0xCD9E8D57u, c.z);
        const unsigned int low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

__global__ void update(int* black, int* white, int rows, int half, int sweep, Rule rule) {
    const int colour = blockIdx.z;  // BLACK or WHITE
    int* mine = colour == BLACK ? black : white;
    const int* theirs = colour == BLACK ? white : black;

    const int k = blockIdx.x * BLOCK_X + threadIdx.x;  // index in the row, 0 .. half-1
    const int row = blockIdx.y * BLOCK_Y + threadIdx.y;

    if (row < rows && k < half) {
        const int place = row * half + k;
        const int above = (row + rows - 1) % rows;  // the last row if row is 0
        const int below = (row + 1) % rows;
        // In my row, one neighbour is element k of the other colour. The other neighbour is element
        // k - 1 if my column is even, and element k + 1 if it's odd.
        const bool odd = (row + colour) % 2 == 1;
        const int beside = odd ? (k + 1) % half : (k + half - 1) % half;

        const int sum = theirs[above * half + k] + theirs[below * half + k] + theirs[place] +
                        theirs[row * half + beside];
        const int agree = mine[place] * sum;  // -4, -2, 0, 2 or 4

        const uint4 draw = philox(make_uint4(place, sweep, colour, 0), make_uint2(rule.seed, 0));
        const bool flip = agree <= 0 || draw.x < (agree == 2 ? rule.flip2 : rule.flip4);
        mine[place] = flip ? -mine[place] : mine[place];
    }
}

extern "C" void ising(int* black, int* white, int rows, int cols, int sweeps, unsigned int flip2,
                      unsigned int flip4, unsigned int seed) {
    const int half = cols / 2;
    const size_t bytes = size_t(rows) * half * sizeof(int);
    const Rule rule = {flip2, flip4, seed};
    int *d_black, *d_white;
    cudaMalloc(&d_black, bytes);
    cudaMalloc(&d_white, bytes);
    cudaMemcpy(d_black, black, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_white, white, bytes, cudaMemcpyHostToDevice);

    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid((half + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y, 2);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        update<<<grid, block>>>(d_black, d_white, rows, half, sweep, rule);
    }

    cudaMemcpy(black, d_black, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(white, d_white, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_white);
    cudaFree(d_black);
}
