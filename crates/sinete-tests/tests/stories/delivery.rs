//! Mail leaves the outbox once, however many nodes send it.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::limits::MESSAGE_RETRY;
use sinete_core::people::language::Language;
use sinete_core::time::Lifetime;
use sinete_engine::deliver::{DeliveryRound, MessageState, post, post_short};
use sinete_engine::letters::{EmailKind, EmailMessage, EmailProof, EmailProofKind, code_to};
use sinete_engine::ports::SendError;
use sinete_store::WriteBatch;

async fn put(world: &World, lifetime: Lifetime) {
    let engine = world.server.engine();
    let proof = EmailProof { given: EmailProofKind::Code("12345678".into()), lifetime };
    let letter = EmailMessage {
        about: EmailKind::SignIn,
        issuer: "https://id.example",
        language: Language::English,
        proof: Some(proof),
    };
    let step = post(engine, &letter, &"ana@example.com".parse().unwrap(), lifetime).unwrap();
    engine.store().commit(WriteBatch::new().with(step)).await.unwrap().unwrap();
}

both_engines!(
    the_development_mailbox_is_read_over_http_2_as_over_http_1,
    a_message_arrives_once_though_several_nodes_send,
    a_mail_server_that_is_away_costs_nothing_but_time,
    after_an_hour_without_a_mail_server_every_message_arrives_once,
    a_message_that_is_refused_or_too_late_is_not_sent,
    a_code_reaches_a_telephone_by_its_own_way,
    operators_see_what_became_of_messages_and_never_to_whom_they_went
);

async fn the_development_mailbox_is_read_over_http_2_as_over_http_1(world: &World) {
    let client = || reqwest::Client::builder().http2_prior_knowledge();
    let http2 = client().build().unwrap();
    let status = async |client: &reqwest::Client, address: String| {
        let answer = client.get(address).header("accept", "application/json").send().await.unwrap();
        (answer.version(), answer.status().as_u16())
    };
    assert_eq!(status(&world.http, world.public("/dev/mail")).await, (reqwest::Version::HTTP_11, 200));
    assert_eq!(status(&http2, world.public("/dev/mail")).await, (reqwest::Version::HTTP_2, 200));
    // A name of somebody else's that leads to this machine opens nothing, whichever way it is sent.
    let led = client().resolve("evil.example", world.server.public).build().unwrap();
    let elsewhere = format!("http://evil.example:{}/dev/mail", world.server.public.port());
    assert_eq!(status(&led, elsewhere).await, (reqwest::Version::HTTP_2, 404));
    let both = http2.get(world.public("/dev/mail")).header("host", "evil.example").send().await;
    assert_ne!(both.map_or(404, |answer| answer.status().as_u16()), 200);
}

async fn a_message_arrives_once_though_several_nodes_send(world: &World) {
    for _ in 0..20 {
        put(world, Lifetime::from_hours(1)).await;
    }
    let (one, two, three, four) =
        tokio::join!(world.deliver(), world.deliver(), world.deliver(), world.deliver());
    let sent: u32 = [one, two, three, four].map(|round| round.sent).iter().sum();
    assert_eq!(sent, 20);
    assert_eq!(world.mailbox.to("ana@example.com").len(), 20);
    assert_eq!(world.deliver().await, DeliveryRound::default());
}

async fn a_mail_server_that_is_away_costs_nothing_but_time(world: &World) {
    put(world, Lifetime::from_hours(2)).await;
    world.mailbox.fail_with(Some(SendError::Later("connection refused".into())));
    assert_eq!(world.deliver().await, DeliveryRound { postponed: 1, ..DeliveryRound::default() });
    world.mailbox.fail_with(None);
    assert_eq!(world.deliver().await, DeliveryRound::default(), "not before its time");
    world.clock.pass(MESSAGE_RETRY);
    assert_eq!(world.deliver().await.sent, 1);
    assert!(world.mailbox.to("ana@example.com")[0].text.contains("12345678"));
}

async fn after_an_hour_without_a_mail_server_every_message_arrives_once(world: &World) {
    for _ in 0..10 {
        put(world, Lifetime::from_hours(3)).await;
    }
    world.mailbox.fail_with(Some(SendError::Later("connection refused".into())));
    for _ in 0..60 {
        world.deliver().await;
        world.clock.pass(Lifetime::from_minutes(1));
    }
    world.mailbox.fail_with(None);
    let mut sent = 0;
    for _ in 0..6 {
        sent += world.deliver().await.sent;
        world.clock.pass(Lifetime::from_minutes(1));
    }
    assert_eq!((sent, world.mailbox.to("ana@example.com").len()), (10, 10));
}

async fn a_message_that_is_refused_or_too_late_is_not_sent(world: &World) {
    put(world, Lifetime::from_hours(1)).await;
    world.mailbox.fail_with(Some(SendError::Never("no such address".into())));
    assert_eq!(world.deliver().await.given_up, 1);
    world.mailbox.fail_with(None);
    put(world, Lifetime::from_minutes(5)).await;
    world.clock.pass(Lifetime::from_minutes(6));
    assert_eq!(world.deliver().await, DeliveryRound::default());
    assert!(world.mailbox.to("ana@example.com").is_empty());
}

async fn a_code_reaches_a_telephone_by_its_own_way(world: &World) {
    let engine = world.server.engine();
    let message = code_to("+5581999990000", "123456", "https://id.example", Language::Portuguese);
    let step = post_short(engine, &message, Lifetime::from_minutes(5)).unwrap();
    engine.store().commit(WriteBatch::new().with(step)).await.unwrap().unwrap();
    assert_eq!(world.deliver().await.sent, 1);
    assert_eq!(world.mailbox.on("+5581999990000"), [message]);
}

async fn operators_see_what_became_of_messages_and_never_to_whom_they_went(world: &World) {
    let operator = world.operator().await;
    put(world, Lifetime::from_hours(1)).await;
    world.mailbox.fail_with(Some(SendError::Later("421 busy".into())));
    world.deliver().await;
    let listed = operator.get("/manage/messages").await.is(200);
    let [message] = listed.body["items"].as_array().unwrap().as_slice() else { panic!("{}", listed.text) };
    assert_eq!((&message["state"], &message["kind"]), (&"waiting".into(), &"sign_in".into()));
    assert_eq!((&message["attempts"], &message["channel"]), (&1.into(), &"mail".into()));
    assert_eq!(message["last_problem"], "not taken: 421 busy");
    assert!(!listed.text.contains("ana@example.com") && !listed.text.contains("12345678"));
    world.mailbox.fail_with(None);
    world.clock.pass(MESSAGE_RETRY);
    world.deliver().await;
    let path = format!("/manage/messages/{}", message["id"].as_str().unwrap());
    let shown = operator.get(&path).await.is(200);
    assert_eq!(shown.body["state"], MessageState::Sent.as_str());
    assert!(shown.body["sent_at"].is_string());

    put(world, Lifetime::from_hours(1)).await;
    // What is put there in the same moment is listed in no order that means anything.
    world.clock.pass(Lifetime::from_seconds(1));
    put(world, Lifetime::from_minutes(1)).await;
    world.clock.pass(Lifetime::from_minutes(1));
    world.mailbox.fail_with(Some(SendError::Never("550 no such user".into())));
    world.deliver().await;
    let listed = operator.get("/manage/messages").await.is(200);
    let states: Vec<_> = listed.body["items"].as_array().unwrap().iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["sent", "given_up", "expired"]);

    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    owner.get("/manage/messages").await.refused(403, "insufficient_scope");
    owner.get(&path).await.refused(403, "insufficient_scope");
    operator.get("/manage/messages/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071").await.refused(404, "not_found");
}
