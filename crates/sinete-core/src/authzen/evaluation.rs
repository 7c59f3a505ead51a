//! Evaluates whether a subject has a relation to an object, given the relationships on the path between them.

use super::RelationObject;
use super::rules::RelationEvaluationRules;
use crate::limits::EVALUATION_DEPTH_MAX;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A relationship, relative to the subject of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelationshipEdge {
    /// The object.
    pub object: RelationObject,
    /// The relation to the object.
    pub relation: String,
    /// The subject of the relationship.
    pub target: RelationshipEdgeTarget,
}

/// The subject of a relationship, relative to the subject of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipEdgeTarget {
    /// The evaluated subject, directly or through a role.
    ToEvaluatedSubject,
    /// Another object.
    ToObject(RelationObject),
    /// A subject set: all subjects with this relation to another object.
    ToSet(RelationObject, String),
}

/// The maximum depth was reached without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the evaluation needs more than {EVALUATION_DEPTH_MAX} steps")]
pub struct EvaluationDepthExceeded;

/// A relation of an object that is evaluated.
type RelationPlace<'e> = (&'e RelationObject, &'e str);

/// Evaluates whether the subject has a relation to the object, or may perform an action named by
/// [`super::rules::action_key`].
pub fn evaluate_relation(
    rules: &RelationEvaluationRules,
    object: &RelationObject,
    relation_name: &str,
    edges: &[RelationshipEdge],
) -> Result<bool, EvaluationDepthExceeded> {
    Ok(find_relation_path(rules, object, relation_name, edges)?.is_some())
}

/// Finds the relationships that give the subject the relation, from the object to the subject; `None` if it does not
/// have it. The path is one of the shortest.
///
/// No relation is read twice, so cycles in relationships end.
pub fn find_relation_path<'e>(
    rules: &'e RelationEvaluationRules,
    object: &'e RelationObject,
    relation_name: &'e str,
    edges: &'e [RelationshipEdge],
) -> Result<Option<Vec<&'e RelationshipEdge>>, EvaluationDepthExceeded> {
    let mut by_place: HashMap<RelationPlace<'e>, Vec<&'e RelationshipEdge>> = HashMap::new();
    for edge in edges {
        by_place.entry((&edge.object, &edge.relation)).or_default().push(edge);
    }
    let mut relation_places: Vec<RelationPlace<'e>> = vec![(object, relation_name)];
    // How each relation was reached: from which relation, and by which relationship.
    let mut reached: HashMap<RelationPlace<'e>, Option<(RelationPlace<'e>, &'e RelationshipEdge)>> =
        HashMap::from([((object, relation_name), None)]);
    for _ in 0..=EVALUATION_DEPTH_MAX {
        let mut next = Vec::new();
        for relation_place in relation_places {
            for reading in rules.lookups_for(relation_place.0.object_type(), relation_place.1) {
                let relationship_edges = by_place.get(&(relation_place.0, reading.relation.as_str()));
                for edge in relationship_edges.into_iter().flatten().copied() {
                    let leads: RelationPlace<'e> = match (&edge.target, &reading.subject_relation) {
                        (RelationshipEdgeTarget::ToEvaluatedSubject, None) => {
                            return Ok(Some(trace_path(&reached, relation_place, edge)));
                        }
                        (RelationshipEdgeTarget::ToSet(other, relation), None) => (other, relation.as_str()),
                        (RelationshipEdgeTarget::ToObject(other), Some(then)) => (other, then.as_str()),
                        (RelationshipEdgeTarget::ToObject(_), None)
                        | (
                            RelationshipEdgeTarget::ToEvaluatedSubject | RelationshipEdgeTarget::ToSet(..),
                            Some(_),
                        ) => {
                            continue;
                        }
                    };
                    if let Entry::Vacant(unseen) = reached.entry(leads) {
                        unseen.insert(Some((relation_place, edge)));
                        next.push(leads);
                    }
                }
            }
        }
        if next.is_empty() {
            return Ok(None);
        }
        relation_places = next;
    }
    Err(EvaluationDepthExceeded)
}

/// The relationships from the first relation to this one, and the last relationship.
fn trace_path<'e>(
    reached: &HashMap<RelationPlace<'e>, Option<(RelationPlace<'e>, &'e RelationshipEdge)>>,
    last_place: RelationPlace<'e>,
    last: &'e RelationshipEdge,
) -> Vec<&'e RelationshipEdge> {
    let (mut path, mut current) = (vec![last], last_place);
    while let Some(Some((before, edge))) = reached.get(&current) {
        path.push(*edge);
        current = *before;
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests;
