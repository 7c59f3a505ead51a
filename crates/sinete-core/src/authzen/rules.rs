//! Evaluation rules derived from a model: which relations of an object to read to evaluate a relation or
//! action, and where to continue. Inclusion within one object is resolved here, once, so that evaluation only
//! follows relationships.

use super::RelationSubjectType;
use super::model::{AuthorizationModel, RelationDefinition};
use std::collections::{BTreeMap, BTreeSet};

/// The rules of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationEvaluationRules(BTreeMap<(String, String), BTreeSet<RelationLookup>>);

/// A relation to read during evaluation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationLookup {
    /// The relation.
    pub relation: String,
    /// What counts: the subjects of the relation (`None`), or the subjects with this relation to the objects
    /// that have it.
    pub subject_relation: Option<String>,
}

/// The key of an action among the relations in the rules. No relation can have this name.
pub fn action_key(name: &str) -> String {
    format!("do:{name}")
}

impl RelationEvaluationRules {
    /// The lookups for a relation, or for an action by [`action_key`], on objects of this type.
    pub fn lookups_for(&self, object_type: &str, relation: &str) -> impl Iterator<Item = &RelationLookup> {
        self.0.get(&(object_type.to_owned(), relation.to_owned())).into_iter().flatten()
    }

    /// Iterates over all rules: object type, relation or action, lookup.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &RelationLookup)> {
        self.0.iter().flat_map(|((object_type, relation), readings)| {
            readings.iter().map(move |reading| (object_type.as_str(), relation.as_str(), reading))
        })
    }
}

impl AuthorizationModel {
    /// Derives the rules of the model.
    pub fn derive_rules(&self) -> RelationEvaluationRules {
        let mut rules = BTreeMap::new();
        for (object_type, it) in &self.0 {
            for name in it.relations.keys() {
                rules.insert(
                    (object_type.clone(), name.clone()),
                    resolve_lookups(&it.relations, [name.as_str()]),
                );
            }
            for (name, action) in &it.actions {
                let readings = resolve_lookups(&it.relations, action.relations.iter().map(String::as_str));
                rules.insert((object_type.clone(), action_key(name)), readings);
            }
        }
        RelationEvaluationRules(rules)
    }

    /// All relations of any type through which a subject can get this relation to an object of this type,
    /// itself included.
    pub fn find_granting_relations(
        &self,
        object_type: &str,
        relation_name: &str,
    ) -> BTreeSet<(String, String)> {
        let rules = self.derive_rules();
        let (mut leading, mut queue) =
            (BTreeSet::new(), vec![(object_type.to_owned(), relation_name.to_owned())]);
        while let Some((of_type, relation_name)) = queue.pop() {
            if !leading.insert((of_type.clone(), relation_name.clone())) {
                continue;
            }
            for reading in rules.lookups_for(&of_type, &relation_name) {
                let Some(relation) = self.find_relation(&of_type, &reading.relation) else { continue };
                match &reading.subject_relation {
                    Some(then) => {
                        queue.extend(relation.object_types().map(|other| (other.to_owned(), then.clone())));
                    }
                    None => queue.extend(relation.subjects.iter().filter_map(|text| match text.parse() {
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

/// The lookups for these relations and all that include them.
fn resolve_lookups<'m>(
    relations: &'m BTreeMap<String, RelationDefinition>,
    relation_names: impl IntoIterator<Item = &'m str>,
) -> BTreeSet<RelationLookup> {
    let mut queue: Vec<&str> = relation_names.into_iter().collect();
    let (mut visited, mut readings) = (BTreeSet::new(), BTreeSet::new());
    while let Some(name) = queue.pop() {
        let Some(relation) = relations.get(name).filter(|_| visited.insert(name)) else { continue };
        if !relation.subjects.is_empty() {
            readings.insert(RelationLookup { relation: name.to_owned(), subject_relation: None });
        }
        queue.extend(relation.includes.iter().map(String::as_str));
        readings.extend(relation.through.iter().map(|through| RelationLookup {
            relation: through.relation.clone(),
            subject_relation: Some(through.holders_of.clone()),
        }));
    }
    readings
}
