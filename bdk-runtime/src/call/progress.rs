//! What may stand for how far a call is: any number that an author has at hand.

mod sealed {
    pub trait Sealed {}
}

/// A number, for [`ToolContext::progress`](super::ToolContext::progress): every integer and float.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot say how far a call is",
    label = "not a number",
    note = "give an integer or a float"
)]
pub trait Amount: sealed::Sealed + Copy {
    #[doc(hidden)]
    fn amount(self) -> f64;
}

/// How much there is in all, for [`ToolContext::progress`](super::ToolContext::progress): a number, or `None` where nobody
/// knows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot say how much there is in all",
    label = "not a number",
    note = "give an integer, a float, `None` or an `Option<f64>` (`.map(|n| n as f64)`)"
)]
pub trait Total: sealed::Sealed {
    #[doc(hidden)]
    fn total(self) -> Option<f64>;
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl sealed::Sealed for $ty {}
        #[diagnostic::do_not_recommend]
        impl Amount for $ty {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, trivial_numeric_casts, reason = "a bar needs no more than 53 bits")]
            fn amount(self) -> f64 {
                self as f64
            }
        }
        #[diagnostic::do_not_recommend]
        impl Total for $ty {
            fn total(self) -> Option<f64> {
                Some(self.amount())
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

// this one alone, so that a bare `None` has a type
impl sealed::Sealed for Option<f64> {}
impl Total for Option<f64> {
    fn total(self) -> Option<f64> {
        self
    }
}
