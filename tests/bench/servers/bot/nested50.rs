//! Fifty fields in five groups.

use crate::shapes::{Parcel, Party, Payment, Summary, Terms};
use bdk::prelude::*;

/// Sum up an order.
#[tool(effect = "read")]
async fn nested50(
    /// Who buys.
    buyer: Party,
    /// Who sells.
    seller: Party,
    /// What is sent.
    parcel: Parcel,
    /// How it is paid.
    payment: Payment,
    /// Dates and remarks.
    terms: Terms,
) -> Result<Summary> {
    Ok(Summary::of(&buyer, &seller, &parcel, &payment, &terms))
}
