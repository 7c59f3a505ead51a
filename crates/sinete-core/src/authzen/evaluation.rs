//! Evaluates whether a subject has a relation to an object, given the relationships on the path between them.

use super::RelationObject;
use super::rules::RelationEvaluationRules;
use crate::limits::EVALUATION_DEPTH_MAX;
use std::collections::{HashMap, HashSet};

/// A relationship, relative to the subject of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelationshipEdge {
    /// The object.
    pub object: RelationObject,
    /// The relation to the object.
    pub relation: String,
    /// The subject of the relationship.
    pub leads: RelationshipEdgeTarget,
}

/// The subject of a relationship, relative to the subject of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipEdgeTarget {
    /// The evaluated subject, directly or through a role.
    ToThem,
    /// Another object.
    ToObject(RelationObject),
    /// A subject set: all subjects with this relation to another object.
    ToSet(RelationObject, String),
}

/// The maximum depth was reached without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the question leads on for more than {EVALUATION_DEPTH_MAX} steps")]
pub struct EvaluationDepthExceeded;

/// Evaluates whether the subject has a relation to the object, or may perform an action named by
/// [`super::rules::action_key`].
///
/// No relation is read twice, so cycles in relationships end.
pub fn evaluate_relation(
    rules: &RelationEvaluationRules,
    object: &RelationObject,
    held: &str,
    edges: &[RelationshipEdge],
) -> Result<bool, EvaluationDepthExceeded> {
    let mut by_place: HashMap<(&RelationObject, &str), Vec<&RelationshipEdgeTarget>> = HashMap::new();
    for edge in edges {
        by_place.entry((&edge.object, &edge.relation)).or_default().push(&edge.leads);
    }
    let mut here = vec![(object, held)];
    let mut seen: HashSet<(&RelationObject, &str)> = here.iter().copied().collect();
    for _ in 0..=EVALUATION_DEPTH_MAX {
        let mut next = Vec::new();
        for (object, held) in here {
            for reading in rules.lookups_for(object.object_type(), held) {
                for leads in by_place.get(&(object, reading.relation.as_str())).into_iter().flatten() {
                    match (leads, &reading.then) {
                        (RelationshipEdgeTarget::ToThem, None) => return Ok(true),
                        (RelationshipEdgeTarget::ToSet(other, relation), None) => {
                            next.push((other, relation.as_str()))
                        }
                        (RelationshipEdgeTarget::ToObject(other), Some(then)) => {
                            next.push((other, then.as_str()))
                        }
                        (RelationshipEdgeTarget::ToObject(_), None)
                        | (RelationshipEdgeTarget::ToThem | RelationshipEdgeTarget::ToSet(..), Some(_)) => {}
                    }
                }
            }
        }
        next.retain(|place| seen.insert(*place));
        if next.is_empty() {
            return Ok(false);
        }
        here = next;
    }
    Err(EvaluationDepthExceeded)
}

#[cfg(test)]
mod tests;
