//! Relationships of removed subjects: they allow nothing, are hidden, and are deleted.

use crate::both_engines;
use crate::harness::api_caller::ApiResponse;
use crate::harness::drive_api::{DriveApi, additions, parse_relationship, with_member};
use crate::harness::token_endpoint::TokenClient;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
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
    let subjects = RelatedSubjects::create(&drive).await;
    let engine = world.server.engine();
    for text in [&subjects.of_ana, &subjects.of_robot, &subjects.of_role, &subjects.of_eva] {
        subjects.add_only_if("there", text).await.assert_status(200);
        subjects.add_only_if("absent", text).await.assert_problem(412, "precondition_failed");
    }
    assert_eq!(subjects.count_listed().await, 5);

    subjects.disable_ana_without_loss().await;
    let account = world.account_of_member(drive.tenant(), subjects.ana).await;
    subjects.remove_ana_the_robot_and_the_role().await;
    subjects.assert_removed_are_hidden().await;

    // A member or client that returns is a new subject: it has no relationships, and its old id matches nothing.
    world.add_member(drive.tenant(), account).await;
    subjects.give_the_robot_a_role_again().await;
    subjects.assert_removed_are_hidden().await;
    subjects.assert_only_eva_may_write().await;

    // Two concurrent cleanups delete each orphaned relationship once and keep the others.
    let mut position = CleanupPosition::default();
    let (one, other) = tokio::join!(remove_orphaned_relationships(engine, &mut position), async {
        remove_orphaned_relationships(engine, &mut CleanupPosition::default()).await
    });
    assert_eq!(one.unwrap() + other.unwrap(), 3, "each relationship is counted once");
    assert_eq!(remove_orphaned_relationships(engine, &mut position).await.unwrap(), 0);
    subjects.assert_removed_are_hidden().await;
    subjects.assert_only_eva_may_write().await;
    let api = drive.api.rsplit('/').next().unwrap().parse().unwrap();
    let scope = RelationshipScope { api, organization: drive.tenant().id };
    let has_capacity =
        async |new_count: i64| has_relationship_capacity(engine.store(), scope, new_count).await.unwrap();
    assert!(has_capacity(RELATIONSHIPS_MAX - 2).await && !has_capacity(RELATIONSHIPS_MAX - 1).await);
}

/// Two members, a client and a role, each with a relationship to `document:plan`.
struct RelatedSubjects<'w> {
    drive: &'w DriveApi<'w>,
    ana: MembershipId,
    eva: MembershipId,
    robot: TokenClient<'w>,
    role: String,
    of_ana: String,
    of_robot: String,
    of_role: String,
    of_eva: String,
}

impl<'w> RelatedSubjects<'w> {
    async fn create(drive: &'w DriveApi<'w>) -> Self {
        let (ana, eva) = (drive.create_member().await, drive.create_member().await);
        let robot = drive.books.create_service("reader", "documents:read").await;
        let definition = json!({"name": "brief", "permissions": ["documents:read"]});
        let role = drive.books.owner.post(&drive.tenant().path("/roles"), definition).await;
        let role = role.assert_status(201).text_member("id");
        let of_ana = format!("document:plan editor member:{ana}");
        let of_robot = format!("document:plan editor client:{}", robot.id);
        let of_role = format!("document:plan viewer role:{role}");
        let of_eva = format!("document:plan editor member:{eva}");
        drive.add_relationships(&[&of_ana, &of_robot, &of_role, &of_eva]).await;
        Self { drive, ana, eva, robot, role, of_ana, of_robot, of_role, of_eva }
    }

    /// Adds a relationship under the precondition that another one exists or not.
    async fn add_only_if(&self, is: &str, text: &str) -> ApiResponse {
        let mut body = additions(&["folder:plans parent folder:root"]);
        body["only_if"] = json!([with_member(parse_relationship(text), "is", is)]);
        self.drive.change_relationships(body).await
    }

    async fn count_listed(&self) -> usize {
        let response = self.drive.books.owner.get(&self.drive.relationships_path()).await.assert_status(200);
        response.body["items"].as_array().unwrap().len()
    }

    async fn disable_ana_without_loss(&self) {
        let (owner, engine) = (&self.drive.books.owner, self.drive.books.world.server.engine());
        let member = self.drive.tenant().path(&format!("/members/{}", self.ana));
        owner.post(&format!("{member}/disable"), Value::Null).await.assert_status(200);
        self.add_only_if("there", &self.of_ana).await.assert_status(200);
        assert_eq!(
            (
                self.count_listed().await,
                remove_orphaned_relationships(engine, &mut CleanupPosition::default()).await.unwrap()
            ),
            (5, 0)
        );
    }

    async fn remove_ana_the_robot_and_the_role(&self) {
        let (owner, tenant) = (&self.drive.books.owner, self.drive.tenant());
        let store = self.drive.books.world.server.engine().store();
        let client = self.robot.id.parse().unwrap();
        let robot = memberships::find_client_membership(store, tenant.id, &client).await.unwrap().unwrap();
        for path in [
            tenant.path(&format!("/members/{}", self.ana)),
            tenant.path(&format!("/members/{}", robot.id)),
            tenant.path(&format!("/roles/{}", self.role)),
        ] {
            let version = owner.get(&path).await.assert_status(200).version();
            owner.delete(&path, Some(version)).await.assert_status(204);
        }
    }

    async fn give_the_robot_a_role_again(&self) {
        let (owner, tenant) = (&self.drive.books.owner, self.drive.tenant());
        let client = tenant.path(&format!("/clients/{}", self.robot.id));
        let roles = owner.get(&tenant.path("/roles")).await.assert_status(200);
        let reader =
            roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "reader").unwrap()["id"]
                .clone();
        let version = owner.get(&client).await.assert_status(200).version();
        owner.patch(&client, version, json!({"roles": [reader]})).await.assert_status(200);
    }

    async fn assert_removed_are_hidden(&self) {
        for text in [&self.of_ana, &self.of_robot, &self.of_role] {
            self.add_only_if("there", text).await.assert_problem(412, "precondition_failed");
            self.add_only_if("absent", text).await.assert_status(200);
        }
        self.add_only_if("there", &self.of_eva).await.assert_status(200);
        assert_eq!(self.count_listed().await, 2);
    }

    async fn assert_only_eva_may_write(&self) {
        let may_write =
            async |subject: String| self.drive.is_allowed(&subject, "write", "document:plan").await;
        let path = self.drive.tenant().path("/members?limit=200");
        let members = self.drive.books.owner.get(&path).await.assert_status(200);
        for member in members.body["items"].as_array().unwrap() {
            let id = member["id"].as_str().unwrap();
            assert_eq!(may_write(format!("member:{id}")).await, id == self.eva.to_string());
        }
        assert!(!may_write(format!("client:{}", self.robot.id)).await);
    }
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
    let member_version = owner.get(&member).await.assert_status(200).version();
    owner.delete(&member, Some(member_version)).await.assert_status(204);
    owner.patch(&drive.api, version, without).await.assert_status(200);
    assert_eq!(
        remove_orphaned_relationships(world.server.engine(), &mut CleanupPosition::default()).await.unwrap(),
        1
    );
}
