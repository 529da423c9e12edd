//! The wheels of the compilers: requirements files for pip, and sizes for the progress bar.

use sha2::{Digest, Sha256};

use super::version::Version;

/// One compiler as NVIDIA's wheels.
pub(super) struct Pins {
    /// The version of CUDA.
    pub release: Version,
    /// The version of NVRTC in the wheels.
    pub version: &'static str,
    /// The requirements file: exact versions, and the hash of every file that may be used.
    pub requirements: &'static str,
    /// The folder of the compiler, inside pip's target folder.
    pub root: &'static str,
    /// The folders of the wheels' contents, if each wheel has one of its own. The installation
    /// moves what they contain to `root`.
    pub parts: &'static [&'static str],
    /// The programs of the compiler, in `root`.
    pub programs: &'static [&'static str],
    /// Every wheel, in the order of the requirements file.
    pub packages: &'static [Package],
}

/// One wheel: its size as downloaded and unpacked, in bytes.
pub(super) struct Package {
    /// On PyPI.
    pub name: &'static str,
    /// Bytes of the wheel, by platform.
    wheel: Bytes,
    /// Bytes of its contents, by platform.
    unpacked: Bytes,
}

/// Bytes on Linux x86-64, Linux aarch64 and Windows x86-64.
type Bytes = [u64; 3];

const PLATFORM: usize = if cfg!(windows) {
    2
} else if cfg!(target_arch = "aarch64") {
    1
} else {
    0
};

/// CUDA 13.0, the default.
pub(super) static CUDA_13: Pins = Pins {
    release: Version::new(13, 0),
    version: "13.0.88",
    requirements: include_str!("requirements-13.txt"),
    root: "nvidia/cu13",
    parts: &[],
    programs: &["bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"],
    packages: &[
        Package {
            name: "nvidia-cuda-nvrtc",
            wheel: [90_215_200, 43_015_449, 76_807_835],
            unpacked: [228_019_534, 103_993_142, 186_576_411],
        },
        Package {
            name: "nvidia-cuda-nvcc",
            wheel: [37_384_532, 32_455_430, 29_792_773],
            unpacked: [116_366_665, 97_158_187, 85_926_209],
        },
        Package {
            name: "nvidia-cuda-runtime",
            wheel: [2_243_632, 2_261_060, 2_927_037],
            unpacked: [7_251_857, 7_254_225, 11_251_015],
        },
        Package {
            name: "nvidia-cuda-crt",
            wheel: [134_086, 134_086, 134_862],
            unpacked: [938_201, 938_203, 959_717],
        },
        Package {
            name: "nvidia-nvvm",
            wheel: [61_601_415, 59_234_185, 54_354_888],
            unpacked: [140_064_308, 127_130_382, 124_126_966],
        },
        Package {
            name: "nvidia-cuda-cccl",
            wheel: [3_120_526, 3_120_528, 3_120_508],
            unpacked: [14_528_577, 14_528_579, 14_528_529],
        },
    ],
};

/// CUDA 12.4, for drivers and GPUs that CUDA 13 does not serve. NVIDIA publishes no wheel with
/// nvcc of CUDA 12, so this compiles kernels only.
pub(super) static CUDA_12: Pins = Pins {
    release: Version::new(12, 4),
    version: "12.4.127",
    requirements: include_str!("requirements-12.txt"),
    root: "nvidia/cu12",
    parts: &["nvidia/cuda_nvrtc", "nvidia/cuda_nvcc", "nvidia/cuda_runtime", "nvidia/cu13"],
    programs: &["bin/ptxas"],
    packages: &[
        Package {
            name: "nvidia-cuda-nvrtc-cu12",
            wheel: [24_640_306, 24_133_372, 19_751_955],
            unpacked: [65_859_601, 61_743_293, 50_204_828],
        },
        Package {
            name: "nvidia-cuda-nvcc-cu12",
            wheel: [22_265_199, 20_332_383, 16_509_606],
            unpacked: [59_071_956, 50_991_504, 39_596_345],
        },
        Package {
            name: "nvidia-cuda-runtime-cu12",
            wheel: [883_737, 894_177, 878_808],
            unpacked: [4_558_796, 4_546_360, 4_601_506],
        },
        Package {
            name: "nvidia-cuda-cccl",
            wheel: [3_120_526, 3_120_528, 3_120_508],
            unpacked: [14_528_577, 14_528_579, 14_528_529],
        },
    ],
};

/// All compilers that can be installed; the default comes first.
pub(super) static ALL: [&Pins; 2] = [&CUDA_13, &CUDA_12];

impl Pins {
    /// Bytes to download for everything.
    pub fn download(&self) -> u64 {
        self.packages.iter().map(Package::bytes).sum()
    }

    /// Bytes on disk when everything is unpacked.
    pub fn disk(&self) -> u64 {
        self.packages.iter().map(|p| p.unpacked[PLATFORM]).sum()
    }

    /// Bytes that must be free: for the wheels, for their contents, and 50 MB for temporary files.
    pub fn required_space(&self) -> u64 {
        self.download() + self.disk() + 50_000_000
    }

    /// The folder of this set of wheels in the cache. Other pins have another folder, so that a
    /// workbook never uses the compiler of another version.
    pub fn folder(&self) -> String {
        let digest = Sha256::digest(self.requirements.as_bytes());
        let short: String = digest.iter().take(4).map(|b| format!("{b:02x}")).collect();
        format!("cuda-{}-{short}", self.version)
    }
}

impl Package {
    /// Bytes to download on this platform.
    pub fn bytes(&self) -> u64 {
        self.wheel[PLATFORM]
    }

    /// How the wheel's file name starts.
    pub fn file_prefix(&self) -> String {
        format!("{}-", self.name.replace('-', "_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables and the requirements files name the same wheels, and each wheel has a hash per
    /// platform.
    #[test]
    fn tables_and_requirements_agree() {
        for pins in ALL {
            let lines = pins.requirements.lines().filter(|l| !l.starts_with('#'));
            let mut names = Vec::new();
            let mut hashes = 0;
            for line in lines {
                if let Some(hash) = line.trim().strip_prefix("--hash=sha256:") {
                    let hash = hash.trim_end_matches(" \\");
                    assert!(
                        hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()),
                        "{hash}"
                    );
                    hashes += 1;
                } else {
                    let (name, version) =
                        line.trim_end_matches(" \\").split_once("==").expect("name==version");
                    let release = format!("{}.", pins.release);
                    let newer = name == "nvidia-cuda-cccl" && version == "13.0.85";
                    assert!(version.starts_with(&release) || newer, "{name} {version}");
                    names.push(name);
                }
            }
            let packages: Vec<&str> = pins.packages.iter().map(|p| p.name).collect();
            assert_eq!(names, packages);
            assert_eq!(hashes, 3 * packages.len());
            assert!(pins.requirements.contains(&format!("=={} ", pins.version)));
        }
    }

    /// The sizes that the progress shows are about those of the wheels.
    #[test]
    fn sizes_are_plausible() {
        assert!((150_000_000..250_000_000).contains(&CUDA_13.download()) || PLATFORM == 1);
        assert!((40_000_000..60_000_000).contains(&CUDA_12.download()));
        for pins in ALL {
            assert!(pins.disk() > 2 * pins.download() && pins.disk() < 510_000_000);
        }
    }

    /// A changed requirements file is another folder in every cache, and so a new download for
    /// every learner. It must not happen by accident.
    #[test]
    fn folders_of_the_cache() {
        assert_eq!(CUDA_13.folder(), "cuda-13.0.88-c6cb7ffd");
        assert!(CUDA_12.folder().starts_with("cuda-12.4.127-"));
    }
}
