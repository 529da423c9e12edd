use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::prelude::*;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use tempfile::TempDir;

use super::*;
use crate::roster::Roster;

fn course() -> Course {
    Course::example(&[
        ("ch01_threads", "blocks"),
        ("ch01_threads", "guard"),
        ("ch04_shared", "transpose"),
    ])
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn read_with(path: &Path, limits: &Limits) -> Result<Submitted, Error> {
    let name = own_name(path);
    let id = names::without_archive_ending(&name).or_else(|| name.strip_suffix(".cu"));
    let id = id.unwrap_or(&name);
    read(&SubmissionPath::one(shown(id.as_bytes()), path.to_path_buf()), &course(), limits)
}

fn read_it(path: &Path) -> Result<Submitted, Error> {
    read_with(path, &Limits::default())
}

/// Exercise, path and text of each file.
fn files(submitted: &Submitted) -> Vec<(&str, &str, &str)> {
    submitted
        .files
        .iter()
        .map(|file| {
            (file.exercise.as_str(), file.path.as_str(), std::str::from_utf8(&file.bytes).unwrap())
        })
        .collect()
}

fn notes(submitted: &Submitted) -> Vec<String> {
    let of = |flag: &Flag| {
        format!("{} {}: {}", flag.what, flag.exercise.as_deref().unwrap_or("-"), flag.detail)
    };
    submitted.notes.iter().map(of).collect()
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![];
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (path, data) in files {
        let path = rawzip::path::EntryPath::verbatim(path.as_bytes());
        let (mut entry, config) =
            archive.new_file(path).compression_method(CompressionMethod::DEFLATE).start().unwrap();
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        writer.write_all(data).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// A tar header as any program may write it, the library's own writer being too careful.
fn header(path: &[u8], kind: u8, size: u64) -> [u8; 512] {
    let mut header = [0_u8; 512];
    header[..path.len()].copy_from_slice(path);
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    header[156] = kind;
    header[257..263].copy_from_slice(b"ustar\0");
    header[263..265].copy_from_slice(b"00");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header
}

fn member(path: &[u8], kind: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = header(path, kind, data.len() as u64).to_vec();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn tar_of(members: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = members.concat();
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads bytes as a file of that name; the error without the path.
fn archive(name: &str, bytes: &[u8]) -> Result<Submitted, String> {
    archive_with(name, bytes, &Limits::default())
}

fn archive_with(name: &str, bytes: &[u8], limits: &Limits) -> Result<Submitted, String> {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(name);
    fs::write(&path, bytes).unwrap();
    read_with(&path, limits).map_err(|error| error.reason.to_string())
}

/// The mirror may begin anywhere, and however it came it is the same submission.
#[test]
fn the_mirror_begins_anywhere() {
    let starts = [
        "exercises/ch01_threads/",
        "repo-main/exercises/ch01_threads/",
        "ch01_threads/",
        "",
        "my work/",
    ];
    let mut hashes = vec![];
    for start in starts {
        let path = format!("{start}blocks.cu");
        let root = folder(&[(&path, "B")]);
        let submitted = read_it(root.path()).unwrap();
        assert_eq!(files(&submitted), [("blocks", path.as_str(), "B")]);
        hashes.push(submitted.hash);
        let zip = archive("Ada L.zip", &zip_of(&[(&path, b"B")])).unwrap();
        assert_eq!(
            (zip.id_hint.as_str(), files(&zip)),
            ("Ada L", vec![("blocks", path.as_str(), "B")])
        );
        hashes.push(zip.hash);
        let tar = tar_of(&[member(format!("./{path}").as_bytes(), b'0', b"B")]);
        let plain = archive("ada.tar", &tar).unwrap();
        assert_eq!(files(&plain), [("blocks", path.as_str(), "B")]);
        hashes.push(plain.hash);
        let packed = archive("ada.tar.gz", &gzip(&tar)).unwrap();
        assert_eq!((packed.id_hint.as_str(), packed.files), ("ada", plain.files));
        hashes.push(packed.hash);
    }
    let root = folder(&[("blocks.cu", "B")]);
    let single = read_it(&root.path().join("blocks.cu")).unwrap();
    assert_eq!(
        (single.id_hint.as_str(), files(&single)),
        ("blocks", vec![("blocks", "blocks.cu", "B")])
    );
    hashes.push(single.hash);
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    let other = archive("ada.zip", &zip_of(&[("guard.cu", b"B")])).unwrap();
    assert_ne!(other.hash, hashes[0]);
}

/// A copy of the whole course, solutions and build folders included, as GitHub packs it.
#[test]
fn a_whole_repository() {
    let root = folder(&[
        ("repo/exercises/ch01_threads/blocks.cu", "mine"),
        ("repo/exercises/ch01_threads/guard.cu", "mine"),
        ("repo/solutions/ch01_threads/blocks.cu", "theirs"),
        ("repo/solutions/ch04_shared/transpose.cu", "theirs"),
        ("repo/target/debug/transpose.cu", "built"),
        ("repo/.backup/ch04_shared/transpose.cu", "old"),
        ("repo/README.md", "# course"),
        ("repo/book/examples/listing.cu", "the course's"),
        ("__MACOSX/repo/exercises/ch01_threads/._blocks.cu", "junk"),
        ("repo/exercises/ch01_threads/._guard.cu", "junk"),
        ("repo/.DS_Store", "junk"),
    ]);
    let submitted = read_it(root.path()).unwrap();
    let paths: Vec<&str> = submitted.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        ["repo/exercises/ch01_threads/blocks.cu", "repo/exercises/ch01_threads/guard.cu"]
    );
    let ignored = [
        "repo/README.md",
        "repo/book/examples/listing.cu: no exercise has this file name",
        "repo/solutions/ch01_threads/blocks.cu: it lies in a folder of solutions",
        "repo/solutions/ch04_shared/transpose.cu: it lies in a folder of solutions",
    ];
    assert_eq!(submitted.ignored, ignored);
    assert!(submitted.notes.is_empty());
    // A folder that just happens to be called so.
    let root = folder(&[("solutions/blocks.cu", "mine")]);
    assert_eq!(files(&read_it(root.path()).unwrap()), [("blocks", "solutions/blocks.cu", "mine")]);
}

/// Two files for one exercise: the better place decides, and where nothing does the others are
/// graded all the same.
#[test]
fn two_files_for_one_exercise() {
    let root = folder(&[
        ("old/blocks.cu", "old"),
        ("exercises/ch01_threads/blocks.cu", "new"),
        ("a/guard.cu", "one"),
        ("b/guard.cu", "two"),
        ("a/transpose.cu", "same"),
        ("b/transpose.cu", "same"),
    ]);
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(
        files(&submitted),
        [
            ("blocks", "exercises/ch01_threads/blocks.cu", "new"),
            ("transpose", "a/transpose.cu", "same")
        ]
    );
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    other-file blocks: `old/blocks.cu` was not graded, because `exercises/ch01_threads/blocks.cu` was: the other one's folders are those of the course
    refused-file guard: `a/guard.cu` and `b/guard.cu` could both be this exercise's file, and they differ: keep one, at `exercises/ch01_threads/guard.cu`
    ");
    // An archive that has the same path twice: programs disagree about which of them counts.
    let twice = [
        ("exercises/ch01_threads/blocks.cu", b"one".as_slice()),
        ("exercises/ch01_threads/blocks.cu", b"two"),
        ("guard.cu", b"g"),
    ];
    let submitted = archive("ada.zip", &zip_of(&twice)).unwrap();
    assert_eq!(files(&submitted), [("guard", "guard.cu", "g")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @"refused-file blocks: `exercises/ch01_threads/blocks.cu` is in it twice, and the two differ: keep one");
}

/// Of a file and its numbered copies, the file counts. Each reason is about the file that counts,
/// and not about another copy.
#[test]
fn a_file_counts_more_than_its_copies() {
    let copies = [("guard.cu", "own"), ("guard (1).cu", "one"), ("guard (2).cu", "two")];
    let root = folder(&copies);
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(files(&submitted), [("guard", "guard.cu", "own")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    other-file guard: `guard (1).cu` was not graded, because `guard.cu` was: its name is not exactly the exercise's
    other-file guard: `guard (2).cu` was not graded, because `guard.cu` was: its name is not exactly the exercise's
    ");
    insta::assert_snapshot!(submitted.ignored.join("\n"), @r"
    guard (1).cu: its name is not exactly the exercise's
    guard (2).cu: its name is not exactly the exercise's
    ");
    let root = folder(&copies[1..]);
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(files(&submitted), [("guard", "guard (2).cu", "two")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    other-file guard: `guard (1).cu` was not graded, because `guard (2).cu` was: its copy has a lower number
    changed-file guard: `guard (2).cu` was read as `guard.cu`
    ");
}

/// However many copies a student hands in, the record stays short.
#[test]
fn many_copies_have_few_flags() {
    let copies: Vec<String> = (1..=30).map(|n| format!("guard ({n}).cu")).collect();
    let named: Vec<(&str, &str)> =
        copies.iter().map(|name| (name.as_str(), name.as_str())).collect();
    let root = folder(&[vec![("guard.cu", "own")], named].concat());
    let submitted = read_it(root.path()).unwrap();
    let notes = notes(&submitted);
    assert_eq!(notes.len(), 11, "{notes:#?}");
    assert_eq!(
        notes[10],
        "other-file guard: 20 more files were not graded, because `guard.cu` was"
    );
}

/// Names that browsers and editors change are read, and the record says so.
#[test]
fn names_that_are_almost_right() {
    let root = folder(&[
        ("exercises/ch01_threads/Blocks.cu", "1"),
        ("exercises/ch01_threads/guard (1).cu", "2"),
        ("exercises/ch04_shared/transpose.cu.txt", "3"),
        ("exercises/ch04_shared/\u{202e}evil\n.cu", "4"),
    ]);
    fs::write(root.path().join("guard.cu"), "g").unwrap();
    let submitted = read_it(root.path()).unwrap();
    let graded: Vec<&str> = files(&submitted).into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(graded, ["1", "2", "3"]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    changed-file blocks: `exercises/ch01_threads/Blocks.cu` was read as `blocks.cu`
    other-file guard: `guard.cu` was not graded, because `exercises/ch01_threads/guard (1).cu` was: the other one's folders are those of the course
    changed-file guard: `exercises/ch01_threads/guard (1).cu` was read as `guard.cu`
    changed-file transpose: `exercises/ch04_shared/transpose.cu.txt` was read as `transpose.cu`
    unread-file -: `exercises/ch04_shared/\u{202e}evil\n.cu` was not read: no exercise has this file name
    ");
    insta::assert_snapshot!(submitted.ignored.join("\n"), @r"
    exercises/ch04_shared/\u{202e}evil\n.cu: no exercise has this file name
    guard.cu: the other one's folders are those of the course
    ");
}

/// A file that may be why an exercise is missing is noted, wherever it lies, and an archive that is
/// not opened, too.
#[test]
fn unread_files_are_noted() {
    let inner = zip_of(&[("guard.cu", b"G")]);
    let root = folder(&[
        ("exercises/ch01_threads/block_final.cu", "B"),
        ("transpose - Kopie.cu", "T"),
        ("report.pdf", "PDF"),
    ]);
    fs::create_dir(root.path().join("more")).unwrap();
    fs::write(root.path().join("more/hw.zip"), &inner).unwrap();
    fs::write(root.path().join("all.zip"), zip_of(&[("part1.zip", &inner)])).unwrap();
    fs::write(root.path().join("cut.zip"), b"PK").unwrap();
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(files(&submitted), [("transpose", "transpose - Kopie.cu", "T")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    changed-file transpose: `transpose - Kopie.cu` was read as `transpose.cu`
    unread-file -: `all.zip/part1.zip` was not read: an archive in an archive or in a folder of a submission is not opened; submit its files
    unread-file -: `cut.zip` was not read: the archive is damaged (it is no zip): make it again
    unread-file -: `exercises/ch01_threads/block_final.cu` was not read: no exercise has this file name; did you mean `blocks.cu`?
    unread-file -: `more/hw.zip` was not read: an archive in an archive or in a folder of a submission is not opened; submit its files
    ");
    insta::assert_snapshot!(submitted.ignored.join("\n"), @r"
    all.zip/part1.zip: an archive in an archive or in a folder of a submission is not opened; submit its files
    cut.zip: the archive is damaged (it is no zip): make it again
    exercises/ch01_threads/block_final.cu: no exercise has this file name; did you mean `blocks.cu`?
    more/hw.zip: an archive in an archive or in a folder of a submission is not opened; submit its files
    report.pdf
    ");
    // When nothing is left, the message names what there is.
    fs::remove_file(root.path().join("transpose - Kopie.cu")).unwrap();
    let error = read_it(root.path()).unwrap_err();
    assert_eq!(error.reason, Reason::NoExercise);
    let message = error.to_string();
    assert!(message.contains("block_final.cu: no exercise has this file name"), "{message}");
    assert!(error.left.iter().any(|line| line == "report.pdf"), "{:?}", error.left);
    // Many such files are a few remarks.
    let many: Vec<String> = (0..40).map(|n| format!("x{n:02}.cu")).collect();
    let mut files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(("blocks.cu", "B"));
    let submitted = read_it(folder(&files).path()).unwrap();
    assert_eq!(submitted.notes.len(), 11);
    assert_eq!(submitted.notes[10].detail, "30 more files were not read");
}

/// An archive of a whole class is no student's submission.
#[test]
fn a_class_is_not_one_submission() {
    let download = zip_of(&[
        ("Ada Lovelace_7_assignsubmission_file_/blocks.cu", b"A"),
        ("Bob Babbage_8_assignsubmission_file_/blocks.cu", b"B"),
    ]);
    let reason = archive("hw1.zip", &download).unwrap_err();
    assert!(
        reason.contains("unpack it into a folder") && reason.contains("--from moodle"),
        "{reason}"
    );
    let one = zip_of(&[("Ada Lovelace_7_assignsubmission_file_/blocks.cu", b"A")]);
    assert!(archive("mine.zip", &one).is_ok(), "a student hands in what the platform gave back");
}

/// Links in a folder are not followed, and pipes are not opened.
#[cfg(unix)]
#[test]
fn links_and_pipes_in_folders() {
    use std::os::unix::fs::symlink;
    let secret = folder(&[("blocks.cu", "somebody else's")]);
    let root = folder(&[("exercises/ch04_shared/transpose.cu", "T")]);
    let chapter = root.path().join("exercises/ch01_threads");
    fs::create_dir_all(&chapter).unwrap();
    symlink(secret.path().join("blocks.cu"), chapter.join("blocks.cu")).unwrap();
    symlink(secret.path(), root.path().join("exercises/more")).unwrap();
    let status =
        std::process::Command::new("mkfifo").arg(chapter.join("guard.cu")).status().unwrap();
    assert!(status.success());
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(files(&submitted), [("transpose", "exercises/ch04_shared/transpose.cu", "T")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    refused-file blocks: `exercises/ch01_threads/blocks.cu` was not taken: it is a link: put the file itself there
    refused-file guard: `exercises/ch01_threads/guard.cu` was not taken: it is not a regular file
    ");
    // Opening does not wait either, should a pipe take a file's place after it was looked at.
    assert!(open(&chapter.join("guard.cu"), false).is_err());
    assert!(open(&chapter.join("blocks.cu"), false).is_err());
    assert_eq!(read_it(&chapter.join("guard.cu")).unwrap_err().reason, Reason::Special);
    assert_eq!(read_it(Path::new("/dev/zero")).unwrap_err().reason, Reason::Special);
}

/// A file over the limit is refused alone and never held.
#[test]
fn large_files() {
    let big = "x".repeat((1 << 20) + 1);
    let expected = "refused-file blocks: `blocks.cu` was not taken: it has more than 1048576 bytes, and no exercise needs that many";
    let root = folder(&[("blocks.cu", &big), ("guard.cu", &big[1..])]);
    let tar = tar_of(&[
        member(b"blocks.cu", b'0', big.as_bytes()),
        member(b"guard.cu", b'0', &big.as_bytes()[1..]),
    ]);
    let zip = zip_of(&[("blocks.cu", big.as_bytes()), ("guard.cu", &big.as_bytes()[1..])]);
    for submitted in [
        read_it(root.path()).unwrap(),
        archive("a.tar", &tar).unwrap(),
        archive("a.zip", &zip).unwrap(),
    ] {
        assert_eq!(notes(&submitted), [expected]);
        assert_eq!(submitted.files.len(), 1);
        assert_eq!(submitted.files[0].bytes.len(), 1 << 20);
    }
}

/// One line for everything that is no submission.
#[test]
fn refused_as_a_whole() {
    let good = member(b"blocks.cu", b'0', b"B");
    let with = |bad: Vec<u8>| tar_of(&[good.clone(), bad]);
    let zip = zip_of(&[("blocks.cu", b"B"), ("guard.cu", b"G")]);
    let mut encrypted = zip.clone();
    for at in 0..encrypted.len() - 4 {
        if encrypted[at..].starts_with(b"PK\x01\x02") {
            encrypted[at + 8] |= 1;
        }
    }
    let mut method = zip.clone();
    let mut flipped = zip.clone();
    for at in 0..zip.len() - 4 {
        if zip[at..].starts_with(b"PK\x01\x02") {
            method[at + 10] = 12;
        }
    }
    flipped[40] ^= 1;
    let long = "d/".repeat(600) + "blocks.cu";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty.zip", vec![]),
        ("half.zip", zip[..zip.len() / 2].to_vec()),
        ("zip without files.zip", zip_of(&[])),
        ("other.zip", zip_of(&[("essay.txt", b"hello")])),
        ("up.zip", zip_of(&[("blocks.cu", b"B"), ("../../x", b"x")])),
        ("windows.zip", zip_of(&[("blocks.cu", b"B"), ("C:\\x\n", b"x")])),
        ("long.zip", zip_of(&[(&long, b"B")])),
        ("secret.zip", encrypted),
        ("bzip2.zip", method),
        ("flipped.zip", flipped),
        ("no.zip", b"hello".to_vec()),
        ("notes.docx", b"hello".to_vec()),
        ("a.rar", b"Rar!\x1a\x07\x01\x00".to_vec()),
        ("a.7z", b"7z\xbc\xaf\x27\x1c".to_vec()),
        ("a.tar.xz", b"\xfd7zXZ\0".to_vec()),
        ("a.tar.gz", b"hello".to_vec()),
        ("root.tar", with(member(b"/etc/cron.d/x", b'0', b"x"))),
        ("up.tar", with(member(b"a/../../x", b'2', b""))),
        ("half.tar", with(good.clone())[..1024].to_vec()),
        ("half header.tar", with(good.clone())[..1100].to_vec()),
        ("no end.tar", [good.clone(), good.clone()].concat()),
        ("half.tgz", gzip(&with(good.clone()))[..40].to_vec()),
        ("text.tgz", gzip(b"hello")),
        ("long name.tar", tar_of(&[member(b"././@LongLink", b'L', long.as_bytes())])),
        ("huge name.tar", tar_of(&[header(b"././@LongLink", b'L', u64::from(u32::MAX)).to_vec()])),
        ("huge pax.tar", tar_of(&[header(b"x", b'x', u64::from(u32::MAX)).to_vec()])),
        (
            "resized.tar",
            tar_of(&[member(b"x", b'x', b"10 size=5\n"), member(b"blocks.cu", b'0', b"B")]),
        ),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(name, bytes)| format!("{name}: {}", archive(name, bytes).expect_err(name)))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    empty.zip: the file is empty
    half.zip: the archive is cut off; submit it again
    zip without files.zip: it contains no exercise; the checker recognises files by their names, such as `exercises/CHAPTER/NAME.cu`
    other.zip: it contains no exercise; the checker recognises files by their names, such as `exercises/CHAPTER/NAME.cu`
    up.zip: its entry `../../x` leaves the archive with `..`
    windows.zip: its entry `C:\x\n` starts at a root; a submission has only relative paths
    long.zip: the path `d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/...` has more than 1024 bytes
    secret.zip: its entry `blocks.cu` is encrypted; make the archive without a password
    bzip2.zip: its entry `blocks.cu` is packed by a method (12 (BZIP2)) that is not read: use plain deflate
    flipped.zip: the archive is damaged (its entry `blocks.cu`: Invalid checksum: expected 0x4ad0cf31, got 0x4dbd0b28): make it again
    no.zip: the archive is damaged (it is no zip): make it again
    notes.docx: this kind of file is not read; submit a folder, a .zip, .tar or .tar.gz, or one exercise's .cu file
    a.rar: a RAR archive is not read; submit a folder, a .zip, .tar or .tar.gz, or one exercise's .cu file
    a.7z: a 7z archive is not read; submit a folder, a .zip, .tar or .tar.gz, or one exercise's .cu file
    a.tar.xz: an xz archive is not read; submit a folder, a .zip, .tar or .tar.gz, or one exercise's .cu file
    a.tar.gz: the archive is damaged (it is no gzip): make it again
    root.tar: its entry `/etc/cron.d/x` starts at a root; a submission has only relative paths
    up.tar: its entry `a/../../x` leaves the archive with `..`
    half.tar: the archive is cut off; submit it again
    half header.tar: the archive is cut off; submit it again
    no end.tar: the archive is cut off; submit it again
    half.tgz: the archive is cut off; submit it again
    text.tgz: the archive is cut off; submit it again
    long name.tar: the path `(GNU long name)` has more than 1024 bytes
    huge name.tar: the path `(GNU long name)` has more than 1024 bytes
    huge pax.tar: the archive is damaged (an extended header has more than 65536 bytes): make it again
    resized.tar: the archive is damaged (`blocks.cu` has its size in an extended header): make it again
    ");
}

/// Links and special files in archives are refused alone; those that are not an exercise's file are
/// ignored.
#[test]
fn links_and_devices_in_archives() {
    let tar = tar_of(&[
        member(b"exercises/ch01_threads/blocks.cu", b'2', b""),
        member(b"exercises/ch01_threads/guard.cu", b'1', b""),
        member(b"exercises/latest", b'2', b""),
        member(b"dev", b'3', b""),
        member(b"transpose.cu", b'0', b"T"),
        member(b"exercises/ch04_shared/transpose.cu", b'6', b""),
    ]);
    let submitted = archive("a.tar", &tar).unwrap();
    assert_eq!(files(&submitted), [("transpose", "transpose.cu", "T")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @r"
    refused-file blocks: `exercises/ch01_threads/blocks.cu` was not taken: it is a link: put the file itself there
    refused-file guard: `exercises/ch01_threads/guard.cu` was not taken: it is a link: put the file itself there
    other-file transpose: `exercises/ch04_shared/transpose.cu` was not graded, because `transpose.cu` was: it cannot be read
    ");
    let mut zip = zip_of(&[("blocks.cu", b"/etc/passwd"), ("guard.cu", b"G")]);
    let at = zip.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    zip[at + 38..at + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
    let submitted = archive("a.zip", &zip).unwrap();
    assert_eq!(files(&submitted), [("guard", "guard.cu", "G")]);
    insta::assert_snapshot!(notes(&submitted).join("\n"), @"refused-file blocks: `blocks.cu` was not taken: it is a link: put the file itself there");
}

/// Names longer than a header, in both ways of writing them.
#[test]
fn long_names_in_tar() {
    let folder = "f".repeat(150);
    let path = format!("{folder}/exercises/ch01_threads/blocks.cu");
    let field = format!("path={path}\n");
    let length = field.len() + 4;
    let pax = format!("{length} {field}");
    for first in [
        member(b"././@LongLink", b'L', format!("{path}\0").as_bytes()),
        member(b"p", b'x', pax.as_bytes()),
    ] {
        let tar = tar_of(&[first, member(b"short", b'0', b"B"), member(b"guard.cu", b'0', b"G")]);
        let submitted = archive("a.tar", &tar).unwrap();
        assert_eq!(files(&submitted), [("blocks", path.as_str(), "B"), ("guard", "guard.cu", "G")]);
    }
}

/// The bombs: too many bytes, too many for the size, too many entries, and entries made of the same
/// bytes.
#[test]
fn bombs() {
    let limits = Limits { total: 40 << 20, entries: 50, ..Limits::default() };
    let zeros = vec![0; 60 << 20];
    let tgz = gzip(&tar_of(&[member(b"zeros", b'0', &zeros), member(b"blocks.cu", b'0', b"B")]));
    assert_eq!(archive_with("a.tgz", &tgz, &limits), Err(Reason::Ratio(200).to_string()));
    let loose = Limits { ratio: 2000, ..limits.clone() };
    assert_eq!(archive_with("a.tgz", &tgz, &loose), Err(Reason::Total(40 << 20).to_string()));
    // A zip entry that belongs to no exercise is not inflated.
    let zip = zip_of(&[("zeros", &zeros), ("blocks.cu", b"B")]);
    assert!(archive_with("a.zip", &zip, &limits).is_ok());
    // Sixty copies of one exercise, each within the limits.
    let one = &zeros[..1 << 20];
    let many: Vec<String> = (0..45).map(|n| format!("{n}/blocks.cu")).collect();
    let all: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), one)).collect();
    assert_eq!(
        archive_with("a.zip", &zip_of(&all), &limits),
        Err(Reason::Total(40 << 20).to_string())
    );
    let many: Vec<String> = (0..51).map(|n| format!("{n}.txt")).collect();
    let all: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    assert_eq!(archive_with("a.zip", &zip_of(&all), &limits), Err(Reason::Entries(50).to_string()));
    let members: Vec<Vec<u8>> =
        many.iter().map(|name| member(name.as_bytes(), b'0', b"")).collect();
    assert_eq!(
        archive_with("a.tar", &tar_of(&members), &limits),
        Err(Reason::Entries(50).to_string())
    );
    let root = tempfile::tempdir().unwrap();
    many.iter().for_each(|name| fs::write(root.path().join(name), "").unwrap());
    assert_eq!(read_with(root.path(), &limits).unwrap_err().reason, Reason::Entries(50));
    fs::create_dir_all(root.path().join("d/".repeat(40))).unwrap();
    assert_eq!(read_it(root.path()).unwrap_err().reason, Reason::Depth(32));
    let small = Limits { archive: 10, ..limits };
    assert_eq!(archive_with("a.zip", &zip_of(&[]), &small), Err(Reason::Archive(10).to_string()));
}

/// David Fifield's bomb in its simplest form: two entries of the directory point at one local
/// header.
#[test]
fn overlapping_entries() {
    let mut zip = zip_of(&[("blocks.cu", b"the same bytes"), ("guardx.cu", b"the same bytes")]);
    let at: Vec<usize> =
        (0..zip.len() - 4).filter(|at| zip[*at..].starts_with(b"PK\x01\x02")).collect();
    let (first, second) = (at[0], at[1]);
    let offset: [u8; 4] = zip[first + 42..first + 46].try_into().unwrap();
    zip[second + 42..second + 46].copy_from_slice(&offset);
    insta::assert_snapshot!(archive("bomb.zip", &zip).unwrap_err(), @"its entries `blocks.cu` and `guardx.cu` share the same bytes, as in an archive that was made to explode");
}

/// A program that unpacks itself has something before the archive.
#[test]
fn something_before_the_archive() {
    let zip = [b"MZ a program".as_slice(), &zip_of(&[("blocks.cu", b"B")])].concat();
    // The offsets in it are wrong by as much, and still nothing is read that is not there.
    assert!(archive("a.zip", &zip).is_ok_and(|submitted| submitted.files[0].bytes == b"B"));
}

/// Archives directly in a folder are read beside its files; archives within archives are not.
#[test]
fn archives_in_folders() {
    let inner = zip_of(&[("blocks.cu", b"inner")]);
    let root = folder(&[("notes.txt", "hello")]);
    fs::write(root.path().join("hw.zip"), &inner).unwrap();
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(files(&submitted), [("blocks", "hw.zip/blocks.cu", "inner")]);
    assert_eq!(submitted.id_hint, root.path().file_name().unwrap().to_str().unwrap());
    fs::write(root.path().join("hw2.zip"), &inner).unwrap();
    assert_eq!(files(&read_it(root.path()).unwrap()), [("blocks", "hw.zip/blocks.cu", "inner")]);
    fs::write(root.path().join("blocks.cu"), "other").unwrap();
    fs::write(root.path().join("broken.zip"), "PK").unwrap();
    let submitted = read_it(root.path()).unwrap();
    assert_eq!(files(&submitted), [("blocks", "blocks.cu", "other")]);
    assert_eq!(
        notes(&submitted)[0],
        "other-file blocks: `hw.zip/blocks.cu` was not graded, because `blocks.cu` was: it lies in more folders"
    );
    assert!(submitted.ignored.iter().any(|line| line.starts_with("broken.zip: ")));
    assert_eq!(
        archive("a.zip", &zip_of(&[("hw.zip", &inner)])),
        Err(Reason::NoExercise.to_string())
    );
}

/// The list of other files does not grow with what is sent.
#[test]
fn ignored_is_capped() {
    let names: Vec<String> = (0..150).map(|n| format!("{n:03}.txt")).collect();
    let mut all: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    all.push(("blocks.cu", b"B"));
    let submitted = archive("a.zip", &zip_of(&all)).unwrap();
    assert_eq!(submitted.ignored.len(), 101);
    assert_eq!(submitted.ignored[100], "and 50 more");
}

/// Bytes reach the result unchanged.
#[test]
fn bytes_stay_as_they_are() {
    let bytes = b"\xef\xbb\xbfint a;\r\n// caf\xe9\0";
    let submitted = archive("a.zip", &zip_of(&[("blocks.cu", bytes)])).unwrap();
    assert_eq!(submitted.files[0].bytes, bytes);
    let record = submitted.files[0].to_record();
    assert_eq!((record.bytes, record.hash), (bytes.len() as u64, seed::sha256(bytes)));
}

#[test]
fn single_files_of_other_names() {
    let root = folder(&[("block.cu", "B"), ("essay.cu", "E")]);
    let of = |name: &str| read_it(&root.path().join(name)).unwrap_err().reason.to_string();
    assert_eq!(of("block.cu"), "no exercise has this file name; did you mean `blocks.cu`?");
    assert_eq!(of("essay.cu"), "no exercise has this file name");
    assert_eq!(of("none.cu"), "there is no such file or folder");
}

fn ids(found: &Found) -> Vec<&str> {
    found.submissions.iter().map(|place| place.id.as_str()).collect()
}

/// A folder of a class, as platforms export it.
#[test]
fn a_class() {
    let root = folder(&[
        ("ada/exercises/ch01_threads/blocks.cu", "B"),
        ("alan/blocks.cu", "B"),
        ("O'Neil, Zoë/x", ""),
        ("grace.zip", ""),
        ("edsger.tar.gz", ""),
        ("donald.rar", ""),
        ("tony/blocks.cu", ""),
        ("tony.zip", ""),
        ("grades.csv", ""),
        ("__MACOSX/x", ""),
        (".DS_Store", ""),
    ]);
    let found =
        many(&[root.path().to_path_buf(), root.path().join("ada/")], &Search::by_id(&course()));
    assert_eq!(ids(&found), ["O'Neil, Zoë", "ada", "alan", "donald", "edsger", "grace"]);
    let relative = |line: &str| line.replace(root.path().to_str().unwrap(), "CLASS");
    let refused: Vec<String> =
        found.refused.iter().map(|one| format!("{}: {}", one.id, relative(&one.line))).collect();
    insta::assert_snapshot!(refused.join("\n"), @"tony: `tony` has 2 submissions (`CLASS/tony`, `CLASS/tony.zip`); keep one");
    let ignored: Vec<String> = found.ignored.iter().map(|one| relative(&one.path)).collect();
    assert_eq!(ignored, ["CLASS/grades.csv"]);
}

/// A student may be called like the folder of the class.
#[test]
fn a_student_called_like_the_class() {
    let root = folder(&[
        ("class/ada/blocks.cu", "A"),
        ("class/bob/blocks.cu", "B"),
        ("class/class/blocks.cu", "C"),
    ]);
    let found = many(&[root.path().join("class")], &Search::by_id(&course()));
    assert_eq!(ids(&found), ["ada", "bob", "class"]);
}

/// A group's submission is one of each member, under the name of any. Two of them are refused
/// for all members, because only the instructor knows which one counts.
#[test]
fn groups_submit_together() {
    let root = folder(&[
        ("team 1/blocks.cu", "B"),
        ("dora/blocks.cu", "B"),
        ("eve/blocks.cu", "B"),
        ("frank/blocks.cu", "B"),
        ("alone/blocks.cu", "B"),
    ]);
    let text =
        "group,id\nteam 1,ada\nteam 1,bob\nteam 2,dora\nteam 2,carl\nteam 3,eve\nteam 3,frank\n";
    let groups = crate::groups::Groups::parse(text.as_bytes(), None).unwrap();
    let course = course();
    let search = Search { groups: Some(&groups), ..Search::by_id(&course) };
    let found = many(&[root.path().to_path_buf()], &search);
    assert_eq!(ids(&found), ["ada", "alone", "bob", "carl", "dora"]);
    let of = |id: &str| found.submissions.iter().find(|place| place.id == id).unwrap();
    assert_eq!(of("ada").parts, of("bob").parts);
    assert_eq!(of("carl").group.as_ref().unwrap().members, ["dora", "carl"]);
    assert_eq!(of("alone").group, None);
    let refused: Vec<(&str, bool)> = found
        .refused
        .iter()
        .map(|one| (one.id.as_str(), one.line.starts_with("the group `team 3` has 2 submissions")))
        .collect();
    assert_eq!(refused, [("eve", true), ("frank", true)]);
}

/// One submission, or a folder of them: by what lies directly in it.
#[test]
fn one_or_many() {
    let root = folder(&[
        ("one/exercises/ch01_threads/blocks.cu", "B"),
        ("two/ch01_threads/blocks.cu", "B"),
        ("three/blocks.cu", "B"),
        ("class/ada/repo-main/exercises/ch01_threads/blocks.cu", "B"),
        ("class/ada/notes", ""),
        ("empty/notes", ""),
        ("single/guard.cu", "G"),
    ]);
    let at = |names: &[&str]| {
        let paths: Vec<PathBuf> = names.iter().map(|name| root.path().join(name)).collect();
        many(&paths, &Search::by_id(&course()))
    };
    assert_eq!(ids(&at(&["one", "two", "three", "class"])), ["ada", "one", "three", "two"]);
    assert_eq!(ids(&at(&["single/guard.cu"])), ["guard"]);
    // only a whole class shows which students submitted nothing
    assert!(at(&["class"]).is_class && at(&["one", "class"]).is_class);
    assert!(!at(&["one"]).is_class && !at(&["one", "two"]).is_class);
    assert!(!at(&["class", "none"]).is_class, "more may be in what could not be looked into");
    let found = at(&["empty", "none", "one", "one"]);
    assert_eq!(ids(&found), ["one"]);
    let lines: Vec<&str> =
        found.refused.iter().map(|one| one.line.rsplit("`: ").next().unwrap()).collect();
    assert_eq!(lines, [Reason::NoExercise.to_string(), Reason::Missing.to_string()]);
}

/// Names with line ends and of no encoding.
#[cfg(target_os = "linux")]
#[test]
fn names_of_students() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let root = folder(&[("a\nb/blocks.cu", "B")]);
    fs::create_dir(root.path().join(OsStr::from_bytes(b"caf\xe9"))).unwrap();
    let found = many(&[root.path().to_path_buf()], &Search::by_id(&course()));
    assert_eq!(ids(&found), ["ab", "caf\\xe9"]);
    let submitted = read(&found.submissions[0], &course(), &Limits::default()).unwrap();
    assert_eq!(submitted.id_hint, "ab");
}

fn any_path() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "exercises/ch01_threads/blocks.cu", "ch01_threads/blocks.cu", "blocks.cu", "a/guard.cu", "x/exercises/ch04_shared/transpose.cu",
            "solutions/ch04_shared/transpose.cu", "README.md", "a/", "./guard.cu", "a\\blocks.cu",
        ]).prop_map(str::to_owned),
        1 => "[a-z./\\\\:]{0,20}",
    ]
}

fn any_files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    prop::collection::vec((any_path(), prop::collection::vec(any::<u8>(), 0..400)), 0..8)
}

/// Properties of every result.
fn check(answer: Result<Submitted, String>, limits: &Limits) -> Result<(), TestCaseError> {
    match answer {
        Ok(submitted) => {
            prop_assert!(submitted.files.len() + submitted.notes.len() >= 1);
            let mut ids: Vec<&str> =
                submitted.files.iter().map(|file| file.exercise.as_str()).collect();
            prop_assert!(submitted.files.iter().all(|file| file.bytes.len() as u64 <= limits.file));
            ids.dedup();
            prop_assert_eq!(ids.len(), submitted.files.len());
            prop_assert!(submitted.ignored.len() <= limits.ignored + 1);
            prop_assert!(submitted.ignored.iter().all(|name| !name.contains(char::is_control)));
        }
        Err(line) => prop_assert!(!line.contains(char::is_control), "{}", line),
    }
    Ok(())
}

fn damaged(
    mut bytes: Vec<u8>,
    changes: &[(prop::sample::Index, u8)],
    cut: Option<prop::sample::Index>,
) -> Vec<u8> {
    for (at, to) in changes {
        let at = at.index(bytes.len().max(1));
        if let Some(byte) = bytes.get_mut(at) {
            *byte = *to;
        }
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len() + 1));
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// However an archive is damaged, the answer is files within the limits or one line.
    #[test]
    fn any_archive(
        files in any_files(),
        form in 0..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        inside in any::<bool>(),
    ) {
        let limits = Limits { file: 300, entries: 6, total: 2000, path: 64, ..Limits::default() };
        let zip: Vec<(&str, &[u8])> = files.iter().map(|(path, data)| (path.as_str(), data.as_slice())).collect();
        let (name, bytes) = match form {
            0 => ("a.zip", damaged(zip_of(&zip), &changes, cut)),
            _ => {
                let members: Vec<Vec<u8>> = files.iter().map(|(path, data)| member(path.as_bytes(), b'0', data)).collect();
                let tar = tar_of(&members);
                match (form, inside) {
                    (1, _) => ("a.tar", damaged(tar, &changes, cut)),
                    (_, true) => ("a.tgz", gzip(&damaged(tar, &changes, cut))),
                    _ => ("a.tgz", damaged(gzip(&tar), &changes, cut)),
                }
            }
        };
        check(archive_with(name, &bytes, &limits), &limits)?;
    }

    /// Headers of tar with anything in them, their checksum right.
    #[test]
    fn any_tar_header(
        path in any_path(), kind in prop::sample::select(b"\x0001234567LKxgSVNMD".to_vec()), size in any::<u64>(),
        base256 in any::<bool>(), data in prop::collection::vec(any::<u8>(), 0..600), text in "[0-9]{1,3} (path|size|GNU.sparse.major)=[a-z./0-9]{0,30}\n",
    ) {
        let limits = Limits { file: 300, entries: 6, total: 4000, path: 64, ..Limits::default() };
        let mut first = header(path.as_bytes(), kind, size & 0o77_777_777_777);
        if base256 {
            first[124] = 0x80;
            first[128..136].copy_from_slice(&size.to_be_bytes());
            first[148..156].copy_from_slice(b"        ");
            let sum: u32 = first.iter().map(|byte| u32::from(*byte)).sum();
            first[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        }
        let tar = tar_of(&[first.to_vec(), data, member(b"blocks.cu", b'0', b"B")]);
        check(archive_with("a.tar", &tar, &limits), &limits)?;
        let tar = tar_of(&[member(path.as_bytes(), kind, text.as_bytes()), member(b"blocks.cu", b'0', b"B")]);
        check(archive_with("a.tar", &tar, &limits), &limits)?;
    }

    /// Bytes that only begin like an archive.
    #[test]
    fn any_bytes(start in prop::sample::select(vec!["PK\x03\x04", "PK\x05\x06", "\x1f", ""]), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let limits = Limits::default();
        let mut all = start.as_bytes().to_vec();
        all.extend(bytes);
        for name in ["a.zip", "a.tar", "a.tgz", "a"] {
            check(archive_with(name, &all, &limits), &limits)?;
        }
    }
}

/// The ids of the submissions that arguments name, each with its path below the root.
fn ids_of(root: &Path, arguments: &[&str], students: &[&str]) -> (Vec<(String, String)>, bool) {
    let list = format!("id\n{}\n", students.join("\n"));
    let roster = Roster::parse(list.as_bytes(), None, None).unwrap();
    let course = course();
    let roster = (!students.is_empty()).then_some(&roster);
    let search = Search { roster, ..Search::by_id(&course) };
    let paths: Vec<PathBuf> = arguments.iter().map(|name| root.join(name)).collect();
    let found = many(&paths, &search);
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    let of = |place: &SubmissionPath| {
        let path = place.parts[0].path.strip_prefix(root).unwrap();
        (place.id.clone(), path.display().to_string())
    };
    (found.submissions.iter().map(of).collect(), found.is_class)
}

/// A folder that is called like a student is that student's, whatever is in it, so no student can
/// hand in another's file.
#[test]
fn no_student_is_graded_as_another() {
    let root = folder(&[
        ("subs/bob/guard.cu", "B"),
        ("subs/ada/guard.cu", "A"),
        ("subs/mallory/bob/guard.cu", "M"),
        ("subs/trent/ada/guard.cu", "T"),
        ("subs/trent/bob/guard.cu", "T"),
        ("mallory/bob/guard.cu", "M"),
    ]);
    let class = ["ada", "bob", "mallory", "eve"];
    let own = |id: &str| (id.to_owned(), format!("subs/{id}"));
    let of = |arguments: &[&str], students: &[&str]| ids_of(root.path(), arguments, students);
    assert_eq!(
        of(&["mallory"], &class),
        (vec![("mallory".to_owned(), "mallory".to_owned())], false)
    );
    // a student who is not on the roster, beside two who are
    assert_eq!(of(&["subs/trent"], &class), (vec![own("trent")], false));
    // a shell's `subs/*`, with a roster and without
    let all = ["ada", "bob", "mallory", "trent"].map(own).to_vec();
    let glob = ["subs/ada", "subs/bob", "subs/mallory", "subs/trent"];
    assert_eq!(of(&glob, &class), (all.clone(), false));
    assert_eq!(of(&glob[..3], &[]), (all[..3].to_vec(), false));
    // the folder of the class stays one, also beside a folder that is called like a student
    assert_eq!(of(&["subs"], &class), (all, true));
}

/// Two folders of classes are two classes.
#[test]
fn several_classes_are_given() {
    let root = folder(&[("one/ada/guard.cu", "A"), ("two/bob/guard.cu", "B")]);
    let (found, is_class) = ids_of(root.path(), &["one", "two"], &[]);
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!((ids, is_class), (vec!["ada", "bob"], true));
}
