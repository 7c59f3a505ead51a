//! What those who are gone stood in: it counts for nothing, is as if it were not there, and goes.

use crate::both_engines;
use crate::harness::drive_api::{additions, parse_relationship, with_member};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::limits::RELATIONSHIPS_MAX;
use sinete_engine::authzen::relationships::{CleanupPosition, remove_orphaned_relationships};
use sinete_store::authzen::relationships::{RelationshipScope, has_relationship_capacity};
use sinete_store::organizations::memberships;

both_engines!(
    relationships_of_removed_subjects_are_hidden_and_never_return,
    relationships_of_removed_subjects_do_not_block_model_changes
);

async fn relationships_of_removed_subjects_are_hidden_and_never_return(world: &World) {
    let drive = world.create_drive_api().await;
    let (owner, tenant, engine) = (&drive.books.owner, drive.tenant(), world.server.engine());
    let (ana, eva) = (drive.create_member().await, drive.create_member().await);
    let robot = drive.books.create_service("reader", "documents:read").await;
    let role = owner
        .post(&tenant.path("/roles"), json!({"name": "brief", "permissions": ["documents:read"]}))
        .await
        .assert_status(201);
    let of_ana = format!("document:plan editor member:{ana}");
    let of_robot = format!("document:plan editor client:{}", robot.id);
    let of_role = format!("document:plan viewer role:{}", role.text_member("id"));
    let of_eva = format!("document:plan editor member:{eva}");
    drive.add_relationships(&[&of_ana, &of_robot, &of_role, &of_eva]).await;
    let standing = |is: &str, text: &str| {
        let mut body = additions(&["folder:plans parent folder:root"]);
        body["only_if"] = json!([with_member(parse_relationship(text), "is", is)]);
        drive.change_relationships(body)
    };
    let listed = async || {
        owner.get(&drive.relationships_path()).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len()
    };
    for text in [&of_ana, &of_robot, &of_role, &of_eva] {
        standing("there", text).await.assert_status(200);
        standing("absent", text).await.assert_problem(412, "precondition_failed");
    }
    assert_eq!(listed().await, 5);

    // Disabling loses nothing; leaving does.
    let member = tenant.path(&format!("/members/{ana}"));
    owner.post(&format!("{member}/disable"), Value::Null).await.assert_status(200);
    standing("there", &of_ana).await.assert_status(200);
    assert_eq!(
        (
            listed().await,
            remove_orphaned_relationships(engine, &mut CleanupPosition::default()).await.unwrap()
        ),
        (5, 0)
    );
    let account = world.account_of_member(tenant, ana).await;
    let gone = memberships::find_client_membership(engine.store(), tenant.id, &robot.id.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    for path in [
        member,
        tenant.path(&format!("/members/{}", gone.id)),
        tenant.path(&format!("/roles/{}", role.text_member("id"))),
    ] {
        let version = owner.get(&path).await.assert_status(200).version();
        owner.delete(&path, Some(version)).await.assert_status(204);
    }
    let is_gone = async || {
        for text in [&of_ana, &of_robot, &of_role] {
            standing("there", text).await.assert_problem(412, "precondition_failed");
            standing("absent", text).await.assert_status(200);
        }
        standing("there", &of_eva).await.assert_status(200);
        assert_eq!(listed().await, 2);
    };
    is_gone().await;

    // Whoever comes back stands in nothing, and what others called them by leads nowhere.
    world.add_member(tenant, account).await;
    let client = tenant.path(&format!("/clients/{}", robot.id));
    let roles = owner.get(&tenant.path("/roles")).await.assert_status(200);
    let reader =
        roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "reader").unwrap()["id"]
            .clone();
    let version = owner.get(&client).await.assert_status(200).version();
    owner.patch(&client, version, json!({"roles": [reader]})).await.assert_status(200);
    let may = async |who: String| drive.is_allowed(&who, "write", "document:plan").await;
    let nobody_else = async || {
        let members = owner.get(&tenant.path("/members?limit=200")).await.assert_status(200);
        for somebody in members.body["items"].as_array().unwrap() {
            let id = somebody["id"].as_str().unwrap();
            assert_eq!(may(format!("member:{id}")).await, id == eva.to_string());
        }
        assert!(!may(format!("client:{}", robot.id)).await);
    };
    is_gone().await;
    nobody_else().await;

    // It goes by itself, is counted once, and what counts stays.
    let mut walk = CleanupPosition::default();
    let (one, other) = tokio::join!(remove_orphaned_relationships(engine, &mut walk), async {
        remove_orphaned_relationships(engine, &mut CleanupPosition::default()).await
    });
    assert_eq!(one.unwrap() + other.unwrap(), 3, "whoever was second found nothing");
    assert_eq!(remove_orphaned_relationships(engine, &mut walk).await.unwrap(), 0);
    is_gone().await;
    nobody_else().await;
    let api = drive.api.rsplit('/').next().unwrap().parse().unwrap();
    let place = RelationshipScope { api, organization: tenant.id };
    let room = async |more: i64| has_relationship_capacity(engine.store(), place, more).await.unwrap();
    assert!(room(RELATIONSHIPS_MAX - 2).await && !room(RELATIONSHIPS_MAX - 1).await);
}

async fn relationships_of_removed_subjects_do_not_block_model_changes(world: &World) {
    let drive = world.create_drive_api().await;
    let (owner, ana) = (&drive.books.owner, drive.create_member().await);
    drive.add_relationships(&[&format!("folder:plans owner member:{ana}")]).await;
    let without =
        json!({"object_types": {"folder": {"relations": {"owner": null, "editor": {"includes": null}}}}});
    let version = owner.get(&drive.api).await.assert_status(200).version();
    owner.patch(&drive.api, version, without.clone()).await.assert_problem(422, "unprocessable");
    let member = drive.tenant().path(&format!("/members/{ana}"));
    let seen = owner.get(&member).await.assert_status(200).version();
    owner.delete(&member, Some(seen)).await.assert_status(204);
    owner.patch(&drive.api, version, without).await.assert_status(200);
    assert_eq!(
        remove_orphaned_relationships(world.server.engine(), &mut CleanupPosition::default()).await.unwrap(),
        1
    );
}
