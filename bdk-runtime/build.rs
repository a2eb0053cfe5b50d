//! Tells the crate for which platform it is built. That there is a build script is also what cargo wants where a manifest has
//! `links`, which is what refuses two versions of this crate.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=BDK_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
