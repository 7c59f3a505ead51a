//! The authorization model of an API: object types, their relations, how relations include each other, and
//! which actions a relation allows. It is validated as a whole: every reference resolves, and every relation
//! can have a subject.

use super::{RESERVED_TYPE_NAMES, RelationSubjectType, is_valid_name};
use crate::access_control::permission::Permission;
use crate::limits::{
    OBJECT_TYPES_MAX, RELATION_NAMES_MAX, RELATION_RULES_MAX, RELATION_SUBJECTS_MAX, RELATIONS_PER_TYPE_MAX,
};
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The object types of an API by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AuthorizationModel(pub BTreeMap<String, ObjectType>);

/// An object type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectType {
    /// The relations that subjects or other objects can have to an object of this type.
    #[serde(default)]
    pub relations: BTreeMap<String, RelationDefinition>,
    /// The actions on an object of this type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub actions: BTreeMap<String, ActionDefinition>,
}

/// A relation: either to other objects, such as the folder of a document, or to members and clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationDefinition {
    /// The subject types that can have the relation directly.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// Relations to the same object that include this one: a subject with one of them also has this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<String>,
    /// Relations to other objects that include this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<InheritedRelation>,
}

/// A relation inherited from related objects: subjects with one relation to the objects that have another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InheritedRelation {
    /// The relation that leads to the other objects.
    pub relation: String,
    /// The relation to those objects.
    pub holders_of: String,
}

/// An action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionDefinition {
    /// The relations that allow it; any one of them is enough.
    pub relations: Vec<String>,
    /// The permission of the API that a token must also carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// A combination of object type, relation and subject type that the model allows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AllowedRelationship {
    /// The object type.
    pub object_type: String,
    /// The relation.
    pub relation: String,
    /// The subject type.
    pub subject_type: RelationSubjectType,
}

impl AuthorizationModel {
    /// Whether the model has no object types.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a subject of this type may have this relation to an object of this type.
    pub fn allows_relationship(
        &self,
        object_type: &str,
        relation: &str,
        subject_type: &RelationSubjectType,
    ) -> bool {
        let type_name = subject_type.to_string();
        self.find_relation(object_type, relation).is_some_and(|it| it.subjects.contains(&type_name))
    }

    /// All allowed combinations.
    pub fn allowed_relationships(&self) -> BTreeSet<AllowedRelationship> {
        let mut fits = BTreeSet::new();
        for (object_type, relation, it) in self.relations() {
            let whos = it.subjects.iter().filter_map(|text| text.parse().ok());
            fits.extend(whos.map(|subject_type| AllowedRelationship {
                object_type: object_type.to_owned(),
                relation: relation.to_owned(),
                subject_type,
            }));
        }
        fits
    }

    /// Finds an action of an object type.
    pub fn find_action(&self, object_type: &str, name: &str) -> Option<&ActionDefinition> {
        self.0.get(object_type)?.actions.get(name)
    }

    /// Finds a relation of an object type.
    pub fn find_relation(&self, object_type: &str, name: &str) -> Option<&RelationDefinition> {
        self.0.get(object_type)?.relations.get(name)
    }

    fn relations(&self) -> impl Iterator<Item = (&str, &str, &RelationDefinition)> {
        self.0.iter().flat_map(|(object_type, it)| {
            it.relations.iter().map(move |(name, relation)| (object_type.as_str(), name.as_str(), relation))
        })
    }

    /// Validates the model and returns all errors. `defines` says whether the API defines a permission.
    pub fn validate(&self, defines: impl Fn(&Permission) -> bool) -> ValidationErrors {
        let mut errors = ValidationErrors::default();
        if self.0.len() > OBJECT_TYPES_MAX {
            errors.add("", format!("an API can have at most {OBJECT_TYPES_MAX} object types"));
        }
        if self.relations().map(|(.., it)| it.subjects.len()).sum::<usize>() > RELATION_SUBJECTS_MAX {
            errors.add(
                "",
                format!("the relations of an API can name at most {RELATION_SUBJECTS_MAX} subject types"),
            );
        }
        for (name, of_type) in &self.0 {
            let at = format!("/{}", escape_pointer_segment(name));
            if !is_valid_name(name) || RESERVED_TYPE_NAMES.contains(&name.as_str()) {
                errors.add(
                    &at,
                    "the name of an object type must be lower-case letters, digits and \
                                 underscores, and not member, client or role",
                );
            }
            if of_type.relations.is_empty() {
                errors.add(format!("{at}/relations"), "an object type needs at least one relation");
            }
            let counts = [of_type.relations.len(), of_type.actions.len()];
            if counts.iter().any(|count| *count > RELATIONS_PER_TYPE_MAX) {
                errors.add(
                    &at,
                    format!(
                        "an object type can have at most {RELATIONS_PER_TYPE_MAX} relations and as many \
                             actions"
                    ),
                );
            }
            for (relation, it) in &of_type.relations {
                let at = format!("{at}/relations/{}", escape_pointer_segment(relation));
                check_name(&mut errors, &at, relation);
                self.relation_faults(&mut errors, &at, name, it);
            }
            for (action, it) in &of_type.actions {
                let at = format!("{at}/actions/{}", escape_pointer_segment(action));
                check_name(&mut errors, &at, action);
                self.action_faults(&mut errors, &at, name, it);
                scope_faults(&mut errors, &at, it, &defines);
            }
        }
        if errors.is_empty() {
            self.semantic_faults(&mut errors);
        }
        errors
    }

    fn relation_faults(
        &self,
        errors: &mut ValidationErrors,
        at: &str,
        of_type: &str,
        relation: &RelationDefinition,
    ) {
        let are_few = [
            check_count(errors, &format!("{at}/subjects"), &relation.subjects),
            check_count(errors, &format!("{at}/includes"), &relation.includes),
            check_count(errors, &format!("{at}/through"), &relation.through),
        ];
        if are_few.contains(&false) {
            return;
        }
        for (index, text) in relation.subjects.iter().enumerate() {
            let at = format!("{at}/subjects/{index}");
            let Some(subject_type) = errors.parse_text::<RelationSubjectType>(&at, text) else { continue };
            match &subject_type {
                RelationSubjectType::Member | RelationSubjectType::Client | RelationSubjectType::Role => {}
                RelationSubjectType::Object(type_name) if self.0.contains_key(&**type_name) => {}
                RelationSubjectType::Set(type_name, relation)
                    if self.is_user_relation(type_name, relation) => {}
                RelationSubjectType::Object(_) => {
                    errors.add(&at, "the object type does not exist in this model")
                }
                RelationSubjectType::Set(..) => {
                    errors.add(&at, "the object type has no such relation of members or clients")
                }
            }
        }
        for (index, name) in relation.includes.iter().enumerate() {
            if !self.is_user_relation(of_type, name) {
                errors.add(
                    format!("{at}/includes/{index}"),
                    "this object type has no such relation of members or clients",
                );
            }
        }
        for (index, through) in relation.through.iter().enumerate() {
            self.through_faults(errors, &format!("{at}/through/{index}"), of_type, through);
        }
        let of_objects = relation.object_types().count();
        if of_objects > 0 && (of_objects < relation.subjects.len() || relation.has_inherited_subjects()) {
            errors.add(
                at,
                "a relation is either between objects only, or of members and clients and can \
                            follow from other relations",
            );
        }
    }

    fn through_faults(
        &self,
        errors: &mut ValidationErrors,
        at: &str,
        of_type: &str,
        through: &InheritedRelation,
    ) {
        let leads = self.find_relation(of_type, &through.relation).filter(|it| it.object_types().count() > 0);
        let Some(leads) = leads else {
            errors.add(format!("{at}/relation"), "this object type has no such relation to objects");
            return;
        };
        if !leads.object_types().all(|other| self.is_user_relation(other, &through.holders_of)) {
            errors.add(
                format!("{at}/holders_of"),
                "every object type that the relation leads to must have this relation of members or clients",
            );
        }
    }

    fn action_faults(
        &self,
        errors: &mut ValidationErrors,
        at: &str,
        of_type: &str,
        action: &ActionDefinition,
    ) {
        if action.relations.is_empty() {
            errors.add(format!("{at}/relations"), "an action needs at least one relation that allows it");
        }
        if !check_count(errors, &format!("{at}/relations"), &action.relations) {
            return;
        }
        for (index, name) in action.relations.iter().enumerate() {
            if !self.is_user_relation(of_type, name) {
                errors.add(
                    format!("{at}/relations/{index}"),
                    "this object type has no such relation of members or clients",
                );
            }
        }
    }

    /// Whether the type has the relation and it is not a relation to objects.
    fn is_user_relation(&self, of_type: &str, relation: &str) -> bool {
        self.find_relation(of_type, relation).is_some_and(|it| it.object_types().count() == 0)
    }

    /// Finds semantic errors: relations that can have no subject, and more rules than the limit.
    fn semantic_faults(&self, errors: &mut ValidationErrors) {
        // Each relation and each action produces at least one rule.
        let many: usize = self.0.values().map(|it| it.relations.len() + it.actions.len()).sum();
        if many > RELATION_RULES_MAX || self.derive_rules().iter().count() > RELATION_RULES_MAX {
            errors.add("", format!("the model results in more than {RELATION_RULES_MAX} rules; simplify it"));
            return;
        }
        let reachable = self.find_satisfiable_relations();
        for (of_type, name, relation) in self.relations() {
            let is_reached = relation.object_types().count() > 0 || reachable.contains(&(of_type, name));
            if !is_reached {
                errors.add(
                    format!("/{of_type}/relations/{name}"),
                    "no subject can ever have this relation; add subjects or remove it",
                );
            }
        }
    }

    /// The relations that can have a subject, directly or through other relations.
    fn find_satisfiable_relations(&self) -> BTreeSet<(&str, &str)> {
        let mut followers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut queue = Vec::new();
        for (of_type, name, relation) in self.relations() {
            let is_met = relation.subjects.iter().any(|text| RESERVED_TYPE_NAMES.contains(&text.as_str()));
            queue.extend(is_met.then_some((of_type, name)));
            let sets = relation.subjects.iter().filter_map(|text| text.split_once('#'));
            let includes = relation.includes.iter().map(|other| (of_type, other.as_str()));
            let through = relation.through.iter().flat_map(|through| {
                let leads = self.find_relation(of_type, &through.relation);
                let others = leads.into_iter().flat_map(RelationDefinition::object_types);
                others.map(|other| (other, through.holders_of.as_str()))
            });
            for from in sets.chain(includes).chain(through) {
                followers.entry(from).or_default().push((of_type, name));
            }
        }
        let mut reached = BTreeSet::new();
        while let Some(next) = queue.pop() {
            if reached.insert(next) {
                queue.extend(followers.get(&next).into_iter().flatten());
            }
        }
        reached
    }
}

impl RelationDefinition {
    /// The object types that can have the relation.
    pub fn object_types(&self) -> impl Iterator<Item = &str> {
        let is_object = |text: &&String| !text.contains('#') && !RESERVED_TYPE_NAMES.contains(&text.as_str());
        self.subjects.iter().filter(is_object).map(String::as_str)
    }

    fn has_inherited_subjects(&self) -> bool {
        !self.includes.is_empty() || !self.through.is_empty()
    }
}

fn scope_faults(
    errors: &mut ValidationErrors,
    at: &str,
    action: &ActionDefinition,
    defines: impl Fn(&Permission) -> bool,
) {
    let Some(text) = &action.scope else { return };
    let at = format!("{at}/scope");
    let Some(permission) = errors.parse_text::<Permission>(&at, text) else { return };
    if permission.is_wildcard() || !defines(&permission) {
        errors.add(&at, "this API does not define the permission");
    }
}

fn check_name(errors: &mut ValidationErrors, at: &str, name: &str) {
    if !is_valid_name(name) {
        errors.add(at, "must be lower-case letters, digits and underscores, and begin with a letter");
    }
}

/// Whether the number of items is within the limit, so that they are checked one by one.
fn check_count<T: PartialEq>(errors: &mut ValidationErrors, at: &str, items: &[T]) -> bool {
    if items.len() > RELATION_NAMES_MAX {
        errors.add(at, format!("at most {RELATION_NAMES_MAX} are allowed"));
        return false;
    }
    if items.iter().enumerate().any(|(index, item)| items[..index].contains(item)) {
        errors.add(at, "a name is repeated; each must be unique");
    }
    true
}

/// Escapes a name for use as a segment of a JSON pointer (RFC 6901).
fn escape_pointer_segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
