//! Chooses the compiler for kernels and the one for host programs: a function of what the GPU and
//! its driver take, the compilers that were found, and the version that the user asks for.
//!
//! A driver loads PTX of its own version of CUDA and of older ones. Machine code may come from any
//! nvcc of the same major version (CUDA's "minor version compatibility"), so that programs also run
//! with a driver that is a little older than the toolkit. CUDA 13 compiles for no GPU before
//! compute capability 7.5. NVIDIA publishes nvcc as a wheel only since CUDA 13, so with an older
//! driver and without an installed toolkit, host programs run on the simulator.

use super::environment::VERSION_VARIABLE;
use super::error::Error;
use super::pins::{self, Pins};
use super::version::{Version, Wanted};
use super::{Device, Toolchain};

/// The oldest and the newest versions that the workbook works with.
const OLDEST: Version = Version::new(12, 4);
const NEWEST_MAJOR: u32 = 13;

/// The oldest compute capability for which CUDA 13 compiles.
const OLDEST_OF_13: (u32, u32) = (7, 5);

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation<'a> {
    /// The GPU that runs kernels, if one does.
    pub device: Option<Device>,
    /// The compilers of this machine, in the order of the search.
    pub found: &'a [Toolchain],
    /// The version that the user asks for.
    pub wanted: Option<Wanted>,
}

/// A compiler that was chosen.
#[derive(Clone, Copy)]
pub(super) enum Pick<'a> {
    /// One that is there.
    Found(&'a Toolchain),
    /// One that must be installed.
    Install(&'static Pins),
}

/// The chosen compilers.
pub(super) struct Plan<'a> {
    /// NVRTC's.
    pub kernels: Pick<'a>,
    /// nvcc's.
    pub programs: Pick<'a>,
    /// Why programs do not run on the GPU, although there is one.
    pub programs_off_gpu: Option<String>,
    /// Why this compiler was chosen, as a clause.
    pub reason: String,
    /// The compilers that were found and not used, each with its reason.
    pub passed_over: Vec<String>,
}

impl Pick<'_> {
    fn release(self) -> Version {
        match self {
            Self::Found(toolchain) => toolchain.release(),
            Self::Install(pins) => pins.release,
        }
    }
}

impl<'a> Situation<'a> {
    /// Chooses. CUDA 13 is preferred to CUDA 12, a compiler that is there to one that must be
    /// installed, and of two, the one that the search finds first.
    pub fn plan(&self) -> Result<Plan<'a>, Error> {
        let mut kernels = self.kernels()?;
        let programs = self.programs(kernels);
        // one compiler for everything, if it has to be installed anyway
        if let Pick::Install(pins) = programs
            && self.refusal(pins.release, unsuitable).is_none()
        {
            kernels = programs;
        }
        let used = |toolchain: &&Toolchain| match programs {
            Pick::Found(used) => std::ptr::eq(used, *toolchain),
            Pick::Install(_) => false,
        };
        let others = self.found.iter().filter(|toolchain| !used(toolchain));
        let passed_over = others.filter_map(|toolchain| {
            let why = self.refusal(toolchain.release(), unsuitable)?;
            Some(format!("CUDA {} in {} {why}", toolchain.version, toolchain.place()))
        });
        Ok(Plan {
            kernels,
            programs,
            programs_off_gpu: self.off_gpu(programs),
            reason: self.reason(),
            passed_over: passed_over.collect(),
        })
    }

    fn kernels(&self) -> Result<Pick<'a>, Error> {
        if let Some(found) = self.best(|_| true, unsuitable) {
            return Ok(Pick::Found(found));
        }
        let fitting =
            pins::ALL.into_iter().find(|pins| self.refusal(pins.release, unsuitable).is_none());
        fitting.map(Pick::Install).ok_or_else(|| self.no_compiler())
    }

    /// The compiler of the kernels if it has nvcc, else another one whose programs run on the GPU,
    /// else one for the simulator.
    fn programs(&self, kernels: Pick<'a>) -> Pick<'a> {
        match kernels {
            Pick::Found(toolchain) if toolchain.nvcc.is_some() => return kernels,
            Pick::Install(pins) if std::ptr::eq(pins, &pins::CUDA_13) => return kernels,
            _ => {}
        }
        let has_nvcc = |toolchain: &Toolchain| toolchain.nvcc.is_some();
        let default = &pins::CUDA_13;
        let any_version = Self { wanted: None, ..*self };
        let simulated = Self { device: None, ..any_version };
        let found = self
            .best(has_nvcc, unsuitable_for_programs)
            .or_else(|| any_version.best(has_nvcc, unsuitable_for_programs));
        match found {
            Some(toolchain) => Pick::Found(toolchain),
            None if any_version.refusal(default.release, unsuitable).is_none() => {
                Pick::Install(default)
            }
            None => {
                simulated.best(has_nvcc, unsuitable).map_or(Pick::Install(default), Pick::Found)
            }
        }
    }

    /// The first compiler that fits, of CUDA 13 if possible.
    fn best(
        &self,
        condition: impl Fn(&Toolchain) -> bool,
        unsuitable: Unsuitable,
    ) -> Option<&'a Toolchain> {
        let fitting = self.found.iter().filter(|toolchain| {
            self.refusal(toolchain.release(), unsuitable).is_none() && condition(toolchain)
        });
        fitting.max_by_key(|toolchain| {
            let position = self.found.iter().position(|other| std::ptr::eq(other, *toolchain));
            (toolchain.release().major, std::cmp::Reverse(position))
        })
    }

    /// Why a compiler of this version is not used.
    fn refusal(&self, version: Version, unsuitable: Unsuitable) -> Option<String> {
        if version < OLDEST {
            return Some(format!("is older than {OLDEST}, the oldest version that works here"));
        }
        if version.major > NEWEST_MAJOR {
            return Some(format!("is newer than CUDA {NEWEST_MAJOR}, the newest that works here"));
        }
        if let Some(wanted) = self.wanted.filter(|wanted| !wanted.includes(version)) {
            return Some(format!("is not CUDA {wanted}, which {VERSION_VARIABLE} asks for"));
        }
        unsuitable(version, self.device?)
    }

    /// Why the GPU does not run programs that this compiler has compiled.
    fn off_gpu(&self, programs: Pick<'_>) -> Option<String> {
        let version = programs.release();
        let why = unsuitable_for_programs(version, self.device?)?;
        Some(format!("nvcc {version} {why}"))
    }

    fn reason(&self) -> String {
        match (self.wanted, self.device) {
            (Some(wanted), _) => format!("{VERSION_VARIABLE}={wanted} asks for it"),
            (None, None) => "the default without a GPU".to_owned(),
            (None, Some(Device { driver, capability: (major, minor) })) => {
                let card = unsuitable(
                    Version::new(NEWEST_MAJOR, 0),
                    Device { driver: Version::new(NEWEST_MAJOR, 0), capability: (major, minor) },
                );
                match card {
                    Some(_) => format!(
                        "the GPU has compute capability {major}.{minor}, which needs CUDA 12"
                    ),
                    None => format!("the driver takes CUDA {driver} and older"),
                }
            }
        }
    }

    /// The error when neither a compiler that was found nor one that can be installed fits.
    fn no_compiler(&self) -> Error {
        let wanted = self.wanted.map(|wanted| wanted.to_string()).unwrap_or_default();
        let without = Self { wanted: None, ..*self };
        let unsuitable = pins::ALL
            .into_iter()
            .filter(|pins| self.wanted.is_some_and(|wanted| wanted.includes(pins.release)))
            .find_map(|pins| without.refusal(pins.release, unsuitable));
        let why = unsuitable.map_or_else(
            || "no such compiler was found, and only 13.0 and 12.4 can be installed".to_owned(),
            |why| format!("CUDA {wanted} {why}"),
        );
        Error::Wanted { wanted, why }
    }
}

/// Why code of this version does not run on this device.
type Unsuitable = fn(Version, Device) -> Option<String>;

/// The newest compute capability for which every nvcc from 12.4 on makes machine code.
const NEWEST_OF_12_4: (u32, u32) = (9, 0);

/// Why programs of this version do not run on this device, as PTX or as machine code.
fn unsuitable_for_programs(version: Version, device: Device) -> Option<String> {
    let compatible = version.major == device.driver.major && device.capability <= NEWEST_OF_12_4;
    let driver = if compatible { device.driver.max(version) } else { device.driver };
    unsuitable(version, Device { driver, ..device })
}

/// Why PTX of this version does not run on this device.
fn unsuitable(version: Version, device: Device) -> Option<String> {
    let (major, minor) = device.capability;
    if version > device.driver {
        return Some(format!("is newer than the GPU's driver, which takes CUDA {}", device.driver));
    }
    let compiled = version.major < 13 || device.capability >= OLDEST_OF_13;
    (!compiled).then(|| format!("has no code for compute capability {major}.{minor}"))
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
