//! The wheels of the compiler: the requirements file for pip, and sizes for the progress bar.

use sha2::{Digest, Sha256};

/// The requirements file: exact versions, and the hash of every file that may be used.
pub(super) const REQUIREMENTS: &str = include_str!("requirements.txt");

/// The version of NVRTC and nvcc in the wheels.
pub(super) const VERSION: &str = "13.0.88";

/// The folder of the wheels' contents, inside pip's target folder.
pub(super) const ROOT: &str = "nvidia/cu13";

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

/// Every wheel, in the order of the requirements file.
pub(super) const PACKAGES: [Package; 6] = [
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
];

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

/// Bytes to download for everything.
pub(super) fn download() -> u64 {
    PACKAGES.iter().map(Package::bytes).sum()
}

/// Bytes on disk when everything is unpacked.
pub(super) fn disk() -> u64 {
    PACKAGES.iter().map(|p| p.unpacked[PLATFORM]).sum()
}

/// The folder of this set of wheels in the cache. Other pins have another folder, so that a
/// workbook never uses the compiler of another version.
pub(super) fn folder() -> String {
    let digest = Sha256::digest(REQUIREMENTS.as_bytes());
    let short: String = digest.iter().take(4).map(|b| format!("{b:02x}")).collect();
    format!("cuda-{VERSION}-{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table and the requirements file name the same wheels, and each wheel has a hash per
    /// platform.
    #[test]
    fn table_and_requirements_agree() {
        let lines = REQUIREMENTS.lines().filter(|l| !l.starts_with('#'));
        let mut names = Vec::new();
        let mut hashes = 0;
        for line in lines {
            if let Some(hash) = line.trim().strip_prefix("--hash=sha256:") {
                let hash = hash.trim_end_matches(" \\");
                assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
                hashes += 1;
            } else {
                let (name, version) =
                    line.trim_end_matches(" \\").split_once("==").expect("name==version");
                assert!(version.starts_with("13.0."), "{name} {version}");
                names.push(name);
            }
        }
        assert_eq!(names, PACKAGES.map(|p| p.name));
        assert_eq!(hashes, 3 * PACKAGES.len());
        assert!(REQUIREMENTS.contains(&format!("nvidia-cuda-nvrtc=={VERSION} ")));
    }

    /// The sizes that the progress shows are about those of the wheels: less than 500 MB.
    #[test]
    fn sizes_are_plausible() {
        assert!((150_000_000..250_000_000).contains(&download()) || PLATFORM == 1);
        assert!(disk() > 2 * download() && disk() < 510_000_000);
    }
}
