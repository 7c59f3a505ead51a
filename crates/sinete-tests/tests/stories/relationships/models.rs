//! What an API says of its objects: judged whole, and never so that what is stored does not fit any more.

use crate::both_engines;
use crate::harness::drive::{added, drive, object_types};
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    an_api_says_what_its_objects_are_and_is_told_everything_that_cannot_be,
    a_model_is_not_changed_while_a_relationship_would_not_fit_any_more
);

async fn an_api_says_what_its_objects_are_and_is_told_everything_that_cannot_be(world: &World) {
    let books = world.books().await;
    let path = books.tenant.path("/apis");
    let made = books.owner.adds_api(drive()).await.is(201);
    assert_eq!(made.body["object_types"], object_types());
    let path = format!("{path}/{}", made.text_of("id"));
    assert_eq!(books.owner.get(&path).await.is(200).body["object_types"], object_types());

    let change = json!({"object_types": {
        "team": {"relations": {"boss": {"subjects": ["king"]}}},
        "folder": {"actions": {"list": {"relations": ["owner", "nobody"], "scope": "documents:burn"}}},
    }});
    let refused = books.owner.patch(&path, made.version(), change).await.refused(422, "unprocessable");
    assert_eq!(
        refused.faults(),
        [
            "/object_types/folder/actions/list/relations/1",
            "/object_types/folder/actions/list/scope",
            "/object_types/team/relations/boss/subjects/0",
        ]
    );
    let circle = json!({"object_types": {"team": {"relations": {"member": {"subjects": ["team#member"]}}}}});
    let refused = books.owner.patch(&path, made.version(), circle).await.refused(422, "unprocessable");
    assert_eq!(refused.faults()[0], "/object_types/team/relations/member");
    for wrong in [
        json!({"team": {"relations": []}}),
        json!({"team": {"relations": {}, "more": 1}}),
        json!({"team": {"relations": {"member": {"subjects": [1]}}}}),
    ] {
        let refused = books
            .owner
            .patch(&path, made.version(), json!({"object_types": wrong}))
            .await
            .refused(422, "unprocessable");
        assert!(refused.faults()[0].starts_with("/object_types/team"), "{:?}", refused.faults());
    }
    assert_eq!(books.owner.get(&path).await.is(200).version(), made.version(), "nothing changed");
    // What the API does not define any more it cannot ask of tokens either.
    let fewer = json!({"permissions": [{"permission": "documents:read", "english": "Read documents"}]});
    let refused = books.owner.patch(&path, made.version(), fewer).await.refused(422, "unprocessable");
    assert_eq!(refused.faults(), ["/object_types/document/actions/write/scope"]);
}

async fn a_model_is_not_changed_while_a_relationship_would_not_fit_any_more(world: &World) {
    let drive = world.drive().await;
    let (member, owner) = (drive.member().await, &drive.books.owner);
    drive.add(&[&format!("document:plan viewer member:{member}"), "document:plan folder folder:plans"]).await;
    let version = owner.get(&drive.api).await.is(200).version();
    let without = json!({"object_types": {"document": null}});
    let refused = owner.patch(&drive.api, version, without.clone()).await.refused(422, "unprocessable");
    assert_eq!(
        refused.faults(),
        ["/object_types/document/relations/folder", "/object_types/document/relations/viewer"]
    );
    assert!(drive.may(&format!("member:{member}"), "read", "document:plan").await, "it was refused whole");
    // What nobody stands in may go, and what is conferred may change, at once.
    let change = json!({"object_types": {"document": {
        "relations": {"viewer": {"subjects": ["member"]}},
        "actions": {"share": {"relations": ["viewer"]}, "write": null},
    }}});
    let version = owner.patch(&drive.api, version, change).await.is(200).version();
    assert!(drive.may(&format!("member:{member}"), "share", "document:plan").await);
    drive
        .change(added(&["document:plan viewer role:01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"]))
        .await
        .refused(422, "unprocessable");
    drive
        .change(crate::harness::drive::removed(&[
            &format!("document:plan viewer member:{member}"),
            "document:plan folder folder:plans",
        ]))
        .await
        .is(200);
    owner.patch(&drive.api, version, without).await.is(200);
    assert!(!drive.may(&format!("member:{member}"), "read", "document:plan").await);
}
