//! CUDA's names, and common misspellings of them.

use strsim::damerau_levenshtein;

/// What is known about an undefined name.
#[derive(Debug, PartialEq, Eq)]
pub enum Name {
    /// A misspelt name of CUDA.
    Spelled {
        /// `threadIdx`
        right: &'static str,
        /// `built-in`
        what: &'static str,
    },
    /// A real name that is not available in kernel exercises, with a sentence on what to use
    /// instead.
    NotHere(&'static str),
}

/// CUDA C++ Programming Guide: built-in variables, qualifiers, synchronisation, atomics, warp
/// functions, math.
const NAMES: [(&str, &[&str]); 4] = [
    ("built-in", &["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"]),
    (
        "keyword",
        &["__global__", "__device__", "__host__", "__shared__", "__constant__", "__restrict__"],
    ),
    (
        "function",
        &[
            "__syncthreads",
            "__syncthreads_count",
            "__syncthreads_and",
            "__syncthreads_or",
            "__syncwarp",
            "__threadfence",
            "__threadfence_block",
            "__threadfence_system",
            "atomicAdd",
            "atomicSub",
            "atomicMax",
            "atomicMin",
            "atomicExch",
            "atomicCAS",
            "atomicAnd",
            "atomicOr",
            "atomicXor",
            "atomicInc",
            "atomicDec",
            "__shfl_sync",
            "__shfl_down_sync",
            "__shfl_up_sync",
            "__shfl_xor_sync",
            "__ballot_sync",
            "__any_sync",
            "__all_sync",
            "__activemask",
            "__popc",
            "__ffs",
            "__clz",
            "__ldg",
            "printf",
            "assert",
            "sqrtf",
            "sqrt",
            "rsqrtf",
            "hypotf",
            "fabsf",
            "fabs",
            "fminf",
            "fmaxf",
            "fmin",
            "fmax",
            "fmodf",
            "floorf",
            "ceilf",
            "roundf",
            "expf",
            "logf",
            "powf",
            "sinf",
            "cosf",
            "tanf",
            "tanhf",
            "min",
            "max",
            "abs",
            "exp",
            "log",
            "pow",
            "sin",
            "cos",
        ],
    ),
    ("type", &["float2", "float3", "float4", "int2", "int3", "int4", "uint3", "dim3", "size_t"]),
];

/// Slips that edit distance alone misses, or would match with another name.
const SLIPS: [(&str, &str); 16] = [
    ("shared", "__shared__"),
    ("global", "__global__"),
    ("device", "__device__"),
    ("constant", "__constant__"),
    ("restrict", "__restrict__"),
    ("threadid", "threadIdx"),
    ("blockid", "blockIdx"),
    ("blocksize", "blockDim"),
    ("gridsize", "gridDim"),
    ("syncthreads", "__syncthreads"),
    ("syncthread", "__syncthreads"),
    ("sync_threads", "__syncthreads"),
    ("barrier", "__syncthreads"),
    ("syncwarp", "__syncwarp"),
    ("threadfence", "__threadfence"),
    ("atomic_add", "atomicAdd"),
];

/// The runtime's functions, types and constants that beginners use.
const RUNTIME: [(&str, &[&str]); 3] = [
    (
        "function",
        &[
            "cudaMalloc",
            "cudaMallocManaged",
            "cudaMallocHost",
            "cudaHostAlloc",
            "cudaMallocPitch",
            "cudaMalloc3D",
            "cudaMallocArray",
            "cudaMallocAsync",
            "cudaMemcpy",
            "cudaMemcpyAsync",
            "cudaMemcpy2D",
            "cudaMemcpy3D",
            "cudaMemcpyToSymbol",
            "cudaMemcpyFromSymbol",
            "cudaMemset",
            "cudaMemsetAsync",
            "cudaMemGetInfo",
            "cudaMemPrefetchAsync",
            "cudaFree",
            "cudaFreeHost",
            "cudaFreeArray",
            "cudaFreeAsync",
            "cudaDeviceSynchronize",
            "cudaDeviceReset",
            "cudaStreamCreate",
            "cudaStreamDestroy",
            "cudaStreamSynchronize",
            "cudaStreamWaitEvent",
            "cudaEventCreate",
            "cudaEventDestroy",
            "cudaEventRecord",
            "cudaEventSynchronize",
            "cudaEventElapsedTime",
            "cudaGetLastError",
            "cudaPeekAtLastError",
            "cudaGetErrorString",
            "cudaGetErrorName",
            "cudaGetDevice",
            "cudaSetDevice",
            "cudaGetDeviceCount",
            "cudaGetDeviceProperties",
            "cudaDeviceGetAttribute",
            "cudaFuncSetAttribute",
            "cudaLaunchKernel",
            "cudaLaunchCooperativeKernel",
            "cudaHostRegister",
            "cudaHostUnregister",
            "cudaHostGetDevicePointer",
            "cudaCreateTextureObject",
            "cudaDestroyTextureObject",
        ],
    ),
    (
        "constant",
        &[
            "cudaMemcpyHostToDevice",
            "cudaMemcpyDeviceToHost",
            "cudaMemcpyDeviceToDevice",
            "cudaMemcpyHostToHost",
            "cudaMemcpyDefault",
            "cudaSuccess",
            "cudaStreamNonBlocking",
            "cudaHostAllocMapped",
        ],
    ),
    (
        "type",
        &[
            "cudaError_t",
            "cudaStream_t",
            "cudaEvent_t",
            "cudaDeviceProp",
            "cudaArray_t",
            "cudaTextureObject_t",
            "cudaExtent",
            "cudaPitchedPtr",
        ],
    ),
];

/// Names of the runtime that edit distance misses, or that were removed.
fn runtime(word: &str) -> Option<Name> {
    let spelled = |right, what| Some(Name::Spelled { right, what });
    match word {
        "HostToDevice" | "cudaHostToDevice" | "cudaMemCpyHostToDevice" | "hostToDevice" => {
            return spelled("cudaMemcpyHostToDevice", "constant");
        }
        "DeviceToHost" | "cudaDeviceToHost" | "deviceToHost" => {
            return spelled("cudaMemcpyDeviceToHost", "constant");
        }
        "CUDA_SUCCESS" => return spelled("cudaSuccess", "constant"),
        "cudaError" => return spelled("cudaError_t", "type"),
        "cudaStream" => return spelled("cudaStream_t", "type"),
        "cudaEvent" => return spelled("cudaEvent_t", "type"),
        "cudaThreadSynchronize" => {
            return Some(Name::NotHere(
                "cudaThreadSynchronize was removed from CUDA: its new name is cudaDeviceSynchronize",
            ));
        }
        "cudaThreadExit" => {
            return Some(Name::NotHere(
                "cudaThreadExit was removed from CUDA: its new name is cudaDeviceReset",
            ));
        }
        "cudaBindTexture"
        | "cudaBindTexture2D"
        | "cudaBindTextureToArray"
        | "cudaUnbindTexture" => {
            return Some(Name::NotHere(
                "texture references were removed from CUDA in version 12: use a texture object (cudaCreateTextureObject)",
            ));
        }
        "cudaMemcpyToDevice" => return spelled("cudaMemcpyHostToDevice", "constant"),
        "cudaMemcpyToHost" => return spelled("cudaMemcpyDeviceToHost", "constant"),
        _ => {}
    }
    closest(word, &RUNTIME)
}

/// Bytes of the longest name that is compared with others. The time grows with the product of both
/// lengths, and a hostile file can have a name of a megabyte.
const LONGEST: usize = 200;

/// The name of these groups that is nearest to `word`, if one is near.
fn closest(word: &str, groups: &'static [(&'static str, &'static [&'static str])]) -> Option<Name> {
    if word.len() > LONGEST {
        return None;
    }
    let plain = word.to_lowercase();
    let bare = plain.trim_matches('_');
    let all =
        || groups.iter().flat_map(|(what, names)| names.iter().map(move |name| (*what, *name)));
    // A name that differs only in case and underscores is better than a near one.
    let same = |name: &str| name.to_lowercase().trim_matches('_') == bare;
    let near = |name: &str| {
        let name = name.to_lowercase();
        let distance = damerau_levenshtein(&plain, &name);
        (distance <= allowed(&name)).then_some(distance)
    };
    all()
        .find(|(_, name)| same(name))
        .or_else(|| {
            all()
                .filter_map(|(what, name)| near(name).map(|distance| (distance, (what, name))))
                .min_by_key(|(distance, _)| *distance)
                .map(|(_, found)| found)
        })
        .map(|(what, right)| Name::Spelled { right, what })
}

/// What is known about the undefined name `word`, in a file with or without host code.
pub fn about(word: &str, host_code: bool, device: bool) -> Option<Name> {
    if host_code && let Some(name) = runtime(word) {
        return Some(name);
    }
    if word.starts_with("cuda") && word.chars().nth(4).is_some_and(char::is_uppercase) {
        return Some(Name::NotHere(if host_code {
            "the CUDA runtime has no function of this name"
        } else {
            "functions named cuda... are for the host, and here the checker calls them for you"
        }));
    }
    let unavailable = if host_code { None } else { not_in_kernel_exercises(word) };
    if unavailable.is_some() {
        return unavailable;
    }
    match word {
        "cout" | "cerr" | "endl" | "std" if device => {
            return Some(Name::NotHere("a GPU thread prints with printf(\"%d\\n\", value)"));
        }
        "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor" | "__ballot" | "__any" | "__all" => {
            return Some(Name::NotHere(
                "this function was removed, because since Volta the lanes of a warp need not run in lockstep: use the version that ends in _sync, whose first argument is the mask of the lanes that take part",
            ));
        }
        _ => {}
    }
    let plain = word.to_lowercase();
    let bare = plain.trim_matches('_');
    if let Some((_, right)) = SLIPS.iter().find(|(slip, _)| *slip == bare) {
        let mut all =
            NAMES.iter().flat_map(|(what, names)| names.iter().map(move |name| (*what, *name)));
        return all
            .find(|(_, name)| name == right)
            .map(|(what, right)| Name::Spelled { right, what });
    }
    closest(word, &NAMES)
}

/// Names that exist in C++ and in CUDA, but not in a kernel exercise.
fn not_in_kernel_exercises(word: &str) -> Option<Name> {
    match word {
        "stdout" | "stderr" | "fflush" | "fprintf" | "puts" => {
            return Some(Name::NotHere("a GPU thread has no files: use printf(...)"));
        }
        "uint" | "uchar" => {
            return Some(Name::NotHere(
                "C++ has no short name for it: write unsigned int or unsigned char",
            ));
        }
        _ => {}
    }
    None
}

/// The nearest of the learner's own names.
pub fn nearest(word: &str, names: impl Iterator<Item = String>) -> Option<String> {
    if word.len() > LONGEST {
        return None;
    }
    let plain = word.to_lowercase();
    names
        .filter(|name| name.len() <= LONGEST)
        .filter(|name| name.chars().count() > 1)
        .map(|name| (damerau_levenshtein(&plain, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= allowed(name))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The largest edit distance at which a name of this length still counts as meant.
fn allowed(name: &str) -> usize {
    match name.chars().count() {
        0..=3 => 0,
        4..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most common slips of a first lesson get the right suggestion.
    #[test]
    fn misspelt_names_are_recognised() {
        let cases = [
            ("threadId", "threadIdx"),
            ("threadidx", "threadIdx"),
            ("ThreadIdx", "threadIdx"),
            ("thraedIdx", "threadIdx"),
            ("threadIndex", "threadIdx"),
            ("blockId", "blockIdx"),
            ("blockdim", "blockDim"),
            ("blockDimm", "blockDim"),
            ("girdDim", "gridDim"),
            ("__syncthread", "__syncthreads"),
            ("_syncthreads", "__syncthreads"),
            ("__SyncThreads", "__syncthreads"),
            ("syncthreads", "__syncthreads"),
            ("shared", "__shared__"),
            ("__share__", "__shared__"),
            ("atomicadd", "atomicAdd"),
            ("atomic_add", "atomicAdd"),
            ("sqrft", "sqrtf"),
        ];
        for (wrong, right) in cases {
            match about(wrong, false, true) {
                Some(Name::Spelled { right: found, .. }) => assert_eq!(found, right, "{wrong}"),
                other => panic!("{wrong}: {other:?}"),
            }
        }
        for removed in ["__shfl_down", "__ballot", "__any"] {
            assert!(
                matches!(about(removed, false, true), Some(Name::NotHere(why)) if why.contains("_sync"))
            );
        }
        for unknown in ["idx", "x", "tile", "result", "my_value"] {
            assert_eq!(about(unknown, false, true), None, "{unknown} is the learner's own");
        }
        // a comparison of these names would take hours
        let long = "x".repeat(1_000_000);
        assert_eq!(nearest(&long, [format!("{long}y")].into_iter()), None);
        assert_eq!(about(&long, false, true), None);
        assert_eq!(
            nearest("indx", ["index", "n", "idx"].map(String::from).into_iter()),
            Some("index".into())
        );
    }
}
