//! The work that bounds are computed from.

use checker::cli::Backend;
use checker::engine::Engine;
use checker::{course, exercises, session};
use checker_tools::bound::record::{self, Kernels, Record};
use checker_tools::bound::{self, Bound, CARDS, Work};

/// The record of the repository has what the simulator counts today, for kernels of three kinds:
/// with lines far apart, with atomics, and a program.
#[test]
fn the_record_is_what_the_simulator_counts() {
    let known = Record::load().expect("the record");
    let mut engine = session::engine(Backend::Sim).expect("a compiler");
    let chosen = ["matrix_add_2d", "histogram", "overlap"];
    let mut compared = 0;
    for spec in record::large_exercises().filter(|spec| chosen.contains(&spec.id)) {
        for (file, text) in record::files(spec) {
            let work = bound::work(spec, text, &mut engine).expect("it runs").expect("it is right");
            let now = Kernels::new(spec, file, text, &work);
            assert_eq!(Some(&now), known.find(spec, file), "run `checker dev bound --record`");
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}

/// The least time on an H100 by which files are compared.
fn compared(name: &str, source: &str, engine: &mut Engine) -> anyhow::Result<f64> {
    let spec = exercises::find(name).expect("an exercise").with_large_case().expect("a large case");
    let work: Vec<Work> = bound::comparable_work(spec, source, 7, engine)?.expect("it is right");
    Ok(Bound::of(&work, &CARDS[0]).seconds)
}

/// A file gains nothing by more work with smaller sizes, from which an extrapolation would conclude
/// that larger ones need less.
#[test]
fn work_with_smaller_sizes_makes_no_file_look_faster() {
    let mut engine = session::engine(Backend::Sim).expect("a compiler");
    let spec = exercises::find("tile_transpose").expect("an exercise");
    let solution = course::solution(spec).expect("a solution");
    let body = solution.rfind("__syncthreads();").expect("a barrier");
    let (before, after) = solution.split_at(body);
    let more = "float junk = 0; if (rows < 128) for (int k = 0; k < 20; ++k) \
                junk += in[(k * 1021 + threadIdx.x) % 4096]; \
                if (junk == 0.12345f) out[0] = junk;\n";
    let cheating = format!("{before}{more}{after}");
    let [honest, cheating] = [solution, &cheating]
        .map(|source| compared("tile_transpose", source, &mut engine).expect("it is counted"));
    assert!(cheating >= honest, "{cheating} s and {honest} s");
}

/// Atomic operations move the same sectors as stores.
#[test]
fn atomics_are_no_cheaper_than_stores() {
    let mut engine = session::engine(Backend::Sim).expect("a compiler");
    let kernel = |store: &str| {
        format!(
            "extern \"C\" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {{
                 const int col = blockIdx.x * blockDim.x + threadIdx.x;
                 const int row = blockIdx.y * blockDim.y + threadIdx.y;
                 if (row < rows && col < cols) {{ {store} }}
             }}"
        )
    };
    let [stores, atomics] = [
        "out[col * rows + row] = in[row * cols + col];",
        "atomicExch(&out[col * rows + row], in[row * cols + col]);",
    ]
    .map(|store| compared("tile_transpose", &kernel(store), &mut engine).expect("it is counted"));
    assert!(atomics >= stores, "{atomics} s and {stores} s");
}

/// A program whose host computes the results has kernels that do next to nothing, so it isn't
/// compared by them.
#[test]
fn kernels_have_to_write_the_results() {
    let mut engine = session::engine(Backend::Sim).expect("a compiler");
    let program = "#include <vector>
        __global__ void look_up(const int* level, float* light, const float* curve, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) light[i] = curve[level[i]];
        }
        extern \"C\" void choose_block(const int* level, float* light, const float* curve, int n) {
            std::vector<float> results(n);
            for (int i = 0; i < n; ++i) results[i] = curve[level[i]];
            float* device = nullptr;
            cudaMalloc(&device, n * sizeof(float));
            cudaMemcpy(device, results.data(), n * sizeof(float), cudaMemcpyHostToDevice);
            look_up<<<1, 32>>>(nullptr, device, nullptr, 0);
            cudaMemcpy(light, device, n * sizeof(float), cudaMemcpyDeviceToHost);
            cudaFree(device);
        }";
    let error = compared("choose_block", program, &mut engine).expect_err("nothing to compare");
    assert!(error.to_string().starts_with("kernels write only 0 bytes"), "{error:#}");
}
