//! A provider, read and found right.

use crate::{krate::Krate, lent::Lent};

/// One `#[provide]`.
pub(crate) struct Provider {
    pub(crate) krate: Krate,
    /// What it borrows of other providers, in order.
    pub(crate) needs: Vec<Lent>,
}
