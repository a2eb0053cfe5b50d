//! What the runtime lends: made by the bot's `#[provide]` functions where first needed, once, and kept.

use crate::{
    registry::short,
    tool::{CallCx, Lend, Need, ProviderDef, Shared, ToolError},
};
use std::{
    any::TypeId,
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::{Arc, PoisonError, RwLock},
};
use tokio::sync::OnceCell;

/// One per bot, and not per process: a pool dies with its test's runtime.
pub(crate) struct Provided {
    makers: HashMap<TypeId, Maker>,
    stand_ins: RwLock<HashMap<TypeId, Shared>>,
}

struct Maker {
    def: &'static ProviderDef,
    made: OnceCell<Shared>,
}

impl Provided {
    pub(crate) fn new(providers: &[&'static ProviderDef]) -> Self {
        let makers = providers.iter().map(|def| ((def.key)(), Maker { def, made: OnceCell::new() })).collect();
        Self { makers, stand_ins: RwLock::default() }
    }

    /// A test's stand-in, which wins over the provider.
    pub(crate) fn stand_in<T: Lend>(&self, value: T) {
        let mut stand_ins = self.stand_ins.write().unwrap_or_else(PoisonError::into_inner);
        stand_ins.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Puts everything that is needed into `cx`, making it where it is not there yet. Single flight; what failed is tried
    /// again by the next call.
    pub(crate) fn lend<'a>(
        &'a self,
        needs: &'static [Need],
        cx: &'a mut CallCx,
    ) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'a>> {
        // boxed, because a provider may need others
        Box::pin(async move {
            for need in needs {
                let key = (need.key)();
                if !cx.has(key) {
                    let value = self.get(key, need).await?;
                    cx.put(key, value);
                }
            }
            Ok(())
        })
    }

    async fn get(&self, key: TypeId, need: &Need) -> Result<Shared, ToolError> {
        let stand_in = self.stand_ins.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(value) = stand_in {
            return Ok(value);
        }
        let Some(maker) = self.makers.get(&key) else {
            // the start check refuses such a bot; a `TestBot` comes here when it was given no stand-in
            let ty = short((need.type_name)());
            return Err(
                format!("nobody provides `{ty}` ({}): write a `#[provide]` function that makes one", need.at).into()
            );
        };
        let made = maker.made.get_or_try_init(|| async {
            let mut cx = CallCx::with_capacity(maker.def.needs.len());
            self.lend(maker.def.needs, &mut cx).await?;
            (maker.def.make)(&cx).await
        });
        made.await.cloned()
    }
}
