//! What only this store does: a folder that outlives its process, and what can be wrong with one.

use super::*;
use crate::store::conformance;

#[tokio::test(flavor = "multi_thread")]
async fn it_does_what_every_store_does() {
    let folder = tempfile::tempdir().unwrap();
    conformance::holds(Arc::new(Sqlite::open(folder.path(), Access::Write).unwrap())).await;
}
