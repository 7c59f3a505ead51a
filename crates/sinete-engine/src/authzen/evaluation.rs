//! AuthZEN access evaluation (OpenID AuthZEN Authorization API 1.0).
//!
//! Each evaluation reads all its facts in one statement. A subject, object or organization that the caller
//! has no access to is evaluated like one without access.

use crate::access_control::admin_scope::AdminScope;
use crate::access_control::organization_access;
use crate::authzen::relationships;
use crate::authzen::relationships::RelationshipApiScope;
use crate::oauth::access_token;
use crate::oauth::access_token::AccessTokenError;
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::introspection::resource_server_owner;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::subject;
use sinete_core::authzen::evaluation::RelationshipEdge;
use sinete_core::authzen::model::ActionDefinition;
use sinete_core::authzen::rules::action_key;
use sinete_core::authzen::{RelationObject, evaluation};
use sinete_core::client_id::ClientId;
use sinete_core::id::OrganizationId;
use sinete_core::limits::{EVALUATION_DEPTH_MAX, EVALUATION_READS_MAX, EVALUATION_RELATIONS_MAX};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::authzen::AuthZenRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_store::authzen::evaluation as store_evaluation;
use sinete_store::authzen::evaluation::EvaluationFacts;
use sinete_store::authzen::relationships::RelationshipScope;
use sinete_store::oauth::cache::api_catalog as api_catalog_cache;
use sinete_store::organizations::api_catalog;
use sinete_store::organizations::api_catalog::ApiRow;
use sinete_store::organizations::memberships;
use std::sync::Arc;

/// The caller of an evaluation, for the APIs of an organization or of the instance.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationCaller {
    owner: Option<OrganizationId>,
}

/// An evaluation request.
#[derive(Clone, Debug)]
pub struct AccessEvaluation {
    /// The subject.
    pub subject: RequestedSubject,
    /// The action.
    pub action: String,
    /// The object.
    pub object: RelationObject,
    /// The API and organization.
    pub at: AuthzenEvaluationTarget,
}

/// The API and organization of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct AuthzenEvaluationTarget {
    /// The API identifier; by default the only API with a model, or the token's.
    pub api: Option<String>,
    /// The organization, by id or slug; by default that of the API or the token.
    pub organization: Option<String>,
}

/// The subject of an evaluation.
#[derive(Clone, Debug)]
pub enum RequestedSubject {
    /// A member, by id.
    Member(String),
    /// A service or agent, by its `client_id`.
    Client(String),
    /// The subject of an access token, limited to the token's scope.
    Token(String),
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationDecision {
    /// Allowed.
    Permit,
    /// Not allowed, or the subject does not exist.
    Deny,
    /// The API has no object type of this name.
    NoSuchType,
    /// The object type has no action of this name.
    NoSuchAction,
}

/// A decision with the relationships that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedDecision {
    /// The decision.
    pub decision: EvaluationDecision,
    /// From the object to the subject; empty unless the decision is positive.
    pub path: Vec<RelationshipEdge>,
}

impl ExplainedDecision {
    const fn without_path(decision: EvaluationDecision) -> Self {
        Self { decision, path: Vec::new() }
    }
}

impl EvaluationCaller {
    /// Creates the caller from a client, if the client may evaluate for any API.
    pub fn from_client(client: &AuthenticatedClient) -> Result<Self, Refusal> {
        resource_server_owner(client).map(|owner| Self { owner }).ok_or_else(|| {
            Refusal::because(
                AuthZenRefusal::EvaluatorNotAllowed,
                "the client is not an authenticated service with an owner",
            )
        })
    }
}

/// The resolved subject of an evaluation.
pub(crate) struct ResolvedSubject {
    pub(crate) api: Arc<ApiRow>,
    pub(crate) organization: OrganizationId,
    pub(crate) subject: store_evaluation::EvaluationSubject,
    /// The authority of a token; `None` if the subject was named directly.
    authority: Option<Authority>,
}

impl ResolvedSubject {
    /// Whether the token's scope covers the permission that the action requires.
    pub(crate) fn is_within_scope(&self, action: &ActionDefinition) -> bool {
        match (&self.authority, &action.scope) {
            (Some(authority), Some(scope)) => scope.parse().is_ok_and(|scope| authority.covers(&scope)),
            (None, _) | (_, None) => true,
        }
    }
}

/// Evaluates a request.
pub async fn evaluate(
    engine: &Engine,
    caller: EvaluationCaller,
    question: &AccessEvaluation,
) -> Result<EvaluationDecision, Error> {
    Ok(evaluate_with_path(engine, caller, question).await?.decision)
}

/// Evaluates a request for an administrator who may read the relationships, with the ones that decided.
pub async fn explain(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    scope: RelationshipApiScope<'_>,
    subject: RequestedSubject,
    action: String,
    object: RelationObject,
) -> Result<ExplainedDecision, Error> {
    let (api, relationship_scope) = relationships::find_readable(engine, admin_scope, scope).await?;
    let at = AuthzenEvaluationTarget {
        api: Some(api.definition.identifier.as_str().to_owned()),
        organization: Some(relationship_scope.organization.to_string()),
    };
    let caller = EvaluationCaller { owner: api.organization };
    evaluate_with_path(engine, caller, &AccessEvaluation { subject, action, object, at }).await
}

async fn evaluate_with_path(
    engine: &Engine,
    caller: EvaluationCaller,
    question: &AccessEvaluation,
) -> Result<ExplainedDecision, Error> {
    for _ in 0..ATTEMPTS_MAX {
        let subject = match resolve_subject(engine, caller, &question.subject, &question.at).await? {
            Some(subject) => subject,
            None => return Ok(ExplainedDecision::without_path(EvaluationDecision::Deny)),
        };
        match decide_access(engine, question, &subject).await? {
            Some(answer)
                if answer.decision == EvaluationDecision::Permit
                    && !is_still_valid(engine, caller, question, &subject).await? => {}
            Some(answer) => return Ok(answer),
            None => {}
        }
    }
    Err(Failure::Contended.into())
}

/// Whether the facts of a positive decision that were read separately still hold. A token is read before the
/// relationships, so both may never have been valid at the same time.
async fn is_still_valid(
    engine: &Engine,
    caller: EvaluationCaller,
    question: &AccessEvaluation,
    subject: &ResolvedSubject,
) -> Result<bool, Failure> {
    let RequestedSubject::Token(token) = &question.subject else { return Ok(true) };
    let current_subject = resolve_token_subject(engine, caller, &question.at, token).await?;
    let model = &subject.api.definition.object_types;
    let action = model.find_action(question.object.object_type(), &question.action);
    Ok(current_subject.zip(action).is_some_and(|(current_subject, action)| {
        current_subject.api.version == subject.api.version
            && current_subject.subject == subject.subject
            && current_subject.is_within_scope(action)
    }))
}

/// Resolves the subject; `None` if the caller has no access to it.
pub(crate) async fn resolve_subject(
    engine: &Engine,
    caller: EvaluationCaller,
    subject: &RequestedSubject,
    at: &AuthzenEvaluationTarget,
) -> Result<Option<ResolvedSubject>, Error> {
    match subject {
        RequestedSubject::Token(token) => Ok(resolve_token_subject(engine, caller, at, token).await?),
        RequestedSubject::Member(_) | RequestedSubject::Client(_) => {
            resolve_named_subject(engine, caller, subject, at).await
        }
    }
}

/// Decides; `None` if the API changed in the meantime.
async fn decide_access(
    engine: &Engine,
    question: &AccessEvaluation,
    subject: &ResolvedSubject,
) -> Result<Option<ExplainedDecision>, Error> {
    let answer = |decision| Ok(Some(ExplainedDecision::without_path(decision)));
    let model = &subject.api.definition.object_types;
    let of_type = question.object.object_type();
    if !model.0.contains_key(of_type) {
        return answer(EvaluationDecision::NoSuchType);
    }
    let Some(action) = model.find_action(of_type, &question.action) else {
        return answer(EvaluationDecision::NoSuchAction);
    };
    if !subject.is_within_scope(action) {
        return answer(EvaluationDecision::Deny);
    }
    let relation_name = action_key(&question.action);
    let query = store_evaluation::EvaluationQuery {
        scope: RelationshipScope { api: subject.api.id, organization: subject.organization },
        object: &question.object,
        relation: &relation_name,
        subject: subject.subject,
    };
    let edges = match store_evaluation::load_evaluation_facts(engine.store(), &query, engine.now()).await? {
        EvaluationFacts::Unavailable | EvaluationFacts::Complete { is_active: false, .. } => {
            return answer(EvaluationDecision::Deny);
        }
        EvaluationFacts::LimitExceeded => return Err(evaluation_too_large().into()),
        EvaluationFacts::Complete { api_version, .. } if api_version != subject.api.version => {
            return Ok(None);
        }
        EvaluationFacts::Complete { edges, .. } => edges,
    };
    let rules = model.derive_rules();
    match evaluation::find_relation_path(&rules, &question.object, &relation_name, &edges) {
        Ok(Some(path)) => Ok(Some(ExplainedDecision {
            decision: EvaluationDecision::Permit,
            path: path.into_iter().cloned().collect(),
        })),
        Ok(None) => answer(EvaluationDecision::Deny),
        Err(evaluation::EvaluationDepthExceeded) => Err(evaluation_too_large().into()),
    }
}

/// Resolves the subject of a token, if it is valid and for an API of the caller.
async fn resolve_token_subject(
    engine: &Engine,
    caller: EvaluationCaller,
    at: &AuthzenEvaluationTarget,
    token: &str,
) -> Result<Option<ResolvedSubject>, Failure> {
    let live = match access_token::load_active_token(engine, token).await {
        Ok(live) => live,
        Err(AccessTokenError::Inactive(_)) => return Ok(None),
        Err(AccessTokenError::Failed(failure)) => return Err(failure),
    };
    let catalog = live.api_catalog_version.load_catalog(engine.store()).await?;
    let api = catalog
        .find_by_identifier(live.claims.audience().as_str())
        .filter(|api| api.organization == caller.owner);
    let Some(api) = api.cloned() else { return Ok(None) };
    let organization = live.claims.organization();
    let is_of_api = at.api.as_deref().is_none_or(|name| name == api.definition.identifier.as_str());
    if !is_of_api || !matches_organization(engine, at, organization).await? {
        return Ok(None);
    }
    let subject = match live.subject.subject() {
        subject::TokenSubject::User { membership, .. } => {
            store_evaluation::EvaluationSubject::Member(*membership)
        }
        subject::TokenSubject::Machine { membership, .. } => {
            store_evaluation::EvaluationSubject::Client(*membership)
        }
    };
    Ok(Some(ResolvedSubject { api, organization, subject, authority: Some(live.authority) }))
}

/// Whether the request names this organization or none.
async fn matches_organization(
    engine: &Engine,
    at: &AuthzenEvaluationTarget,
    organization: OrganizationId,
) -> Result<bool, Failure> {
    let Some(requested_name) = &at.organization else { return Ok(true) };
    let organization_row =
        organization_access::find_organization(engine, requested_name, engine.now()).await?;
    Ok(organization_row.is_some_and(|organization_row| organization_row.id == organization))
}

/// Resolves the API and organization; the organization is `None` if the caller has no access to it.
pub(crate) async fn resolve_target(
    engine: &Engine,
    caller: EvaluationCaller,
    at: &AuthzenEvaluationTarget,
) -> Result<Option<(Arc<ApiRow>, OrganizationId)>, Error> {
    let api = resolve_api(engine, caller, at).await?;
    let organization = match (api.organization, &at.organization) {
        (Some(owner), _) if matches_organization(engine, at, owner).await? => Some(owner),
        (Some(_), _) => None,
        (None, Some(requested_name)) => {
            organization_access::find_organization(engine, requested_name, engine.now())
                .await?
                .map(|organization| organization.id)
        }
        (None, None) => {
            return Err(Refusal::because(AuthZenRefusal::OrganizationMissing, "").into());
        }
    };
    Ok(organization.map(|organization| (api, organization)))
}

/// Resolves a subject named directly, in the organization.
async fn resolve_named_subject(
    engine: &Engine,
    caller: EvaluationCaller,
    subject: &RequestedSubject,
    at: &AuthzenEvaluationTarget,
) -> Result<Option<ResolvedSubject>, Error> {
    let (api, organization) = match resolve_target(engine, caller, at).await? {
        Some(target) => target,
        None => return Ok(None),
    };
    let evaluation_subject = match subject {
        RequestedSubject::Member(id) => id.parse().ok().map(store_evaluation::EvaluationSubject::Member),
        RequestedSubject::Client(id) => match id.parse::<ClientId>() {
            Ok(client) => {
                let membership =
                    memberships::find_client_membership(engine.store(), organization, &client).await?;
                membership.map(|membership| store_evaluation::EvaluationSubject::Client(membership.id))
            }
            Err(_) => None,
        },
        RequestedSubject::Token(_) => None,
    };
    Ok(evaluation_subject.map(|subject| ResolvedSubject { api, organization, subject, authority: None }))
}

/// Resolves the API: the one named, or the caller's only API with a model.
async fn resolve_api(
    engine: &Engine,
    caller: EvaluationCaller,
    at: &AuthzenEvaluationTarget,
) -> Result<Arc<ApiRow>, Error> {
    let refuse = |text| Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "").into());
    let identifier = match &at.api {
        // A text that is not an API identifier is not looked up.
        Some(requested_api) => match requested_api.parse::<ApiIdentifier>() {
            Ok(identifier) => identifier.as_str().to_owned(),
            Err(_) => return refuse(NO_SUCH_API),
        },
        None => match api_catalog::list_apis_with_objects(engine.store(), caller.owner).await?.as_slice() {
            [only] => only.clone(),
            [] => {
                return refuse(
                    "None of the APIs in the token has object types. Use a service of an API that has them.",
                );
            }
            _ => {
                return refuse(
                    "The member context.api is missing, and several APIs have object types. Send the \
                     identifier of one.",
                );
            }
        },
    };
    let api_row = api_catalog_cache::load_api_by_identifier(engine.store(), &identifier, None).await?;
    match api_row.filter(|api| api.organization == caller.owner) {
        Some(api) => Ok(api),
        None => refuse(NO_SUCH_API),
    }
}

const NO_SUCH_API: &str = "The API in context.api is unknown to this client. Send one of its own APIs.";

pub(crate) fn evaluation_too_large() -> Refusal {
    let reason = format!(
        "more than {EVALUATION_DEPTH_MAX} steps, {EVALUATION_RELATIONS_MAX} relations or {EVALUATION_READS_MAX} relationships"
    );
    Refusal::because(AuthZenRefusal::EvaluationTooDeep, reason)
}
