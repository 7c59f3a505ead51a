//! What those who are gone stood in: it counts for nothing, is as if it were not there, and goes.

use crate::both_engines;
use crate::harness::drive::{added, relationship, with};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::limits::RELATIONSHIPS_MAX;
use sinete_engine::relationships::{CleanupPosition, remove_leftover};
use sinete_store::memberships;
use sinete_store::relationships::{RelationshipScope, has_room};

both_engines!(
    what_the_gone_stood_in_is_as_if_it_were_not_there_and_nobody_comes_back_to_it,
    what_the_gone_stood_in_holds_up_no_change_of_what_the_api_says
);

async fn what_the_gone_stood_in_is_as_if_it_were_not_there_and_nobody_comes_back_to_it(world: &World) {
    let drive = world.drive().await;
    let (owner, tenant, engine) = (&drive.books.owner, drive.tenant(), world.server.engine());
    let (ana, eva) = (drive.member().await, drive.member().await);
    let robot = drive.books.service("reader", "documents:read").await;
    let role = owner
        .post(&tenant.path("/roles"), json!({"name": "brief", "permissions": ["documents:read"]}))
        .await
        .is(201);
    let of_ana = format!("document:plan editor member:{ana}");
    let of_robot = format!("document:plan editor client:{}", robot.id);
    let of_role = format!("document:plan viewer role:{}", role.text_of("id"));
    let of_eva = format!("document:plan editor member:{eva}");
    drive.add(&[&of_ana, &of_robot, &of_role, &of_eva]).await;
    let standing = |is: &str, text: &str| {
        let mut body = added(&["folder:plans parent folder:root"]);
        body["only_if"] = json!([with(relationship(text), "is", is)]);
        drive.change(body)
    };
    let listed = async || owner.get(&drive.path()).await.is(200).body["items"].as_array().unwrap().len();
    for text in [&of_ana, &of_robot, &of_role, &of_eva] {
        standing("there", text).await.is(200);
        standing("absent", text).await.refused(412, "precondition_failed");
    }
    assert_eq!(listed().await, 5);

    // Disabling loses nothing; leaving does.
    let member = tenant.path(&format!("/members/{ana}"));
    owner.post(&format!("{member}/disable"), Value::Null).await.is(200);
    standing("there", &of_ana).await.is(200);
    assert_eq!(
        (listed().await, remove_leftover(engine, &mut CleanupPosition::default()).await.unwrap()),
        (5, 0)
    );
    let account = world.account_of(tenant, ana).await;
    let gone =
        memberships::of_client(engine.store(), tenant.id, &robot.id.parse().unwrap()).await.unwrap().unwrap();
    for path in [
        member,
        tenant.path(&format!("/members/{}", gone.id)),
        tenant.path(&format!("/roles/{}", role.text_of("id"))),
    ] {
        let version = owner.get(&path).await.is(200).version();
        owner.delete(&path, Some(version)).await.is(204);
    }
    let is_gone = async || {
        for text in [&of_ana, &of_robot, &of_role] {
            standing("there", text).await.refused(412, "precondition_failed");
            standing("absent", text).await.is(200);
        }
        standing("there", &of_eva).await.is(200);
        assert_eq!(listed().await, 2);
    };
    is_gone().await;

    // Whoever comes back stands in nothing, and what others called them by leads nowhere.
    world.joins(tenant, account).await;
    let client = tenant.path(&format!("/clients/{}", robot.id));
    let roles = owner.get(&tenant.path("/roles")).await.is(200);
    let reader =
        roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "reader").unwrap()["id"]
            .clone();
    let version = owner.get(&client).await.is(200).version();
    owner.patch(&client, version, json!({"roles": [reader]})).await.is(200);
    let may = async |who: String| drive.may(&who, "write", "document:plan").await;
    let nobody_else = async || {
        let members = owner.get(&tenant.path("/members?limit=200")).await.is(200);
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
    let (one, other) = tokio::join!(remove_leftover(engine, &mut walk), async {
        remove_leftover(engine, &mut CleanupPosition::default()).await
    });
    assert_eq!(one.unwrap() + other.unwrap(), 3, "whoever was second found nothing");
    assert_eq!(remove_leftover(engine, &mut walk).await.unwrap(), 0);
    is_gone().await;
    nobody_else().await;
    let api = drive.api.rsplit('/').next().unwrap().parse().unwrap();
    let place = RelationshipScope { api, organization: tenant.id };
    let room = async |more: i64| has_room(engine.store(), place, more).await.unwrap();
    assert!(room(RELATIONSHIPS_MAX - 2).await && !room(RELATIONSHIPS_MAX - 1).await);
}

async fn what_the_gone_stood_in_holds_up_no_change_of_what_the_api_says(world: &World) {
    let drive = world.drive().await;
    let (owner, ana) = (&drive.books.owner, drive.member().await);
    drive.add(&[&format!("folder:plans owner member:{ana}")]).await;
    let without =
        json!({"object_types": {"folder": {"relations": {"owner": null, "editor": {"includes": null}}}}});
    let version = owner.get(&drive.api).await.is(200).version();
    owner.patch(&drive.api, version, without.clone()).await.refused(422, "unprocessable");
    let member = drive.tenant().path(&format!("/members/{ana}"));
    let seen = owner.get(&member).await.is(200).version();
    owner.delete(&member, Some(seen)).await.is(204);
    owner.patch(&drive.api, version, without).await.is(200);
    assert_eq!(remove_leftover(world.server.engine(), &mut CleanupPosition::default()).await.unwrap(), 1);
}
