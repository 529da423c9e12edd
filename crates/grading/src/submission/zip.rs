//! Submissions that are zip archives (PKWARE's APPNOTE 6.3.10).
//!
//! The central directory says what is in an archive. Nothing is inflated before all of it has been
//! read and found sound: paths stay inside, no two entries share a byte (David Fifield's bombs are
//! made of that), nothing that counts is encrypted.

use crate::text::shown;
use std::fs::File;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, ErrorKind, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ZipArchive,
    ZipArchiveEntryWayfinder,
};

use super::pick::{Offer, Picker, Wanted};
use super::{Reason, names, of_io};

/// The type of a file in a Unix mode, and two of its values.
const FILE_TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;

/// An entry that may count.
struct Entry {
    wanted: Wanted,
    at: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    encrypted: bool,
    /// The type of the file in its Unix mode.
    kind: u32,
}

/// The bytes of an archive that belong to an entry.
struct Span {
    start: u64,
    end: u64,
    name: Box<[u8]>,
}

/// Offers every file of the archive.
pub fn read(file: File, picker: &mut Picker<'_>) -> Result<(), Reason> {
    let most = picker.limits().entries;
    let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(of_zip)?;
    let announced = archive.entries_hint();
    if announced > most as u64 {
        return Err(Reason::Entries(most));
    }
    let (mut offered, mut spans) = (vec![], vec![]);
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(of_zip)? {
        let name = entry.file_path().as_bytes();
        let parts = names::parts(name, picker.limits().path)?;
        if spans.len() >= most {
            return Err(Reason::Entries(most));
        }
        let (_, end) =
            archive.get_entry(entry.wayfinder()).map_err(of_zip)?.compressed_data_range();
        spans.push(Span { start: entry.local_header_offset(), end, name: name.into() });
        let is_folder = name.ends_with(b"/") || name.ends_with(b"\\");
        let Offer::Wanted(wanted) = picker.offer_unless(is_folder, &parts) else { continue };
        // Whatever system the archive says it comes from: unpackers on Unix look at these bits.
        let kind = (entry.external_attributes() >> 16) & FILE_TYPE;
        let encrypted = entry.flags().is_encrypted();
        offered.push(Entry {
            wanted,
            at: entry.wayfinder(),
            method: entry.compression_method(),
            encrypted,
            kind,
        });
    }
    if spans.len() as u64 != announced {
        return Err(Reason::Damaged(format!(
            "it announces {announced} entries and has {}",
            spans.len()
        )));
    }
    apart(&mut spans, archive.directory_offset())?;
    for entry in offered {
        let name = entry.wanted.path().to_owned();
        if entry.encrypted {
            return Err(Reason::Encrypted { entry: name });
        }
        match entry.kind {
            0 | REGULAR => {}
            LINK => {
                picker.refuse(entry.wanted, "it is a link: put the file itself there");
                continue;
            }
            _ => {
                picker.refuse(entry.wanted, "it is not a regular file");
                continue;
            }
        }
        if entry.at.uncompressed_size_hint() > picker.limit_of(&entry.wanted) {
            picker.refuse_size(entry.wanted);
            continue;
        }
        let found = archive.get_entry(entry.at).map_err(of_zip)?;
        let inflated: Box<dyn Read> = match entry.method {
            CompressionMethod::STORE => Box::new(found.reader()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(found.reader())),
            other => return Err(Reason::Method { entry: name, method: other.to_string() }),
        };
        let limit = picker.limit_of(&entry.wanted);
        let bytes = picker.bytes(found.verifying_reader(inflated), limit)?;
        picker.take(entry.wanted, bytes.map_err(|error| inside(&name, &error))?);
    }
    Ok(())
}

/// Checks that no two entries share a byte, with each other or with the directory.
fn apart(spans: &mut [Span], directory: u64) -> Result<(), Reason> {
    spans.sort_by_key(|span| (span.start, span.end));
    for pair in spans.windows(2) {
        if let [one, other] = pair
            && other.start < one.end
        {
            return Err(Reason::Overlap { one: shown(&one.name), other: shown(&other.name) });
        }
    }
    match spans.iter().find(|span| span.end > directory) {
        Some(span) => Err(Reason::Damaged(format!(
            "its entry `{}` runs into the directory",
            shown(&span.name)
        ))),
        None => Ok(()),
    }
}

fn inside(name: &str, error: &io::Error) -> Reason {
    Reason::Damaged(format!("its entry `{name}`: {}", shown(error.to_string().as_bytes())))
}

fn of_zip(error: rawzip::Error) -> Reason {
    match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory | ErrorKind::Eof => Reason::Truncated,
        ErrorKind::IO(error) => of_io(error),
        other => Reason::Damaged(shown(other.to_string().as_bytes())),
    }
}
