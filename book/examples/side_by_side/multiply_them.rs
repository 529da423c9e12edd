//! Multiplies 400 floats by 400 other floats with cudarc.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::compile_ptx;

const SOURCE: &str = r#"
    extern "C" __global__ void multiply_them(float* dest, const float* a, const float* b) {
        const int i = threadIdx.x;
        dest[i] = a[i] * b[i];
    }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(compile_ptx(SOURCE)?)?;
    let multiply_them = module.load_function("multiply_them")?;

    let a: Vec<f32> = (0..400u16).map(|i| f32::from(i).sin()).collect();
    let b: Vec<f32> = (0..400u16).map(|i| f32::from(i).cos()).collect();
    let (d_a, d_b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut d_dest = stream.alloc_zeros::<f32>(400)?;

    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (400, 1, 1), shared_mem_bytes: 0 };
    let mut launch = stream.launch_builder(&multiply_them);
    launch.arg(&mut d_dest).arg(&d_a).arg(&d_b);
    // SAFETY: the kernel takes three pointers to floats, and all three arrays contain 400
    // floats, one for each thread.
    #[expect(
        unsafe_code,
        reason = "the compiler can't check what the kernel does with its arguments"
    )]
    unsafe {
        launch.launch(config)?;
    }

    let dest = stream.clone_dtoh(&d_dest)?;
    let worst = (0..400).map(|i| (dest[i] - a[i] * b[i]).abs()).fold(0.0, f32::max);
    println!("{worst:.1}");
    Ok(())
}
