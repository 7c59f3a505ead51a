//! Whether somebody holds something of an object, given the relationships that the question leads to.

use super::Object;
use super::rules::Rules;
use crate::limits::RELATION_STEPS_MAX;
use std::collections::{HashMap, HashSet};

/// A relationship, as seen from a question about somebody.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The object.
    pub object: Object,
    /// The relation to it.
    pub relation: String,
    /// Who stands in it.
    pub leads: Leads,
}

/// Who stands in a relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leads {
    /// Whoever is asked about, by themselves or by a role they carry.
    ToThem,
    /// Another object.
    ToObject(Object),
    /// Everybody who stands in this relation to another object.
    ToSet(Object, String),
}

/// The question leads on for more steps than are walked, and there was no answer until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the question leads on for more than {RELATION_STEPS_MAX} steps")]
pub struct TooFar;

/// Whether whoever is asked about holds this of the object: a relation, or an action by [`super::rules::of_action`].
///
/// What was read twice is not read again, so that relationships that lead in circles lead nowhere.
pub fn holds(rules: &Rules, object: &Object, held: &str, edges: &[Edge]) -> Result<bool, TooFar> {
    let mut by_place: HashMap<(&Object, &str), Vec<&Leads>> = HashMap::new();
    for edge in edges {
        by_place.entry((&edge.object, &edge.relation)).or_default().push(&edge.leads);
    }
    let mut here = vec![(object, held)];
    let mut seen: HashSet<(&Object, &str)> = here.iter().copied().collect();
    for _ in 0..=RELATION_STEPS_MAX {
        let mut next = Vec::new();
        for (object, held) in here {
            for reading in rules.of(object.of_type(), held) {
                for leads in by_place.get(&(object, reading.relation.as_str())).into_iter().flatten() {
                    match (leads, &reading.then) {
                        (Leads::ToThem, None) => return Ok(true),
                        (Leads::ToSet(other, relation), None) => next.push((other, relation.as_str())),
                        (Leads::ToObject(other), Some(then)) => next.push((other, then.as_str())),
                        (Leads::ToObject(_), None) | (Leads::ToThem | Leads::ToSet(..), Some(_)) => {}
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
    Err(TooFar)
}

#[cfg(test)]
mod tests;
