//! Mail leaves the outbox once, however many nodes send it.

use crate::stories;
use sinete_core::limits::MESSAGE_RETRY;
use sinete_core::time::Lifetime;
use sinete_engine::deliver::{Round, deliver, post};
use sinete_engine::ports::{Message, NotSent};
use sinete_store::Act;

async fn put(world: &crate::harness::world::World, lifetime: Lifetime) {
    let engine = world.server.engine();
    let message = Message { to: "ana@example.com".into(), subject: "Hello".into(), text: "A link".into() };
    let step = post(engine, &message, lifetime).unwrap();
    engine.store().commit(Act::new().with(step)).await.unwrap().unwrap();
}

stories! {
    async fn a_message_arrives_once_though_several_nodes_send(world: &World) {
        for _ in 0..20 {
            put(world, Lifetime::from_hours(1)).await;
        }
        let engine = world.server.engine();
        let rounds = [(); 4].map(|()| deliver(engine, &*world.mailbox));
        let [one, two, three, four] = rounds;
        let (one, two, three, four) = tokio::join!(one, two, three, four);
        let sent: u32 = [one, two, three, four].map(|round| round.unwrap().sent).iter().sum();
        assert_eq!(sent, 20);
        assert_eq!(world.mailbox.to("ana@example.com").len(), 20);
        assert_eq!(deliver(engine, &*world.mailbox).await.unwrap(), Round::default());
    }

    async fn a_mail_server_that_is_away_costs_nothing_but_time(world: &World) {
        put(world, Lifetime::from_hours(1)).await;
        let engine = world.server.engine();
        world.mailbox.fail_with(Some(NotSent::Later("connection refused".into())));
        assert_eq!(deliver(engine, &*world.mailbox).await.unwrap(), Round { postponed: 1, ..Round::default() });
        world.mailbox.fail_with(None);
        assert_eq!(deliver(engine, &*world.mailbox).await.unwrap(), Round::default(), "not before its time");
        world.clock.pass(MESSAGE_RETRY);
        assert_eq!(deliver(engine, &*world.mailbox).await.unwrap().sent, 1);
        assert_eq!(world.mailbox.to("ana@example.com")[0].text, "A link");
    }

    async fn a_message_that_is_refused_or_too_late_is_not_sent(world: &World) {
        put(world, Lifetime::from_hours(1)).await;
        let engine = world.server.engine();
        world.mailbox.fail_with(Some(NotSent::Never("no such address".into())));
        assert_eq!(deliver(engine, &*world.mailbox).await.unwrap().given_up, 1);
        world.mailbox.fail_with(None);
        put(world, Lifetime::from_minutes(5)).await;
        world.clock.pass(Lifetime::from_minutes(6));
        assert_eq!(deliver(engine, &*world.mailbox).await.unwrap(), Round::default());
        assert!(world.mailbox.to("ana@example.com").is_empty());
    }
}
