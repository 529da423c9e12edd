//! The commands with which Linux distributions install what the workbook needs beside its compiler.

/// A package of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// Python 3 with pip.
    Python,
    /// pip for the Python that is installed.
    Pip,
    /// The C++ compiler g++.
    Cxx,
    /// g++ of this major version, beside another one.
    CxxVersion(u32),
}

/// The command that installs a package here; os-release(5) says which distribution this is.
pub fn install_command(package: Package) -> String {
    command(package, &std::fs::read_to_string("/etc/os-release").unwrap_or_default())
}

fn command(package: Package, release: &str) -> String {
    let value = |key: &str| {
        let line = release.lines().find_map(|l| l.strip_prefix(key))?;
        Some(line.trim_matches('"').to_owned())
    };
    let family =
        [value("ID="), value("ID_LIKE=")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let is = |name: &str| family.split_whitespace().any(|word| word == name);
    let (manager, names): (_, [&str; 3]) = if is("debian") || is("ubuntu") {
        ("apt install", ["python3-pip", "python3-pip", "g++"])
    } else if is("fedora") || is("rhel") || is("centos") {
        ("dnf install", ["python3-pip", "python3-pip", "gcc-c++"])
    } else if is("suse") || is("opensuse") {
        ("zypper install", ["python3-pip", "python3-pip", "gcc-c++"])
    } else if is("arch") {
        ("pacman -S", ["python", "python-pip", "gcc"])
    } else if is("alpine") {
        ("apk add", ["python3 py3-pip", "py3-pip", "g++"])
    } else {
        return elsewhere(package);
    };
    let name = match package {
        Package::Python => names[0].to_owned(),
        Package::Pip => names[1].to_owned(),
        Package::Cxx => names[2].to_owned(),
        Package::CxxVersion(version) if manager == "apt install" => format!("g++-{version}"),
        Package::CxxVersion(version) if manager == "zypper install" => format!("gcc{version}-c++"),
        // The other distributions have no fixed name for it.
        Package::CxxVersion(_) => return elsewhere(package),
    };
    format!("sudo {manager} {name}")
}

fn elsewhere(package: Package) -> String {
    match package {
        Package::Python | Package::Pip if cfg!(windows) => {
            "winget install Python.Python.3.13".to_owned()
        }
        Package::Python | Package::Pip => "see https://www.python.org/downloads".to_owned(),
        Package::Cxx => "install g++".to_owned(),
        Package::CxxVersion(version) => {
            format!("install g++ {version} under the name g++-{version}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_its_command() {
        let ubuntu = "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n";
        let rocky = "NAME=\"Rocky Linux\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
        let leap = "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n";
        assert_eq!(command(Package::Pip, ubuntu), "sudo apt install python3-pip");
        assert_eq!(command(Package::Cxx, ubuntu), "sudo apt install g++");
        assert_eq!(command(Package::CxxVersion(13), ubuntu), "sudo apt install g++-13");
        assert_eq!(command(Package::Cxx, rocky), "sudo dnf install gcc-c++");
        assert_eq!(command(Package::CxxVersion(13), rocky), "install g++ 13 under the name g++-13");
        assert_eq!(command(Package::CxxVersion(13), leap), "sudo zypper install gcc13-c++");
        assert_eq!(command(Package::Python, "ID=arch\n"), "sudo pacman -S python");
        assert_eq!(command(Package::Cxx, "ID=void\n"), "install g++");
    }
}
