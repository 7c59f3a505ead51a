//! Services that ask for the same token again, every few minutes or many times a second. What was decided is kept and
//! counts again only if nothing that it was decided on has changed, which the database says as it records the token. What
//! is kept can therefore say yes and nothing else: a refusal is never kept, and nobody is refused by it.

use super::client_credentials::{self, Decided};
use crate::client_authentication::{Presented, Proof};
use crate::issue::Issued;
use crate::{Cause, Engine, Failed};
use sinete_core::grant::Parameters;
use sinete_core::limits::DECISIONS_KEPT_MAX;
use sinete_core::secret::Digest;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// What was decided, by all that was said when it was asked for.
#[derive(Default)]
pub(crate) struct Decisions(RwLock<HashMap<[u8; 32], Arc<Decided>>>);

/// Stands for everything that a request says, its secret included: of the texts themselves none is kept.
#[derive(Clone, Copy)]
pub(super) struct Request([u8; 32]);

impl Request {
    /// There is one where a secret is all that is shown. Whoever shows an assertion, a certificate or the proof of a key
    /// is looked at each time.
    pub(super) fn of(presented: &Presented, parameters: &Parameters<'_>) -> Option<Self> {
        if parameters.get("grant_type") != Some("client_credentials")
            || presented.certificate.is_some()
            || presented.key.is_some()
        {
            return None;
        }
        let (place, secret) = match &presented.proof {
            Proof::HeaderSecret(secret) => ("header", secret),
            Proof::BodySecret(secret) => ("body", secret),
            Proof::Nothing | Proof::Assertion(_) => return None,
        };
        let client = presented.client.as_ref()?;
        let mut said: Vec<&[u8]> = Vec::with_capacity(16);
        said.extend([place.as_bytes(), client.as_bytes(), secret.as_bytes()]);
        said.extend(parameters.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
        Some(Self(*Digest::<Decisions>::of_parts(&said).as_bytes()))
    }
}

impl Decisions {
    fn find(&self, request: Request) -> Option<Arc<Decided>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&request.0).cloned()
    }

    fn forget(&self, request: Request) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&request.0);
    }

    /// Keeps what was decided.
    pub(super) fn keep(&self, request: Request, decided: Decided) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Nobody without a secret is kept at all, so this happens where there are that many services.
        if kept.len() >= DECISIONS_KEPT_MAX {
            kept.clear();
        }
        kept.insert(request.0, Arc::new(decided));
    }
}

/// The token that was asked for before in the same words, if all that was decided on then is still so.
pub(super) async fn answer(
    engine: &Engine,
    request: Request,
    cause: &Cause,
) -> Result<Option<Issued>, Failed> {
    let Some(decided) = engine.shared.decisions.find(request) else { return Ok(None) };
    let now = engine.now();
    if decided.is_in_time(now)
        && let Some(issued) = client_credentials::repeat(engine, &decided, cause, now).await?
    {
        return Ok(Some(issued));
    }
    engine.shared.decisions.forget(request);
    Ok(None)
}
