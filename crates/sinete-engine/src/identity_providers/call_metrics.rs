//! How providers answer, told to whoever counts it. Which provider it was is not told: figures hold nothing that somebody
//! wrote.

use crate::Engine;
use crate::ports::OutboundError;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What a provider is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderCallKind {
    /// What it says about itself.
    Description,
    /// What it says about whoever came back with a code.
    Token,
}

impl ProviderCallKind {
    /// Its name. It is part of our interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::Token => "token",
        }
    }
}

/// What came of asking a provider once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderCall {
    /// For what.
    pub kind: ProviderCallKind,
    /// Whether it answered, a description with 200.
    pub answered: bool,
    /// How long that took.
    pub duration: Duration,
}

/// Whoever counts.
#[derive(Default)]
pub(crate) struct ProviderCallObserver(OnceLock<fn(ProviderCall)>);

/// Has somebody told of everything that providers are asked from now on. The first one is.
pub fn set_call_observer(engine: &Engine, counts: fn(ProviderCall)) {
    let _ = engine.shared.provider_call_observer.0.set(counts);
}

/// What is asked of a provider, with what came of it told to whoever counts.
pub(super) async fn observe_call<T>(
    engine: &Engine,
    what: ProviderCallKind,
    asked: impl Future<Output = Result<T, OutboundError>>,
) -> Result<T, OutboundError> {
    #[expect(clippy::disallowed_methods, reason = "how long a provider took is counted, and decides nothing")]
    let began = Instant::now();
    let answered = asked.await;
    if let Some(counts) = engine.shared.provider_call_observer.0.get() {
        counts(ProviderCall { kind: what, answered: answered.is_ok(), duration: began.elapsed() });
    }
    answered
}
