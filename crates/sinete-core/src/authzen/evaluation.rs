//! Whether somebody holds something of an object, given the relationships that the question leads to.

use super::RelationObject;
use super::rules::RelationEvaluationRules;
use crate::limits::EVALUATION_DEPTH_MAX;
use std::collections::{HashMap, HashSet};

/// A relationship, as seen from a question about somebody.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelationshipEdge {
    /// The object.
    pub object: RelationObject,
    /// The relation to it.
    pub relation: String,
    /// Who stands in it.
    pub leads: RelationshipEdgeTarget,
}

/// Who stands in a relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipEdgeTarget {
    /// Whoever is asked about, by themselves or by a role they carry.
    ToThem,
    /// Another object.
    ToObject(RelationObject),
    /// Everybody who stands in this relation to another object.
    ToSet(RelationObject, String),
}

/// The question leads on for more steps than are walked, and there was no answer until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the question leads on for more than {EVALUATION_DEPTH_MAX} steps")]
pub struct EvaluationDepthExceeded;

/// Whether whoever is asked about holds this of the object: a relation, or an action by [`super::rules::of_action`].
///
/// What was read twice is not read again, so that relationships that lead in circles lead nowhere.
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
