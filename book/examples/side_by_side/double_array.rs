//! Doubles an array of 3 rows and 5 columns with cudarc.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::compile_ptx;

const SOURCE: &str = r#"
    extern "C" __global__ void double_array(float* a) {
        const int idx = threadIdx.y * blockDim.x + threadIdx.x;
        a[idx] *= 2.0f;
    }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(compile_ptx(SOURCE)?)?;
    let double_array = module.load_function("double_array")?;

    let a: Vec<f32> = (0..15u8).map(f32::from).collect();
    let mut d_a = stream.clone_htod(&a)?;

    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (5, 3, 1), shared_mem_bytes: 0 };
    let mut launch = stream.launch_builder(&double_array);
    launch.arg(&mut d_a);
    // SAFETY: the kernel takes one pointer to floats, and 5 x 3 threads access 15 floats, which
    // `d_a` contains.
    #[expect(
        unsafe_code,
        reason = "the compiler can't check what the kernel does with its arguments"
    )]
    unsafe {
        launch.launch(config)?;
    }

    for row in stream.clone_dtoh(&d_a)?.chunks(5) {
        println!("{row:?}");
    }
    Ok(())
}
