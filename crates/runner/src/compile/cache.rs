//! Caches compiled modules and programs by content. Errors of the cache count as misses and never
//! stop a check.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use cudart_sim::resources::KernelResources;

use super::{Assembly, Module, Options, Program, ProgramOptions, Project};
use crate::toolchain::{self, Toolchain};

/// Change this whenever the stored types, or the way they are made from a compiler's output,
/// change.
const FORMAT: &str = "cuda-workbook module 12";
/// Bytes above which the entries that were not used for the longest time are removed, down to half
/// of it, unless [`Cache::limited`] says otherwise. A file of an exercise takes 30 KB, and a
/// program for a GPU, which has a runtime in it, 1 MB: so this holds a class of a thousand, and one
/// of a hundred with a GPU.
const MAX_BYTES: u64 = 2 << 30;
/// Bytes of the largest product that is stored. A short file may have a huge module, for example
/// with a large array that has a value, so that a few of them would displace everything else.
const MAX_ENTRY_BYTES: usize = 16 << 20;
/// Bytes that one cache writes between two looks at the size of the folder.
const BYTES_BETWEEN_PRUNES: u64 = 16 << 20;
/// An entry that is read has its time set anew if it is older than this.
const TIME_STEP: Duration = Duration::from_secs(24 * 60 * 60);
const EXTENSION: &str = "module";
const DIGEST_BYTES: usize = 32;

/// How a file is compiled, and the type of the result.
pub trait Recipe {
    /// The result, which is stored.
    type Product: Serialize + DeserializeOwned;

    /// Everything besides compiler and source that the product depends on; `None` when the product
    /// must not be cached.
    fn key(&self, source: &str) -> Option<String>;
}

impl Recipe for Options {
    type Product = Module;

    fn key(&self, _: &str) -> Option<String> {
        let Self { arch, fmad, debug, defines } = self;
        let defines: String =
            defines.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        Some(format!("module {arch} fmad={fmad} debug={debug}{defines}"))
    }
}

impl Recipe for Assembly {
    type Product = Vec<KernelResources>;

    fn key(&self, _: &str) -> Option<String> {
        let Self { arch, max_registers } = self;
        Some(format!("resources {arch} {max_registers:?}"))
    }
}

impl Recipe for ProgramOptions {
    type Product = Program;

    fn key(&self, source: &str) -> Option<String> {
        let Self { target, arch, machine, fmad, debug, assembled_for, project } = self;
        let fmad = format!("{fmad} for={assembled_for}");
        let arch = machine.iter().fold(arch.clone(), |all, machine| format!("{all}+{machine}"));
        // A product lists the functions that the simulator does not have.
        let functions = super::nvcc::exported_functions().len();
        let Some(project) = project else {
            return Some(format!(
                "program {arch} {target:?} fmad={fmad} debug={debug} functions={functions}"
            ));
        };
        // Other files may change, and the key does not cover them.
        let complete = project.is_closed() && !source.lines().any(includes_neighbour);
        complete.then(|| {
            let Project { compile, link, relocatable, .. } = project;
            format!(
                "program {arch} {target:?} fmad={fmad} debug={debug} functions={functions} {compile:?} {link:?} {relocatable}"
            )
        })
    }
}

/// Whether this line is an `#include` of a file beside the source.
fn includes_neighbour(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
    let included = rest.and_then(|rest| rest.strip_prefix("include"));
    included.is_some_and(|name| !name.trim_start().starts_with('<'))
}

/// A folder of compiled modules.
///
/// An entry is the SHA-256 of its payload and then the payload, so that a damaged file is a miss.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    max_bytes: u64,
    /// Bytes that may be written before the size of the folder is looked at again.
    until_prune: Arc<AtomicU64>,
}

impl Cache {
    /// The user's cache. Its folder is made by the first [`Cache::put`].
    pub fn open() -> Self {
        Self::in_folder(toolchain::cache_dir().join("modules"))
    }

    /// The cache in `folder`.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), max_bytes: MAX_BYTES, until_prune: Arc::default() }
    }

    /// The same cache with another limit for the bytes of its entries. Between two looks at the
    /// folder, the entries may take 16 MiB more.
    pub fn limited(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// The stored result of exactly this compilation.
    pub fn get<R: Recipe>(
        &self,
        toolchain: &Toolchain,
        source: &str,
        file: &str,
        recipe: &R,
    ) -> Option<R::Product> {
        let path = self.path(toolchain, source, file, recipe)?;
        let entry = fs::read(&path).ok()?;
        let (digest, payload) = entry.split_at_checked(DIGEST_BYTES)?;
        if Sha256::digest(payload).as_slice() != digest {
            return None;
        }
        keep(&path);
        postcard::from_bytes(payload).ok()
    }

    /// Stores a product, unless it's larger than [`MAX_ENTRY_BYTES`]. A folder that cannot be
    /// written and a full disk are ignored.
    pub fn put<R: Recipe>(
        &self,
        toolchain: &Toolchain,
        source: &str,
        file: &str,
        recipe: &R,
        product: &R::Product,
    ) {
        let Some(path) = self.path(toolchain, source, file, recipe) else { return };
        let Ok(payload) = postcard::to_stdvec(product) else { return };
        if payload.len() <= MAX_ENTRY_BYTES && self.write(&path, &payload).is_ok() {
            self.prune_at_times(payload.len() as u64);
        }
    }

    /// Writes a temporary file and renames it, so that a reader sees a whole entry or none.
    fn write(&self, path: &Path, payload: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&Sha256::digest(payload))?;
        file.write_all(payload)?;
        file.persist(path)?;
        Ok(())
    }

    fn path(
        &self,
        toolchain: &Toolchain,
        source: &str,
        file: &str,
        recipe: &impl Recipe,
    ) -> Option<PathBuf> {
        let how = recipe.key(source)?;
        let headers =
            toolchain.include.as_ref().map(|p| p.display().to_string()).unwrap_or_default();
        let mut hash = Sha256::new();
        for part in [FORMAT, &toolchain.version, &headers, &how, file, source] {
            // The length comes first, because otherwise ("ab", "c") and ("a", "bc") would have the
            // same key.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Some(self.folder.join(name).with_extension(EXTENSION))
    }

    /// Looks at the size of the folder at the first entry, and then after every
    /// [`BYTES_BETWEEN_PRUNES`], because listing thousands of entries takes as long as a kernel.
    fn prune_at_times(&self, written: u64) {
        let left = self.until_prune.load(Ordering::Relaxed);
        if let Some(left) = left.checked_sub(written).filter(|left| *left > 0) {
            self.until_prune.store(left, Ordering::Relaxed);
            return;
        }
        self.until_prune.store(BYTES_BETWEEN_PRUNES, Ordering::Relaxed);
        self.prune();
    }

    /// Removes the entries that were not used for the longest time when the folder is too large.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let entries = entries.flatten().map(|e| e.path());
        let kept = entries.filter(|p| p.extension().is_some_and(|e| e == EXTENSION));
        let about = |path: PathBuf| {
            let data = fs::metadata(&path).ok();
            let bytes = data.as_ref().map_or(0, fs::Metadata::len);
            let time = data.and_then(|data| data.modified().ok());
            (time.unwrap_or(SystemTime::UNIX_EPOCH), bytes, path)
        };
        let mut kept: Vec<_> = kept.map(about).collect();
        let mut bytes: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
        if bytes <= self.max_bytes {
            return;
        }
        kept.sort();
        for (_, size, path) in &kept {
            if bytes <= self.max_bytes / 2 {
                return;
            }
            bytes = bytes.saturating_sub(*size);
            let _ = fs::remove_file(path);
        }
    }
}

/// Notes that an entry is in use. A time that cannot be set is an entry that is removed earlier.
fn keep(path: &Path) {
    let age = fs::metadata(path).and_then(|data| data.modified()).map(|time| time.elapsed());
    if age.is_ok_and(|age| age.is_ok_and(|age| age > TIME_STEP))
        && let Ok(file) = fs::File::options().write(true).open(path)
    {
        let _ = file.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Target;
    use crate::toolchain::Origin;

    fn toolchain(version: &str) -> Toolchain {
        let nvrtc = PathBuf::from("/opt/cuda/lib64/libnvrtc.so.13");
        Toolchain {
            nvrtc,
            builtins: None,
            include: None,
            headers: vec![],
            nvcc: None,
            version: version.to_owned(),
            origin: Origin::Usual,
        }
    }

    fn module() -> Module {
        Module {
            ptx: ".version 9.0\n".to_owned(),
            warnings: vec![],
            kernels: vec![],
            unusable: None,
        }
    }

    /// A hit needs the same source, file, options and compiler, because the product depends on each
    /// of them.
    #[test]
    fn the_key_covers_everything_that_matters() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::in_folder(folder.path());
        let (compiler, options) = (toolchain("13.0.88"), Options::default());
        cache.put(&compiler, "source", "a.cu", &options, &module());
        assert_eq!(cache.get(&compiler, "source", "a.cu", &options), Some(module()));

        assert_eq!(cache.get(&compiler, "sourc", "ea.cu", &options), None);
        assert_eq!(cache.get(&compiler, "other", "a.cu", &options), None);
        assert_eq!(cache.get(&compiler, "source", "b.cu", &options), None);
        assert_eq!(cache.get(&toolchain("13.1"), "source", "a.cu", &options), None);
        let fused = Options { fmad: true, ..Options::default() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &fused), None);
        let debug = Options { debug: true, ..Options::default() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &debug), None);
        let defined = Options { defines: vec![("RADIUS".to_owned(), 2)], ..Options::default() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &defined), None);
        cache.put(&compiler, "source", "a.cu", &defined, &module());
        let other = Options { defines: vec![("RADIUS".to_owned(), 4)], ..Options::default() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &other), None);
        let older = Options { arch: "compute_75".to_owned(), ..Options::default() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &older), None);
    }

    /// A program is another product of the same source, and one that includes neighbouring files is
    /// never stored.
    #[test]
    fn programs_are_kept_apart() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::in_folder(folder.path());
        let compiler = toolchain("13.0.88");
        let usual = ProgramOptions::exercise(Target::Simulator);
        let program = Program {
            object: vec![1, 2, 3],
            gpu: Some(vec![4]),
            missing: vec![],
            warnings: vec![],
            resources: Ok(vec![]),
            functions: Ok(vec![]),
        };
        cache.put(&compiler, "source", "a.cu", &usual, &program);
        assert_eq!(cache.get(&compiler, "source", "a.cu", &usual), Some(program.clone()));
        assert_eq!(cache.get(&compiler, "source", "a.cu", &Options::default()), None);
        let gpu = ProgramOptions { target: Target::Gpu, ..usual.clone() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &gpu), None);
        let machine = ProgramOptions { machine: Some("sm_90".into()), ..usual.clone() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &machine), None);
        let debug = ProgramOptions { debug: true, ..usual.clone() };
        assert_eq!(cache.get(&compiler, "source", "a.cu", &debug), None);
        let beside = ProgramOptions { project: Some(Project::in_folder("/home/a")), ..usual };
        let source = "#include \"b.h\"";
        cache.put(&compiler, source, "a.cu", &beside, &program);
        assert_eq!(cache.get(&compiler, source, "a.cu", &beside), None);
        let source = " # include <cstdio>\nint main() {}";
        cache.put(&compiler, source, "a.cu", &beside, &program);
        assert!(cache.get(&compiler, source, "a.cu", &beside).is_some());
        let with = |change: fn(&mut Project)| {
            let mut project = Project::in_folder("/home/a");
            change(&mut project);
            ProgramOptions { project: Some(project), ..beside.clone() }
        };
        let defined = with(|project| project.compile.push("-DN=3".into()));
        assert!(cache.get(&compiler, source, "a.cu", &defined).is_none());
        for open in [
            with(|project| project.compile.push("-I/home/a/include".into())),
            with(|project| project.sources.push("/home/a/b.cu".into())),
            with(|project| project.environment.push(("CPATH".into(), "/usr".into()))),
        ] {
            assert_eq!(open.key(source), None, "{open:?}");
        }
    }

    /// A file cut short by a full disk, or with a flipped bit, is a miss, and can be written again.
    #[test]
    fn a_damaged_entry_is_a_miss() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::in_folder(folder.path());
        let (compiler, options) = (toolchain("13.0.88"), Options::default());
        cache.put(&compiler, "source", "a.cu", &options, &module());
        let path = cache.path(&compiler, "source", "a.cu", &options).expect("a key");
        let whole = fs::read(&path).expect("entry");
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("writes");
            assert_eq!(cache.get(&compiler, "source", "a.cu", &options), None, "cut at {cut}");
        }
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).expect("writes");
            assert_eq!(cache.get(&compiler, "source", "a.cu", &options), None, "bit {bit}");
        }
        cache.put(&compiler, "source", "a.cu", &options, &module());
        assert_eq!(cache.get(&compiler, "source", "a.cu", &options), Some(module()));
    }

    /// A module of a hundred megabytes, which a short file may have, isn't stored.
    #[test]
    fn a_huge_product_is_not_stored() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::in_folder(folder.path());
        let (compiler, options) = (toolchain("13.0.88"), Options::default());
        let stored = |bytes: usize| {
            let module = Module { ptx: "0".repeat(bytes), ..module() };
            let source = bytes.to_string();
            cache.put(&compiler, &source, "a.cu", &options, &module);
            cache.get(&compiler, &source, "a.cu", &options) == Some(module)
        };
        assert_eq!([1 << 20, MAX_ENTRY_BYTES - 64].map(stored), [true, true]);
        assert_eq!([MAX_ENTRY_BYTES, 120 << 20].map(stored), [false, false]);
        let bytes = |entry: std::io::Result<fs::DirEntry>| {
            entry.and_then(|e| e.metadata()).map(|e| e.len())
        };
        let bytes = fs::read_dir(folder.path()).expect("the folder").map(bytes);
        assert!(bytes.map(|bytes| bytes.expect("a size")).sum::<u64>() < 18 << 20);
    }

    /// A folder that cannot be made or written is ignored.
    #[test]
    fn an_unusable_folder_is_no_error() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("file");
        fs::write(&file, "in the way").expect("writes");
        let cache = Cache::in_folder(file.join("modules"));
        let (compiler, options) = (toolchain("13.0.88"), Options::default());
        cache.put(&compiler, "source", "a.cu", &options, &module());
        assert_eq!(cache.get(&compiler, "source", "a.cu", &options), None);
    }

    /// The folder stays bounded by its bytes, whatever the number of entries is, and what is in use
    /// stays.
    #[test]
    fn entries_that_are_not_used_are_dropped() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (compiler, options) = (toolchain("13.0.88"), Options::default());
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let entry = |name: &str, bytes: u64, seconds: u64| {
            let path = folder.path().join(format!("{name}.{EXTENSION}"));
            let file = fs::File::create(path).expect("creates");
            file.set_len(bytes).expect("a file without contents");
            file.set_modified(at(seconds)).expect("sets the time");
        };
        let count = || fs::read_dir(folder.path()).expect("reads").count();
        let put = |source| {
            Cache::in_folder(folder.path()).put(&compiler, source, "a.cu", &options, &module());
        };
        put("in use");
        let cache = Cache::in_folder(folder.path());
        let path = cache.path(&compiler, "in use", "a.cu", &options).expect("a key");
        let file = fs::File::options().write(true).open(&path).expect("opens");
        file.set_modified(at(1)).expect("sets the time");
        // a class of small files
        (0..3000).for_each(|i| entry(&i.to_string(), 100, 1000));
        put("small");
        assert_eq!(count(), 3002);
        assert_eq!(cache.get(&compiler, "in use", "a.cu", &options), Some(module()));
        // and large ones, half of which have to go
        (0..40).for_each(|i| entry(&format!("large{i}"), MAX_BYTES / 32, 2000 + i));
        put("new");
        let left = |name: &str| folder.path().join(format!("{name}.{EXTENSION}")).exists();
        assert!(!left("0") && !left("large0") && left("large39"));
        for source in ["in use", "new"] {
            assert_eq!(cache.get(&compiler, source, "a.cu", &options), Some(module()), "{source}");
        }
    }
}
