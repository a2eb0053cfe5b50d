//! Nothing to build: cargo wants a build script where a manifest has `links`, which is what refuses two versions of this crate.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
