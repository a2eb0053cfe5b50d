//! The bots of `examples/`, built.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// A built example. Cargo builds no other package's program for a test, so that is asked of it here: with the features and in
/// the profile that the tests are built with, and so mostly what is there already.
///
/// # Panics
/// When it cannot be built.
#[track_caller]
pub fn built(name: &str) -> String {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        // TARGET/PROFILE/deps/TEST; not Cargo's own variables: the tests may be run by hand
        let test = std::env::current_exe().expect("a path");
        let profile = test.ancestors().nth(2).expect("a profile's folder");
        let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
        cargo.args(["build", "--workspace", "--features", "bdk/cli,bdk/postgres"]);
        cargo.args(["--bin", "repo-scout", "--bin", "concierge"]);
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        cargo.arg("--target-dir").arg(profile.parent().expect("a target folder"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        // what cargo says of this package is not for the build of another
        let of_package = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
        for (name, _) in std::env::vars_os() {
            if of_package.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
                cargo.env_remove(name);
            }
        }
        let built = cargo.output().expect("cargo runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        profile.to_owned()
    });
    text(&folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path of plain text").to_owned()
}
