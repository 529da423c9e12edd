//! Real failures of pip, each with the advice that fits.

use super::*;

/// What pip writes for every cause when it makes no second attempt.
const NO_MATCH: &str = "\
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvrtc==13.0.88 (from versions: none)
ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88
";

fn with_log(stderr: &str, log: &str) -> Error {
    explain(stderr, log, "exit status: 1".to_owned(), Path::new("/cache"))
}

fn explained(stderr: &str) -> Error {
    with_log(stderr, "")
}

#[test]
fn no_network() {
    let stderr = "\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by \
'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f2>: Failed to establish a new \
connection: [Errno -3] Temporary failure in name resolution')': /simple/nvidia-cuda-nvrtc/
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvrtc==13.0.88 (from versions: none)
ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88
";
    let error = explained(stderr);
    let expected = "pip could not reach its package index: Failed to establish a new connection: [Errno -3] Temporary \
                    failure in name resolution\n";
    assert!(matches!(error, Error::Offline { .. }), "{error:?}");
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn index_without_the_wheel() {
    let stderr = "\
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvrtc==13.0.88 (from versions: 12.9.86)
ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88
";
    assert!(matches!(explained(stderr), Error::NotOffered { .. }));
}

#[test]
fn altered_wheel() {
    let stderr = "\
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, \
please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.
    nvidia-cuda-crt==13.0.88 from https://example.org/nvidia_cuda_crt-13.0.88.whl:
";
    assert!(matches!(explained(stderr), Error::Hash));
}

#[test]
fn full_disk() {
    let stderr =
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n";
    let error = explained(stderr);
    assert!(matches!(error, Error::NoSpace { .. }));
    assert!(error.to_string().contains("CUDA_WORKBOOK_CACHE"));
}

/// Any other failure is shown in pip's words, without control characters.
#[test]
fn something_new() {
    let error = explained("one\n\nERROR: a \u{1b}[31mnew\u{7} failure\n").to_string();
    assert!(error.contains("pip: a [31mnew failure"), "{error}");
    assert!(!error.contains('\u{1b}'));
}

/// Without second attempts, only the log says that there is no network.
#[test]
fn no_network_and_no_second_attempt() {
    let log = "2026-11-26T09:40:00,608 Could not fetch URL https://index.example/simple/nvidia-cuda-nvrtc/: connection \
               error: HTTPSConnectionPool(host='index.example', port=443): Max retries exceeded with url: \
               /simple/nvidia-cuda-nvrtc/ (Caused by NewConnectionError('<HTTPSConnection object at 0x7f2d>: Failed to \
               establish a new connection: [Errno -3] Temporary failure in name resolution')) - skipping";
    let error = with_log(NO_MATCH, log);
    assert!(matches!(error, Error::Offline { .. }), "{error:?}");
    assert!(error.to_string().contains("index: Failed to establish a new connection: [Errno -3]"));
}

#[test]
fn a_proxy_that_wants_a_password_or_does_not_answer() {
    let log = "2026-11-26T09:40:04,670 Could not fetch URL https://index.example/simple/nvidia-cuda-nvrtc/: connection \
               error: HTTPSConnectionPool(host='index.example', port=443): Max retries exceeded with url: \
               /simple/nvidia-cuda-nvrtc/ (Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection \
               failed: 407 Proxy Authentication Required'))) - skipping";
    let error = with_log(NO_MATCH, log);
    assert!(matches!(error, Error::Proxy { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("Tunnel connection failed: 407 Proxy Authentication Required\n"),
        "{text}"
    );
    assert!(text.contains("export HTTPS_PROXY="), "{text}");

    let log = log.replace(
        "OSError('Tunnel connection failed: 407 Proxy Authentication Required')",
        "NewConnectionError('<HTTPSConnection object>: Failed to establish a new connection: [Errno 111] Connection refused')",
    );
    let text = with_log(NO_MATCH, &log).to_string();
    assert!(text.contains("proxy: Failed to establish a new connection: [Errno 111]"), "{text}");
}

#[test]
fn a_certificate_that_pip_does_not_trust() {
    let log = "2026-11-26T09:40:04,670 Could not fetch URL https://index.example/simple/nvidia-cuda-nvrtc/: There was a \
               problem confirming the ssl certificate: HTTPSConnectionPool(host='index.example', port=443): Max retries \
               exceeded with url: /simple/nvidia-cuda-nvrtc/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: \
               CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate \
               (_ssl.c:1006)'))) - skipping";
    let error = with_log(NO_MATCH, log);
    assert!(matches!(error, Error::Certificate { .. }), "{error:?}");
    assert!(error.to_string().contains("export PIP_CERT="), "{error}");
}

/// An index of the user's own is named, with what it answered.
#[test]
fn an_index_of_the_users_own() {
    let place = "2026-11-26T09:40:02,270 Looking in indexes: https://mirror.example/simple\n";
    let missing = "2026-11-26T09:40:02,282 Could not fetch URL https://mirror.example/simple/nvidia-cuda-nvrtc/: 404 \
                   Client Error: Not Found for url: https://mirror.example/simple/nvidia-cuda-nvrtc/ - skipping\n";
    let unknown = "2026-11-26T09:39:59,346 Could not fetch URL https://mirror.example/simple/nvidia-cuda-nvrtc/: \
                   connection error: HTTPSConnectionPool(host='mirror.example', port=443): Max retries exceeded with url: \
                   /simple/nvidia-cuda-nvrtc/ (Caused by NewConnectionError('<HTTPSConnection object>: Failed to \
                   establish a new connection: [Errno -2] Name or service not known')) - skipping\n";
    for (log, detail) in [
        (missing, "404 Client Error: Not Found"),
        (unknown, "Failed to establish a new connection: [Errno -2] Name or service not known"),
        ("", "Could not find a version"),
    ] {
        let error = with_log(NO_MATCH, &format!("{place}{log}"));
        assert!(matches!(error, Error::Index { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(&format!("https://mirror.example/simple: {detail}")), "{text}");
    }
}

/// A folder of wheels is named as an index is.
#[test]
fn a_folder_without_the_wheels() {
    let log = "2026-11-26T09:40:05,283 Ignoring indexes: https://index.example/simple\n\
               2026-11-26T09:40:05,295 Looking in links: /media/wheels\n";
    let error = with_log(NO_MATCH, log);
    assert!(matches!(&error, Error::Index { index, .. } if index == "/media/wheels"), "{error:?}");
}

/// The index has the package, but this pip takes none of its wheels.
#[test]
fn wheels_of_other_systems() {
    let log = "2026-11-26T09:40:03,570   Skipping link: none of the wheel's tags \
               (py3-none-manylinux2014_x86_64) are compatible (run pip debug --verbose to show compatible tags): \
               https://index.example/nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2014_x86_64.whl\n";
    assert!(matches!(with_log(NO_MATCH, log), Error::OtherSystem), "{:?}", with_log(NO_MATCH, log));
    // Other versions that fit make it a question of the index.
    let stderr = NO_MATCH.replace("from versions: none", "from versions: 12.9.86");
    assert!(matches!(with_log(&stderr, log), Error::NotOffered { .. }));
}
