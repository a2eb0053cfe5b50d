//! What the runtime lends: made by the bot's `#[provide]` functions where first needed, once, and kept.

use crate::{
    registry::short,
    tool::{CallCx, Lend, Need, ProviderDef, Shared, ToolError},
};
use futures_util::FutureExt;
use std::{
    any::TypeId,
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::Mutex;

/// One per bot, and not per process: a pool dies with its test's runtime.
pub(crate) struct Provided {
    makers: HashMap<TypeId, Maker>,
    stand_ins: RwLock<HashMap<TypeId, Shared>>,
}

struct Maker {
    def: &'static ProviderDef,
    made: OnceLock<Shared>,
    /// Held while it is made: single flight. Inside, how the last try failed.
    flight: Mutex<Option<Arc<ToolError>>>,
    /// How many tries have failed, so that whoever waited for one shares its failure, and only the next call tries again.
    failed: AtomicU64,
}

impl Provided {
    pub(crate) fn new(providers: &[&'static ProviderDef]) -> Self {
        let maker = |def: &&'static ProviderDef| Maker {
            def,
            made: OnceLock::new(),
            flight: Mutex::default(),
            failed: AtomicU64::new(0),
        };
        let makers = providers.iter().map(|def| ((def.key)(), maker(def))).collect();
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
        if let Some(made) = maker.made.get() {
            return Ok(made.clone());
        }
        let before = maker.failed.load(Ordering::Acquire);
        let mut last = maker.flight.lock().await;
        if let Some(made) = maker.made.get() {
            return Ok(made.clone());
        }
        if let (Some(failure), true) = (&*last, maker.failed.load(Ordering::Acquire) > before) {
            return Err(ToolError::shared(failure.clone()));
        }
        match self.make(maker.def).await {
            Ok(made) => Ok(maker.made.get_or_init(|| made).clone()),
            Err(error) => {
                let failure = Arc::new(error);
                *last = Some(failure.clone());
                maker.failed.fetch_add(1, Ordering::Release);
                Err(ToolError::shared(failure))
            }
        }
    }

    async fn make(&self, def: &'static ProviderDef) -> Result<Shared, ToolError> {
        let mut cx = CallCx::with_capacity(def.needs.len());
        self.lend(def.needs, &mut cx).await?;
        if !def.blocking {
            return (def.make)(&cx).await;
        }
        let made = tokio::task::spawn_blocking(move || (def.make)(&cx).now_or_never());
        match made.await {
            Ok(made) => made.unwrap_or_else(|| Err("a provider that is no `async fn` waited: a bug in bdk".into())),
            // the calling tool's guard tells of it, as of any panic
            Err(error) => match error.try_into_panic() {
                Ok(payload) => std::panic::resume_unwind(payload),
                Err(_) => Err("the bot stops".into()),
            },
        }
    }
}
