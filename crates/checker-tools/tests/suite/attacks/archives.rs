//! Hostile archives: each is refused with a reason, or only its good files are taken. Nothing is
//! unpacked to disk, no link is followed, and messages contain no control characters.

use std::fs;
use std::io::Write as _;

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use grading::submission::{Limits, SubmissionPath, read};
use serde_json::Value;

use super::{Scene, course};

/// The expected result of an archive.
enum Expected {
    /// It is refused; a part of the reason.
    Refused(&'static str),
    /// Its `blocks.cu` is not taken; a part of the note.
    Noted(&'static str),
    /// Its `blocks.cu` is taken.
    Taken,
}
use Expected::{Noted, Refused, Taken};

const NAME: &[u8] = b"exercises/ch01_threads/blocks.cu";

/// An entry of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format").
fn entry(name: &[u8], kind: u8, link: &[u8], data: &[u8]) -> Vec<u8> {
    let mut head = [0_u8; 512];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name);
    put(100, b"0000644\0");
    put(124, format!("{:011o}\0", data.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, &[kind]);
    put(157, link);
    put(257, b"ustar\x0000");
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut out = head.to_vec();
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(vec![], Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A file in a zip archive (APPNOTE 4.3.7 and 4.3.12).
struct Zipped {
    name: Vec<u8>,
    data: Vec<u8>,
    size: u32,
    crc: u32,
    method: u16,
    flags: u16,
    mode: u32,
}

impl Zipped {
    fn stored(name: &[u8], data: &[u8]) -> Self {
        let mut crc = Crc::new();
        crc.update(data);
        let (name, data, size) = (name.to_vec(), data.to_vec(), data.len() as u32);
        Self { name, data, size, crc: crc.sum(), method: 0, flags: 0, mode: 0o100_644 }
    }

    fn deflated(name: &[u8], data: &[u8]) -> Self {
        let mut packed = DeflateEncoder::new(vec![], Compression::best());
        packed.write_all(data).unwrap();
        Self { data: packed.finish().unwrap(), method: 8, ..Self::stored(name, data) }
    }

    /// What both headers have in common.
    fn fields(&self) -> Vec<u8> {
        let mut out = vec![];
        for word in [20, self.flags, self.method, 0, 0x21] {
            out.extend_from_slice(&u16::to_le_bytes(word));
        }
        for word in [self.crc, self.data.len() as u32, self.size] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        out
    }
}

/// A zip archive of these files. With `shared`, every entry of the directory leads to the first
/// file's bytes.
fn zip(files: &[Zipped], shared: bool) -> Vec<u8> {
    let (mut out, mut directory) = (vec![], vec![]);
    for file in files {
        let at = if shared { 0 } else { out.len() as u32 };
        if !shared || out.is_empty() {
            out.extend_from_slice(b"PK\x03\x04");
            out.extend([file.fields(), file.name.clone(), file.data.clone()].concat());
        }
        directory.extend_from_slice(b"PK\x01\x02\x14\x03");
        directory.extend(file.fields());
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&(file.mode << 16).to_le_bytes());
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(&file.name);
    }
    let (start, length) = (out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    out.extend_from_slice(&[(files.len() as u16).to_le_bytes(); 2].concat());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out
}

fn archives(right: &[u8]) -> Vec<(&'static str, Vec<u8>, Expected)> {
    let file = |name: &[u8]| entry(name, b'0', b"", right);
    let zeros = vec![0_u8; 300 << 20];
    let spaces = vec![b' '; 900 << 10];
    let good = zip(&[Zipped::stored(NAME, right)], false);
    let many: Vec<Zipped> =
        (0..200).map(|i| Zipped::deflated(format!("{i}/blocks.cu").as_bytes(), &spaces)).collect();
    let encrypted = Zipped { flags: 1, ..Zipped::stored(NAME, right) };
    let link = Zipped { mode: 0o120_777, ..Zipped::stored(NAME, b"/etc/passwd") };
    let hard = [file(NAME), entry(b"exercises/ch01_threads/guard.cu", b'1', b"/etc/passwd", b"")];
    vec![
        ("good.zip", good.clone(), Taken),
        ("good.tar.gz", gzip(&tar(&[file(NAME)])), Taken),
        ("bomb.tar.gz", gzip(&tar(&[entry(b"zeros", b'0', b"", &zeros)])), Refused("explode")),
        ("bomb.zip", zip(&[Zipped::deflated(NAME, &zeros[..64 << 20])], false), Noted("bytes")),
        (
            "lying-size.zip",
            zip(&[Zipped { size: 100, ..Zipped::deflated(NAME, &zeros[..64 << 20]) }], false),
            Refused("damaged"),
        ),
        ("overlap.zip", zip(&many, true), Refused("explode")),
        (
            "nested.zip",
            zip(
                &[Zipped::stored(b"a/inner.zip", &good), Zipped::stored(b"a/readme.txt", b"x")],
                false,
            ),
            Refused("no exercise"),
        ),
        ("encrypted.zip", zip(&[encrypted], false), Refused("encrypted")),
        ("link.zip", zip(&[link], false), Noted("link")),
        (
            "climbs.zip",
            zip(&[Zipped::stored(b"../../exercises/ch01_threads/blocks.cu", right)], false),
            Refused("`..`"),
        ),
        (
            "climbs.tar",
            tar(&[file(b"a/../../../tmp/made-by-an-attack/blocks.cu")]),
            Refused("`..`"),
        ),
        ("absolute.tar", tar(&[file(b"/tmp/made-by-an-attack/blocks.cu")]), Refused("root")),
        ("absolute.zip", zip(&[Zipped::stored(b"/etc/blocks.cu", right)], false), Refused("root")),
        ("link.tar", tar(&[entry(NAME, b'2', b"/etc/passwd", b"")]), Noted("link")),
        ("folder-link.tar", tar(&[entry(b"exercises", b'2', b"/etc", b""), file(NAME)]), Taken),
        ("hard-link.tar", tar(&hard), Taken),
        ("fifo.tar", tar(&[entry(NAME, b'6', b"", b"")]), Noted("regular")),
        ("device.tar", tar(&[entry(NAME, b'3', b"", b"")]), Noted("regular")),
        ("empty.zip", vec![], Refused("empty")),
        ("empty.tar", tar(&[]), Refused("no exercise")),
        ("truncated.zip", good[..good.len() / 2].to_vec(), Refused("cut off")),
        ("truncated.tar", tar(&[file(NAME)])[..700].to_vec(), Refused("cut off")),
        ("noise.tar.gz", b"\x1f\x8b\x08\0passed passed passed".to_vec(), Refused("")),
        ("duplicate.tar", tar(&[file(NAME), entry(NAME, b'0', b"", b"// another")]), Noted("")),
        (
            "names.tar",
            tar(&[
                file(NAME),
                file(b"\x1b[2J\r::error::passed\n=cmd|x.cu"),
                file(b"\xe2\x80\xae.cu"),
            ]),
            Taken,
        ),
        (
            "huge-name.tar",
            tar(&[entry(b"././@LongLink", b'L', b"", &vec![b'a'; 4 << 20]), file(NAME)]),
            Refused(""),
        ),
    ]
}

/// Each archive has the expected result, and none leads the reader astray.
#[test]
fn archives_are_read_and_never_believed() {
    let scene = Scene::new("archives");
    let right = fs::read(course().join("solutions/ch01_threads/blocks.cu")).unwrap();
    let folder = scene.root.join("runs");
    let class = checker_tools::grade::course();
    let mut wrong = vec![];
    for (name, bytes, expected) in archives(&right) {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let place = SubmissionPath::one(name.to_owned(), path);
        let found = read(&place, &class, &Limits::default());
        let said = match &found {
            Ok(found) => format!("{:?} {:?}", found.notes, found.ignored),
            Err(error) => error.to_string(),
        };
        let taken = found
            .as_ref()
            .is_ok_and(|f| f.files.iter().any(|f| f.exercise == "blocks" && f.bytes == right));
        let fits = match expected {
            Refused(part) => found.is_err() && said.contains(part),
            Noted(part) => !taken && said.contains(part),
            Taken => taken,
        };
        let harmless = scene.leak(&said).is_none();
        if !fits || !harmless {
            wrong.push(format!("{name}: {said}"));
        }
    }
    wrong.extend(scene.remains());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The same through the command: the rest of the class is graded, and each message is one line.
#[test]
fn a_class_is_graded_around_archives() {
    let scene = Scene::new("archived_class");
    let right = fs::read(course().join("solutions/ch01_threads/blocks.cu")).unwrap();
    let folder = scene.root.join("runs/class");
    fs::create_dir(&folder).unwrap();
    for (name, bytes, _) in archives(&right) {
        fs::write(folder.join(format!("{}-{name}", name.replace('.', "-"))), bytes).unwrap();
    }
    fs::create_dir(scene.root.join("out")).unwrap();
    let out = scene.root.join("out");
    let (status, said) = scene.run(
        "grade",
        &[
            "grade",
            &folder.display().to_string(),
            "--out",
            &out.display().to_string(),
            "--jobs",
            "2",
        ],
    );
    assert!(status.code().is_some_and(|code| code <= 3), "{status}: {said}");
    assert_eq!(scene.leak(&said), None, "{said}");
    let mut passed = 0;
    for entry in fs::read_dir(out.join("records")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert_eq!(scene.leak(&text), None, "{text}");
        let record: Value = serde_json::from_str(&text).unwrap();
        let exercises = record["exercises"].as_array().unwrap();
        passed += usize::from(exercises.iter().any(|exercise| exercise["status"] == "passed"));
    }
    // those that are whole, and those with something refused beside the file
    assert_eq!(passed, 5, "{said}");
    assert_eq!(scene.remains(), Vec::<String>::new());
}
