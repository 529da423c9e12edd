// silu(g) * u and its gradients as functions of PyTorch; gated_torch.py compiles and tests them.
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

constexpr int BLOCK = 256;
constexpr int STEPS = 4;  // results of a thread

// ANCHOR: kernels
template <typename T>
__device__ T sigmoid(T x) {
    return T(1) / (T(1) + exp(-x));
}

template <typename T>
__global__ void gated(const T* g, const T* u, T* out, int64_t n) {
    const int64_t first = int64_t(blockIdx.x) * BLOCK * STEPS + threadIdx.x;
    T own_g[STEPS], own_u[STEPS];
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {                              // (1)
        const int64_t i = first + step * BLOCK;
        own_g[step] = i < n ? g[i] : T(0);
        own_u[step] = i < n ? u[i] : T(0);
    }
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        const int64_t i = first + step * BLOCK;
        if (i < n) {
            out[i] = own_g[step] * sigmoid(own_g[step]) * own_u[step];
        }
    }
}

template <typename T>
__global__ void gated_gradients(const T* g, const T* u, const T* d_out, T* d_g, T* d_u, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) {
        const T s = sigmoid(g[i]);
        d_g[i] = d_out[i] * u[i] * s * (T(1) + g[i] * (T(1) - s));          // (2)
        d_u[i] = d_out[i] * g[i] * s;
    }
}
// ANCHOR_END: kernels

// ANCHOR: forward
void check(const torch::Tensor& tensor, const torch::Tensor& like) {
    TORCH_CHECK(tensor.is_cuda() && tensor.is_contiguous(), "expected contiguous CUDA tensors");
    TORCH_CHECK(tensor.sizes() == like.sizes() && tensor.dtype() == like.dtype() &&
                    tensor.device() == like.device(),
                "expected tensors of the same shape, type and device");
}

unsigned blocks(int64_t n, int elements_of_a_block) {
    return unsigned((n + elements_of_a_block - 1) / elements_of_a_block);
}

torch::Tensor forward(const torch::Tensor& g, const torch::Tensor& u) {
    check(g, g);
    check(u, g);
    const c10::cuda::CUDAGuard device(g.device());          // (1)
    const auto stream = at::cuda::getCurrentCUDAStream();   // (2)
    torch::Tensor out = torch::empty_like(g);               // (3)
    const int64_t n = g.numel();
    if (n > 0) {
        AT_DISPATCH_FLOATING_TYPES(g.scalar_type(), "gated", [&] {  // (4)
            gated<<<blocks(n, BLOCK * STEPS), BLOCK, 0, stream>>>(
                g.const_data_ptr<scalar_t>(), u.const_data_ptr<scalar_t>(),
                out.mutable_data_ptr<scalar_t>(), n);
        });
        C10_CUDA_KERNEL_LAUNCH_CHECK();  // (5)
    }
    return out;
}
// ANCHOR_END: forward

std::vector<torch::Tensor> gradients(const torch::Tensor& g, const torch::Tensor& u,
                                     const torch::Tensor& d_out) {
    check(g, g);
    check(u, g);
    check(d_out, g);
    const c10::cuda::CUDAGuard device(g.device());
    const auto stream = at::cuda::getCurrentCUDAStream();
    torch::Tensor d_g = torch::empty_like(g);
    torch::Tensor d_u = torch::empty_like(u);
    const int64_t n = g.numel();
    if (n > 0) {
        AT_DISPATCH_FLOATING_TYPES(g.scalar_type(), "gated_gradients", [&] {
            gated_gradients<<<blocks(n, BLOCK), BLOCK, 0, stream>>>(
                g.const_data_ptr<scalar_t>(), u.const_data_ptr<scalar_t>(),
                d_out.const_data_ptr<scalar_t>(), d_g.mutable_data_ptr<scalar_t>(),
                d_u.mutable_data_ptr<scalar_t>(), n);
        });
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return {d_g, d_u};
}
