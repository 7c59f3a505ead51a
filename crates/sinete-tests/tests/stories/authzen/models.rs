//! Relationship models: validated as a whole, and never changed so that stored relationships no longer fit.

use crate::both_engines;
use crate::harness::drive_api::{additions, drive_api_definition, object_types};
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    authzen_model_is_defined_by_its_api_and_all_faults_are_reported,
    authzen_model_change_that_orphans_a_relationship_is_refused
);

async fn authzen_model_is_defined_by_its_api_and_all_faults_are_reported(world: &World) {
    let books = world.create_token_fixture().await;
    let path = books.tenant.path("/apis");
    let response = books.owner.create_api(drive_api_definition()).await.assert_status(201);
    assert_eq!(response.body["object_types"], object_types());
    let path = format!("{path}/{}", response.text_member("id"));
    assert_eq!(books.owner.get(&path).await.assert_status(200).body["object_types"], object_types());

    let change = json!({"object_types": {
        "team": {"relations": {"boss": {"subjects": ["king"]}}},
        "folder": {"actions": {"list": {"relations": ["owner", "nobody"], "scope": "documents:burn"}}},
    }});
    let refused =
        books.owner.patch(&path, response.version(), change).await.assert_problem(422, "unprocessable");
    assert_eq!(
        refused.fault_pointers(),
        [
            "/object_types/folder/actions/list/relations/1",
            "/object_types/folder/actions/list/scope",
            "/object_types/team/relations/boss/subjects/0",
        ]
    );
    let circle = json!({"object_types": {"team": {"relations": {"member": {"subjects": ["team#member"]}}}}});
    let refused =
        books.owner.patch(&path, response.version(), circle).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers()[0], "/object_types/team/relations/member");
    for wrong in [
        json!({"team": {"relations": []}}),
        json!({"team": {"relations": {}, "more": 1}}),
        json!({"team": {"relations": {"member": {"subjects": [1]}}}}),
    ] {
        let refused = books
            .owner
            .patch(&path, response.version(), json!({"object_types": wrong}))
            .await
            .assert_problem(422, "unprocessable");
        assert!(
            refused.fault_pointers()[0].starts_with("/object_types/team"),
            "{:?}",
            refused.fault_pointers()
        );
    }
    assert_eq!(
        books.owner.get(&path).await.assert_status(200).version(),
        response.version(),
        "nothing changed"
    );
    // An action cannot require a permission that the API no longer defines.
    let fewer = json!({"permissions": [{"permission": "documents:read", "english": "Read documents"}]});
    let refused =
        books.owner.patch(&path, response.version(), fewer).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/object_types/document/actions/write/scope"]);
}

async fn authzen_model_change_that_orphans_a_relationship_is_refused(world: &World) {
    let drive = world.create_drive_api().await;
    let (member, owner) = (drive.create_member().await, &drive.books.owner);
    drive
        .add_relationships(&[
            &format!("document:plan viewer member:{member}"),
            "document:plan folder folder:plans",
        ])
        .await;
    let version = owner.get(&drive.api).await.assert_status(200).version();
    let without = json!({"object_types": {"document": null}});
    let refused =
        owner.patch(&drive.api, version, without.clone()).await.assert_problem(422, "unprocessable");
    assert_eq!(
        refused.fault_pointers(),
        ["/object_types/document/relations/folder", "/object_types/document/relations/viewer"]
    );
    assert!(
        drive.is_allowed(&format!("member:{member}"), "read", "document:plan").await,
        "the refused change had no effect"
    );
    // A relation without relationships may be removed, and what a relation includes may change, at any time.
    let change = json!({"object_types": {"document": {
        "relations": {"viewer": {"subjects": ["member"]}},
        "actions": {"share": {"relations": ["viewer"]}, "write": null},
    }}});
    let version = owner.patch(&drive.api, version, change).await.assert_status(200).version();
    assert!(drive.is_allowed(&format!("member:{member}"), "share", "document:plan").await);
    drive
        .change_relationships(additions(&["document:plan viewer role:01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]))
        .await
        .assert_problem(422, "unprocessable");
    drive
        .change_relationships(crate::harness::drive_api::removals(&[
            &format!("document:plan viewer member:{member}"),
            "document:plan folder folder:plans",
        ]))
        .await
        .assert_status(200);
    owner.patch(&drive.api, version, without).await.assert_status(200);
    assert!(!drive.is_allowed(&format!("member:{member}"), "read", "document:plan").await);
}
