//! Many requests in one: each by itself, in an order in which what they speak of is there.

use super::{PERMISSION, ScimPrecondition, ScimResource, not_found, resource_url};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure, scim};
use serde_json::{Value, json};
use sinete_core::limits::SCIM_BULK_WORK_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::bulk::{ScimBulkMethod, ScimBulkOperation, ScimBulkRequest};
use sinete_core::scim::{BULK_SCHEMA, ScimResourceType, error};
use sinete_core::time::Timestamp;
use std::collections::HashMap;

/// Does what the requests ask for, each whole or not at all, and says what came of each.
pub async fn run_bulk(
    engine: &Engine,
    acting: &OrganizationAccess,
    sent: &Value,
) -> Result<Result<Value, Refusal>, Failure> {
    let bulk = match acting.require_change_permission(PERMISSION).and_then(|()| ScimBulkRequest::parse(sent))
    {
        Ok(bulk) => bulk,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut work = BulkProgress {
        begun_at: engine.now(),
        created_ids: HashMap::new(),
        outcomes: bulk.requests.iter().map(|_| None).collect(),
        errors: 0,
        errors_max: bulk.errors_max.filter(|most| *most > 0),
        is_unavailable: false,
    };
    while work.run_ready_requests(engine, acting, &bulk.requests).await {}
    work.skip_remaining(&bulk.requests);
    let outcomes: Vec<Value> = work.outcomes.into_iter().flatten().collect();
    Ok(Ok(json!({"schemas": [BULK_SCHEMA], "Operations": outcomes})))
}

/// How far many requests have come.
struct BulkProgress {
    begun_at: Timestamp,
    /// The ids of what was made, by the names that others know it by.
    created_ids: HashMap<String, String>,
    /// What came of each request that was tried.
    outcomes: Vec<Option<Value>>,
    errors: u64,
    errors_max: Option<u64>,
    is_unavailable: bool,
}

impl BulkProgress {
    /// Goes through the requests once and does those whose time has come; whether one more round may help.
    async fn run_ready_requests(
        &mut self,
        engine: &Engine,
        acting: &OrganizationAccess,
        requests: &[ScimBulkOperation],
    ) -> bool {
        let mut has_done = false;
        for (place, request) in requests.iter().enumerate() {
            if self.outcomes[place].is_some()
                || !request.referenced_bulk_ids().iter().all(|it| self.created_ids.contains_key(*it))
            {
                continue;
            }
            if self.is_stopping(engine) {
                return false;
            }
            has_done = true;
            let known = request.resolve_bulk_ids(&self.created_ids);
            let outcome = match run_request(engine, acting, &known).await {
                Ok(Ok(done)) => self.success_response(engine, request, &done),
                Ok(Err(refusal)) => self.error_response(engine, &known, &refusal),
                Err(_) => {
                    self.is_unavailable = true;
                    return false;
                }
            };
            self.outcomes[place] = Some(outcome);
        }
        has_done && self.outcomes.iter().any(Option::is_none)
    }

    fn is_stopping(&self, engine: &Engine) -> bool {
        self.has_reached_error_limit() || engine.now().since(self.begun_at) >= SCIM_BULK_WORK_MAX
    }

    fn has_reached_error_limit(&self) -> bool {
        self.errors_max.is_some_and(|most| self.errors >= most)
    }

    fn success_response(
        &mut self,
        engine: &Engine,
        request: &ScimBulkOperation,
        done: &BulkOutcome,
    ) -> Value {
        let mut outcome = response_base(request);
        let status = match (request.method, done) {
            (ScimBulkMethod::Post, _) => "201",
            (_, BulkOutcome::Resource(_)) => "200",
            (_, BulkOutcome::Removed(..)) => "204",
        };
        outcome["status"] = status.into();
        match done {
            BulkOutcome::Resource(shown) => {
                outcome["location"] = shown.location(engine).into();
                outcome["version"] = shown.version.as_str().into();
                if let (ScimBulkMethod::Post, Some(name)) = (request.method, &request.bulk_id) {
                    self.created_ids.insert(name.clone(), shown.id.clone());
                }
            }
            BulkOutcome::Removed(kind, id) => outcome["location"] = resource_url(engine, *kind, id).into(),
        }
        outcome
    }

    fn error_response(&mut self, engine: &Engine, request: &ScimBulkOperation, refusal: &Refusal) -> Value {
        self.errors += 1;
        let mut outcome = response_base(request);
        if let Some((kind, Some(id))) = &request.about {
            outcome["location"] = resource_url(engine, *kind, id).into();
        }
        outcome["status"] = error::scim_status(refusal.code()).to_string().into();
        outcome["response"] = error::build_error_body(refusal);
        outcome
    }

    /// What is left when nothing more is done: nothing of it happened, and why is said of each. Where enough has failed,
    /// nothing is said of what was not tried (RFC 7644 §3.7.3).
    fn skip_remaining(&mut self, requests: &[ScimBulkOperation]) {
        if self.has_reached_error_limit() && !self.is_unavailable {
            return;
        }
        for (place, request) in requests.iter().enumerate() {
            if self.outcomes[place].is_some() {
                continue;
            }
            let is_known = request.referenced_bulk_ids().iter().all(|it| self.created_ids.contains_key(*it));
            let (code, public) = if self.is_unavailable || is_known {
                (RefusalCode::TemporarilyUnavailable, "this was not done: send it again")
            } else {
                (RefusalCode::Conflict, "this speaks of something that was not made")
            };
            let refusal = Refusal::new(code, public, "");
            let mut outcome = response_base(request);
            outcome["status"] = error::scim_status(code).to_string().into();
            outcome["response"] = error::build_error_body(&refusal);
            self.outcomes[place] = Some(outcome);
        }
    }
}

/// What one request came to.
enum BulkOutcome {
    Resource(Box<ScimResource>),
    Removed(ScimResourceType, String),
}

async fn run_request(
    engine: &Engine,
    acting: &OrganizationAccess,
    request: &ScimBulkOperation,
) -> Result<Result<BulkOutcome, Refusal>, Failure> {
    let Some((kind, id)) = &request.about else { return Ok(Err(not_found("no such path"))) };
    let (id, seen, data) = (
        id.as_deref().unwrap_or_default(),
        ScimPrecondition::parse(request.version.as_deref()),
        &request.data,
    );
    let shown =
        |outcome: Result<ScimResource, Refusal>| outcome.map(|shown| BulkOutcome::Resource(Box::new(shown)));
    Ok(match request.method {
        ScimBulkMethod::Post => shown(scim::create(engine, acting, *kind, data).await?),
        ScimBulkMethod::Put => shown(scim::replace(engine, acting, (*kind, id), &seen, data).await?),
        ScimBulkMethod::Patch => shown(scim::patch(engine, acting, (*kind, id), &seen, data).await?),
        ScimBulkMethod::Delete => {
            let removed = scim::remove(engine, acting, (*kind, id), &seen).await?;
            removed.map(|()| BulkOutcome::Removed(*kind, id.to_owned()))
        }
    })
}

/// What every outcome repeats of its request.
fn response_base(request: &ScimBulkOperation) -> Value {
    let mut said = json!({"method": request.method.name()});
    if let Some(name) = &request.bulk_id {
        said["bulkId"] = name.as_str().into();
    }
    said
}
