//! Making things, once: under an idempotency key the same request makes nothing twice.

use super::errand::ManagementRequest;
use crate::reply::json::{answer, located, tagged, written};
use crate::reply::{HandlerError, HandlerResult};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::Failure;
use sinete_engine::idempotency::{self, IdempotencyClaim, IdempotentReplay};

/// Something that was made, as it is answered.
pub(crate) struct CreatedResource {
    kept: IdempotentResponse,
    secret: SecretVisibility,
}

/// Whether an answer shows a secret. One that does is given once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretVisibility {
    NotShown,
    Shown,
}

/// What is kept of an answer, to be given again.
#[derive(Serialize, Deserialize)]
struct IdempotentResponse {
    location: String,
    version: Option<i64>,
    body: String,
}

impl CreatedResource {
    /// The thing that was made, and where it is found from now on.
    pub(crate) fn new(view: &impl Serialize, location: String) -> Result<Self, HandlerError> {
        let body = String::from_utf8(written(view)?).map_err(|_| Failure::Interrupted)?;
        Ok(Self {
            kept: IdempotentResponse { location, version: None, body },
            secret: SecretVisibility::NotShown,
        })
    }

    /// The same, with its version.
    pub(crate) fn tagged(mut self, version: i64) -> Self {
        self.kept.version = Some(version);
        self
    }

    /// The same, saying that the answer shows a secret.
    pub(crate) fn with_secret(mut self) -> Self {
        self.secret = SecretVisibility::Shown;
        self
    }
}

impl IdempotentResponse {
    fn answer(self, status: StatusCode) -> Response {
        let response = located(answer(status, self.body.into_bytes()), &self.location);
        match self.version {
            Some(version) => tagged(response, version),
            None => response,
        }
    }
}

impl ManagementRequest {
    /// Makes something, or tells what an earlier request under the same key made.
    pub(crate) async fn make<T>(
        &self,
        make: impl AsyncFnOnce(Option<IdempotencyClaim>) -> Result<Result<T, Refusal>, Failure>,
        show: impl FnOnce(T) -> Result<CreatedResource, HandlerError>,
    ) -> HandlerResult {
        let Some(claim) = self.claim()? else {
            return Ok(show(make(None).await??)?.kept.answer(StatusCode::CREATED));
        };
        if let Some(earlier) = idempotency::earlier(self.engine(), &claim).await?? {
            return again(earlier);
        }
        let declined: HandlerError = match make(Some(claim.clone())).await {
            Ok(Ok(made)) => return self.keep(&claim, show(made)?).await,
            Ok(Err(refusal)) => refusal.into(),
            Err(failed) => failed.into(),
        };
        // Whoever sent the same at the same time may have been first.
        match idempotency::earlier(self.engine(), &claim).await?? {
            Some(earlier) => again(earlier),
            None => Err(declined),
        }
    }

    async fn keep(&self, claim: &IdempotencyClaim, made: CreatedResource) -> HandlerResult {
        if made.secret == SecretVisibility::NotShown {
            let kept = written(&made.kept)?;
            let status = StatusCode::CREATED.as_u16();
            // The thing is made; whoever asks again without its answer being kept is told so.
            if let Err(failed) = idempotency::keep(self.engine(), claim, status, &kept).await {
                tracing::warn!(%failed, "an answer could not be kept to be given again");
            }
        }
        Ok(made.kept.answer(StatusCode::CREATED))
    }
}

/// What an earlier request came to, told again.
fn again(earlier: IdempotentReplay) -> HandlerResult {
    match earlier {
        IdempotentReplay::Answered { status, kept } => {
            let kept: IdempotentResponse = serde_json::from_slice(&kept).map_err(|_| Failure::Interrupted)?;
            Ok(kept.answer(StatusCode::from_u16(status).unwrap_or(StatusCode::CREATED)))
        }
        IdempotentReplay::Made { id } => {
            let public =
                "this was made before under the same key, and what was shown then is not shown again";
            let reason = "a repeated request whose answer is not kept";
            Err(Refusal::new(RefusalCode::AlreadyCreated, public, reason).about(id).into())
        }
    }
}
