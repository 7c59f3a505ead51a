//! What is revoked, ended, disabled, suspended or taken away stops at once: at introspection, at userinfo and at
//! the management API. What can be restored is restored by restoring it.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::grants::{GrantRequest, TestClient, TestGrant};
use crate::harness::tenants::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::people::LifecycleCondition::{self, Enabled, Suspended};
use sinete_core::time::Lifetime;
use sinete_core::token::jti::{Jti, TokenRoot};
use sinete_crypto::jwt::JwtType;
use sinete_engine::{EventCause, keys};
use sinete_store::organizations::ConditionChangeReason;
use sinete_store::{accounts, clients, grants, organizations, sessions};

struct Scene<'w> {
    world: &'w World,
    acme: TestOrganization,
    owner: ApiCaller<'w>,
    app: TestClient,
    granted: TestGrant<'w>,
    token: ApiCaller<'w>,
}

async fn scene(world: &World) -> Scene<'_> {
    let acme = world.tenant("acme").await;
    let (owner, app) = (world.owner(&acme).await, world.app().await);
    let admin = world.member(&acme, &["admin"]).await;
    let granted = world.granted(&acme, admin, &app.id, GrantRequest::scope("openid members:read")).await;
    let token = granted.somebody().await;
    Scene { world, acme, owner, app, granted, token }
}

impl Scene<'_> {
    async fn introspected(&self) -> Value {
        self.world.introspected(&self.app, &self.token.secret).await
    }

    async fn userinfo(&self) -> u16 {
        let request = self.world.http.get(self.world.public("/connect/userinfo"));
        request.bearer_auth(&self.token.secret).send().await.unwrap().status().as_u16()
    }

    async fn managing(&self) -> u16 {
        self.token.get(&self.acme.path("/members")).await.status
    }

    async fn counts(&self, why: &str) {
        assert_eq!(self.introspected().await["scope"], "openid members:read", "{why}");
        assert_eq!((self.userinfo().await, self.managing().await), (200, 200), "{why}");
    }

    async fn is_gone(&self, why: &str) {
        assert_eq!(self.introspected().await, json!({"active": false}), "{why}");
        assert_eq!((self.userinfo().await, self.managing().await), (401, 401), "{why}");
    }

    fn member(&self, below: &str) -> String {
        self.acme.path(&format!("/members/{}{below}", self.granted.membership))
    }
}

both_engines!(
    what_is_disabled_or_suspended_stops_at_once_and_restoring_restores,
    a_role_that_is_taken_away_takes_its_permissions_and_nothing_else,
    what_is_revoked_or_ended_stays_so,
    an_agent_that_loses_its_owner_loses_what_it_holds
);

async fn what_is_disabled_or_suspended_stops_at_once_and_restoring_restores(world: &World) {
    let scene = scene(world).await;
    let (engine, account) = (world.server.engine(), scene.granted.session.account);
    scene.counts("at first").await;

    let change = async |condition: LifecycleCondition| {
        let found = accounts::find(engine.store(), account).await.unwrap().unwrap();
        world.happens([accounts::change_condition(account, found.version, condition, engine.now())]).await;
    };
    change(Suspended).await;
    scene.is_gone("the account is disabled").await;
    change(Enabled).await;
    scene.counts("the account is enabled").await;

    scene.owner.post(&scene.member("/disable"), Value::Null).await.is(200);
    scene.is_gone("the membership is disabled").await;
    scene.owner.post(&scene.member("/enable"), Value::Null).await.is(200);
    scene.counts("the membership is enabled").await;

    // Members of a suspended organization may look, and nothing else.
    let change = async |condition: LifecycleCondition| {
        let (id, now) = (scene.acme.id, engine.now());
        let found = organizations::find(engine.store(), id, now).await.unwrap().unwrap();
        let because = ConditionChangeReason { by: "system", reason: "unpaid" };
        world.happens([organizations::change_condition(id, found.version, condition, because, now)]).await;
    };
    change(Suspended).await;
    assert_eq!(scene.introspected().await, json!({"active": false}));
    assert_eq!((scene.userinfo().await, scene.managing().await), (401, 200));
    change(Enabled).await;
    scene.counts("the organization is enabled").await;

    let change = async |condition: LifecycleCondition| {
        let found = clients::find(engine.store(), &scene.app.id).await.unwrap().unwrap();
        world
            .happens([clients::change_condition(&scene.app.id, found.version, condition, engine.now())])
            .await;
    };
    change(Suspended).await;
    assert_eq!((scene.userinfo().await, scene.managing().await), (401, 401));
    let asked = [("token", scene.token.secret.as_str())];
    world.form(&scene.app, "/connect/introspect", &asked).await.refused(400, "unauthorized_client");
    change(Enabled).await;
    scene.counts("the client is enabled").await;
}

async fn a_role_that_is_taken_away_takes_its_permissions_and_nothing_else(world: &World) {
    let scene = scene(world).await;
    let listed = scene.owner.get(&scene.acme.path("/roles")).await.is(200);
    let role = |name: &str| {
        let all = listed.body["items"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap()["id"].clone()
    };
    let carry = async |name: &str| {
        let version = scene.owner.get(&scene.member("")).await.is(200).version();
        scene.owner.put(&scene.member("/roles"), version, json!({"roles": [role(name)]})).await.is(200);
    };
    carry("member").await;
    let told = scene.introspected().await;
    assert_eq!((&told["scope"], &told["role"]), (&json!("openid"), &json!("member")));
    assert_eq!((scene.userinfo().await, scene.managing().await), (200, 403));
    carry("admin").await;
    scene.counts("the role is back").await;
}

async fn what_is_revoked_or_ended_stays_so(world: &World) {
    let scene = scene(world).await;
    let (engine, now) = (world.server.engine(), world.server.engine().now());
    let again = async || {
        let wanted = GrantRequest::scope("openid members:read");
        let granted = world.granted(&scene.acme, scene.granted.membership, &scene.app.id, wanted).await;
        let token = granted.somebody().await;
        let (acme, owner, app) = (scene.acme.clone(), scene.owner.clone(), scene.app.clone());
        Scene { world, acme, owner, app, granted, token }
    };
    scene.counts("at first").await;
    world.happens([grants::revoke(scene.granted.grant, "by hand", now)]).await;
    scene.is_gone("the grant is revoked").await;
    let other = again().await;
    other.counts("another grant").await;
    world.happens([sessions::end(other.granted.session.account, other.granted.session.id, now)]).await;
    other.is_gone("its session is ended").await;
    let other = again().await;
    other.counts("another session").await;
    world.happens([accounts::end_everything(other.granted.session.account)]).await;
    other.is_gone("everything of the account is ended").await;
    let other = again().await;
    world.happens([clients::end_everything(&scene.app.id)]).await;
    other.is_gone("everything of the client is ended").await;
    // A key that is withdrawn takes what it signed along.
    let other = again().await;
    other.counts("a grant of the client as it is now").await;
    let ring = engine.keys();
    let kid =
        ring.signer(sinete_core::signing::SigningAlgorithm::Es256, engine.now()).unwrap().kid().to_owned();
    keys::revoke(engine, &kid, &EventCause::system()).await.unwrap().unwrap();
    other.is_gone("its key is withdrawn").await;
}

async fn an_agent_that_loses_its_owner_loses_what_it_holds(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let keeper = world.member(&acme, &["admin"]).await;
    let listed = owner.get(&acme.path("/roles")).await.is(200);
    let admin =
        listed.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "admin").unwrap()["id"]
            .clone();
    let metadata = json!({"client_name": "Robot", "grant_types": ["client_credentials"]});
    let wanted = json!({"kind": "agent", "purpose": "counts", "owner": keeper, "roles": [admin], "metadata": metadata});
    let agent = owner.post(&acme.path("/clients"), wanted).await.is(201).text_of("id");
    let engine = world.server.engine();
    let now = engine.now();
    let claims = json!({
        "iss": world.issuer(), "sub": agent, "aud": world.issuer(), "client_id": agent, "org": acme.id,
        "exp": now.plus(Lifetime::from_minutes(10)).seconds(), "iat": now.seconds(), "scope": "members:read", "role": "admin",
        "jti": Jti::mint(TokenRoot::Own { epoch: 0 }, None, engine.entropy()).to_string(),
    });
    let token = ApiCaller { secret: world.sign(JwtType::Access, &claims), ..owner.clone() };
    let path = acme.path("/members");
    token.get(&path).await.is(200);
    let keeper = acme.path(&format!("/members/{keeper}"));
    owner.post(&format!("{keeper}/disable"), Value::Null).await.is(200);
    token.get(&path).await.refused(401, "invalid_token");
    owner.post(&format!("{keeper}/enable"), Value::Null).await.is(200);
    token.get(&path).await.is(200);
    owner.delete(&keeper, None).await.is(204);
    token.get(&path).await.refused(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revocation_that_cannot_be_written_is_never_said_to_have_happened() {
    use crate::harness::database::{TestEngine, server};
    let world = World::begin(TestEngine::Postgres).await;
    {
        let scene = scene(&world).await;
        let name = world.database_url().rsplit_once('/').unwrap().1.to_owned();
        let (outside, connection) = tokio_postgres::connect(&server(), tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let read_only = format!(
            "ALTER DATABASE {name} SET default_transaction_read_only = on; \
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        outside.batch_execute(&read_only).await.unwrap();
        for _ in 0..3 {
            let asked = [("token", scene.token.secret.as_str())];
            let answered = world.form(&scene.app, "/connect/revoke", &asked).await;
            assert!(answered.status >= 500, "{}", answered.text);
        }
        let writable = format!(
            "ALTER DATABASE {name} RESET default_transaction_read_only; \
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        outside.batch_execute(&writable).await.unwrap();
        connection.abort();
        let mut revoked = 0;
        for _ in 0..600 {
            let asked = [("token", scene.token.secret.as_str())];
            revoked = world.form(&scene.app, "/connect/revoke", &asked).await.status;
            if revoked == 200 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        assert_eq!(revoked, 200);
        scene.is_gone("it is revoked at last").await;
    }
    world.end().await;
}
