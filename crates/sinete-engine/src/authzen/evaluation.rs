//! Questions of APIs (OpenID AuthZEN Authorization API 1.0): may somebody do this with that object, at this moment?
//!
//! The answer is read anew each time, all that it stands on in one statement. Somebody, an object or an organization that the
//! asker has no business with is answered like one that may not.

use crate::access_control::organization_access;
use crate::oauth::access_token;
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::introspection::resource_server_owner;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::access_control::Authority;
use sinete_core::access_control::subject;
use sinete_core::authzen::model::ActionDefinition;
use sinete_core::authzen::rules::action_key;
use sinete_core::authzen::{RelationObject, evaluation};
use sinete_core::client_id::ClientId;
use sinete_core::id::OrganizationId;
use sinete_core::limits::{EVALUATION_DEPTH_MAX, EVALUATION_READS_MAX, EVALUATION_RELATIONS_MAX};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_store::authzen::evaluation as store_evaluation;
use sinete_store::authzen::evaluation::EvaluationFacts;
use sinete_store::authzen::relationships::RelationshipScope;
use sinete_store::oauth::cache::api_catalog as api_catalog_cache;
use sinete_store::organizations::api_catalog;
use sinete_store::organizations::api_catalog::ApiRow;
use sinete_store::organizations::memberships;
use std::sync::Arc;

/// Whoever asks for the APIs of an organization, or of the instance.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationCaller {
    owner: Option<OrganizationId>,
}

/// A question.
#[derive(Clone, Debug)]
pub struct AccessEvaluation {
    /// May who?
    pub subject: RequestedSubject,
    /// Do what?
    pub action: String,
    /// With which object?
    pub object: RelationObject,
    /// Where?
    pub at: EvaluationTarget,
}

/// Where something is asked about.
#[derive(Clone, Debug, Default)]
pub struct EvaluationTarget {
    /// At which API; left out, at the only one there is, or the one that the token is for.
    pub api: Option<String>,
    /// In which organization, by id or slug; left out, in that of the API or the token.
    pub organization: Option<String>,
}

/// Who is asked about.
#[derive(Clone, Debug)]
pub enum RequestedSubject {
    /// A member, by id.
    Member(String),
    /// A service or agent, by its client id.
    Client(String),
    /// Whoever an access token speaks for, and no more than the token is for.
    Token(String),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationDecision {
    /// They may.
    Yes,
    /// They may not, or are not there.
    No,
    /// The API has no objects of this type.
    NoSuchType,
    /// Nothing of this name is done with objects of this type.
    NoSuchAction,
}

impl EvaluationCaller {
    /// The client as one that asks, if it asks for anybody's APIs.
    pub fn from_client(client: &AuthenticatedClient) -> Result<Self, Refusal> {
        resource_server_owner(client).map(|whose| Self { owner: whose }).ok_or_else(|| {
            let public = "only a service of whoever an API belongs to asks for it";
            Refusal::new(RefusalCode::Forbidden, public, "the client is no service with a proof and an owner")
        })
    }
}

/// Whom a question is about, as it stands.
pub(crate) struct ResolvedSubject {
    pub(crate) api: Arc<ApiRow>,
    pub(crate) organization: OrganizationId,
    pub(crate) subject: store_evaluation::EvaluationSubject,
    /// What a token lets them do; none where they were named.
    authority: Option<Authority>,
}

impl ResolvedSubject {
    /// Whether what they show covers what the action asks of tokens.
    pub(crate) fn is_within_scope(&self, action: &ActionDefinition) -> bool {
        match (&self.authority, &action.scope) {
            (Some(held), Some(scope)) => scope.parse().is_ok_and(|scope| held.covers(&scope)),
            (None, _) | (_, None) => true,
        }
    }
}

/// Answers a question.
pub async fn evaluate(
    engine: &Engine,
    asker: EvaluationCaller,
    question: &AccessEvaluation,
) -> Result<Result<EvaluationDecision, Refusal>, Failure> {
    for _ in 0..ATTEMPTS_MAX {
        let meant = match resolve_subject(engine, asker, &question.subject, &question.at).await? {
            Ok(Some(meant)) => meant,
            Ok(None) => return Ok(Ok(EvaluationDecision::No)),
            Err(refusal) => return Ok(Err(refusal)),
        };
        match decide(engine, question, &meant).await? {
            Some(Ok(EvaluationDecision::Yes)) if !is_still_valid(engine, asker, question, &meant).await? => {}
            Some(answer) => return Ok(answer),
            None => {}
        }
    }
    Err(Failure::Contended)
}

/// Whether what a yes stands on besides what was read with it holds still. A token is read by itself, before: what it lets do
/// and where its holder stands may never have been so at once.
async fn is_still_valid(
    engine: &Engine,
    asker: EvaluationCaller,
    question: &AccessEvaluation,
    meant: &ResolvedSubject,
) -> Result<bool, Failure> {
    let RequestedSubject::Token(token) = &question.subject else { return Ok(true) };
    let again = resolve_token_subject(engine, asker, &question.at, token).await?;
    let model = &meant.api.definition.object_types;
    let action = model.find_action(question.object.object_type(), &question.action);
    Ok(again.zip(action).is_some_and(|(again, action)| {
        again.api.version == meant.api.version
            && again.subject == meant.subject
            && again.is_within_scope(action)
    }))
}

/// Whom a question is about; nobody, where the asker has no business with them.
pub(crate) async fn resolve_subject(
    engine: &Engine,
    asker: EvaluationCaller,
    subject: &RequestedSubject,
    at: &EvaluationTarget,
) -> Result<Result<Option<ResolvedSubject>, Refusal>, Failure> {
    match subject {
        RequestedSubject::Token(token) => Ok(Ok(resolve_token_subject(engine, asker, at, token).await?)),
        RequestedSubject::Member(_) | RequestedSubject::Client(_) => {
            resolve_named_subject(engine, asker, subject, at).await
        }
    }
}

/// The answer; none where the API changed meanwhile.
async fn decide(
    engine: &Engine,
    question: &AccessEvaluation,
    meant: &ResolvedSubject,
) -> Result<Option<Result<EvaluationDecision, Refusal>>, Failure> {
    let model = &meant.api.definition.object_types;
    let of_type = question.object.object_type();
    if !model.0.contains_key(of_type) {
        return Ok(Some(Ok(EvaluationDecision::NoSuchType)));
    }
    let Some(action) = model.find_action(of_type, &question.action) else {
        return Ok(Some(Ok(EvaluationDecision::NoSuchAction)));
    };
    if !meant.is_within_scope(action) {
        return Ok(Some(Ok(EvaluationDecision::No)));
    }
    let held = action_key(&question.action);
    let asked = store_evaluation::EvaluationQuery {
        place: RelationshipScope { api: meant.api.id, organization: meant.organization },
        object: &question.object,
        held: &held,
        asked: meant.subject,
    };
    let edges = match store_evaluation::load_evaluation_facts(engine.store(), &asked, engine.now()).await? {
        EvaluationFacts::Nowhere | EvaluationFacts::All { is_alive: false, .. } => {
            return Ok(Some(Ok(EvaluationDecision::No)));
        }
        EvaluationFacts::TooMuch => return Ok(Some(Err(evaluation_too_large()))),
        EvaluationFacts::All { api_version, .. } if api_version != meant.api.version => return Ok(None),
        EvaluationFacts::All { edges, .. } => edges,
    };
    Ok(Some(match evaluation::evaluate_relation(&model.derive_rules(), &question.object, &held, &edges) {
        Ok(true) => Ok(EvaluationDecision::Yes),
        Ok(false) => Ok(EvaluationDecision::No),
        Err(evaluation::EvaluationDepthExceeded) => Err(evaluation_too_large()),
    }))
}

/// Whoever a token speaks for, if it counts and is for an API of the asker's.
async fn resolve_token_subject(
    engine: &Engine,
    asker: EvaluationCaller,
    at: &EvaluationTarget,
    token: &str,
) -> Result<Option<ResolvedSubject>, Failure> {
    let Ok(live) = access_token::load_live_token(engine, token).await? else { return Ok(None) };
    let offered = live.api_catalog_version.load_catalog(engine.store()).await?;
    let api = offered
        .find_by_identifier(live.claims.audience().as_str())
        .filter(|api| api.organization == asker.owner);
    let Some(api) = api.cloned() else { return Ok(None) };
    let organization = live.claims.organization();
    let is_of_api = at.api.as_deref().is_none_or(|named| named == api.definition.identifier.as_str());
    if !is_of_api || !matches_organization(engine, at, organization).await? {
        return Ok(None);
    }
    let who = match live.subject.subject() {
        subject::TokenSubject::Person { membership, .. } => {
            store_evaluation::EvaluationSubject::Member(*membership)
        }
        subject::TokenSubject::Machine { membership, .. } => {
            store_evaluation::EvaluationSubject::Client(*membership)
        }
    };
    Ok(Some(ResolvedSubject { api, organization, subject: who, authority: Some(live.authority) }))
}

/// Whether the question is about this organization, or names none.
async fn matches_organization(
    engine: &Engine,
    at: &EvaluationTarget,
    organization: OrganizationId,
) -> Result<bool, Failure> {
    let Some(named) = &at.organization else { return Ok(true) };
    let found = organization_access::find_organization(engine, named, engine.now()).await?;
    Ok(found.is_some_and(|found| found.id == organization))
}

/// The API and the organization that are named; no organization, where the asker has no business with it.
pub(crate) async fn resolve_target(
    engine: &Engine,
    asker: EvaluationCaller,
    at: &EvaluationTarget,
) -> Result<Result<Option<(Arc<ApiRow>, OrganizationId)>, Refusal>, Failure> {
    let api = match resolve_api(engine, asker, at).await? {
        Ok(api) => api,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let organization = match (api.organization, &at.organization) {
        (Some(own), _) if matches_organization(engine, at, own).await? => Some(own),
        (Some(_), _) => None,
        (None, Some(named)) => {
            organization_access::find_organization(engine, named, engine.now()).await?.map(|found| found.id)
        }
        (None, None) => {
            let public = "context.organization must say in which organization, unless the subject is a token";
            return Ok(Err(Refusal::new(RefusalCode::InvalidRequest, public, public)));
        }
    };
    Ok(Ok(organization.map(|organization| (api, organization))))
}

/// Whoever is named, in the organization that is.
async fn resolve_named_subject(
    engine: &Engine,
    asker: EvaluationCaller,
    subject: &RequestedSubject,
    at: &EvaluationTarget,
) -> Result<Result<Option<ResolvedSubject>, Refusal>, Failure> {
    let (api, organization) = match resolve_target(engine, asker, at).await? {
        Ok(Some(place)) => place,
        Ok(None) => return Ok(Ok(None)),
        Err(refusal) => return Ok(Err(refusal)),
    };
    let who = match subject {
        RequestedSubject::Member(id) => id.parse().ok().map(store_evaluation::EvaluationSubject::Member),
        RequestedSubject::Client(id) => match id.parse::<ClientId>() {
            Ok(client) => {
                let found =
                    memberships::find_client_membership(engine.store(), organization, &client).await?;
                found.map(|found| store_evaluation::EvaluationSubject::Client(found.id))
            }
            Err(_) => None,
        },
        RequestedSubject::Token(_) => None,
    };
    Ok(Ok(who.map(|who| ResolvedSubject { api, organization, subject: who, authority: None })))
}

/// The API that the question is about: the one it names, or the only one of the asker's that has objects.
async fn resolve_api(
    engine: &Engine,
    asker: EvaluationCaller,
    at: &EvaluationTarget,
) -> Result<Result<Arc<ApiRow>, Refusal>, Failure> {
    let refuse = |public| Ok(Err(Refusal::new(RefusalCode::InvalidRequest, public, public)));
    let identifier = match &at.api {
        // What no API can be called is looked up nowhere.
        Some(named) => match named.parse::<ApiIdentifier>() {
            Ok(identifier) => identifier.as_str().to_owned(),
            Err(_) => return refuse(NO_SUCH_API),
        },
        None => match api_catalog::list_apis_with_objects(engine.store(), asker.owner).await?.as_slice() {
            [only] => only.clone(),
            [] => return refuse("none of the APIs that are asked for has objects"),
            _ => return refuse("context.api must say which API is meant: several have objects"),
        },
    };
    let found = api_catalog_cache::load_api_by_identifier(engine.store(), &identifier, None).await?;
    match found.filter(|api| api.organization == asker.owner) {
        Some(api) => Ok(Ok(api)),
        None => refuse(NO_SUCH_API),
    }
}

const NO_SUCH_API: &str = "context.api names no API that is asked for";

pub(crate) fn evaluation_too_large() -> Refusal {
    let public = "the question leads further than is followed, so there is no answer";
    let reason = format!(
        "more than {EVALUATION_DEPTH_MAX} steps, {EVALUATION_RELATIONS_MAX} relations or {EVALUATION_READS_MAX} relationships"
    );
    Refusal::new(RefusalCode::Unprocessable, public, reason)
}
