//! Metrics of requests to identity providers. They do not identify the provider: metrics contain no user
//! input.

use crate::Engine;
use crate::ports::OutboundError;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderCallKind {
    /// A metadata request.
    Metadata,
    /// A token request.
    Token,
    /// A userinfo request.
    Userinfo,
}

impl ProviderCallKind {
    /// The name, which is part of the public interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metadata => "description",
            Self::Token => "token",
            Self::Userinfo => "userinfo",
        }
    }
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderCall {
    /// The kind.
    pub kind: ProviderCallKind,
    /// Whether the provider responded; metadata requests need a 200.
    pub is_answered: bool,
    /// The duration.
    pub duration: Duration,
}

/// The observer of requests.
#[derive(Default)]
pub(crate) struct ProviderCallObserver(OnceLock<fn(ProviderCall)>);

/// Sets the observer of all requests from now on. Only the first call has an effect.
pub fn set_call_observer(engine: &Engine, counts: fn(ProviderCall)) {
    let _ = engine.shared.provider_call_observer.0.set(counts);
}

/// Runs a request and reports its outcome to the observer.
pub(super) async fn observe_call<T>(
    engine: &Engine,
    kind: ProviderCallKind,
    call: impl Future<Output = Result<T, OutboundError>>,
) -> Result<T, OutboundError> {
    #[expect(clippy::disallowed_methods, reason = "the duration of a request is only a metric")]
    let began = Instant::now();
    let result = call.await;
    if let Some(counts) = engine.shared.provider_call_observer.0.get() {
        counts(ProviderCall { kind, is_answered: result.is_ok(), duration: began.elapsed() });
    }
    result
}
