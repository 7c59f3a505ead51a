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
        scope: RelationshipScope,
        version: i64,
        relationships: &[Relationship],
    ) -> Vec<GuardedStatement> {
        let new_count = i64::try_from(relationships.len()).unwrap();
        let mut steps =
            vec![model::lock_model(scope.api), relationships::lock_relationships(scope, new_count)];
        let add = |it| {
            relationships::add_relationship(scope, RelationshipId::mint(NOW, &self.entropy), version, it, NOW)
        };
        steps.extend(relationships.iter().map(add));
        steps
    }

    async fn add(&self, scope: RelationshipScope, relationships: &[Relationship]) {
        for some in relationships.chunks(500) {
            self.happens(self.adding(scope, 1, some)).await;
        }
    }

    async fn reached(
        &self,
        scope: RelationshipScope,
        object: &RelationObject,
        action: &str,
    ) -> EvaluationFacts {
        let relation = action_key(action);
        let question = EvaluationQuery {
            scope,
            object,
            relation: &relation,
            subject: EvaluationSubject::Member(self.world.membership),
        };
        load_evaluation_facts(&self.store, &question, NOW).await.unwrap()
    }

    async fn answered(&self, scope: RelationshipScope, object: &RelationObject, action: &str) -> bool {
        let EvaluationFacts::Complete { is_active: true, edges, .. } =
            self.reached(scope, object, action).await
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
    let (scope, world) = (scene.drive().await, &scene.world);
    let list = async |filter, after, limit| {
        relationships::list_relationships(&scene.store, scope, filter, after, limit).await.unwrap()
    };
    let owns = stands(RelationshipSubject::Member(world.membership), "owner", object("folder", 1));
    scene.is_refused(scene.adding(scope, 2, std::slice::from_ref(&owns)), "relationships.add_member").await;
    scene.add(scope, std::slice::from_ref(&owns)).await;
    scene.is_refused(scene.adding(scope, 1, std::slice::from_ref(&owns)), "relationships.add_member").await;
    let relationship = stands(RelationshipSubject::Role(world.role), "viewer", object("folder", 1));
    scene.add(scope, std::slice::from_ref(&relationship)).await;
    let relationship_id =
        relationships::find_relationship(&scene.store, scope, &owns).await.unwrap().unwrap();
    scene
        .happens([
            relationships::lock_relationships(scope, 0),
            relationships::require_relationship(scope, relationship_id),
        ])
        .await;
    let absent =
        [relationships::lock_relationships(scope, 0), relationships::require_no_relationship(scope, &owns)];
    scene.is_refused(absent, "relationships.must_not_be").await;
    let (membership_id, role_id) = (world.membership.to_string(), world.role.to_string());
    for (filter, many) in [
        (RelationshipFilter::All, 2),
        (RelationshipFilter::Object(&owns.object), 2),
        (RelationshipFilter::Subject("member", &membership_id), 1),
        (RelationshipFilter::Subject("client", &membership_id), 0),
        (RelationshipFilter::Subject("role", &role_id), 1),
        (RelationshipFilter::Subject("folder", "1"), 0),
    ] {
        assert_eq!(list(filter.clone(), None, 10).await.len(), many, "{filter:?}");
    }
    let first_page = list(RelationshipFilter::All, None, 1).await;
    let rest = list(RelationshipFilter::All, Some(first_page[0].id), 10).await;
    assert_eq!((first_page.len(), rest.len()), (1, 1));
    assert_eq!(
        relationships::find_equal_relationships(&scene.store, scope, &owns).await.unwrap(),
        [relationship_id]
    );
    let elsewhere = RelationshipScope { organization: scene.id(), ..scope };
    scene
        .is_refused([relationships::remove_relationship(elsewhere, relationship_id)], "relationships.remove")
        .await;
    scene
        .happens([
            relationships::lock_relationships(scope, -1),
            relationships::remove_relationship(scope, relationship_id),
        ])
        .await;
    let gone = [
        relationships::lock_relationships(scope, 0),
        relationships::require_relationship(scope, relationship_id),
    ];
    scene.is_refused(gone, "relationships.must_be").await;
    scene.change("UPDATE relationship_books SET entries = 999999").await;
    let two =
        [owns.clone(), stands(RelationshipSubject::Member(world.membership), "owner", object("folder", 2))];
    scene.is_refused(scene.adding(scope, 1, &two), "relationships.take_turn").await;
    // After a conflict, it is checked whether the limit was the reason.
    for (scope, new_count, has) in [(scope, 1, true), (scope, 2, false), (elsewhere, 1_000_000, true)] {
        assert_eq!(
            relationships::has_relationship_capacity(&scene.store, scope, new_count).await.unwrap(),
            has,
            "{new_count}"
        );
    }
    scene.add(scope, &[owns]).await;
}

async fn relationship_model_change_that_orphans_relationships_is_refused(database: Database) {
    let scene = Scene::set(database).await;
    let scope = scene.drive().await;
    scene
        .add(
            scope,
            &[stands(RelationshipSubject::Member(scene.world.membership), "owner", object("folder", 1))],
        )
        .await;
    let stored = api_catalog::find_api(&scene.store, scope.api).await.unwrap().unwrap();
    assert_eq!(stored.definition, drive());
    let mut without = drive();
    without.object_types.0.remove("folder");
    let dropped = model::find_dropped_relationships(&drive().object_types, &without.object_types);
    assert_eq!(dropped.len(), 6);
    let mut used = Vec::new();
    for fit in &dropped {
        if model::has_dropped_relationship(&scene.store, scope.api, fit).await.unwrap() {
            used.push((fit.relation.as_str(), fit.subject_type.to_string()));
        }
    }
    assert_eq!(used, [("owner", "member".to_owned())]);
    let change = || api_catalog::change_api(&stored, false, &without).unwrap();
    scene.is_refused(change(), "relation_models.must_be_unused").await;
    assert!(scene.answered(scope, &object("folder", 1), "own").await);
    scene.change("DELETE FROM relationships").await;
    scene.happens(change()).await;
    assert_eq!(scene.count("relation_rules").await, 1);
}
