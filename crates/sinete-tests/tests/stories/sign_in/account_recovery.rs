//! Account recovery revokes what outlives sessions: grants with `offline_access`, their delegations, and API keys,
//! except what the account holder keeps in the same step.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::PASSWORD;
use crate::harness::grants::{GrantRequest, TestGrant};
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::token_endpoint::{INVOICES, TokenClient, TokenEndpointResponse, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::MembershipId;
use sinete_core::limits::LONG_LIVED_ACCESS_EVENTS_MAX;
use sinete_core::secret::{AccountLink, Secret};
use sinete_core::time::Lifetime;
use sinete_store::accounts::action_links;
use sinete_store::accounts::action_links::AccountActionPurpose;
use sinete_store::accounts::email_changes;
use sinete_store::accounts::email_changes::NewEmailChange;
use sinete_store::events::security_log;
use sinete_store::oauth::grants::GrantLifespan;
use std::sync::{Arc, Mutex};

const ANA: &str = "ana@example.com";
const OFFLINE: &str = "openid offline_access invoices:read";

/// A user with two applications, an agent and two API keys that act without a session.
struct Scene<'w> {
    world: &'w World,
    books: TokenFixture<'w>,
    membership: MembershipId,
    ana: SignedInUser<'w>,
    known: Holder<'w>,
    planted: Holder<'w>,
    bob: Holder<'w>,
    agent: TokenClient<'w>,
    delegated: String,
}

/// An application with tokens, and an API key, of one user.
struct Holder<'w> {
    app: TokenClient<'w>,
    refresh: String,
    key: ApiCaller<'w>,
}

async fn holder<'w>(
    books: &TokenFixture<'w>,
    membership: MembershipId,
) -> (Holder<'w>, TokenEndpointResponse) {
    let app = books.create_app_client(json!({})).await;
    let granted: TestGrant<'_> = books.create_grant(membership, &app, OFFLINE).await;
    let tokens = app.redeem_code(&granted.code, &[]).await.assert_granted();
    let key = books.world.create_api_key_caller(&books.tenant, membership, "organization:read").await;
    (Holder { refresh: tokens.refresh_token(), app, key }, tokens)
}

async fn scene(world: &World) -> Scene<'_> {
    let books = world.create_token_fixture().await;
    let account = world.create_user(ANA).await.account;
    let ana = world
        .sign_in_account(account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let membership = ana.join_organization(&books.tenant, "owner").await;
    let bob = world.create_signed_in_user("bob@example.com").await;
    let bobs = bob.join_organization(&books.tenant, "owner").await;
    let (known_client, _) = holder(&books, membership).await;
    world.clock.advance(Lifetime::from_seconds(1));
    let (planted, tokens) = holder(&books, membership).await;
    let (bob, _) = holder(&books, bobs).await;
    let agent = books.create_agent("openid invoices:*").await;
    let delegated = delegate(&agent, &tokens).await;
    Scene { world, books, membership, ana, known: known_client, planted, bob, agent, delegated }
}

async fn delegate(agent: &TokenClient<'_>, tokens: &TokenEndpointResponse) -> String {
    let params = [("scope", "invoices:read"), ("resource", INVOICES)];
    agent.exchange_token(&tokens.access_token(), &params).await.assert_granted().access_token()
}

impl Holder<'_> {
    /// Whether the refresh token and the key work. Refreshing rotates the token, so that this can be repeated.
    async fn works(&mut self) -> (bool, bool) {
        let reply = self.app.refresh_tokens(&self.refresh, &[]).await;
        let renews = reply.status == 200;
        if renews {
            self.refresh = reply.refresh_token();
        }
        let key = self.key.get(&self.key.tenant.path("")).await;
        (renews, key.status == 200)
    }
}

impl Scene<'_> {
    /// Creates all of them again.
    async fn plants_again(&mut self) {
        self.known = holder(&self.books, self.membership).await.0;
        let (planted, tokens) = holder(&self.books, self.membership).await;
        (self.planted, self.delegated) = (planted, delegate(&self.agent, &tokens).await);
        self.everything_works().await;
    }

    /// The ids of the access to keep: of the application and the key that the user knows.
    fn keeping(&self, access_list: &Value) -> Vec<String> {
        let all = access_list.as_array().unwrap();
        assert_eq!(all.len(), 4, "{access_list}");
        let id = |it: &Value| it["id"].as_str().unwrap().to_owned();
        let app = all.iter().find(|it| id(it).ends_with(&format!(":{}", self.known.app.id))).unwrap();
        assert_eq!((&app["kind"], &app["name"]), (&json!("application"), &json!("App")));
        // The first of the two keys is the one the user knows.
        let key = all.iter().find(|it| it["kind"] == "api_key").unwrap();
        vec![id(app), id(key)]
    }

    async fn everything_works(&mut self) {
        for holder in [&mut self.known, &mut self.planted, &mut self.bob] {
            assert_eq!(holder.works().await, (true, true));
        }
        assert!(self.agent.is_token_active(&self.delegated).await);
    }

    /// Asserts that what was kept works, that the rest does not, and that other accounts are not affected.
    async fn assert_only_kept_access_works(&mut self) {
        assert_eq!(self.known.works().await, (true, true));
        assert_eq!(self.planted.works().await, (false, false));
        assert!(!self.agent.is_token_active(&self.delegated).await, "delegated access ends with the grant");
        assert_eq!(self.bob.works().await, (true, true));
        assert_eq!(
            (
                self.world.count_events("grant.revoked").await,
                self.world.count_events("api_key.revoked").await
            ),
            (1, 1)
        );
    }

    async fn nothing_of_hers_works(&mut self, because: &str) {
        assert_eq!(self.known.works().await, (false, false), "{because}");
        assert_eq!(self.planted.works().await, (false, false), "{because}");
        assert!(!self.agent.is_token_active(&self.delegated).await, "{because}");
        assert_eq!(self.bob.works().await, (true, true), "{because}");
    }

    /// The link of a sign-in alert.
    async fn not_me_link(&self) -> String {
        let engine = self.world.server.engine();
        let (token, now) = (Secret::<AccountLink>::mint(engine.entropy()), engine.now());
        let later = now.plus(Lifetime::from_hours(1));
        let issued = action_links::issue_action_link(
            &token.digest(),
            self.ana.account,
            AccountActionPurpose::ReportSignIn,
            now,
            later,
        );
        self.world.apply_statements([issued]).await;
        token.reveal()
    }

    /// The link of the e-mail about a changed address.
    async fn undo_email_link(&self) -> String {
        let engine = self.world.server.engine();
        let (token, now) = (Secret::<AccountLink>::mint(engine.entropy()), engine.now());
        let change = NewEmailChange {
            digest: &token.digest(),
            account: self.ana.account,
            former: "ana-before@example.com",
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(7)),
        };
        self.world.apply_statements([email_changes::record_email_change(&change)]).await;
        token.reveal()
    }

    async fn reset_to_new_password(&self) -> crate::harness::flow_client::FlowClient<'_> {
        let mut walk = self.world.start_flow(json!({"kind": "reset_password"})).await;
        walk.submit("email", json!({"email": ANA})).await.assert_status(200);
        let code = self.world.emailed_code(ANA).await;
        walk.submit("code", json!({"code": code})).await.assert_status(200);
        assert_eq!(walk.stage(), "new_password");
        walk
    }
}

/// Copies the grants of this client this many times, as an attacker with many grants would have them.
async fn plant_copies(world: &World, client: &str, many: i64) {
    let columns: Vec<String> = world
        .list_columns()
        .await
        .into_iter()
        .filter(|(table, column)| table == "grants" && column != "id")
        .map(|(_, column)| column)
        .collect();
    let (url, names) = (world.database_url(), columns.join(", "));
    let selected_columns = columns.iter().map(|column| format!("g.{column}")).collect::<Vec<_>>().join(", ");
    match url.strip_prefix("sqlite://") {
        Some(path) => {
            let copy = format!(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many}) \
                 INSERT INTO grants (id, {names}) SELECT randomblob(16), {selected_columns} FROM n, \
                 (SELECT * FROM grants WHERE client_id = '{client}') g"
            );
            rusqlite::Connection::open(path).unwrap().execute_batch(&copy).unwrap();
        }
        None => {
            let copy = format!(
                "INSERT INTO grants (id, {names}) SELECT decode(md5(n.i::text), 'hex'), {selected_columns} \
                 FROM generate_series(1, {many}) AS n (i), (SELECT * FROM grants WHERE client_id = '{client}') g"
            );
            let (database, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            database.batch_execute(&copy).await.unwrap();
            drop(database);
            connection.await.unwrap().unwrap();
        }
    }
}

both_engines!(
    password_reset_ends_offline_grants_delegations_and_api_keys_except_selected_ones,
    report_sign_in_ends_offline_grants_and_api_keys_except_selected_ones,
    sign_out_everywhere_ends_offline_grants_and_api_keys_except_selected_ones,
    account_recovery_of_every_kind_ends_access_that_outlives_sessions,
    account_recovery_takes_constant_work_for_any_number_of_grants,
    account_recovery_event_names_a_bounded_number_of_applications_and_counts_the_others
);

async fn password_reset_ends_offline_grants_delegations_and_api_keys_except_selected_ones(world: &World) {
    let mut scene = scene(world).await;
    scene.everything_works().await;
    let mut walk = scene.reset_to_new_password().await;
    let keep = scene.keeping(&walk.last.body["access"]);
    walk.try_submit("new_password", json!({"password": "short", "keep": keep}))
        .await
        .assert_problem(422, "unprocessable");
    walk.try_submit("new_password", json!({"password": PASSWORD, "keep": "all"}))
        .await
        .assert_problem(422, "unprocessable");
    walk.submit("new_password", json!({"password": "another kettle at dusk", "keep": keep}))
        .await
        .assert_status(200);
    drop(walk);
    scene.ana.get("/account").await.assert_problem(401, "unauthenticated");
    scene.assert_only_kept_access_works().await;
}

async fn report_sign_in_ends_offline_grants_and_api_keys_except_selected_ones(world: &World) {
    let mut scene = scene(world).await;
    let link = scene.not_me_link().await;
    let list = async |token: &str| {
        let response =
            world.http.get(world.public_url(&format!("/links/not-me?token={token}"))).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    assert_eq!(list("sn_al_nonsense").await.0, 404);
    // Reading a link does not use it up, in the API or on the page, which lists the same access.
    let keep = scene.keeping(&list(&link).await.1["access"]);
    let page =
        world.http.get(world.public_url(&format!("/not-me?token={link}"))).header("accept", "text/html");
    let page = page.send().await.unwrap().text().await.unwrap();
    assert!(keep.iter().all(|id| page.contains(&format!("value=\"{id}\""))), "{page}");
    scene.everything_works().await;
    let form = [("token", link.as_str()), ("keep.0", keep[0].as_str()), ("keep.1", keep[1].as_str())];
    let response = world.http.post(world.public_url("/links/not-me")).form(&form).send().await.unwrap();
    assert_eq!(response.json::<Value>().await.unwrap()["access_ended"], true);
    assert_eq!(list(&link).await.0, 404, "the link was used");
    scene.ana.get("/account").await.assert_problem(401, "unauthenticated");
    scene.assert_only_kept_access_works().await;
}

async fn sign_out_everywhere_ends_offline_grants_and_api_keys_except_selected_ones(world: &World) {
    let mut scene = scene(world).await;
    let other = world
        .sign_in_account(
            scene.ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        )
        .await;
    let response = scene.ana.get("/account/access").await.assert_status(200);
    let mut keep = scene.keeping(&response.body["items"]);
    // Ids of other accounts or unknown ones cannot be kept and have no effect.
    keep.push("api_key:01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned());
    scene.everything_works().await;
    scene.ana.post("/account/sign-out-everywhere", json!({"keep": keep})).await.assert_status(204);
    scene.ana.get("/account").await.assert_status(200);
    other.get("/account").await.assert_problem(401, "unauthenticated");
    scene.assert_only_kept_access_works().await;
    assert_eq!(
        scene.ana.get("/account/access").await.assert_status(200).body["items"].as_array().unwrap().len(),
        2
    );
}

async fn account_recovery_of_every_kind_ends_access_that_outlives_sessions(world: &World) {
    let mut scene = scene(world).await;
    scene.everything_works().await;
    let operator = world.create_operator().await;
    for recovery_kind in ["reset", "not_me", "everywhere", "end_others", "operator", "undo_email"] {
        // Signs in again and creates the same access again, as an attacker would.
        scene.ana = world
            .sign_in_account(
                scene.ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await;
        match recovery_kind {
            "reset" => {
                let mut walk = scene.reset_to_new_password().await;
                walk.submit("new_password", json!({"password": "another kettle at dusk"}))
                    .await
                    .assert_status(200);
            }
            "not_me" => {
                let link = scene.not_me_link().await;
                let response = world
                    .http
                    .post(world.public_url("/links/not-me"))
                    .form(&[("token", link)])
                    .send()
                    .await
                    .unwrap();
                assert_eq!(response.status(), 200);
            }
            "everywhere" => {
                scene.ana.post("/account/sign-out-everywhere", json!({"keep": []})).await.assert_status(204);
            }
            "end_others" => {
                scene.ana.post("/account/sessions/end-others", Value::Null).await.assert_status(204);
            }
            "undo_email" => {
                let link = scene.undo_email_link().await;
                let response = world
                    .http
                    .post(world.public_url("/links/undo-email"))
                    .form(&[("token", link)])
                    .send()
                    .await
                    .unwrap();
                assert_eq!(response.status(), 200);
            }
            _ => {
                operator
                    .delete(&format!("/manage/accounts/{}/sessions", scene.ana.account), None)
                    .await
                    .assert_status(204);
            }
        }
        scene.nothing_of_hers_works(recovery_kind).await;
        scene.plants_again().await;
    }
}

async fn account_recovery_takes_constant_work_for_any_number_of_grants(world: &World) {
    const MANY: i64 = 20_000;
    let mut scene = scene(world).await;
    plant_copies(world, &scene.planted.app.id, MANY).await;
    let mut walk = scene.reset_to_new_password().await;
    let keep = scene.keeping(&walk.last.body["access"]);
    let queries = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&queries);
    let store = world.server.engine().store();
    store.set_query_observer(move |statement| recorded.lock().unwrap().push(statement));
    walk.submit("new_password", json!({"password": "another kettle at dusk", "keep": keep}))
        .await
        .assert_status(200);
    drop(walk);
    let queries = queries.lock().unwrap().clone();
    let times = |name: &str| queries.iter().filter(|it| **it == name).count();
    assert_eq!(times("long_lived_access.revoke_grants"), 1, "{queries:?}");
    assert!(queries.len() < 100, "{}: {queries:?}", queries.len());
    scene.assert_only_kept_access_works().await;
    let log = security_log::list_events(world.server.engine().store(), None, 10_000).await.unwrap();
    let revoked = log.iter().find(|entry| entry.event.kind == "grant.revoked").unwrap();
    assert!(format!("{:?}", revoked.event).contains(&(MANY + 1).to_string()), "{:?}", revoked.event);
    let of_planted = |row: &&String| row.contains(&scene.planted.app.id) && row.contains("password_reset");
    let ended = world.dump_database().await["grants"].iter().filter(of_planted).count();
    assert_eq!(ended, usize::try_from(MANY).unwrap() + 1, "all of them have ended");
}

async fn account_recovery_event_names_a_bounded_number_of_applications_and_counts_the_others(world: &World) {
    let books = world.create_token_fixture().await;
    let ana = world.create_signed_in_user(ANA).await;
    let membership = ana.join_organization(&books.tenant, "owner").await;
    for _ in 0..LONG_LIVED_ACCESS_EVENTS_MAX + 3 {
        let app = world.create_confidential_client().await;
        let request = GrantRequest {
            lifespan: GrantLifespan::Expiry,
            ..GrantRequest::for_scope("openid offline_access")
        };
        world.create_grant(&books.tenant, membership, &app.id, request).await;
    }
    let response = ana.get("/account/access?limit=200").await.assert_status(200);
    assert_eq!(response.body["items"].as_array().unwrap().len(), LONG_LIVED_ACCESS_EVENTS_MAX + 3);
    ana.post("/account/sign-out-everywhere", json!({"keep": []})).await.assert_status(204);
    assert_eq!(ana.get("/account/access").await.assert_status(200).body["items"], json!([]));
    assert_eq!(world.count_events("grant.revoked").await, LONG_LIVED_ACCESS_EVENTS_MAX + 1);
}
