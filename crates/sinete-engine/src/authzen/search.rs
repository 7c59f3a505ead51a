//! AuthZEN search (OpenID AuthZEN Authorization API 1.0): subjects with access to an object, objects a
//! subject has access to, and actions a subject may perform. Every result would be allowed by an evaluation
//! at the same time.

use crate::authzen::evaluation as authzen_evaluation;
use crate::authzen::evaluation::{
    AccessEvaluation, AuthzenEvaluationTarget, EvaluationCaller, EvaluationDecision, RequestedSubject,
    evaluation_too_large,
};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::authzen::rules::action_key;
use sinete_core::authzen::{RelationObject, evaluation};
use sinete_store::authzen::relationships::RelationshipScope;
use sinete_store::authzen::search;
use sinete_store::authzen::search::SearchOutcome;
use std::collections::BTreeSet;

pub use sinete_store::authzen::search::{FoundSubject, SubjectSearchKind};

/// Finds the subjects that may perform the action on the object.
pub async fn search_subjects(
    engine: &Engine,
    caller: EvaluationCaller,
    kind: SubjectSearchKind,
    action: &str,
    object: &RelationObject,
    at: &AuthzenEvaluationTarget,
) -> Result<BTreeSet<FoundSubject>, Error> {
    for _ in 0..ATTEMPTS_MAX {
        let (api, organization) = match authzen_evaluation::resolve_target(engine, caller, at).await? {
            Some(target) => target,
            None => return Ok(BTreeSet::new()),
        };
        let model = &api.definition.object_types;
        if model.find_action(object.object_type(), action).is_none() {
            return Ok(BTreeSet::new());
        }
        let (scope, relation_name) = (RelationshipScope { api: api.id, organization }, action_key(action));
        let searched =
            search::search_subjects(engine.store(), scope, object, &relation_name, kind, engine.now())
                .await?;
        match searched {
            SearchOutcome::ApiUnavailable => return Ok(BTreeSet::new()),
            SearchOutcome::LimitExceeded => return Err(evaluation_too_large().into()),
            SearchOutcome::Complete { api_version, .. } if api_version != api.version => {}
            // Results are limited to the maximum depth of an evaluation.
            SearchOutcome::Complete { matches: (subjects, edges), .. } => {
                let walked =
                    evaluation::evaluate_relation(&model.derive_rules(), object, &relation_name, &edges);
                return Ok(walked
                    .map(|_| subjects)
                    .map_err(|evaluation::EvaluationDepthExceeded| evaluation_too_large())?);
            }
        }
    }
    Err(Failure::Contended.into())
}

/// Finds the ids of objects of this type on which the subject may perform the action.
pub async fn search_objects(
    engine: &Engine,
    caller: EvaluationCaller,
    subject: &RequestedSubject,
    action: &str,
    of_type: &str,
    at: &AuthzenEvaluationTarget,
) -> Result<BTreeSet<String>, Error> {
    for _ in 0..ATTEMPTS_MAX {
        let resolved_subject = match authzen_evaluation::resolve_subject(engine, caller, subject, at).await? {
            Some(subject) => subject,
            None => return Ok(BTreeSet::new()),
        };
        let model = &resolved_subject.api.definition.object_types;
        if !model.find_action(of_type, action).is_some_and(|action| resolved_subject.is_within_scope(action))
        {
            return Ok(BTreeSet::new());
        }
        let (scope, relation_name) = (
            RelationshipScope { api: resolved_subject.api.id, organization: resolved_subject.organization },
            action_key(action),
        );
        let now = engine.now();
        match search::search_objects(
            engine.store(),
            scope,
            of_type,
            &relation_name,
            resolved_subject.subject,
            model,
            now,
        )
        .await?
        {
            SearchOutcome::ApiUnavailable => return Ok(BTreeSet::new()),
            SearchOutcome::LimitExceeded => return Err(evaluation_too_large().into()),
            SearchOutcome::Complete { api_version, .. } if api_version != resolved_subject.api.version => {}
            SearchOutcome::Complete { matches: object_ids, .. } => return Ok(object_ids),
        }
    }
    Err(Failure::Contended.into())
}

/// Finds the actions that the subject may perform on the object, by one evaluation each.
pub async fn search_actions(
    engine: &Engine,
    caller: EvaluationCaller,
    subject: &RequestedSubject,
    object: &RelationObject,
    at: &AuthzenEvaluationTarget,
) -> Result<BTreeSet<String>, Error> {
    let resolved_subject = match authzen_evaluation::resolve_subject(engine, caller, subject, at).await? {
        Some(subject) => subject,
        None => return Ok(BTreeSet::new()),
    };
    let mut permitted_actions = BTreeSet::new();
    let of_type = resolved_subject.api.definition.object_types.0.get(object.object_type());
    for action in of_type.into_iter().flat_map(|of_type| of_type.actions.keys()) {
        let question = AccessEvaluation {
            subject: subject.clone(),
            action: action.clone(),
            object: object.clone(),
            at: at.clone(),
        };
        match authzen_evaluation::evaluate(engine, caller, &question).await? {
            EvaluationDecision::Permit => {
                permitted_actions.insert(action.clone());
            }
            EvaluationDecision::Deny | EvaluationDecision::NoSuchType | EvaluationDecision::NoSuchAction => {}
        }
    }
    Ok(permitted_actions)
}
