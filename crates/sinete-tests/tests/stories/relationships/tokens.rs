//! Asking about a token: whoever it speaks for, now, and no more than it is for.

use crate::both_engines;
use crate::harness::drive::{DRIVE, question};
use crate::harness::grants::GrantRequest;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::clients::ClientOrigin;
use std::sync::{Arc, Mutex};

both_engines!(
    a_token_lets_do_what_its_holder_may_and_it_is_for,
    a_token_is_read_once_more_before_the_answer_is_yes,
    an_agent_may_no_more_than_the_person_it_acts_for,
    a_token_that_does_not_count_or_is_for_another_api_is_a_no_like_any_other
);

async fn a_token_lets_do_what_its_holder_may_and_it_is_for(world: &World) {
    let drive = world.drive().await;
    let (ana, ben) = (drive.member().await, drive.member().await);
    drive
        .add(&[
            &format!("document:plan editor member:{ana}"),
            "document:plan folder folder:plans",
            &format!("folder:plans viewer member:{ben}"),
        ])
        .await;
    let may = async |token: &str, action: &str| {
        drive.may(&format!("access_token:{token}"), action, "document:plan").await
    };
    let all =
        async |token: &str| (may(token, "read").await, may(token, "write").await, may(token, "share").await);
    let whole = drive.token(ana, "documents:read documents:write").await;
    assert_eq!(all(&whole).await, (true, true, true));
    assert_eq!(
        all(&drive.token(ana, "documents:read").await).await,
        (true, false, true),
        "no more than its scope"
    );
    assert_eq!(
        all(&drive.token(ben, "documents:read documents:write").await).await,
        (true, false, false),
        "no more than its holder"
    );
    assert_eq!(all(&drive.token(drive.member().await, "documents:read").await).await, (false, false, false));
    // What the holder has lost since does not count, whatever the token says.
    drive.books.change_role("reader", &["documents:write"]).await;
    assert_eq!(all(&whole).await, (false, true, true));
    drive.books.change_role("reader", &["documents:read", "documents:write"]).await;
    let machine = drive.books.service("reader", "documents:read documents:write").await;
    drive.add(&[&format!("document:plan editor client:{}", machine.id)]).await;
    let own = machine
        .for_itself(&[("scope", "documents:read"), ("resource", DRIVE)])
        .await
        .granted()
        .access_token();
    assert_eq!(all(&own).await, (true, false, true), "a machine by itself");
    let owner = &drive.books.owner;
    owner.post(&drive.tenant().path(&format!("/members/{ana}/disable")), Value::Null).await.is(200);
    assert_eq!(all(&whole).await, (false, false, false));
}

async fn a_token_is_read_once_more_before_the_answer_is_yes(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    drive.add(&[&format!("document:plan editor member:{ana}")]).await;
    let token = format!("access_token:{}", drive.token(ana, "documents:read").await);
    let heard: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let kept = Arc::clone(&heard);
    world.server.engine().store().overheard_by(move |statement| kept.lock().unwrap().push(statement));
    for (object, decision) in [("document:plan", true), ("document:other", false)] {
        heard.lock().unwrap().clear();
        assert_eq!(drive.may(&token, "read", object).await, decision);
        let heard = heard.lock().unwrap().clone();
        let reached = heard.iter().position(|it| *it == "relationships.reach").unwrap();
        let (before, after) = heard.split_at(reached);
        // Whether the token counts is read before the relationships, and for a yes after them.
        let again = before.iter().filter(|it| after.contains(it)).count();
        assert_eq!(again > 0, decision, "{heard:?}");
    }
}

async fn an_agent_may_no_more_than_the_person_it_acts_for(world: &World) {
    let drive = world.drive().await;
    let (ana, ben) = (drive.member().await, drive.member().await);
    let grants = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"];
    let metadata =
        json!({"client_name": "Agent", "grant_types": grants, "scope": "documents:read documents:write"});
    let agent = drive.books.machine("agent", "reader", metadata).await;
    // The agent by itself may write everything in the folder; Ana may see it, and Ben may not.
    drive
        .add(&[
            "document:plan folder folder:plans",
            &format!("folder:plans viewer member:{ana}"),
            &format!("document:plan editor client:{}", agent.id),
        ])
        .await;
    let may = async |token: &str, action: &str| {
        drive.may(&format!("access_token:{token}"), action, "document:plan").await
    };
    let itself = agent
        .for_itself(&[("scope", "documents:read documents:write"), ("resource", DRIVE)])
        .await
        .granted()
        .access_token();
    assert!(may(&itself, "read").await && may(&itself, "write").await);
    let scope = [("scope", "documents:read documents:write"), ("resource", DRIVE)];
    let for_ana = agent
        .exchange(&drive.token(ana, "documents:read documents:write").await, &scope)
        .await
        .granted()
        .access_token();
    assert!(
        may(&for_ana, "read").await && !may(&for_ana, "write").await,
        "what she may, and not what it may by itself"
    );
    let for_ben = agent
        .exchange(&drive.token(ben, "documents:read documents:write").await, &scope)
        .await
        .granted()
        .access_token();
    assert!(!may(&for_ben, "read").await && !may(&for_ben, "write").await);
    drive.add(&[&format!("document:plan editor member:{ana}")]).await;
    let narrowed = agent
        .exchange(
            &drive.token(ana, "documents:read documents:write").await,
            &[("scope", "documents:read"), ("resource", DRIVE)],
        )
        .await
        .granted()
        .access_token();
    assert!(may(&for_ana, "write").await && !may(&narrowed, "write").await && may(&narrowed, "read").await);
    // Whoever stops the agent stops what it does for others.
    drive
        .books
        .owner
        .post(&drive.tenant().path(&format!("/clients/{}/disable", agent.id)), Value::Null)
        .await
        .is(200);
    assert!(!may(&for_ana, "read").await && !may(&itself, "read").await);
}

async fn a_token_that_does_not_count_or_is_for_another_api_is_a_no_like_any_other(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    drive.add(&[&format!("document:plan editor member:{ana}")]).await;
    let app = world.app().await;
    let wanted = || GrantRequest { audience: Some(DRIVE), ..GrantRequest::scope("documents:read") };
    let granted = world.granted(drive.tenant(), ana, &app.id, wanted()).await;
    let token = granted.access_token().await;
    let ask = |token: &str| question(&format!("access_token:{token}"), "share", "document:plan");
    assert!(world.decides(&drive.service, &ask(&token)).await);
    let elsewhere = GrantRequest { audience: Some(INVOICES), ..GrantRequest::scope("openid") };
    let for_another = world.granted(drive.tenant(), ana, &app.id, elsewhere).await.access_token().await;
    assert!(!world.decides(&drive.service, &ask(&for_another)).await, "it is for an API without objects");
    for wrong in ["", "nonsense", &format!("{token}x")] {
        let answered = world.asked(&drive.service, "/access/v1/evaluation", &ask(wrong)).await.is(200);
        assert_eq!(answered.body, json!({"decision": false}));
    }
    // Others learn nothing by a token that they got hold of.
    let rival = world.tenant("rival").await;
    for service in [
        world.service(ClientOrigin::Organization(rival.id)).await,
        world.service(ClientOrigin::Operator).await,
    ] {
        let answered = world.asked(&service, "/access/v1/evaluation", &ask(&token)).await.is(200);
        assert_eq!(answered.body, json!({"decision": false}));
    }
    for context in [json!({"organization": "rival"}), json!({"api": "https://invoices.example"})] {
        let mut asked = ask(&token);
        asked["context"] = context;
        assert!(!world.decides(&drive.service, &asked).await);
    }
    let mut asked = ask(&token);
    asked["context"] = json!({"organization": drive.tenant().slug, "api": DRIVE});
    assert!(world.decides(&drive.service, &asked).await);
    world.form(&app, "/connect/revoke", &[("token", &token)]).await.is(200);
    assert!(!world.decides(&drive.service, &asked).await, "revoked");
}
