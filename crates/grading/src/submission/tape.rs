//! Submissions that are tar archives (POSIX ustar and pax, GNU's long names), plain or in gzip.
//!
//! A tar archive has no directory: it is read once from its beginning, every byte counted as it
//! comes out of the decompressor. The library is used for single headers only; names that are
//! longer than a header are put together here, where their length has a limit.

use crate::text::shown;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::GzDecoder;
use tar::{Archive, EntryType, PaxExtensions};

use super::pick::{Offer, Picker};
use super::{Limits, Reason, names, of_io};

/// Longest extended header: names and times need a few hundred bytes.
const EXTENDED: u64 = 64 << 10;

/// Inflated bytes from which on [`Limits::ratio`] holds.
const RATIO_FROM: u64 = 16 << 20;

/// Offers every file of a plain tar archive.
pub fn read_plain(file: File, picker: &mut Picker<'_>) -> Result<(), Reason> {
    let meter = Meter::new(picker.limits());
    entries(Metered { inner: BufReader::new(file), meter: meter.clone() }, &meter, picker)
}

/// Offers every file of a tar archive in gzip.
pub fn read_gzip(file: File, picker: &mut Picker<'_>) -> Result<(), Reason> {
    let meter = Meter::new(picker.limits());
    meter.packed.set(Some(0));
    let packed = Counted { inner: file, meter: meter.clone() };
    let inflated = GzDecoder::new(BufReader::new(packed));
    entries(Metered { inner: inflated, meter: meter.clone() }, &meter, picker)
}

/// Counts the unpacked bytes.
struct Meter {
    total: u64,
    ratio: u64,
    inflated: Cell<u64>,
    /// Bytes of the file so far, when it is compressed.
    packed: Cell<Option<u64>>,
    /// Zero bytes at the end of what came so far: a tar archive ends in two blocks of them.
    zeros: Cell<u64>,
    /// Which limit was hit; the reader's own error may be reworded on its way.
    hit: Cell<Option<Hit>>,
}

#[derive(Clone, Copy)]
enum Hit {
    Total,
    Ratio,
}

impl Meter {
    fn new(limits: &Limits) -> Rc<Self> {
        Rc::new(Self {
            total: limits.total,
            ratio: limits.ratio,
            inflated: Cell::new(0),
            packed: Cell::new(None),
            zeros: Cell::new(0),
            hit: Cell::new(None),
        })
    }

    fn count(&self, bytes: &[u8]) -> io::Result<()> {
        let inflated = self.inflated.get().saturating_add(bytes.len() as u64);
        self.inflated.set(inflated);
        let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
        let before = if zeros == bytes.len() { self.zeros.get() } else { 0 };
        self.zeros.set(before + zeros as u64);
        let too_dense =
            |packed: u64| inflated > RATIO_FROM && inflated / packed.max(1) >= self.ratio;
        if inflated > self.total {
            self.hit.set(Some(Hit::Total));
        } else if self.packed.get().is_some_and(too_dense) {
            self.hit.set(Some(Hit::Ratio));
        }
        if self.hit.get().is_some() { Err(io::Error::other("over a limit")) } else { Ok(()) }
    }

    fn reason(&self, error: &io::Error) -> Reason {
        match self.hit.get() {
            Some(Hit::Total) => Reason::Total(self.total),
            Some(Hit::Ratio) => Reason::Ratio(self.ratio),
            None => match of_io(error) {
                // The library has its own words for an end in the middle of a header.
                Reason::Io(text) if text.contains("entire block") => Reason::Truncated,
                Reason::Io(text) => Reason::Damaged(text),
                other => other,
            },
        }
    }
}

/// Counts what comes out.
struct Metered<R> {
    inner: R,
    meter: Rc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.meter.count(buffer.get(..n).unwrap_or_default())?;
        Ok(n)
    }
}

/// Counts what goes into the decompressor.
struct Counted<R> {
    inner: R,
    meter: Rc<Meter>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let packed = self.meter.packed.get().unwrap_or(0);
        self.meter.packed.set(Some(packed.saturating_add(n as u64)));
        Ok(n)
    }
}

fn entries<R: Read>(
    reader: Metered<R>,
    meter: &Meter,
    picker: &mut Picker<'_>,
) -> Result<(), Reason> {
    let limits = picker.limits();
    let failed = |error: io::Error| meter.reason(&error);
    let mut archive = Archive::new(reader);
    // The extended headers before an entry.
    let mut next = Extended::default();
    let mut count = 0;
    for entry in archive.entries().map_err(failed)?.raw(true) {
        let mut entry = entry.map_err(failed)?;
        count += 1;
        if count > limits.entries {
            return Err(Reason::Entries(limits.entries));
        }
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName => {
                let longest = limits.path as u64;
                if entry.size() > longest.saturating_add(1) {
                    return Err(Reason::LongPath {
                        entry: "(GNU long name)".to_owned(),
                        longest: limits.path,
                    });
                }
                let mut name = vec![];
                entry.read_to_end(&mut name).map_err(failed)?;
                name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
                next.path = Some(name);
                continue;
            }
            EntryType::XHeader => {
                next.add(&mut entry, meter)?;
                continue;
            }
            EntryType::GNULongLink | EntryType::XGlobalHeader => continue,
            _ => {}
        }
        let extended = std::mem::take(&mut next);
        let path = extended.path.unwrap_or_else(|| entry.path_bytes().into_owned());
        let parts = names::parts(&path, limits.path)?;
        if extended.resized {
            return Err(Reason::Damaged(format!(
                "`{}` has its size in an extended header",
                shown(&path)
            )));
        }
        let is_folder = kind.is_dir() || path.ends_with(b"/");
        let Offer::Wanted(wanted) = picker.offer_unless(is_folder, &parts) else { continue };
        if extended.sparse || kind.is_gnu_sparse() {
            picker.refuse(wanted, "it is stored as a file with holes");
        } else if kind.is_symlink() || kind.is_hard_link() {
            picker.refuse(wanted, "it is a link: put the file itself there");
        } else if !kind.is_file() && !kind.is_contiguous() {
            picker.refuse(wanted, "it is not a regular file");
        } else if entry.size() > picker.limit_of(&wanted) {
            picker.refuse_size(wanted);
        } else {
            let size = entry.size();
            let limit = picker.limit_of(&wanted);
            let bytes = picker.bytes(&mut entry, limit)?.map_err(failed)?;
            if (bytes.len() as u64) < size {
                return Err(Reason::Truncated);
            }
            picker.take(wanted, bytes);
        }
    }
    if count == 0 && meter.inflated.get() < 512 {
        return Err(Reason::Truncated);
    }
    // Without the blocks of zeros at its end the rest of the archive may be missing, and with it
    // exercises.
    if meter.zeros.get() < 512 {
        return Err(Reason::Truncated);
    }
    // To the end: gzip's checksum stands there.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(failed)?;
    Ok(())
}

/// The fields of extended headers, which describe the following entry.
#[derive(Default)]
struct Extended {
    path: Option<Vec<u8>>,
    sparse: bool,
    resized: bool,
}

impl Extended {
    fn add<R: Read>(&mut self, entry: &mut tar::Entry<'_, R>, meter: &Meter) -> Result<(), Reason> {
        if entry.size() > EXTENDED {
            return Err(Reason::Damaged(format!(
                "an extended header has more than {EXTENDED} bytes"
            )));
        }
        let mut data = vec![];
        entry.read_to_end(&mut data).map_err(|error| meter.reason(&error))?;
        for field in PaxExtensions::new(&data) {
            let field = field.map_err(|error| meter.reason(&error))?;
            match field.key_bytes() {
                b"path" => self.path = Some(field.value_bytes().to_vec()),
                // When two headers disagree, different programs would read different archives.
                b"size" => self.resized = true,
                key if key.starts_with(b"GNU.sparse.") => self.sparse = true,
                _ => {}
            }
        }
        Ok(())
    }
}
