//! Usage: what was done is counted by day, week and month, for the instance and for every organization.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest};
use crate::harness::flow_client::PASSWORD;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::token_endpoint::{INVOICES, TestClientAuth, TokenClient};
use crate::harness::world::World;
use crate::stories::oauth::authorize::add_member;
use crate::stories::sign_in::credentials::{gets_passkey, options};
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::events::usage::period::{UsagePeriod, format_date};
use sinete_core::limits::{CLEANUP_AFTER, ORGANIZATION_DELETION_WAIT};
use sinete_core::time::Lifetime;
use sinete_engine::administration::cleanup;
use sinete_engine::events::security_log::{LogSealer, SecurityLog};
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

both_engines!(
    usage_equals_the_sign_ins_and_failures_that_happened,
    usage_equals_the_tokens_and_approvals_of_every_grant_type,
    usage_of_racing_nodes_adds_up,
    usage_counts_an_active_user_once_in_a_day_week_and_month,
    usage_is_deleted_after_its_retention,
    usage_of_a_deleted_organization_is_deleted,
    usage_of_a_deleted_account_has_no_last_active_day,
    usage_is_hidden_from_other_organizations_and_members_without_the_permission,
    usage_is_returned_as_csv,
    usage_query_parameters_are_validated
);

/// What a report counted in its last period, by metric and series, without zeros.
fn latest(report: &Value) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for metric in report["metrics"].as_array().unwrap() {
        for series in metric["series"].as_array().unwrap() {
            let values = series["values"].as_array().unwrap();
            let sum: u64 = values.iter().map(|value| value.as_u64().unwrap()).sum();
            assert_eq!(series["total"], json!(sum));
            if let Some(value) = values.last().and_then(Value::as_u64).filter(|value| *value > 0) {
                let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
                totals.insert(format!("{}.{}", name(metric), name(series)), value);
            }
        }
    }
    totals
}

/// What was counted today.
async fn today(caller: &ApiCaller<'_>, path: &str) -> BTreeMap<String, u64> {
    caller.world.seal_events().await;
    latest(&caller.get(path).await.assert_status(200).body)
}

fn counts(expected: &[(&str, u64)]) -> BTreeMap<String, u64> {
    expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

async fn usage_equals_the_sign_ins_and_failures_that_happened(world: &World) {
    let operator = world.create_operator().await;
    let ana = world.create_user("ana@example.com").await;
    world.create_user("bruno@example.com").await;
    for _ in 0..2 {
        world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    }
    world.sign_in_with_password("bruno@example.com", PASSWORD).await.assert_status(200);
    world.sign_in_with_password("ana@example.com", "not the password").await.assert_status(422);
    world.sign_in_with_password("nobody@example.com", PASSWORD).await.assert_status(422);
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    let expected = counts(&[
        ("active_users.users", 2),
        ("sign_in_failures.password", 2),
        ("sign_ins.passkey", 1),
        ("sign_ins.password", 3),
    ]);
    assert_eq!(today(&operator, "/manage/usage").await, expected);
    // A second turn of the sealer counts nothing again.
    assert_eq!(today(&operator, "/manage/usage?count=1").await, expected);
    // An organization learns nothing of sign-ins to the instance.
    let acme = world.create_organization("acme").await;
    add_member(world, ana.account, &acme, "member").await;
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    let owner = world.create_owner(&acme).await;
    assert_eq!(today(&owner, &acme.path("/usage")).await, counts(&[]));
}

async fn usage_equals_the_tokens_and_approvals_of_every_grant_type(world: &World) {
    let books = world.create_token_fixture().await;
    let operator = world.create_operator().await;
    // A clerk signs in to an application, which gets and refreshes tokens.
    let app =
        world.create_application(ClientOrigin::Operator, json!({"scope": "openid offline_access"})).await;
    let clerk = books.create_member("clerk").await;
    let browser = world.create_member_browser(&books.tenant, clerk).await;
    let code = app.obtain_code_with_consent(&browser, &[("scope", Some("openid offline_access"))]).await;
    let (status, tokens) = app.redeem_code(&code).await;
    assert_eq!(status, 200, "{tokens}");
    let (status, tokens) = app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
    assert_eq!(status, 200, "{tokens}");
    let (status, _) = app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
    assert_eq!(status, 200);
    // Another clerk's token is exchanged by an agent, and a service gets one for itself.
    let (client, agent) =
        (books.create_app_client(json!({})).await, books.create_agent("openid invoices:*").await);
    let (granted, tokens) = books.issue_tokens(&client, "openid invoices:read").await;
    agent.exchange_token(&tokens.access_token(), &[("resource", INVOICES)]).await.assert_granted();
    let robot = books.create_service("clerk", "invoices:read").await;
    for _ in 0..3 {
        robot.request_client_credentials(&[("resource", INVOICES)]).await.assert_granted();
    }
    // What fails: a wrong secret, and a code that is presented again.
    let impostor = TokenClient { auth: TestClientAuth::Basic("wrong".to_owned()), ..robot.clone() };
    impostor.request_client_credentials(&[]).await.assert_oauth_error("invalid_client");
    client.redeem_code(&granted.code, &[]).await.assert_oauth_error("invalid_grant");
    // A device that the first clerk allows, and one that is denied.
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    let reply = tv.start_allowed_device_authorization(&browser.token, &[("scope", "openid")]).await;
    tv.redeem_device_code(&reply).await;
    let denied = tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&browser.token).await;
    walk.submit("user_code", json!({"user_code": denied.user_code})).await.assert_status(200);
    walk.submit("consent", json!({"allow": false})).await.assert_status(200);
    // A CIBA request that a third clerk approves.
    let ana = world.create_user("ana@example.com").await;
    add_member(world, ana.account, &books.tenant, "clerk").await;
    let ana = world.sign_in_at_aal2(ana.account).await;
    let ledger = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    let request = ledger.start_ciba("ana@example.com", &[]).await;
    ana.approve_ciba_request().await;
    ledger.redeem_ciba(&request).await;

    let shared = [
        ("active_users.users", 3),
        ("approvals.ciba_approved", 1),
        ("approvals.consent_given", 1),
        ("approvals.device_approved", 1),
        ("approvals.device_denied", 1),
        ("failures.replayed", 1),
        ("tokens.authorization_code", 2),
        ("tokens.ciba", 1),
        ("tokens.client_credentials", 3),
        ("tokens.device_code", 1),
        ("tokens.refresh_token", 2),
        ("tokens.token_exchange", 1),
    ];
    // The third clerk signs in at the instance, and to no application.
    let only_instance = [("failures.client_authentication", 1), ("sign_ins.passkey", 1)];
    let only_organization = [("sign_ins.password", 1)];
    let instance = today(&operator, "/manage/usage").await;
    assert_eq!(instance, counts(&[&shared[..], &only_instance].concat()));
    let organization = today(&books.owner, &books.tenant.path("/usage")).await;
    assert_eq!(organization, counts(&[&shared[..], &only_organization].concat()));
    // Operators see the same of the organization.
    let path = format!("/manage/usage?organization={}", books.tenant.id);
    assert_eq!(today(&operator, &path).await, organization);
}

async fn usage_of_racing_nodes_adds_up(world: &World) {
    let books = world.create_token_fixture().await;
    let operator = world.create_operator().await;
    let robot = books.create_service("clerk", "invoices:read").await;
    let (app, engine) = (books.create_app_client(json!({})).await, world.server.engine());
    let is_load_done = std::sync::atomic::AtomicBool::new(false);
    let node = async || {
        let log = SecurityLog::open_or_create(
            engine.store(),
            engine.instance_keys(),
            engine.now(),
            engine.entropy(),
        );
        let mut sealer = LogSealer::new(log.await.unwrap());
        loop {
            let is_last = is_load_done.load(std::sync::atomic::Ordering::SeqCst);
            let turn = sealer.seal_pending(engine.now()).await.unwrap();
            if is_last && turn.sealed_events == 0 && !turn.lost_race {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    let workload = async {
        for number in 0..30 {
            robot.request_client_credentials(&[("resource", INVOICES)]).await.assert_granted();
            if number % 6 == 0 {
                books.issue_tokens(&app, "openid invoices:read").await;
            }
        }
        is_load_done.store(true, std::sync::atomic::Ordering::SeqCst);
    };
    tokio::join!(node(), node(), node(), workload);
    let expected = counts(&[
        ("active_users.users", 5),
        ("tokens.authorization_code", 5),
        ("tokens.client_credentials", 30),
    ]);
    assert_eq!(today(&operator, "/manage/usage").await, expected);
    assert_eq!(today(&books.owner, &books.tenant.path("/usage")).await, expected);
}

async fn usage_counts_an_active_user_once_in_a_day_week_and_month(world: &World) {
    // A Monday whose week is in one month, with hours to spare.
    let week = Lifetime::from_days(7);
    let mut monday = UsagePeriod::Week.period_start(world.server.engine().now()).plus(week);
    let month_of = |at| UsagePeriod::Month.period_start(at);
    while month_of(monday) != month_of(monday.plus(Lifetime::from_days(9))) {
        monday = monday.plus(week);
    }
    let morning = monday.plus(Lifetime::from_hours(8));
    world.clock.advance(morning.since(world.server.engine().now()));
    let operator = world.create_operator().await;
    for email in ["ana@example.com", "bruno@example.com"] {
        world.create_user(email).await;
    }
    let signs_in = async |email: &str| {
        world.sign_in_with_password(email, PASSWORD).await.assert_status(200);
        world.seal_events().await;
    };
    let active = async |period: &str| {
        let path = format!("/manage/usage?period={period}&count=2");
        let report = operator.get(&path).await.assert_status(200).body;
        let metric =
            report["metrics"].as_array().unwrap().iter().find(|it| it["name"] == "active_users").unwrap();
        metric["series"][0]["values"].clone()
    };
    signs_in("ana@example.com").await;
    signs_in("ana@example.com").await;
    world.clock.advance(Lifetime::from_days(1));
    signs_in("ana@example.com").await;
    signs_in("bruno@example.com").await;
    assert_eq!(active("day").await, json!([1, 2]));
    assert_eq!(active("week").await, json!([0, 2]));
    assert_eq!(active("month").await, json!([0, 2]));
    world.clock.advance(week);
    signs_in("ana@example.com").await;
    assert_eq!(active("day").await, json!([0, 1]));
    assert_eq!(active("week").await, json!([2, 1]));
    assert_eq!(active("month").await, json!([0, 2]));
    assert_eq!(world.count_rows().await["active_users"], 2, "one row for each user, however often");
    let report = operator.get("/manage/usage?period=week&count=1").await.assert_status(200).body;
    assert_eq!(report["starts"], json!([format_date(monday.plus(week))]));
}

async fn usage_is_deleted_after_its_retention(world: &World) {
    world.create_user("ana@example.com").await;
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    world.seal_events().await;
    let rows = async || {
        let rows = world.count_rows().await;
        (rows["usage_counts"], rows["active_users"])
    };
    assert_eq!(rows().await, (4, 1), "a sign-in, and an active user by day, week and month");
    world.clock.advance(Lifetime::from_days(33));
    cleanup::delete_expired(world.server.engine()).await.unwrap();
    assert_eq!(rows().await, (4, 0));
    // The month of the sign-in began at most 30 days before it.
    world.clock.advance(Lifetime::from_days(360 - 33));
    cleanup::delete_expired(world.server.engine()).await.unwrap();
    assert_eq!(rows().await.0, 4, "the retention is 400 days");
    world.clock.advance(Lifetime::from_days(41));
    cleanup::delete_expired(world.server.engine()).await.unwrap();
    assert_eq!(rows().await, (0, 0));
}

async fn usage_of_a_deleted_organization_is_deleted(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:read").await;
    robot.request_client_credentials(&[("resource", INVOICES)]).await.assert_granted();
    world.seal_events().await;
    assert_eq!(world.count_rows().await["usage_counts"], 2, "for the organization and for the instance");
    books.owner.post(&books.tenant.path("/deletion"), json!(null)).await.assert_status(200);
    world.clock.advance(ORGANIZATION_DELETION_WAIT);
    world.clock.advance(CLEANUP_AFTER);
    cleanup::delete_expired(world.server.engine()).await.unwrap();
    assert_eq!(world.count_rows().await["usage_counts"], 2, "kept for a day after its end");
    world.clock.advance(Lifetime::from_hours(1));
    cleanup::delete_expired(world.server.engine()).await.unwrap();
    assert_eq!(world.count_rows().await["usage_counts"], 1);
    let operator = world.create_operator().await;
    let year = operator.get("/manage/usage?period=month").await.assert_status(200).body;
    assert!(year.to_string().contains("\"total\":1"), "the instance keeps its counts: {year}");
}

async fn usage_of_a_deleted_account_has_no_last_active_day(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let ana = world.create_user("ana@example.com").await;
    let clerk = add_member(world, ana.account, &books.tenant, "clerk").await;
    let granted = books.create_grant(clerk, &app, "openid invoices:read").await;
    app.redeem_code(&granted.code, &[]).await.assert_granted();
    world.seal_events().await;
    assert_eq!(world.count_rows().await["active_users"], 2, "the account and the member");
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    user.delete("/account").await.assert_status(204);
    assert_eq!(world.count_rows().await["active_users"], 0);
    assert!(world.count_rows().await["usage_counts"] > 0, "the counts contain no personal data");
}

async fn usage_is_hidden_from_other_organizations_and_members_without_the_permission(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    owner.get(&acme.path("/usage")).await.assert_status(200);
    api_caller.get(&acme.path("/usage")).await.assert_problem(404, "not_found");
    for path in ["/manage/usage".to_owned(), format!("/manage/usage?organization={}", acme.id)] {
        owner.get(&path).await.assert_problem(403, "insufficient_scope");
    }
    let member = world.create_member(&acme, &["member"]).await;
    let member = world.create_api_key_caller(&acme, member, "organization:read").await;
    member.get(&acme.path("/usage")).await.assert_problem(403, "insufficient_scope");
    // An operator reads it inside only by assignment, which the organization sees.
    let operator = world.create_operator().await;
    operator.get(&acme.path("/usage")).await.assert_problem(404, "not_found");
    world.create_assignment(&operator, &acme, "a question of the customer").await;
    operator.get(&acme.path("/usage")).await.assert_status(200);
    let response = owner.get(&acme.path("/audit?kind=organization.administered")).await.assert_status(200);
    assert_eq!(response.body["items"][0]["detail"]["looked_at"], "usage", "{}", response.text);
}

async fn usage_is_returned_as_csv(world: &World) {
    let operator = world.create_operator().await;
    world.create_user("ana@example.com").await;
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    world.seal_events().await;
    let by_format = operator.get("/manage/usage?count=2&format=csv").await.assert_status(200);
    let accept = ApiRequest { headers: vec![("accept", "text/csv".to_owned())], ..ApiRequest::default() };
    let by_header =
        operator.send_request(Method::GET, "/manage/usage?count=2", accept).await.assert_status(200);
    assert_eq!(by_format.text, by_header.text);
    let lines: Vec<Vec<&str>> = by_format.text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 3, "{}", by_format.text);
    let column = lines[0].iter().position(|name| *name == "sign_ins.password").unwrap();
    assert_eq!((lines[0][0], lines[1][column], lines[2][column]), ("start", "0", "1"));
    assert_eq!(lines[2][0], format_date(world.server.engine().now()));
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
}

async fn usage_query_parameters_are_validated(world: &World) {
    let operator = world.create_operator().await;
    let report = operator.get("/manage/usage").await.assert_status(200).body;
    assert_eq!((report["starts"].as_array().unwrap().len(), &report["retention_days"]), (30, &json!(400)));
    for period in ["week", "month"] {
        let report = operator.get(&format!("/manage/usage?period={period}")).await.assert_status(200).body;
        assert_eq!((report["starts"].as_array().unwrap().len(), &report["period"]), (12, &json!(period)));
    }
    for query in
        ["period=year", "count=0", "count=401", "count=x", "format=xml", "organization=acme", "perid=day"]
    {
        operator.get(&format!("/manage/usage?{query}")).await.assert_problem(400, "invalid_request");
    }
}
