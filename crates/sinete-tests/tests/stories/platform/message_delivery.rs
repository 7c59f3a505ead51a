//! The outbox sends each e-mail once, with any number of nodes.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::accounts::language::Language;
use sinete_core::limits::MESSAGE_RETRY;
use sinete_core::time::Lifetime;
use sinete_engine::platform::email::{
    EmailKind, EmailMessage, EmailedLinkOrCode, LinkOrCodeKind, build_code_sms,
};
use sinete_engine::platform::outbox::{DeliveryRound, MessageState, enqueue_email, enqueue_sms};
use sinete_engine::ports::SendError;
use sinete_store::WriteBatch;

async fn put(world: &World, lifetime: Lifetime) {
    let engine = world.server.engine();
    let proof = EmailedLinkOrCode { kind: LinkOrCodeKind::Code("12345678".into()), lifetime };
    let message = EmailMessage {
        kind: EmailKind::SignIn,
        origin: engine.email_origin(),
        reader: Language::English.into(),
        proof: Some(proof),
    };
    let step = enqueue_email(engine, &message, &"ana@example.com".parse().unwrap(), lifetime).unwrap();
    engine.store().commit(WriteBatch::new().with_statement(step)).await.unwrap().into_result().unwrap();
}

both_engines!(
    dev_mailbox_works_over_http2,
    email_is_sent_once_by_several_nodes,
    email_server_outage_only_delays_messages,
    email_server_outage_of_an_hour_delivers_every_message_once,
    email_refused_or_expired_is_not_sent,
    sms_code_is_sent_through_its_own_channel,
    message_status_is_visible_to_operators_without_recipients,
    message_is_resent_by_an_operator_until_it_expires
);

async fn dev_mailbox_works_over_http2(world: &World) {
    let client = || reqwest::Client::builder().http2_prior_knowledge();
    let http2 = client().build().unwrap();
    let status = async |client: &reqwest::Client, address: String| {
        let answer = client.get(address).header("accept", "application/json").send().await.unwrap();
        (answer.version(), answer.status().as_u16())
    };
    assert_eq!(status(&world.http, world.public_url("/dev/mail")).await, (reqwest::Version::HTTP_11, 200));
    assert_eq!(status(&http2, world.public_url("/dev/mail")).await, (reqwest::Version::HTTP_2, 200));
    // A foreign host name that resolves to this machine gets no access.
    let foreign_client = client().resolve("evil.example", world.server.public).build().unwrap();
    let elsewhere = format!("http://evil.example:{}/dev/mail", world.server.public.port());
    assert_eq!(status(&foreign_client, elsewhere).await, (reqwest::Version::HTTP_2, 404));
    let both = http2.get(world.public_url("/dev/mail")).header("host", "evil.example").send().await;
    assert_ne!(both.map_or(404, |answer| answer.status().as_u16()), 200);
}

async fn email_is_sent_once_by_several_nodes(world: &World) {
    for _ in 0..20 {
        put(world, Lifetime::from_hours(1)).await;
    }
    let (one, two, three, four) = tokio::join!(
        world.deliver_messages(),
        world.deliver_messages(),
        world.deliver_messages(),
        world.deliver_messages()
    );
    let sent_count: u32 = [one, two, three, four].map(|round| round.sent_messages).iter().sum();
    assert_eq!(sent_count, 20);
    assert_eq!(world.mailbox.emails_to("ana@example.com").len(), 20);
    assert_eq!(world.deliver_messages().await, DeliveryRound::default());
}

async fn email_server_outage_only_delays_messages(world: &World) {
    put(world, Lifetime::from_hours(2)).await;
    world.mailbox.fail_with(Some(SendError::Temporary("connection refused".into())));
    assert_eq!(world.deliver_messages().await, DeliveryRound { retried: 1, ..DeliveryRound::default() });
    world.mailbox.fail_with(None);
    assert_eq!(world.deliver_messages().await, DeliveryRound::default(), "not before the next retry");
    world.clock.advance(MESSAGE_RETRY);
    assert_eq!(world.deliver_messages().await.sent_messages, 1);
    assert!(world.mailbox.emails_to("ana@example.com")[0].text.contains("12345678"));
}

async fn email_server_outage_of_an_hour_delivers_every_message_once(world: &World) {
    for _ in 0..10 {
        put(world, Lifetime::from_hours(3)).await;
    }
    world.mailbox.fail_with(Some(SendError::Temporary("connection refused".into())));
    for _ in 0..60 {
        world.deliver_messages().await;
        world.clock.advance(Lifetime::from_minutes(1));
    }
    world.mailbox.fail_with(None);
    let mut sent_count = 0;
    for _ in 0..6 {
        sent_count += world.deliver_messages().await.sent_messages;
        world.clock.advance(Lifetime::from_minutes(1));
    }
    assert_eq!((sent_count, world.mailbox.emails_to("ana@example.com").len()), (10, 10));
}

async fn email_refused_or_expired_is_not_sent(world: &World) {
    put(world, Lifetime::from_hours(1)).await;
    world.mailbox.fail_with(Some(SendError::Permanent("no such address".into())));
    assert_eq!(world.deliver_messages().await.abandoned, 1);
    world.mailbox.fail_with(None);
    put(world, Lifetime::from_minutes(5)).await;
    world.clock.advance(Lifetime::from_minutes(6));
    assert_eq!(world.deliver_messages().await, DeliveryRound::default());
    assert!(world.mailbox.emails_to("ana@example.com").is_empty());
}

async fn sms_code_is_sent_through_its_own_channel(world: &World) {
    let engine = world.server.engine();
    let message = build_code_sms("+5581999990000", "123456", "https://id.example", Language::Portuguese);
    let step = enqueue_sms(engine, &message, Lifetime::from_minutes(5)).unwrap();
    engine.store().commit(WriteBatch::new().with_statement(step)).await.unwrap().into_result().unwrap();
    assert_eq!(world.deliver_messages().await.sent_messages, 1);
    assert_eq!(world.mailbox.sms_to("+5581999990000"), [message]);
}

async fn message_status_is_visible_to_operators_without_recipients(world: &World) {
    let operator = world.create_operator().await;
    put(world, Lifetime::from_hours(1)).await;
    world.mailbox.fail_with(Some(SendError::Temporary("421 busy".into())));
    world.deliver_messages().await;
    let response = operator.get("/manage/messages").await.assert_status(200);
    let [message] = response.body["items"].as_array().unwrap().as_slice() else {
        panic!("{}", response.text)
    };
    assert_eq!((&message["state"], &message["kind"]), (&"waiting".into(), &"sign_in".into()));
    assert_eq!((&message["attempts"], &message["channel"]), (&1.into(), &"mail".into()));
    assert_eq!(message["last_problem"], "not taken: 421 busy");
    assert!(!response.text.contains("ana@example.com") && !response.text.contains("12345678"));
    world.mailbox.fail_with(None);
    world.clock.advance(MESSAGE_RETRY);
    world.deliver_messages().await;
    let path = format!("/manage/messages/{}", message["id"].as_str().unwrap());
    let message_response = operator.get(&path).await.assert_status(200);
    assert_eq!(message_response.body["state"], MessageState::Sent.as_str());
    assert!(message_response.body["sent_at"].is_string());

    put(world, Lifetime::from_hours(1)).await;
    // Rows of the same time are listed in no particular order.
    world.clock.advance(Lifetime::from_seconds(1));
    put(world, Lifetime::from_minutes(1)).await;
    world.clock.advance(Lifetime::from_minutes(1));
    world.mailbox.fail_with(Some(SendError::Permanent("550 no such user".into())));
    world.deliver_messages().await;
    let response = operator.get("/manage/messages").await.assert_status(200);
    let states: Vec<_> = response.body["items"].as_array().unwrap().iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["sent", "given_up", "expired"]);

    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.get("/manage/messages").await.assert_problem(403, "insufficient_scope");
    owner.get(&path).await.assert_problem(403, "insufficient_scope");
    operator
        .get("/manage/messages/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071")
        .await
        .assert_problem(404, "not_found");
}

async fn message_is_resent_by_an_operator_until_it_expires(world: &World) {
    let operator = world.create_operator().await;
    put(world, Lifetime::from_hours(1)).await;
    world.mailbox.fail_with(Some(SendError::Permanent("550 no such user".into())));
    assert_eq!(world.deliver_messages().await.abandoned, 1);
    let response = operator.get("/manage/messages").await.assert_status(200);
    let path = format!("/manage/messages/{}/resend", response.body["items"][0]["id"].as_str().unwrap());
    // A message that is no longer retried.
    world.mailbox.fail_with(None);
    let response = operator.post(&path, serde_json::json!(null)).await.assert_status(200);
    assert_eq!(response.body["state"], "waiting");
    assert_eq!(world.deliver_messages().await.sent_messages, 1);
    // A message that was sent, once more and only once.
    operator.post(&path, serde_json::json!(null)).await.assert_status(200);
    assert_eq!(world.deliver_messages().await.sent_messages, 1);
    assert_eq!(world.deliver_messages().await, DeliveryRound::default());
    assert_eq!(world.mailbox.emails_to("ana@example.com").len(), 2);
    assert_eq!(world.count_events("message.resent").await, 2);
    // An expired one is of no use to its recipient.
    world.clock.advance(Lifetime::from_hours(2));
    let refused = operator.post(&path, serde_json::json!(null)).await.assert_problem(409, "conflict");
    assert_eq!(refused.body["type"], "urn:sinete:problem:message_not_resendable");
    assert_eq!(world.deliver_messages().await, DeliveryRound::default());
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.post(&path, serde_json::json!(null)).await.assert_problem(403, "insufficient_scope");
}
