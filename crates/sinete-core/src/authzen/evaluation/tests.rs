use super::*;
use crate::authzen::model::{AuthorizationModel, InheritedRelation};
use crate::authzen::rules::action_key;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

fn object(of_type: &str, id: usize) -> RelationObject {
    RelationObject::new(of_type, &id.to_string()).unwrap()
}

fn edge(object: RelationObject, relation: &str, leads: RelationshipEdgeTarget) -> RelationshipEdge {
    RelationshipEdge { object, relation: relation.to_owned(), target: leads }
}

/// Evaluates by adding everything that follows from the model until nothing changes. It shares only the
/// relationships with the implementation.
fn naive(
    model: &AuthorizationModel,
    object: &RelationObject,
    action: &str,
    edges: &[RelationshipEdge],
) -> bool {
    let places: BTreeSet<(RelationObject, String)> = edges
        .iter()
        .flat_map(|edge| {
            let other = match &edge.target {
                RelationshipEdgeTarget::ToEvaluatedSubject => None,
                RelationshipEdgeTarget::ToObject(other) | RelationshipEdgeTarget::ToSet(other, _) => {
                    Some(other.clone())
                }
            };
            [Some(edge.object.clone()), other].into_iter().flatten()
        })
        .chain([object.clone()])
        .flat_map(|object| {
            let relations = &model.0[object.object_type()].relations;
            relations.keys().map(move |name| (object.clone(), name.clone())).collect::<Vec<_>>()
        })
        .collect();
    let mut derived_relations: BTreeSet<(RelationObject, String)> = BTreeSet::new();
    loop {
        let before = derived_relations.len();
        for (object, name) in &places {
            let relation = &model.0[object.object_type()].relations[name];
            let of_here = |relation_name: &str| {
                edges
                    .iter()
                    .filter(|edge| edge.object == *object && edge.relation == relation_name)
                    .map(|edge| &edge.target)
                    .collect::<Vec<_>>()
            };
            let directly = of_here(name).into_iter().any(|leads| match leads {
                RelationshipEdgeTarget::ToEvaluatedSubject => true,
                RelationshipEdgeTarget::ToSet(other, name) => {
                    derived_relations.contains(&(other.clone(), name.clone()))
                }
                RelationshipEdgeTarget::ToObject(_) => false,
            });
            let included = relation
                .includes
                .iter()
                .any(|name| derived_relations.contains(&(object.clone(), name.clone())));
            let through = |through: &InheritedRelation| {
                of_here(&through.relation).into_iter().any(|leads| match leads {
                    RelationshipEdgeTarget::ToObject(other) => {
                        derived_relations.contains(&(other.clone(), through.holders_of.clone()))
                    }
                    RelationshipEdgeTarget::ToEvaluatedSubject | RelationshipEdgeTarget::ToSet(..) => false,
                })
            };
            if directly || included || relation.through.iter().any(through) {
                derived_relations.insert((object.clone(), name.clone()));
            }
        }
        if derived_relations.len() == before {
            let confer = &model.0[object.object_type()].actions[action].relations;
            return confer.iter().any(|name| derived_relations.contains(&(object.clone(), name.clone())));
        }
    }
}

const TYPES: [&str; 2] = ["team", "folder"];
const PEOPLE: [&str; 3] = ["a", "b", "c"];

fn some(of: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(of, 0..=of.len())
}

/// A model of two types, each with three relations of subjects and one of objects, with arbitrary
/// inheritance.
fn models() -> impl Strategy<Value = AuthorizationModel> {
    let relation = (some(&PEOPLE), some(&PEOPLE)).prop_map(|(includes, through)| {
        let through: Vec<_> =
            through.iter().map(|of| json!({"relation": "parent", "holders_of": of})).collect();
        let subjects = json!(["member", "team#a", "team#b", "team#c", "folder#a", "folder#b", "folder#c"]);
        json!({"subjects": subjects, "includes": includes, "through": through})
    });
    let of_type = (proptest::collection::vec(relation, 3), some(&PEOPLE)).prop_map(|(relations, confer)| {
        let confer = if confer.is_empty() { vec!["a"] } else { confer };
        json!({
            "relations": {
                "a": relations[0], "b": relations[1], "c": relations[2],
                "parent": {"subjects": ["team", "folder"]},
            },
            "actions": {"act": {"relations": confer}},
        })
    });
    proptest::collection::vec(of_type, 2)
        .prop_map(|types| serde_json::from_value(json!({"team": types[0], "folder": types[1]})).unwrap())
}

fn edges() -> impl Strategy<Value = Vec<RelationshipEdge>> {
    let objects = || (0..2_usize, 0..4_usize).prop_map(|(of_type, id)| object(TYPES[of_type], id));
    let edge = (objects(), objects(), 0..4_usize, 0..3_usize, 0..8_usize).prop_map(
        |(at, other, relation, of, subject)| match relation {
            3 => edge(at, "parent", RelationshipEdgeTarget::ToObject(other)),
            _ if subject == 0 => edge(at, PEOPLE[relation], RelationshipEdgeTarget::ToEvaluatedSubject),
            _ => edge(at, PEOPLE[relation], RelationshipEdgeTarget::ToSet(other, PEOPLE[of].to_owned())),
        },
    );
    proptest::collection::vec(edge, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn authzen_evaluation_matches_the_naive_model(model in models(), edges in edges(), asked in 0..8_usize) {
        prop_assert!(model.validate(|_| true).is_empty());
        let asked = object(TYPES[asked % 2], asked / 2);
        let answer = evaluate_relation(&model.derive_rules(), &asked, &action_key("act"), &edges);
        prop_assert_eq!(answer, Ok(naive(&model, &asked, "act", &edges)));
    }

    #[test]
    fn authzen_relationship_added_never_revokes_access(model in models(), edges in edges(), asked in 0..8_usize) {
        let asked = object(TYPES[asked % 2], asked / 2);
        let rules = model.derive_rules();
        let all = evaluate_relation(&rules, &asked, &action_key("act"), &edges).unwrap();
        for place in 0..edges.len() {
            let mut fewer = edges.clone();
            fewer.remove(place);
            prop_assert!(!evaluate_relation(&rules, &asked, &action_key("act"), &fewer).unwrap() || all);
        }
    }
}

#[test]
fn authzen_path_is_the_relationships_from_the_object_to_the_subject() {
    let model: AuthorizationModel = serde_json::from_value(json!({
        "team": {"relations": {"member": {"subjects": ["member"]}}},
        "folder": {
            "relations": {
                "parent": {"subjects": ["folder"]},
                "viewer": {
                    "subjects": ["member", "team#member"],
                    "through": [{"relation": "parent", "holders_of": "viewer"}],
                },
            },
            "actions": {"read": {"relations": ["viewer"]}},
        },
    }))
    .unwrap();
    let up = edge(object("folder", 0), "parent", RelationshipEdgeTarget::ToObject(object("folder", 1)));
    let team = RelationshipEdgeTarget::ToSet(object("team", 2), "member".to_owned());
    let shared = edge(object("folder", 1), "viewer", team);
    let joined = edge(object("team", 2), "member", RelationshipEdgeTarget::ToEvaluatedSubject);
    let elsewhere = edge(object("folder", 9), "viewer", RelationshipEdgeTarget::ToEvaluatedSubject);
    let (rules, relation_object, action) = (model.derive_rules(), object("folder", 0), action_key("read"));
    let edges = [elsewhere.clone(), joined.clone(), shared.clone(), up.clone()];
    let path = find_relation_path(&rules, &relation_object, &action, &edges).unwrap().unwrap();
    assert_eq!(path, [&up, &shared, &joined]);
    // Without one of them there is no path.
    for missing in [&up, &shared, &joined] {
        let fewer: Vec<RelationshipEdge> = edges.iter().filter(|edge| *edge != missing).cloned().collect();
        assert_eq!(find_relation_path(&rules, &relation_object, &action, &fewer), Ok(None), "{missing:?}");
    }
}

#[test]
fn authzen_evaluation_follows_chains_up_to_a_bound_and_fails_beyond() {
    let model: AuthorizationModel = serde_json::from_value(json!({"folder": {
        "relations": {
            "parent": {"subjects": ["folder"]},
            "viewer": {"subjects": ["member"], "through": [{"relation": "parent", "holders_of": "viewer"}]},
        },
        "actions": {"read": {"relations": ["viewer"]}},
    }}))
    .unwrap();
    let chain = |length: usize| -> Vec<RelationshipEdge> {
        (0..length)
            .map(|n| {
                edge(object("folder", n), "parent", RelationshipEdgeTarget::ToObject(object("folder", n + 1)))
            })
            .collect()
    };
    let ask = |edges: &[RelationshipEdge]| {
        evaluate_relation(&model.derive_rules(), &object("folder", 0), &action_key("read"), edges)
    };
    let seen_from = |length: usize| {
        let mut edges = chain(length);
        edges.push(edge(object("folder", length), "viewer", RelationshipEdgeTarget::ToEvaluatedSubject));
        ask(&edges)
    };
    assert_eq!(seen_from(0), Ok(true));
    assert_eq!(seen_from(EVALUATION_DEPTH_MAX), Ok(true));
    assert_eq!(seen_from(EVALUATION_DEPTH_MAX + 1), Err(EvaluationDepthExceeded));
    assert_eq!(ask(&chain(EVALUATION_DEPTH_MAX)), Ok(false));
    assert_eq!(ask(&chain(EVALUATION_DEPTH_MAX + 1)), Err(EvaluationDepthExceeded));
    let mut circle = chain(3);
    circle.push(edge(object("folder", 3), "parent", RelationshipEdgeTarget::ToObject(object("folder", 0))));
    assert_eq!(ask(&circle), Ok(false));
}
