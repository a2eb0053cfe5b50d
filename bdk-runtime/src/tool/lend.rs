//! What the runtime lends to a tool: every `&T` among its parameters.

use super::{At, BoxFuture, ToolError};
use std::{
    any::{Any, TypeId},
    sync::Arc,
};

/// Something made by a provider, its type forgotten.
pub type Shared = Arc<dyn Any + Send + Sync>;

/// What can be lent. Implemented for everything that threads may share.
#[diagnostic::on_unimplemented(
    message = "the runtime cannot lend a `&{Self}`",
    label = "not something the runtime can lend",
    note = "a reference is lent by the runtime and must be to a sized `Send + Sync + 'static` type that a `#[provide]` function makes",
    note = "what the caller supplies is owned: `String` instead of `&str`, `Vec<u8>` instead of `&[u8]`"
)]
pub trait Lend: Send + Sync + 'static {
    /// The value itself again.
    fn of(shared: &Shared) -> Option<&Self>;
}
#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Lend for T {
    fn of(shared: &Shared) -> Option<&Self> {
        shared.downcast_ref()
    }
}

/// One `&T` parameter.
pub struct Need {
    /// The type asked for.
    pub key: fn() -> TypeId,
    /// Its name, for messages.
    pub type_name: fn() -> &'static str,
    /// Where the parameter stands.
    pub at: At,
}

impl Need {
    /// A `&T` at this place. That it can be lent is asked once, by [`CallCx::lend`].
    pub const fn new<T: ?Sized + 'static>(at: At) -> Self {
        Self { key: TypeId::of::<T>, type_name: std::any::type_name::<T>, at }
    }
}

/// Everything one call borrows. What a tool needs is put here before it runs, so that lending cannot fail.
#[derive(Default)]
pub struct CallCx {
    lent: Vec<(TypeId, Shared)>,
}

impl CallCx {
    /// Room for a tool's needs.
    pub fn with_capacity(n: usize) -> Self {
        Self { lent: Vec::with_capacity(n) }
    }
    /// Puts one thing in.
    pub fn put(&mut self, key: TypeId, value: Shared) {
        self.lent.push((key, value));
    }
    /// Whether it is there already.
    pub fn has(&self, key: TypeId) -> bool {
        self.lent.iter().any(|(k, _)| *k == key)
    }
    /// Lends what was put in.
    ///
    /// # Panics
    /// When nothing of this type was put in: the registry's start check makes that a bug of bdk.
    #[track_caller]
    pub fn lend<T>(&self) -> &T
    where
        T: Lend + ?Sized,
    {
        let key = TypeId::of::<T>();
        let found = self.lent.iter().find(|(k, _)| *k == key).and_then(|(_, shared)| T::of(shared));
        found.unwrap_or_else(|| {
            panic!("`{}` was not resolved before the call: a bug in bdk", std::any::type_name::<T>())
        })
    }
    /// Lends it, if it is there.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let key = TypeId::of::<T>();
        self.lent.iter().find(|(k, _)| *k == key).and_then(|(_, v)| v.downcast_ref())
    }
}

/// The future of a provider.
pub type BoxMake<'a> = BoxFuture<'a, Result<Shared, ToolError>>;

/// One `#[provide]` function.
pub struct ProviderDef {
    /// The type it makes.
    pub key: fn() -> TypeId,
    /// Its name, for messages.
    pub type_name: fn() -> &'static str,
    /// What it borrows itself.
    pub needs: &'static [Need],
    /// The author's function.
    pub make: for<'a> fn(&'a CallCx) -> BoxMake<'a>,
    /// Whether it is a plain `fn`, which runs on the blocking pool; its future ends when it is first polled.
    pub blocking: bool,
    /// Where it stands.
    pub at: At,
}

/// What `#[provide]` submits.
pub struct ProviderRef(pub &'static ProviderDef);
inventory::collect!(ProviderRef);
