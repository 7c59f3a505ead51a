//! Idempotent creation: with an idempotency key, a repeated request creates nothing twice.

use crate::management_api::request::ManagementRequest;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::platform::idempotency;
use sinete_engine::platform::idempotency::{IdempotencyClaim, IdempotentReplay};
use sinete_engine::{Error, Failure};
use sinete_server::reply::json::{json_response, serialize_json, with_etag, with_location};
use sinete_server::reply::{HandlerError, HandlerResult};

/// A created resource, as returned.
pub(crate) struct CreatedResource {
    response: IdempotentResponse,
    secret: SecretVisibility,
}

/// Whether a response contains a secret, which is returned only once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretVisibility {
    Hidden,
    Visible,
}

/// A stored response, to be repeated.
#[derive(Serialize, Deserialize)]
struct IdempotentResponse {
    location: String,
    version: Option<i64>,
    body: String,
}

impl CreatedResource {
    /// The created resource with its URL.
    pub(crate) fn new(view: &impl Serialize, location: String) -> Result<Self, HandlerError> {
        let body = String::from_utf8(serialize_json(view)?).map_err(|_| Failure::Interrupted)?;
        Ok(Self {
            response: IdempotentResponse { location, version: None, body },
            secret: SecretVisibility::Hidden,
        })
    }

    /// Adds its version.
    pub(crate) fn with_version(mut self, version: i64) -> Self {
        self.response.version = Some(version);
        self
    }

    /// Marks the response as containing a secret.
    pub(crate) fn with_secret(mut self) -> Self {
        self.secret = SecretVisibility::Visible;
        self
    }
}

impl IdempotentResponse {
    fn into_response(self, status: StatusCode) -> Response {
        let response = with_location(json_response(status, self.body.into_bytes()), &self.location);
        match self.version {
            Some(version) => with_etag(response, version),
            None => response,
        }
    }
}

impl ManagementRequest {
    /// Creates a resource, or returns the result of an earlier request with the same key.
    pub(crate) async fn create_once<T>(
        &self,
        make: impl AsyncFnOnce(Option<IdempotencyClaim>) -> Result<T, Error>,
        show: impl FnOnce(T) -> Result<CreatedResource, HandlerError>,
    ) -> HandlerResult {
        let Some(claim) = self.idempotency_claim()? else {
            return Ok(show(make(None).await?)?.response.into_response(StatusCode::CREATED));
        };
        if let Some(earlier) = idempotency::find_earlier_reply(self.engine(), &claim).await? {
            return replay_response(earlier);
        }
        let handler_error: HandlerError = match make(Some(claim.clone())).await {
            Ok(resource) => return self.store_response(&claim, show(resource)?).await,
            Err(error) => error.into(),
        };
        // A concurrent duplicate may have been first.
        match idempotency::find_earlier_reply(self.engine(), &claim).await? {
            Some(earlier) => replay_response(earlier),
            None => Err(handler_error),
        }
    }

    async fn store_response(&self, claim: &IdempotencyClaim, resource: CreatedResource) -> HandlerResult {
        if resource.secret == SecretVisibility::Hidden {
            let response_body = serialize_json(&resource.response)?;
            let status = StatusCode::CREATED.as_u16();
            // The resource was created; if its response cannot be stored, a repeated request receives its id.
            if let Err(failed) = idempotency::store_reply(self.engine(), claim, status, &response_body).await
            {
                tracing::warn!(%failed, "the response of an idempotent request could not be stored");
            }
        }
        Ok(resource.response.into_response(StatusCode::CREATED))
    }
}

/// The response for a repeated request.
fn replay_response(earlier: IdempotentReplay) -> HandlerResult {
    match earlier {
        IdempotentReplay::StoredResponse { status, response: stored_response } => {
            let response: IdempotentResponse =
                serde_json::from_slice(&stored_response).map_err(|_| Failure::Interrupted)?;
            Ok(response.into_response(StatusCode::from_u16(status).unwrap_or(StatusCode::CREATED)))
        }
        IdempotentReplay::CreatedResource { id } => {
            let reason = "a repeated request whose response is not stored";
            Err(Refusal::because(RequestRefusal::AlreadyCreated, reason).with_subject(id).into())
        }
    }
}
