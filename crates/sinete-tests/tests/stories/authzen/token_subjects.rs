//! An access token as the subject: decisions are about its subject as it is now, limited by the token's scope.

use crate::both_engines;
use crate::harness::drive_api::{DRIVE, evaluation_request};
use crate::harness::grants::GrantRequest;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;
use std::sync::{Arc, Mutex};

both_engines!(
    authzen_token_subject_is_limited_to_its_holder_and_scope,
    authzen_token_subject_is_rechecked_before_an_allow,
    authzen_token_subject_of_an_agent_is_limited_to_the_delegating_user,
    authzen_token_subject_inactive_or_for_another_api_is_denied
);

async fn authzen_token_subject_is_limited_to_its_holder_and_scope(world: &World) {
    let drive = world.create_drive_api().await;
    let (ana, ben) = (drive.create_member().await, drive.create_member().await);
    drive
        .add_relationships(&[
            &format!("document:plan editor member:{ana}"),
            "document:plan folder folder:plans",
            &format!("folder:plans viewer member:{ben}"),
        ])
        .await;
    let may = async |token: &str, action: &str| {
        drive.is_allowed(&format!("access_token:{token}"), action, "document:plan").await
    };
    let all =
        async |token: &str| (may(token, "read").await, may(token, "write").await, may(token, "share").await);
    let full_token = drive.issue_token(ana, "documents:read documents:write").await;
    assert_eq!(all(&full_token).await, (true, true, true));
    assert_eq!(
        all(&drive.issue_token(ana, "documents:read").await).await,
        (true, false, true),
        "limited by its scope"
    );
    assert_eq!(
        all(&drive.issue_token(ben, "documents:read documents:write").await).await,
        (true, false, false),
        "limited by its subject"
    );
    assert_eq!(
        all(&drive.issue_token(drive.create_member().await, "documents:read").await).await,
        (false, false, false)
    );
    // A permission that the subject has lost since does not count, whatever the token says.
    drive.books.change_role("reader", &["documents:write"]).await;
    assert_eq!(all(&full_token).await, (false, true, true));
    drive.books.change_role("reader", &["documents:read", "documents:write"]).await;
    let machine = drive.books.create_service("reader", "documents:read documents:write").await;
    drive.add_relationships(&[&format!("document:plan editor client:{}", machine.id)]).await;
    let service_token = machine
        .request_client_credentials(&[("scope", "documents:read"), ("resource", DRIVE)])
        .await
        .assert_granted()
        .access_token();
    assert_eq!(all(&service_token).await, (true, false, true), "a service without a user");
    let owner = &drive.books.owner;
    owner
        .post(&drive.tenant().path(&format!("/members/{ana}/disable")), Value::Null)
        .await
        .assert_status(200);
    assert_eq!(all(&full_token).await, (false, false, false));
}

async fn authzen_token_subject_is_rechecked_before_an_allow(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    drive.add_relationships(&[&format!("document:plan editor member:{ana}")]).await;
    let token = format!("access_token:{}", drive.issue_token(ana, "documents:read").await);
    let observed_statements: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let statement_sink = Arc::clone(&observed_statements);
    world
        .server
        .engine()
        .store()
        .set_query_observer(move |statement| statement_sink.lock().unwrap().push(statement));
    for (object, decision) in [("document:plan", true), ("document:other", false)] {
        observed_statements.lock().unwrap().clear();
        assert_eq!(drive.is_allowed(&token, "read", object).await, decision);
        let observed_statements = observed_statements.lock().unwrap().clone();
        let reached = observed_statements.iter().position(|it| *it == "relationships.reach").unwrap();
        let (before, after) = observed_statements.split_at(reached);
        // The token is checked before the relationships, and again after them if the decision is true.
        let repeated_count = before.iter().filter(|it| after.contains(it)).count();
        assert_eq!(repeated_count > 0, decision, "{observed_statements:?}");
    }
}

async fn authzen_token_subject_of_an_agent_is_limited_to_the_delegating_user(world: &World) {
    let drive = world.create_drive_api().await;
    let (ana, ben) = (drive.create_member().await, drive.create_member().await);
    let grants = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"];
    let metadata =
        json!({"client_name": "Agent", "grant_types": grants, "scope": "documents:read documents:write"});
    let agent = drive.books.create_machine_client("agent", "reader", metadata).await;
    // The agent may write everything in the folder; Ana may read it, and Ben may not.
    drive
        .add_relationships(&[
            "document:plan folder folder:plans",
            &format!("folder:plans viewer member:{ana}"),
            &format!("document:plan editor client:{}", agent.id),
        ])
        .await;
    let may = async |token: &str, action: &str| {
        drive.is_allowed(&format!("access_token:{token}"), action, "document:plan").await
    };
    let itself = agent
        .request_client_credentials(&[("scope", "documents:read documents:write"), ("resource", DRIVE)])
        .await
        .assert_granted()
        .access_token();
    assert!(may(&itself, "read").await && may(&itself, "write").await);
    let scope = [("scope", "documents:read documents:write"), ("resource", DRIVE)];
    let for_ana = agent
        .exchange_token(&drive.issue_token(ana, "documents:read documents:write").await, &scope)
        .await
        .assert_granted()
        .access_token();
    assert!(
        may(&for_ana, "read").await && !may(&for_ana, "write").await,
        "what Ana may, not what the agent may without a user"
    );
    let for_ben = agent
        .exchange_token(&drive.issue_token(ben, "documents:read documents:write").await, &scope)
        .await
        .assert_granted()
        .access_token();
    assert!(!may(&for_ben, "read").await && !may(&for_ben, "write").await);
    drive.add_relationships(&[&format!("document:plan editor member:{ana}")]).await;
    let narrowed = agent
        .exchange_token(
            &drive.issue_token(ana, "documents:read documents:write").await,
            &[("scope", "documents:read"), ("resource", DRIVE)],
        )
        .await
        .assert_granted()
        .access_token();
    assert!(may(&for_ana, "write").await && !may(&narrowed, "write").await && may(&narrowed, "read").await);
    // Disabling the agent also ends what it does for users.
    drive
        .books
        .owner
        .post(&drive.tenant().path(&format!("/clients/{}/disable", agent.id)), Value::Null)
        .await
        .assert_status(200);
    assert!(!may(&for_ana, "read").await && !may(&itself, "read").await);
}

async fn authzen_token_subject_inactive_or_for_another_api_is_denied(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    drive.add_relationships(&[&format!("document:plan editor member:{ana}")]).await;
    let app = world.create_confidential_client().await;
    let build_request =
        || GrantRequest { audience: Some(DRIVE), ..GrantRequest::for_scope("documents:read") };
    let granted = world.create_grant(drive.tenant(), ana, &app.id, build_request()).await;
    let token = granted.issue_access_token().await;
    let ask = |token: &str| evaluation_request(&format!("access_token:{token}"), "share", "document:plan");
    assert!(world.evaluate(&drive.service, &ask(&token)).await);
    let elsewhere = GrantRequest { audience: Some(INVOICES), ..GrantRequest::for_scope("openid") };
    let for_another =
        world.create_grant(drive.tenant(), ana, &app.id, elsewhere).await.issue_access_token().await;
    assert!(
        !world.evaluate(&drive.service, &ask(&for_another)).await,
        "the token is for an API without objects"
    );
    for wrong in ["", "nonsense", &format!("{token}x")] {
        let response = world.post_authzen(&drive.service, "/access/v1/evaluation", &ask(wrong)).await.is(200);
        assert_eq!(response.body, json!({"decision": false}));
    }
    // A service of another owner learns nothing from a stolen token.
    let rival = world.create_organization("rival").await;
    for service in [
        world.create_service_client(ClientOrigin::Organization(rival.id)).await,
        world.create_service_client(ClientOrigin::Operator).await,
    ] {
        let response = world.post_authzen(&service, "/access/v1/evaluation", &ask(&token)).await.is(200);
        assert_eq!(response.body, json!({"decision": false}));
    }
    for context in [json!({"organization": "rival"}), json!({"api": "https://invoices.example"})] {
        let mut request = ask(&token);
        request["context"] = context;
        assert!(!world.evaluate(&drive.service, &request).await);
    }
    let mut request = ask(&token);
    request["context"] = json!({"organization": drive.tenant().slug, "api": DRIVE});
    assert!(world.evaluate(&drive.service, &request).await);
    world.post_form(&app, "/connect/revoke", &[("token", &token)]).await.is(200);
    assert!(!world.evaluate(&drive.service, &request).await, "revoked");
}
