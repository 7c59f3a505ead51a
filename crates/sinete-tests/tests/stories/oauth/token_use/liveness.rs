//! Tokens of what is revoked, ended, disabled or suspended are inactive at once: at introspection, userinfo and the
//! management API. What can be restored makes them active again.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::grants::{GrantRequest, TestClient, TestGrant};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::access_control::subject::LifecycleCondition::{Enabled, Suspended};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_engine::EventCause;
use sinete_engine::platform::signing_keys;
use sinete_store::oauth::{clients, grants};
use sinete_store::organizations::ConditionChangeReason;
use sinete_store::sign_in::sessions;
use sinete_store::{accounts, organizations};

struct Scene<'w> {
    world: &'w World,
    acme: TestOrganization,
    owner: ApiCaller<'w>,
    app: TestClient,
    granted: TestGrant<'w>,
    token: ApiCaller<'w>,
}

async fn scene(world: &World) -> Scene<'_> {
    let acme = world.create_organization("acme").await;
    let (owner, app) = (world.create_owner(&acme).await, world.create_confidential_client().await);
    let admin = world.create_member(&acme, &["admin"]).await;
    let granted =
        world.create_grant(&acme, admin, &app.id, GrantRequest::for_scope("openid members:read")).await;
    let token = granted.create_caller().await;
    Scene { world, acme, owner, app, granted, token }
}

impl Scene<'_> {
    async fn introspected(&self) -> Value {
        self.world.introspect(&self.app, &self.token.secret).await
    }

    async fn userinfo(&self) -> u16 {
        let request = self.world.http.get(self.world.public_url("/connect/userinfo"));
        request.bearer_auth(&self.token.secret).send().await.unwrap().status().as_u16()
    }

    async fn managing(&self) -> u16 {
        self.token.get(&self.acme.path("/members")).await.status
    }

    async fn counts(&self, reason: &str) {
        assert_eq!(self.introspected().await["scope"], "openid members:read", "{reason}");
        assert_eq!((self.userinfo().await, self.managing().await), (200, 200), "{reason}");
    }

    async fn is_gone(&self, reason: &str) {
        assert_eq!(self.introspected().await, json!({"active": false}), "{reason}");
        assert_eq!((self.userinfo().await, self.managing().await), (401, 401), "{reason}");
    }

    fn member(&self, below: &str) -> String {
        self.acme.path(&format!("/members/{}{below}", self.granted.membership))
    }
}

both_engines!(
    access_token_of_a_disabled_or_suspended_subject_is_inactive_until_restored,
    access_token_reflects_a_removed_role_at_once,
    access_token_that_was_revoked_or_ended_stays_inactive,
    agent_client_without_its_owner_loses_its_authority
);

async fn access_token_of_a_disabled_or_suspended_subject_is_inactive_until_restored(world: &World) {
    let scene = scene(world).await;
    let (engine, account) = (world.server.engine(), scene.granted.session.account);
    scene.counts("at first").await;

    let change = async |condition: LifecycleCondition| {
        let account_row = accounts::find_account(engine.store(), account).await.unwrap().unwrap();
        world
            .apply_statements([accounts::change_account_condition(
                account,
                account_row.version,
                condition,
                engine.now(),
            )])
            .await;
    };
    change(Suspended).await;
    scene.is_gone("the account is disabled").await;
    change(Enabled).await;
    scene.counts("the account is enabled").await;

    scene.owner.post(&scene.member("/disable"), Value::Null).await.assert_status(200);
    scene.is_gone("the membership is disabled").await;
    scene.owner.post(&scene.member("/enable"), Value::Null).await.assert_status(200);
    scene.counts("the membership is enabled").await;

    // Members of a suspended organization may only read.
    let change = async |condition: LifecycleCondition| {
        let (id, now) = (scene.acme.id, engine.now());
        let organization = organizations::find_organization(engine.store(), id, now).await.unwrap().unwrap();
        let because = ConditionChangeReason { actor: "system", reason: "unpaid" };
        world
            .apply_statements([organizations::change_organization_condition(
                id,
                organization.version,
                condition,
                because,
                now,
            )])
            .await;
    };
    change(Suspended).await;
    assert_eq!(scene.introspected().await, json!({"active": false}));
    assert_eq!((scene.userinfo().await, scene.managing().await), (401, 200));
    change(Enabled).await;
    scene.counts("the organization is enabled").await;

    let change = async |condition: LifecycleCondition| {
        let client = clients::find_client(engine.store(), &scene.app.id).await.unwrap().unwrap();
        world
            .apply_statements([clients::change_client_condition(
                &scene.app.id,
                client.version,
                condition,
                engine.now(),
            )])
            .await;
    };
    change(Suspended).await;
    assert_eq!((scene.userinfo().await, scene.managing().await), (401, 401));
    let form = [("token", scene.token.secret.as_str())];
    world.post_form(&scene.app, "/connect/introspect", &form).await.refused(400, "unauthorized_client");
    change(Enabled).await;
    scene.counts("the client is enabled").await;
}

async fn access_token_reflects_a_removed_role_at_once(world: &World) {
    let scene = scene(world).await;
    let response = scene.owner.get(&scene.acme.path("/roles")).await.assert_status(200);
    let role = |name: &str| {
        let all = response.body["items"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap()["id"].clone()
    };
    let carry = async |name: &str| {
        let version = scene.owner.get(&scene.member("")).await.assert_status(200).version();
        scene
            .owner
            .put(&scene.member("/roles"), version, json!({"roles": [role(name)]}))
            .await
            .assert_status(200);
    };
    carry("member").await;
    let body = scene.introspected().await;
    assert_eq!((&body["scope"], &body["role"]), (&json!("openid"), &json!("member")));
    assert_eq!((scene.userinfo().await, scene.managing().await), (200, 403));
    carry("admin").await;
    scene.counts("the role is back").await;
}

async fn access_token_that_was_revoked_or_ended_stays_inactive(world: &World) {
    let scene = scene(world).await;
    let (engine, now) = (world.server.engine(), world.server.engine().now());
    let create_token = async || {
        let request = GrantRequest::for_scope("openid members:read");
        let granted = world.create_grant(&scene.acme, scene.granted.membership, &scene.app.id, request).await;
        let token = granted.create_caller().await;
        let (acme, owner, app) = (scene.acme.clone(), scene.owner.clone(), scene.app.clone());
        Scene { world, acme, owner, app, granted, token }
    };
    scene.counts("at first").await;
    world.apply_statements([grants::revoke_grant(scene.granted.grant, "by hand", now)]).await;
    scene.is_gone("the grant is revoked").await;
    let other = create_token().await;
    other.counts("another grant").await;
    world
        .apply_statements([sessions::end_session(
            other.granted.session.account,
            other.granted.session.id,
            now,
        )])
        .await;
    other.is_gone("its session is ended").await;
    let other = create_token().await;
    other.counts("another session").await;
    world.apply_statements([accounts::advance_account_epoch(other.granted.session.account)]).await;
    other.is_gone("everything of the account is ended").await;
    let other = create_token().await;
    world.apply_statements([clients::advance_client_epoch(&scene.app.id)]).await;
    other.is_gone("everything of the client is ended").await;
    // A revoked signing key makes the tokens it signed inactive.
    let other = create_token().await;
    other.counts("a grant of the client as it is now").await;
    let ring = engine.key_ring();
    let kid = ring
        .signing_key(sinete_core::platform::signing_keys::SigningAlgorithm::Es256, engine.now())
        .unwrap()
        .kid()
        .to_owned();
    signing_keys::revoke(engine, &kid, &EventCause::system()).await.unwrap();
    other.is_gone("its key is withdrawn").await;
}

async fn agent_client_without_its_owner_loses_its_authority(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let keeper = world.create_member(&acme, &["admin"]).await;
    let response = owner.get(&acme.path("/roles")).await.assert_status(200);
    let admin =
        response.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "admin").unwrap()["id"]
            .clone();
    let metadata = json!({"client_name": "Robot", "grant_types": ["client_credentials"]});
    let new_client = json!({"kind": "agent", "purpose": "counts", "owner": keeper, "roles": [admin], "metadata": metadata});
    let agent = owner.post(&acme.path("/clients"), new_client).await.assert_status(201).text_member("id");
    let engine = world.server.engine();
    let now = engine.now();
    let claims = json!({
        "iss": world.issuer(), "sub": agent, "aud": world.issuer(), "client_id": agent, "org": acme.id,
        "exp": now.plus(Lifetime::from_minutes(10)).seconds(), "iat": now.seconds(), "scope": "members:read", "role": "admin",
        "jti": Jti::mint(TokenRevocationRoot::Machine { epoch: 0 }, None, engine.entropy()).to_string(),
    });
    let token = ApiCaller { secret: world.sign_jwt(JwtType::Access, &claims), ..owner.clone() };
    let path = acme.path("/members");
    token.get(&path).await.assert_status(200);
    let keeper = acme.path(&format!("/members/{keeper}"));
    owner.post(&format!("{keeper}/disable"), Value::Null).await.assert_status(200);
    token.get(&path).await.assert_problem(401, "invalid_token");
    owner.post(&format!("{keeper}/enable"), Value::Null).await.assert_status(200);
    token.get(&path).await.assert_status(200);
    owner.delete(&keeper, None).await.assert_status(204);
    token.get(&path).await.assert_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revocation_that_cannot_be_written_is_never_acknowledged() {
    use crate::harness::database::{TestEngine, superuser_url};
    let world = World::start(TestEngine::Postgres).await;
    {
        let scene = scene(&world).await;
        let name = world.database_url().rsplit_once('/').unwrap().1.to_owned();
        let (outside, connection) =
            tokio_postgres::connect(&superuser_url(), tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let read_only = format!(
            "ALTER DATABASE {name} SET default_transaction_read_only = on; \
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        outside.batch_execute(&read_only).await.unwrap();
        for _ in 0..3 {
            let form = [("token", scene.token.secret.as_str())];
            let response = world.post_form(&scene.app, "/connect/revoke", &form).await;
            assert!(response.status >= 500, "{}", response.text);
        }
        let writable = format!(
            "ALTER DATABASE {name} RESET default_transaction_read_only; \
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        outside.batch_execute(&writable).await.unwrap();
        connection.abort();
        let mut revoked = 0;
        for _ in 0..600 {
            let form = [("token", scene.token.secret.as_str())];
            revoked = world.post_form(&scene.app, "/connect/revoke", &form).await.status;
            if revoked == 200 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        assert_eq!(revoked, 200);
        scene.is_gone("it is revoked at last").await;
    }
    world.stop().await;
}
