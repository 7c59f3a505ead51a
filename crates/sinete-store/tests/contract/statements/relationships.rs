//! Relationships: added once and by the current model, and read for an evaluation only as far as needed.

mod evaluation_queries;

use super::{Database, Scene};
use crate::authzen::evaluation::{
    EvaluationFacts, EvaluationQuery, EvaluationSubject, load_evaluation_facts,
};
use crate::authzen::model;
use crate::authzen::relationships;
use crate::authzen::relationships::{RelationshipFilter, RelationshipScope};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::organizations::api_catalog;
use crate::organizations::api_catalog::ApiOwnership;
use crate::write_batch::GuardedStatement;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::evaluation;
use sinete_core::authzen::relationships::{Relationship, RelationshipSubject};
use sinete_core::authzen::rules::action_key;
use sinete_core::id::RelationshipId;
use sinete_core::organizations::api_catalog::ApiDefinition;

both_engines!(
    relationship_is_added_once_and_only_as_the_current_model_allows,
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
            relationships::add_relationship(place, RelationshipId::mint(NOW, &self.entropy), version, it, NOW)
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
    // After a conflict, it is checked whether the limit was the reason.
    for (place, more, has) in [(place, 1, true), (place, 2, false), (elsewhere, 1_000_000, true)] {
        assert_eq!(
            relationships::has_relationship_capacity(&scene.store, place, more).await.unwrap(),
            has,
            "{more}"
        );
    }
    scene.add(place, &[owns]).await;
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
