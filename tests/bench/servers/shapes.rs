//! The input and output types of both servers: the bot and the bare handler read and write the same JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the small tool answers.
#[derive(Serialize, JsonSchema)]
pub struct Inspection {
    pub repository: String,
    pub branch: String,
    pub checks: u32,
    pub ready: bool,
}

impl Inspection {
    pub fn of(repository: String, branch: String) -> Inspection {
        Inspection { checks: 2, ready: branch == "main", repository, branch }
    }
}

/// A company that buys or sells.
#[derive(Deserialize, JsonSchema)]
pub struct Party {
    pub name: String,
    pub email: String,
    pub street: String,
    pub city: String,
    pub postcode: String,
    pub country: String,
    pub phone: Option<String>,
    pub vat_number: Option<String>,
    pub customer_since: u32,
    pub active: bool,
}

/// What is sent.
#[derive(Deserialize, JsonSchema)]
pub struct Parcel {
    pub width_mm: u32,
    pub height_mm: u32,
    pub depth_mm: u32,
    pub grams: u32,
    pub fragile: bool,
    pub carrier: String,
    pub service: String,
    pub tracking: Option<String>,
    pub labels: Vec<String>,
    pub insured_for: f64,
}

/// How it is paid.
#[derive(Deserialize, JsonSchema)]
pub struct Payment {
    pub currency: String,
    pub net: f64,
    pub tax: f64,
    pub gross: f64,
    pub method: Method,
    pub due_days: u32,
    pub reference: String,
    pub iban: String,
    pub bic: String,
    pub reminders: u32,
}

/// By which way the money comes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Transfer,
    Card,
    Cash,
}

/// The dates and remarks of an order.
#[derive(Deserialize, JsonSchema)]
pub struct Terms {
    pub ordered: String,
    pub promised: String,
    pub shipped: Option<String>,
    pub delivered: Option<String>,
    pub incoterm: String,
    pub language: String,
    pub priority: i64,
    pub gift: bool,
    pub remark: String,
    pub tags: Vec<String>,
}

/// What the nested tool answers.
#[derive(Serialize, JsonSchema)]
pub struct Summary {
    pub route: String,
    pub volume_cm3: u64,
    pub gross: f64,
    pub urgent: bool,
}

impl Summary {
    pub fn of(buyer: &Party, seller: &Party, parcel: &Parcel, payment: &Payment, terms: &Terms) -> Summary {
        let volume = u64::from(parcel.width_mm) * u64::from(parcel.height_mm) * u64::from(parcel.depth_mm) / 1000;
        Summary {
            route: format!("{} - {}", seller.city, buyer.city),
            volume_cm3: volume,
            gross: payment.net + payment.tax,
            urgent: terms.priority > 3,
        }
    }
}
