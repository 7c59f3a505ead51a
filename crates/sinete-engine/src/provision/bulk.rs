//! Many requests in one: each by itself, in an order in which what they speak of is there.

use super::{PERMISSION, ScimPrecondition, ScimResource, location, no_such_thing};
use crate::acting::OrganizationAccess;
use crate::{Engine, Failure, provision};
use serde_json::{Value, json};
use sinete_core::limits::SCIM_BULK_WORK_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::bulk::{ScimBulkMethod, ScimBulkOperation, ScimBulkRequest};
use sinete_core::scim::{BULK_SCHEMA, ScimResourceType, error};
use sinete_core::time::Timestamp;
use std::collections::HashMap;

/// Does what the requests ask for, each whole or not at all, and says what came of each.
pub async fn perform(
    engine: &Engine,
    acting: &OrganizationAccess,
    sent: &Value,
) -> Result<Result<Value, Refusal>, Failure> {
    let bulk = match acting.may_change(PERMISSION).and_then(|()| ScimBulkRequest::read(sent)) {
        Ok(bulk) => bulk,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut work = BulkProgress {
        begun_at: engine.now(),
        made: HashMap::new(),
        outcomes: bulk.requests.iter().map(|_| None).collect(),
        errors: 0,
        errors_max: bulk.errors_max.filter(|most| *most > 0),
        is_away: false,
    };
    while work.goes_on(engine, acting, &bulk.requests).await {}
    work.leave_rest(&bulk.requests);
    let outcomes: Vec<Value> = work.outcomes.into_iter().flatten().collect();
    Ok(Ok(json!({"schemas": [BULK_SCHEMA], "Operations": outcomes})))
}

/// How far many requests have come.
struct BulkProgress {
    begun_at: Timestamp,
    /// The ids of what was made, by the names that others know it by.
    made: HashMap<String, String>,
    /// What came of each request that was tried.
    outcomes: Vec<Option<Value>>,
    errors: u64,
    errors_max: Option<u64>,
    is_away: bool,
}

impl BulkProgress {
    /// Goes through the requests once and does those whose time has come; whether one more round may help.
    async fn goes_on(
        &mut self,
        engine: &Engine,
        acting: &OrganizationAccess,
        requests: &[ScimBulkOperation],
    ) -> bool {
        let mut has_done = false;
        for (place, request) in requests.iter().enumerate() {
            if self.outcomes[place].is_some()
                || !request.speaks_of().iter().all(|it| self.made.contains_key(*it))
            {
                continue;
            }
            if self.must_stop(engine) {
                return false;
            }
            has_done = true;
            let known = request.with_made(&self.made);
            let outcome = match one(engine, acting, &known).await {
                Ok(Ok(done)) => self.succeeded(engine, request, &done),
                Ok(Err(refusal)) => self.failed(engine, &known, &refusal),
                Err(_) => {
                    self.is_away = true;
                    return false;
                }
            };
            self.outcomes[place] = Some(outcome);
        }
        has_done && self.outcomes.iter().any(Option::is_none)
    }

    fn must_stop(&self, engine: &Engine) -> bool {
        self.has_failed_enough() || engine.now().since(self.begun_at) >= SCIM_BULK_WORK_MAX
    }

    fn has_failed_enough(&self) -> bool {
        self.errors_max.is_some_and(|most| self.errors >= most)
    }

    fn succeeded(&mut self, engine: &Engine, request: &ScimBulkOperation, done: &BulkOutcome) -> Value {
        let mut outcome = said(request);
        let status = match (request.method, done) {
            (ScimBulkMethod::Post, _) => "201",
            (_, BulkOutcome::Shown(_)) => "200",
            (_, BulkOutcome::Removed(..)) => "204",
        };
        outcome["status"] = status.into();
        match done {
            BulkOutcome::Shown(shown) => {
                outcome["location"] = shown.location(engine).into();
                outcome["version"] = shown.version.as_str().into();
                if let (ScimBulkMethod::Post, Some(name)) = (request.method, &request.bulk_id) {
                    self.made.insert(name.clone(), shown.id.clone());
                }
            }
            BulkOutcome::Removed(kind, id) => outcome["location"] = location(engine, *kind, id).into(),
        }
        outcome
    }

    fn failed(&mut self, engine: &Engine, request: &ScimBulkOperation, refusal: &Refusal) -> Value {
        self.errors += 1;
        let mut outcome = said(request);
        if let Some((kind, Some(id))) = &request.about {
            outcome["location"] = location(engine, *kind, id).into();
        }
        outcome["status"] = error::status(refusal.code()).to_string().into();
        outcome["response"] = error::body(refusal);
        outcome
    }

    /// What is left when nothing more is done: nothing of it happened, and why is said of each. Where enough has failed,
    /// nothing is said of what was not tried (RFC 7644 §3.7.3).
    fn leave_rest(&mut self, requests: &[ScimBulkOperation]) {
        if self.has_failed_enough() && !self.is_away {
            return;
        }
        for (place, request) in requests.iter().enumerate() {
            if self.outcomes[place].is_some() {
                continue;
            }
            let is_known = request.speaks_of().iter().all(|it| self.made.contains_key(*it));
            let (code, public) = if self.is_away || is_known {
                (RefusalCode::TemporarilyUnavailable, "this was not done: send it again")
            } else {
                (RefusalCode::Conflict, "this speaks of something that was not made")
            };
            let refusal = Refusal::new(code, public, "");
            let mut outcome = said(request);
            outcome["status"] = error::status(code).to_string().into();
            outcome["response"] = error::body(&refusal);
            self.outcomes[place] = Some(outcome);
        }
    }
}

/// What one request came to.
enum BulkOutcome {
    Shown(Box<ScimResource>),
    Removed(ScimResourceType, String),
}

async fn one(
    engine: &Engine,
    acting: &OrganizationAccess,
    request: &ScimBulkOperation,
) -> Result<Result<BulkOutcome, Refusal>, Failure> {
    let Some((kind, id)) = &request.about else { return Ok(Err(no_such_thing("no such path"))) };
    let (id, seen, data) = (
        id.as_deref().unwrap_or_default(),
        ScimPrecondition::read(request.version.as_deref()),
        &request.data,
    );
    let shown =
        |outcome: Result<ScimResource, Refusal>| outcome.map(|shown| BulkOutcome::Shown(Box::new(shown)));
    Ok(match request.method {
        ScimBulkMethod::Post => shown(provision::create(engine, acting, *kind, data).await?),
        ScimBulkMethod::Put => shown(provision::replace(engine, acting, (*kind, id), &seen, data).await?),
        ScimBulkMethod::Patch => shown(provision::patch(engine, acting, (*kind, id), &seen, data).await?),
        ScimBulkMethod::Delete => {
            let removed = provision::remove(engine, acting, (*kind, id), &seen).await?;
            removed.map(|()| BulkOutcome::Removed(*kind, id.to_owned()))
        }
    })
}

/// What every outcome repeats of its request.
fn said(request: &ScimBulkOperation) -> Value {
    let mut said = json!({"method": request.method.name()});
    if let Some(name) = &request.bulk_id {
        said["bulkId"] = name.as_str().into();
    }
    said
}
