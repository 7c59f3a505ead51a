//! What follows from what, as a list of rules: to know who holds something of an object, read these relationships of the
//! object, and go on from there. What includes what within one object is worked out here, once, so that a question follows
//! relationships and nothing else.

use super::RelationSubjectType;
use super::model::{AuthorizationModel, RelationDefinition};
use std::collections::{BTreeMap, BTreeSet};

/// The rules of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationEvaluationRules(BTreeMap<(String, String), BTreeSet<RelationLookup>>);

/// One relation of an object to read, to know who holds something of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationLookup {
    /// The relation.
    pub relation: String,
    /// What counts of it: whoever stands in it, or whoever stands in this relation to the objects that do.
    pub then: Option<String>,
}

/// What an action is called among the relations that rules are about. No relation is called so.
pub fn action_key(name: &str) -> String {
    format!("do:{name}")
}

impl RelationEvaluationRules {
    /// What to read of an object of this type to know who holds this of it: a relation, or an action by [`of_action`].
    pub fn lookups_for(&self, object_type: &str, held: &str) -> impl Iterator<Item = &RelationLookup> {
        self.0.get(&(object_type.to_owned(), held.to_owned())).into_iter().flatten()
    }

    /// All of them: the type, what is held, and what is read for it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &RelationLookup)> {
        self.0.iter().flat_map(|((object_type, held), readings)| {
            readings.iter().map(move |reading| (object_type.as_str(), held.as_str(), reading))
        })
    }
}

impl AuthorizationModel {
    /// The rules that follow from it.
    pub fn derive_rules(&self) -> RelationEvaluationRules {
        let mut rules = BTreeMap::new();
        for (object_type, it) in &self.0 {
            for name in it.relations.keys() {
                rules.insert((object_type.clone(), name.clone()), readings(&it.relations, [name.as_str()]));
            }
            for (name, action) in &it.actions {
                let readings = readings(&it.relations, action.relations.iter().map(String::as_str));
                rules.insert((object_type.clone(), action_key(name)), readings);
            }
        }
        RelationEvaluationRules(rules)
    }

    /// Everything of any object by which somebody could come to hold this of an object of this type, itself included.
    pub fn find_leading_relations(&self, object_type: &str, held: &str) -> BTreeSet<(String, String)> {
        let rules = self.derive_rules();
        let (mut leading, mut waiting) = (BTreeSet::new(), vec![(object_type.to_owned(), held.to_owned())]);
        while let Some((of_type, held)) = waiting.pop() {
            if !leading.insert((of_type.clone(), held.clone())) {
                continue;
            }
            for reading in rules.lookups_for(&of_type, &held) {
                let Some(relation) = self.find_relation(&of_type, &reading.relation) else { continue };
                match &reading.then {
                    Some(then) => {
                        waiting.extend(relation.object_types().map(|other| (other.to_owned(), then.clone())));
                    }
                    None => waiting.extend(relation.subjects.iter().filter_map(|text| match text.parse() {
                        Ok(RelationSubjectType::Set(of_type, relation)) => {
                            Some((of_type.into(), relation.into()))
                        }
                        Ok(_) | Err(_) => None,
                    })),
                }
            }
        }
        leading
    }
}

/// What to read for these relations and all that include them.
fn readings<'m>(
    relations: &'m BTreeMap<String, RelationDefinition>,
    wanted: impl IntoIterator<Item = &'m str>,
) -> BTreeSet<RelationLookup> {
    let mut waiting: Vec<&str> = wanted.into_iter().collect();
    let (mut seen, mut readings) = (BTreeSet::new(), BTreeSet::new());
    while let Some(name) = waiting.pop() {
        let Some(relation) = relations.get(name).filter(|_| seen.insert(name)) else { continue };
        if !relation.subjects.is_empty() {
            readings.insert(RelationLookup { relation: name.to_owned(), then: None });
        }
        waiting.extend(relation.includes.iter().map(String::as_str));
        readings.extend(relation.through.iter().map(|through| RelationLookup {
            relation: through.relation.clone(),
            then: Some(through.holders_of.clone()),
        }));
    }
    readings
}
