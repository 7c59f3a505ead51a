//! Bulk requests: each operation separately, in an order in which its references can be resolved.

use super::request_log::AnsweredScimRequest;
use super::{PERMISSION, ScimPrecondition, ScimResource, not_found, request_log, resource_url};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, scim};
use serde_json::{Value, json};
use sinete_core::limits::SCIM_BULK_TIME_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::scim::bulk::{ScimBulkMethod, ScimBulkOperation, ScimBulkRequest};
use sinete_core::scim::{BULK_SCHEMA, ScimResourceType, error};
use sinete_core::time::Timestamp;
use std::collections::HashMap;

/// Runs the operations, each completely or not at all, and returns all outcomes.
pub async fn run_bulk(engine: &Engine, access: &OrganizationAccess, body: &Value) -> Result<Value, Error> {
    let bulk = access.require_change_permission(PERMISSION).and_then(|()| ScimBulkRequest::parse(body))?;
    let mut bulk_progress = BulkProgress {
        begun_at: engine.now(),
        created_ids: HashMap::new(),
        outcomes: bulk.requests.iter().map(|_| None).collect(),
        errors: 0,
        errors_max: bulk.errors_max.filter(|limit| *limit > 0),
        is_unavailable: false,
    };
    while bulk_progress.run_ready_requests(engine, access, &bulk.requests).await {}
    bulk_progress.skip_remaining(engine, access, &bulk.requests);
    let outcomes: Vec<Value> = bulk_progress.outcomes.into_iter().flatten().collect();
    Ok(json!({"schemas": [BULK_SCHEMA], "Operations": outcomes}))
}

/// The progress of a bulk request.
struct BulkProgress {
    begun_at: Timestamp,
    /// The ids of created resources by `bulkId`.
    created_ids: HashMap<String, String>,
    /// The outcomes of the operations that were run.
    outcomes: Vec<Option<Value>>,
    errors: u64,
    errors_max: Option<u64>,
    is_unavailable: bool,
}

impl BulkProgress {
    /// Runs all operations whose references are resolved; returns whether another round may help.
    async fn run_ready_requests(
        &mut self,
        engine: &Engine,
        access: &OrganizationAccess,
        requests: &[ScimBulkOperation],
    ) -> bool {
        let mut has_done = false;
        for (index, request) in requests.iter().enumerate() {
            if self.outcomes[index].is_some()
                || !request.referenced_bulk_ids().iter().all(|it| self.created_ids.contains_key(*it))
            {
                continue;
            }
            if self.is_stopping(engine) {
                return false;
            }
            has_done = true;
            let bulk_operation = request.resolve_bulk_ids(&self.created_ids);
            let outcome = match run_request(engine, access, &bulk_operation).await {
                Ok(outcome) => self.success_response(engine, request, &outcome),
                Err(Error::Refused(refusal)) => {
                    record_failure(engine, access, &bulk_operation, &refusal);
                    self.error_response(engine, &bulk_operation, &refusal)
                }
                Err(Error::Failed(_)) => {
                    self.is_unavailable = true;
                    return false;
                }
            };
            self.outcomes[index] = Some(outcome);
        }
        has_done && self.outcomes.iter().any(Option::is_none)
    }

    fn is_stopping(&self, engine: &Engine) -> bool {
        self.has_reached_error_limit() || engine.now().since(self.begun_at) >= SCIM_BULK_TIME_MAX
    }

    fn has_reached_error_limit(&self) -> bool {
        self.errors_max.is_some_and(|limit| self.errors >= limit)
    }

    fn success_response(
        &mut self,
        engine: &Engine,
        request: &ScimBulkOperation,
        bulk_outcome: &BulkOutcome,
    ) -> Value {
        let mut outcome = response_base(request);
        let status = match (request.method, bulk_outcome) {
            (ScimBulkMethod::Post, _) => "201",
            (_, BulkOutcome::Resource(_)) => "200",
            (_, BulkOutcome::Removed(..)) => "204",
        };
        outcome["status"] = status.into();
        match bulk_outcome {
            BulkOutcome::Resource(resource) => {
                outcome["location"] = resource.location(engine).into();
                outcome["version"] = resource.version.as_str().into();
                if let (ScimBulkMethod::Post, Some(name)) = (request.method, &request.bulk_id) {
                    self.created_ids.insert(name.clone(), resource.id.clone());
                }
            }
            BulkOutcome::Removed(kind, id) => outcome["location"] = resource_url(engine, *kind, id).into(),
        }
        outcome
    }

    fn error_response(&mut self, engine: &Engine, request: &ScimBulkOperation, refusal: &Refusal) -> Value {
        self.errors += 1;
        let mut outcome = response_base(request);
        if let Some((kind, Some(id))) = &request.resource {
            outcome["location"] = resource_url(engine, *kind, id).into();
        }
        outcome["status"] = error::scim_status(refusal.code()).to_string().into();
        outcome["response"] = error::build_error_body(refusal);
        outcome
    }

    /// Adds outcomes for the remaining operations, which were not run. After `failOnErrors` is reached, they
    /// are omitted (RFC 7644 §3.7.3).
    fn skip_remaining(
        &mut self,
        engine: &Engine,
        access: &OrganizationAccess,
        requests: &[ScimBulkOperation],
    ) {
        if self.has_reached_error_limit() && !self.is_unavailable {
            return;
        }
        for (index, request) in requests.iter().enumerate() {
            if self.outcomes[index].is_some() {
                continue;
            }
            let is_known = request.referenced_bulk_ids().iter().all(|it| self.created_ids.contains_key(*it));
            let reason = if self.is_unavailable || is_known {
                ScimRefusal::BulkOperationSkipped
            } else {
                ScimRefusal::BulkReferenceUnresolved
            };
            let refusal = Refusal::because(reason, "");
            record_failure(engine, access, request, &refusal);
            let mut outcome = response_base(request);
            outcome["status"] = error::scim_status(refusal.code()).to_string().into();
            outcome["response"] = error::build_error_body(&refusal);
            self.outcomes[index] = Some(outcome);
        }
    }
}

/// The outcome of one operation.
enum BulkOutcome {
    Resource(Box<ScimResource>),
    Removed(ScimResourceType, String),
}

async fn run_request(
    engine: &Engine,
    access: &OrganizationAccess,
    request: &ScimBulkOperation,
) -> Result<BulkOutcome, Error> {
    let Some((kind, id)) = &request.resource else { return Err(not_found("no such path").into()) };
    let (id, precondition, data) = (
        id.as_deref().unwrap_or_default(),
        ScimPrecondition::parse(request.version.as_deref()),
        &request.data,
    );
    let resource = scim::ScimResourceRef { kind: *kind, id };
    let scim_resource = match request.method {
        ScimBulkMethod::Post => scim::create(engine, access, *kind, data).await?,
        ScimBulkMethod::Put => scim::replace(engine, access, resource, &precondition, data).await?,
        ScimBulkMethod::Patch => scim::patch(engine, access, resource, &precondition, data).await?,
        ScimBulkMethod::Delete => {
            scim::remove(engine, access, resource, &precondition).await?;
            return Ok(BulkOutcome::Removed(*kind, id.to_owned()));
        }
    };
    Ok(BulkOutcome::Resource(Box::new(scim_resource)))
}

/// Records a failed operation for the administrators of the organization.
fn record_failure(
    engine: &Engine,
    access: &OrganizationAccess,
    request: &ScimBulkOperation,
    refusal: &Refusal,
) {
    let path = match &request.resource {
        Some((kind, Some(id))) => format!("{}/{id}", kind.endpoint()),
        Some((kind, None)) => kind.endpoint().to_owned(),
        None => "/Bulk".to_owned(),
    };
    let scim_request = AnsweredScimRequest {
        organization: access.organization.id,
        actor: &access.cause.actor,
        method: request.method.name(),
        path: &path,
        external_id: request.data.get("externalId").and_then(Value::as_str),
    };
    request_log::record_failure(engine, scim_request, refusal);
}

/// The members of an outcome that repeat its operation.
fn response_base(request: &ScimBulkOperation) -> Value {
    let mut response = json!({"method": request.method.name()});
    if let Some(name) = &request.bulk_id {
        response["bulkId"] = name.as_str().into();
    }
    response
}
