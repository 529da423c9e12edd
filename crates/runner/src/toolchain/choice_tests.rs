//! The choice as a table.

use super::*;
use crate::toolchain::Origin;

/// A toolkit of this version; `with_nvcc` is false for a library of the loader.
fn toolkit(version: &str, with_nvcc: bool) -> Toolchain {
    let root = format!("/opt/cuda-{version}");
    Toolchain {
        nvrtc: format!("{root}/lib64/libnvrtc.so").into(),
        builtins: None,
        include: None,
        headers: vec![],
        nvcc: with_nvcc.then(|| format!("{root}/bin/nvcc").into()),
        version: version.to_owned(),
        origin: if with_nvcc { Origin::Usual } else { Origin::Loader },
    }
}

/// A pick in words: `12.4.127` was found, `+12.4` has to be installed.
fn words(pick: Pick<'_>) -> String {
    match pick {
        Pick::Found(toolchain) => toolchain.version.clone(),
        Pick::Install(pins) => format!("+{}", pins.release),
    }
}

/// The compilers for kernels and for programs, and where programs run if there is a GPU.
fn chosen(device: Option<Device>, found: &[Toolchain], wanted: Option<&str>) -> String {
    let wanted = wanted.map(|text| Wanted::parse(text).expect("a version"));
    match (Situation { device, found, wanted }).plan() {
        Ok(plan) => {
            let simulated = if plan.programs_off_gpu.is_some() { " simulated" } else { "" };
            format!("{} {}{simulated}", words(plan.kernels), words(plan.programs))
        }
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
    }
}

const fn device(driver: (u32, u32), capability: (u32, u32)) -> Option<Device> {
    Some(Device { driver: Version::new(driver.0, driver.1), capability })
}

const H200: Option<Device> = device((13, 0), (9, 0));
/// Google Colab's GPU with its older driver.
const T4: Option<Device> = device((12, 4), (7, 5));
/// CUDA 13 compiles nothing for it, although its newest driver is one for CUDA 13.
const PASCAL: Option<Device> = device((13, 0), (6, 1));
const VOLTA: Option<Device> = device((12, 8), (7, 0));

#[test]
fn the_table() {
    let all = |versions: &[&str]| -> Vec<Toolchain> {
        versions.iter().map(|version| toolkit(version, true)).collect()
    };
    type Row = (Option<Device>, &'static [&'static str], &'static str);
    let table: [Row; 32] = [
        // without a GPU, CUDA 13 is the default, and an older toolkit saves a download
        (None, &[], "+13.0 +13.0"),
        (None, &["13.0.88"], "13.0.88 13.0.88"),
        (None, &["12.4.127", "13.0.88"], "13.0.88 13.0.88"),
        (None, &["12.9.86", "12.4.127"], "12.9.86 12.9.86"),
        (None, &["12.3.107"], "+13.0 +13.0"),
        (None, &["14.0.1"], "+13.0 +13.0"),
        (None, &["12.3.107", "14.0", "12.4.127"], "12.4.127 12.4.127"),
        // a driver for CUDA 13
        (H200, &[], "+13.0 +13.0"),
        (H200, &["12.4.127"], "12.4.127 12.4.127"),
        (H200, &["12.4.127", "13.0.88"], "13.0.88 13.0.88"),
        (H200, &["13.1.80"], "+13.0 +13.0"),
        (H200, &["13.1.80", "12.8.93"], "12.8.93 12.8.93"),
        (device((13, 1), (9, 0)), &["13.1.80", "13.0.88"], "13.1.80 13.1.80"),
        // a driver for CUDA 12.4
        (T4, &[], "+12.4 +13.0 simulated"),
        (T4, &["13.0.88"], "+12.4 13.0.88 simulated"),
        // machine code of another 12.x runs there, PTX does not
        (T4, &["12.5.82"], "+12.4 12.5.82"),
        (T4, &["12.4.131"], "12.4.131 12.4.131"),
        (T4, &["13.0.88", "12.5.82", "12.4.131"], "12.4.131 12.4.131"),
        (T4, &["12.3.107"], "+12.4 +13.0 simulated"),
        (device((12, 9), (7, 5)), &["12.5.82", "12.4.131"], "12.5.82 12.5.82"),
        (device((12, 6), (12, 0)), &[], "+12.4 +13.0 simulated"),
        (device((12, 6), (12, 0)), &["12.8.93"], "+12.4 12.8.93 simulated"),
        // GPUs that CUDA 13 does not compile for, with any driver
        (PASCAL, &[], "+12.4 +13.0 simulated"),
        (PASCAL, &["13.0.88"], "+12.4 13.0.88 simulated"),
        (PASCAL, &["13.0.88", "12.9.86"], "12.9.86 12.9.86"),
        (VOLTA, &["13.0.88", "12.9.86"], "+12.4 12.9.86"),
        (VOLTA, &["12.8.93"], "12.8.93 12.8.93"),
        (device((12, 8), (6, 0)), &["12.4.131"], "12.4.131 12.4.131"),
        (device((13, 0), (7, 2)), &[], "+12.4 +13.0 simulated"),
        (device((13, 0), (7, 5)), &[], "+13.0 +13.0"),
        // the version is compared as numbers, and without the third one
        (device((13, 10), (9, 0)), &["13.9.1"], "13.9.1 13.9.1"),
        (device((13, 0), (9, 0)), &["13"], "13 13"),
    ];
    for (device, versions, expected) in table {
        assert_eq!(chosen(device, &all(versions), None), expected, "{device:?} {versions:?}");
    }
}

/// NVRTC without nvcc compiles kernels, and another toolkit compiles programs.
#[test]
fn programs_may_have_a_compiler_of_their_own() {
    let library = toolkit("12.4.127", false);
    let with = |version: &str| vec![library.clone(), toolkit(version, true)];
    assert_eq!(chosen(T4, &with("12.4.131"), None), "12.4.127 12.4.131");
    assert_eq!(chosen(T4, &with("13.0.88"), None), "12.4.127 13.0.88 simulated");
    assert_eq!(chosen(T4, std::slice::from_ref(&library), None), "12.4.127 +13.0 simulated");
    // CUDA 13 is installed for the programs, so it also compiles the kernels
    assert_eq!(chosen(None, std::slice::from_ref(&library), None), "+13.0 +13.0");
    assert_eq!(chosen(H200, std::slice::from_ref(&library), None), "+13.0 +13.0");
}

/// The version that a user asks for is used, or the error says why it cannot be.
#[test]
fn a_user_may_choose_the_version() {
    let found = [toolkit("13.0.88", true), toolkit("12.9.86", true), toolkit("12.4.131", true)];
    let newest = &found[..1];
    assert_eq!(chosen(None, &found, Some("12.4")), "12.4.131 12.4.131");
    assert_eq!(chosen(None, &found, Some("12")), "12.9.86 12.9.86");
    assert_eq!(chosen(H200, &found, Some("12.9")), "12.9.86 12.9.86");
    assert_eq!(chosen(None, newest, Some("12.4")), "+12.4 13.0.88");
    assert_eq!(chosen(H200, newest, Some("12.4")), "+12.4 13.0.88");
    assert_eq!(chosen(None, &[], Some("13")), "+13.0 +13.0");
    let refused = |device, version| chosen(device, newest, Some(version));
    assert_eq!(
        refused(T4, "13"),
        "CUDA_WORKBOOK_CUDA=13 cannot be used: CUDA 13 is newer than the GPU's driver, which takes CUDA 12.4"
    );
    assert_eq!(
        refused(PASCAL, "13.0"),
        "CUDA_WORKBOOK_CUDA=13.0 cannot be used: CUDA 13.0 has no code for compute capability 6.1"
    );
    for version in ["12.6", "11.8", "14"] {
        assert_eq!(
            refused(None, version),
            format!(
                "CUDA_WORKBOOK_CUDA={version} cannot be used: no such compiler was found, and only 13.0 and 12.4 can \
                 be installed"
            )
        );
    }
}

/// What `doctor` shows.
#[test]
fn every_choice_has_a_reason() {
    let found = [toolkit("12.3.107", true), toolkit("14.0", true), toolkit("13.0.88", true)];
    let plan = Situation { device: T4, found: &found, wanted: None }.plan().expect("a plan");
    assert_eq!(plan.reason, "the driver takes CUDA 12.4 and older");
    assert_eq!(
        plan.programs_off_gpu.as_deref(),
        Some("nvcc 13.0 is newer than the GPU's driver, which takes CUDA 12.4")
    );
    // CUDA 13.0 is not listed, because it compiles the programs.
    assert_eq!(
        plan.passed_over,
        [
            "CUDA 12.3.107 in /opt/cuda-12.3.107/lib64 is older than 12.4, the oldest version that works here",
            "CUDA 14.0 in /opt/cuda-14.0/lib64 is newer than CUDA 13, the newest that works here",
        ]
    );
    let reason = |device, wanted| {
        let wanted = Wanted::parse(wanted);
        Situation { device, found: &found, wanted }.plan().expect("a plan").reason
    };
    assert_eq!(reason(None, ""), "the default without a GPU");
    assert_eq!(reason(PASCAL, ""), "the GPU has compute capability 6.1, which needs CUDA 12");
    assert_eq!(reason(None, "13"), "CUDA_WORKBOOK_CUDA=13 asks for it");
}
