//! Relationships: added once and by the model of the moment, and read for a question as far as it leads and no further.

use super::{Database, Scene};
use crate::authzen::evaluation::{
    EvaluationFacts, EvaluationQuery, EvaluationSubject, load_evaluation_facts,
};
use crate::authzen::model;
use crate::authzen::relationships;
use crate::authzen::relationships::{RelationshipFilter, RelationshipScope};
use crate::authzen::search;
use crate::authzen::search::{FoundSubject, SearchOutcome, SubjectSearchKind};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::organizations::api_catalog;
use crate::organizations::api_catalog::ApiOwnership;
use crate::organizations::memberships;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::evaluation;
use sinete_core::authzen::evaluation::{RelationshipEdge, RelationshipEdgeTarget};
use sinete_core::authzen::relationships::{Relationship, RelationshipSubject};
use sinete_core::authzen::rules::action_key;
use sinete_core::entropy::{DangerouslySeededEntropy, Entropy as _};
use sinete_core::id::RelationshipId;
use sinete_core::organizations::api_catalog::ApiDefinition;
use std::collections::BTreeSet;

both_engines!(
    relationship_is_added_once_and_only_as_the_current_model_allows,
    relationship_query_reads_enough_for_the_evaluation,
    relationship_query_is_bounded,
    relationship_query_reaches_nothing_through_inactive_rows,
    relationship_model_change_that_orphans_relationships_is_refused
);

fn drive() -> ApiDefinition {
    serde_json::from_value(serde_json::json!({
        "identifier": "https://drive.example", "name": "Drive",
        "permissions": [{"permission": "documents:read", "english": "Read"}],
        "object_types": {
            "team": {"relations": {"member": {"subjects": ["member", "client", "role", "team#member"]}}},
            "folder": {
                "relations": {
                    "parent": {"subjects": ["folder"]},
                    "owner": {"subjects": ["member"]},
                    "viewer": {
                        "subjects": ["member", "role", "team#member", "folder#viewer"], "includes": ["owner"],
                        "through": [{"relation": "parent", "holders_of": "viewer"}],
                    },
                },
                "actions": {"read": {"relations": ["viewer"]}, "own": {"relations": ["owner"]}},
            },
        },
    }))
    .unwrap()
}

fn object(of_type: &str, id: usize) -> RelationObject {
    RelationObject::new(of_type, &id.to_string()).unwrap()
}

fn stands(subject: RelationshipSubject, relation: &str, object: RelationObject) -> Relationship {
    Relationship { object, relation: relation.to_owned(), subject }
}

impl Scene {
    async fn drive(&self) -> RelationshipScope {
        let (api, organization) = (self.id(), self.world.organization);
        let belonging = ApiOwnership { organization: Some(organization), is_offered_to_all: false };
        self.happens(api_catalog::create_api(api, belonging, &drive(), NOW).unwrap()).await;
        RelationshipScope { api, organization }
    }

    fn adding(
        &self,
        place: RelationshipScope,
        version: i64,
        relationships: &[Relationship],
    ) -> Vec<GuardedStatement> {
        let more = i64::try_from(relationships.len()).unwrap();
        let mut steps = vec![model::lock_model(place.api), relationships::lock_relationships(place, more)];
        let add = |it| {
            relationships::add_relationship(
                place,
                (RelationshipId::mint(NOW, &self.entropy), version),
                it,
                NOW,
            )
        };
        steps.extend(relationships.iter().map(add));
        steps
    }

    async fn add(&self, place: RelationshipScope, relationships: &[Relationship]) {
        for some in relationships.chunks(500) {
            self.happens(self.adding(place, 1, some)).await;
        }
    }

    async fn reached(
        &self,
        place: RelationshipScope,
        object: &RelationObject,
        action: &str,
    ) -> EvaluationFacts {
        let held = action_key(action);
        let question = EvaluationQuery {
            place,
            object,
            held: &held,
            asked: EvaluationSubject::Member(self.world.membership),
        };
        load_evaluation_facts(&self.store, &question, NOW).await.unwrap()
    }

    async fn answered(&self, place: RelationshipScope, object: &RelationObject, action: &str) -> bool {
        let EvaluationFacts::All { is_alive: true, edges, .. } = self.reached(place, object, action).await
        else {
            panic!("there is no answer");
        };
        evaluation::evaluate_relation(
            &drive().object_types.derive_rules(),
            object,
            &action_key(action),
            &edges,
        )
        .unwrap()
    }
}

impl Scene {
    /// Whether the person is found by the object, and the objects that are found by the person.
    async fn searched(
        &self,
        place: RelationshipScope,
        object: &RelationObject,
        action: &str,
    ) -> (bool, BTreeSet<String>) {
        let (held, model) = (action_key(action), drive().object_types);
        let what = (object, held.as_str());
        let subjects =
            search::search_subjects(&self.store, place, what, SubjectSearchKind::Members, NOW).await.unwrap();
        let asked = EvaluationSubject::Member(self.world.membership);
        let objects = search::search_objects(&self.store, place, ("folder", &held), asked, (&model, NOW))
            .await
            .unwrap();
        let (SearchOutcome::All { found: (them, _), .. }, SearchOutcome::All { found, .. }) =
            (subjects, objects)
        else {
            panic!("nothing is searched");
        };
        (them.contains(&FoundSubject::Member(self.world.membership)), found)
    }
}

async fn relationship_is_added_once_and_only_as_the_current_model_allows(database: Database) {
    let scene = Scene::set(database).await;
    let (place, world) = (scene.drive().await, &scene.world);
    let owns = stands(RelationshipSubject::Member(world.membership), "owner", object("folder", 1));
    scene.is_refused(scene.adding(place, 2, std::slice::from_ref(&owns)), "relationships.add_member").await;
    scene.add(place, std::slice::from_ref(&owns)).await;
    scene.is_refused(scene.adding(place, 1, std::slice::from_ref(&owns)), "relationships.add_member").await;
    let carried = stands(RelationshipSubject::Role(world.role), "viewer", object("folder", 1));
    scene.add(place, std::slice::from_ref(&carried)).await;
    let found = relationships::find_relationship(&scene.store, place, &owns).await.unwrap().unwrap();
    scene
        .happens([
            relationships::lock_relationships(place, 0),
            relationships::require_relationship(place, found),
        ])
        .await;
    let absent =
        [relationships::lock_relationships(place, 0), relationships::require_no_relationship(place, &owns)];
    scene.is_refused(absent, "relationships.must_not_be").await;
    for (wanted, many) in [
        (RelationshipFilter::All, 2),
        (RelationshipFilter::Of(&owns.object), 2),
        (RelationshipFilter::With("member", &world.membership.to_string()), 1),
        (RelationshipFilter::With("client", &world.membership.to_string()), 0),
        (RelationshipFilter::With("role", &world.role.to_string()), 1),
        (RelationshipFilter::With("folder", "1"), 0),
    ] {
        let listed =
            relationships::list_relationships(&scene.store, place, wanted.clone(), None, 10).await.unwrap();
        assert_eq!(listed.len(), many, "{wanted:?}");
    }
    let listed = relationships::list_relationships(&scene.store, place, RelationshipFilter::All, None, 1)
        .await
        .unwrap();
    let rest = relationships::list_relationships(
        &scene.store,
        place,
        RelationshipFilter::All,
        Some(listed[0].id),
        10,
    )
    .await
    .unwrap();
    assert_eq!((listed.len(), rest.len()), (1, 1));
    assert_eq!(relationships::find_equal_relationships(&scene.store, place, &owns).await.unwrap(), [found]);
    let elsewhere = RelationshipScope { organization: scene.id(), ..place };
    scene.is_refused([relationships::remove_relationship(elsewhere, found)], "relationships.remove").await;
    scene
        .happens([
            relationships::lock_relationships(place, -1),
            relationships::remove_relationship(place, found),
        ])
        .await;
    let gone =
        [relationships::lock_relationships(place, 0), relationships::require_relationship(place, found)];
    scene.is_refused(gone, "relationships.must_be").await;
    scene.change("UPDATE relationship_books SET entries = 999999").await;
    let two =
        [owns.clone(), stands(RelationshipSubject::Member(world.membership), "owner", object("folder", 2))];
    scene.is_refused(scene.adding(place, 1, &two), "relationships.take_turn").await;
    // Whoever had no turn looks whether it was for want of room.
    for (place, more, has) in [(place, 1, true), (place, 2, false), (elsewhere, 1_000_000, true)] {
        assert_eq!(
            relationships::has_relationship_capacity(&scene.store, place, more).await.unwrap(),
            has,
            "{more}"
        );
    }
    scene.add(place, &[owns]).await;
}

/// Many small worlds by chance: the answer from what was reached is the answer from everything there is.
async fn relationship_query_reads_enough_for_the_evaluation(database: Database) {
    let scene = Scene::set(database).await;
    let place = scene.drive().await;
    let chance = DangerouslySeededEntropy::new(28);
    let below = |most: usize| {
        let mut byte = [0];
        chance.fill(&mut byte);
        usize::from(byte[0]) % most
    };
    let (mut yes, mut no) = (0, 0);
    for round in 0..12 {
        // Each world has objects of its own.
        let folder = |n: usize| object("folder", round * 10 + n);
        let team = |n: usize| object("team", round * 10 + n);
        let mut all: Vec<(Relationship, RelationshipEdgeTarget)> = Vec::new();
        for _ in 0..14 {
            let set = |object: RelationObject, relation: &str| {
                let leads = RelationshipEdgeTarget::ToSet(object.clone(), relation.to_owned());
                (RelationshipSubject::Set(object, relation.to_owned()), leads)
            };
            let ((subject, leads), relation, at) = match below(8) {
                0 => (
                    (RelationshipSubject::Member(scene.world.membership), RelationshipEdgeTarget::ToThem),
                    "owner",
                    folder(below(5)),
                ),
                1 => (
                    (RelationshipSubject::Role(scene.world.role), RelationshipEdgeTarget::ToThem),
                    "member",
                    team(below(3)),
                ),
                2 => (set(team(below(3)), "member"), "member", team(below(3))),
                3 | 4 => (set(team(below(3)), "member"), "viewer", folder(below(5))),
                5 => (set(folder(below(5)), "viewer"), "viewer", folder(below(5))),
                _ => {
                    let other = folder(below(5));
                    (
                        (RelationshipSubject::Object(other.clone()), RelationshipEdgeTarget::ToObject(other)),
                        "parent",
                        folder(below(5)),
                    )
                }
            };
            let one = stands(subject, relation, at);
            if all.iter().all(|(known, _)| *known != one) {
                all.push((one, leads));
            }
        }
        let stored: Vec<Relationship> = all.iter().map(|(it, _)| it.clone()).collect();
        scene.add(place, &stored).await;
        let edge = |(it, leads): &(Relationship, RelationshipEdgeTarget)| RelationshipEdge {
            object: it.object.clone(),
            relation: it.relation.clone(),
            leads: leads.clone(),
        };
        let everything: Vec<RelationshipEdge> = all.iter().map(edge).collect();
        for (n, action) in (0..5).flat_map(|n| [(n, "read"), (n, "own")]) {
            let rules = drive().object_types.derive_rules();
            let expected =
                evaluation::evaluate_relation(&rules, &folder(n), &action_key(action), &everything).unwrap();
            assert_eq!(scene.answered(place, &folder(n), action).await, expected, "{n} {action} {all:?}");
            if expected {
                yes += 1
            } else {
                no += 1
            }
            let (them, found) = scene.searched(place, &folder(n), action).await;
            assert_eq!((them, found.contains(folder(n).id())), (expected, expected), "{n} {action} {all:?}");
        }
    }
    assert!(yes > 10 && no > 10, "{yes} {no}");
}

async fn relationship_query_is_bounded(database: Database) {
    let scene = Scene::set(database).await;
    let place = scene.drive().await;
    let chain: Vec<_> = (0..3_000)
        .map(|n| stands(RelationshipSubject::Object(object("folder", n + 1)), "parent", object("folder", n)))
        .collect();
    scene.add(place, &chain).await;
    assert!(matches!(scene.reached(place, &object("folder", 0), "read").await, EvaluationFacts::TooMuch));
    // The last thousand of them are as many as are reached, and no question asks for more than it needs.
    let EvaluationFacts::All { edges, .. } = scene.reached(place, &object("folder", 2_002), "read").await
    else {
        panic!("a thousand are reached");
    };
    assert_eq!(edges.len(), 998);
    assert!(
        matches!(scene.reached(place, &object("folder", 0), "own").await, EvaluationFacts::All { edges, .. } if edges.is_empty())
    );
    // A folder that thousands of others may see costs who asks nothing.
    let others: Vec<_> = (0..2_000).map(|n| object("team", n)).collect();
    let see: Vec<_> = others
        .iter()
        .map(|team| {
            stands(
                RelationshipSubject::Set(team.clone(), "member".to_owned()),
                "viewer",
                object("folder", 9_000),
            )
        })
        .collect();
    scene.add(place, &see[..900]).await;
    scene
        .add(place, &[stands(RelationshipSubject::Role(scene.world.role), "member", object("team", 899))])
        .await;
    assert!(scene.answered(place, &object("folder", 9_000), "read").await);
    scene.add(place, &see[900..]).await;
    assert!(matches!(scene.reached(place, &object("folder", 9_000), "read").await, EvaluationFacts::TooMuch));
    // More relationships than are read, between few objects: there is no answer, whichever of them were left out.
    let many: Vec<_> = (0..101)
        .flat_map(|n| (0..100).map(move |m| (n, m)))
        .map(|(n, m)| {
            let set = RelationshipSubject::Set(object("team", 20_000 + m), "member".to_owned());
            stands(set, "member", object("team", 20_000 + n))
        })
        .collect();
    scene.add(place, &many).await;
    scene
        .add(
            place,
            &[stands(
                RelationshipSubject::Set(object("team", 20_100), "member".to_owned()),
                "viewer",
                object("folder", 9_001),
            )],
        )
        .await;
    assert!(matches!(scene.reached(place, &object("folder", 9_001), "read").await, EvaluationFacts::TooMuch));
    scene.change("UPDATE apis SET condition = 'suspended'").await;
    assert!(matches!(scene.reached(place, &object("folder", 9_001), "read").await, EvaluationFacts::TooMuch));
}

async fn relationship_query_reaches_nothing_through_inactive_rows(database: Database) {
    let scene = Scene::set(database).await;
    let place = scene.drive().await;
    let folder = object("folder", 1);
    let by_role = stands(RelationshipSubject::Role(scene.world.role), "viewer", folder.clone());
    scene
        .add(
            place,
            &[by_role, stands(RelationshipSubject::Member(scene.world.membership), "owner", folder.clone())],
        )
        .await;
    assert!(scene.answered(place, &folder, "read").await && scene.answered(place, &folder, "own").await);
    for (change, mend) in [
        ("UPDATE memberships SET condition = 'suspended'", "UPDATE memberships SET condition = 'enabled'"),
        ("UPDATE accounts SET condition = 'suspended'", "UPDATE accounts SET condition = 'enabled'"),
    ] {
        scene.change(change).await;
        let reached = scene.reached(place, &folder, "read").await;
        assert!(matches!(reached, EvaluationFacts::All { is_alive: false, .. }), "{change}");
        scene.change(mend).await;
        assert!(scene.answered(place, &folder, "read").await);
    }
    for (change, mend) in [
        (
            "UPDATE organizations SET condition = 'suspended'",
            "UPDATE organizations SET condition = 'enabled'",
        ),
        ("UPDATE apis SET condition = 'suspended'", "UPDATE apis SET condition = 'enabled'"),
        ("UPDATE organizations SET ends_at = 1800000000000000", "UPDATE organizations SET ends_at = NULL"),
    ] {
        scene.change(change).await;
        assert!(matches!(scene.reached(place, &folder, "read").await, EvaluationFacts::Nowhere), "{change}");
        scene.change(mend).await;
        assert!(scene.answered(place, &folder, "read").await);
    }
    // Without the relation of their own there is the role's, until the role is taken.
    scene.change("DELETE FROM relationships WHERE subject_kind = 'member'").await;
    assert!(scene.answered(place, &folder, "read").await && !scene.answered(place, &folder, "own").await);
    scene.change("UPDATE roles SET removed_at = 1").await;
    assert!(!scene.answered(place, &folder, "read").await);
    scene.change("UPDATE roles SET removed_at = NULL").await;
    scene.happens([memberships::remove_role(scene.world.membership, scene.world.role, NOW)]).await;
    assert!(!scene.answered(place, &folder, "read").await);
    let membership = memberships::find_membership(&scene.store, place.organization, scene.world.membership)
        .await
        .unwrap()
        .unwrap();
    scene
        .happens([memberships::change_membership_condition(&membership, LifecycleCondition::Ended, NOW)])
        .await;
    let again = stands(RelationshipSubject::Member(scene.world.membership), "owner", folder);
    scene.is_refused(scene.adding(place, 1, &[again]), "relationships.add_member").await;
}

async fn relationship_model_change_that_orphans_relationships_is_refused(database: Database) {
    let scene = Scene::set(database).await;
    let place = scene.drive().await;
    scene
        .add(
            place,
            &[stands(RelationshipSubject::Member(scene.world.membership), "owner", object("folder", 1))],
        )
        .await;
    let stored = api_catalog::find_api(&scene.store, place.api).await.unwrap().unwrap();
    assert_eq!(stored.definition, drive());
    let mut without = drive();
    without.object_types.0.remove("folder");
    let dropped = model::find_dropped_relationships(&drive().object_types, &without.object_types);
    assert_eq!(dropped.len(), 6);
    let mut used = Vec::new();
    for fit in &dropped {
        if model::has_dropped_relationship(&scene.store, place.api, fit).await.unwrap() {
            used.push((fit.relation.as_str(), fit.who.to_string()));
        }
    }
    assert_eq!(used, [("owner", "member".to_owned())]);
    let change = || api_catalog::change_api(&stored, false, &without).unwrap();
    scene.is_refused(change(), "relation_models.must_be_unused").await;
    assert!(scene.answered(place, &object("folder", 1), "own").await);
    scene.change("DELETE FROM relationships").await;
    scene.happens(change()).await;
    assert_eq!(scene.count("relation_rules").await, 1);
}
