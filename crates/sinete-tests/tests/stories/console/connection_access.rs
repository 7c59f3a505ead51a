//! Who may connect identity providers on the console, two administrators at once, and what asks for a proof first.

use super::connection_forms::{CONNECT, SAVE, read};
use super::connections::csrf_of;
use super::console_path;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    console_connection_form_asks_for_step_up_first_and_keeps_no_secret,
    console_connection_conflict_is_reported_and_a_form_sent_eight_times_creates_one,
    console_connection_changes_need_permission_in_the_own_organization
);

async fn console_connection_form_asks_for_step_up_first_and_keeps_no_secret(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let here = console_path(&acme, "/connections");
    let connections =
        async || owner.get(&acme.path("/connections")).await.assert_status(200).body["items"].clone();
    world.clock.advance(Lifetime::from_hours(2));
    // Whoever proved it long ago is shown no field; the proof leads to the form that was asked for.
    let list = ana.reader.open_page(&here).await;
    assert!(
        list.contains("You prove who you are before the form is shown.")
            && !list.contains("name=\"client_secret\"")
            && !list.contains("name=\"metadata\""),
        "{list}"
    );
    let (_, proving) = ana.reader.submit_form(&list, "id=\"prove-saml\"", &[("form", "saml")]).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let (_, form) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        form.contains("You have proven who you are.")
            && form.contains("id=\"connect-saml\" open")
            && !form.contains("id=\"connect-open-id\" open"),
        "{form}"
    );
    // The proof became too old while somebody typed: they give it once more, and what is no secret is still there.
    world.clock.advance(Lifetime::from_minutes(6));
    let fields = [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", "https://login.acme.example"),
        ("client_id", "sinete"),
        ("authentication", "client_secret"),
        ("client_secret", "hush, hush"),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    let (_, proving) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(proving.contains("name=\"password\"") && connections().await == json!([]), "{proving}");
    for (name, value) in &ana.reader.cookies {
        assert!(!read(value).contains("hush"), "{name} holds the secret");
    }
    assert!(
        ana.reader.cookies.values().any(|value| read(value).contains("login.acme.example")),
        "the rest waits"
    );
    let (_, form) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        form.contains("one field is never kept meanwhile")
            && form.contains("a secret is not kept. Type it again.")
            && form.contains("value=\"https://login.acme.example\""),
        "{form}"
    );
    assert_eq!(connections().await, json!([]), "nothing was done without the secret");
    let (_, made) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(
        made.contains("The provider is connected, and switched off.")
            && connections().await[0]["has_secret"] == true,
        "{made}"
    );
    // What waits without a secret is done by the proof.
    world.clock.advance(Lifetime::from_minutes(6));
    let change = [
        ("action", "change"),
        ("name", "Ours"),
        ("client_id", "sinete"),
        ("authentication", "client_secret"),
        ("client_secret", ""),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    let (_, proving) = ana.reader.submit_form(&made, SAVE, &change).await;
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        after.contains("The connection is changed.") && connections().await[0]["name"] == "Ours",
        "{after}"
    );
    // What is too long to wait is not done, and whoever sent it is told.
    world.clock.advance(Lifetime::from_minutes(6));
    let long = format!("openid {}", "s".repeat(3000));
    let change = [
        ("action", "change"),
        ("name", "Lost"),
        ("client_id", "sinete"),
        ("authentication", "client_secret"),
        ("client_secret", "hush"),
        ("scopes", long.as_str()),
        ("domains", ""),
    ];
    let (_, proving) = ana.reader.submit_form(&after, SAVE, &change).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        after.contains("nothing is done yet. Fill in the form again")
            && after.contains("id=\"lost\"")
            && after.contains("id=\"settings\" open"),
        "{after}"
    );
    assert!(after.contains("value=\"Ours\"") && connections().await[0]["name"] == "Ours", "{after}");
}

async fn console_connection_conflict_is_reported_and_a_form_sent_eight_times_creates_one(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let here = console_path(&acme, "/connections");
    let form = ana.reader.open_page(&here).await;
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let mut racer = world.create_page_browser("en").with_session(&ana.session);
            let form = form.clone();
            let fields = [
                ("action", "open_id"),
                ("name", "Acme"),
                ("issuer", "https://login.acme.example"),
                ("client_id", "sinete"),
                ("authentication", "private_key"),
                ("scopes", "openid email"),
            ];
            async move { racer.submit_form(&form, CONNECT, &fields).await.1 }
        })
        .collect();
    let pages = join_all(racers).await;
    assert_eq!(
        pages.iter().filter(|page| page.contains("The provider is connected, and switched off.")).count(),
        1,
        "{pages:?}"
    );
    assert_eq!(
        pages.iter().filter(|page| page.contains("That form was sent before")).count(),
        7,
        "{pages:?}"
    );
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body["items"].clone();
    assert_eq!(all.as_array().unwrap().len(), 1);
    let id = all[0]["id"].as_str().unwrap();
    let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/connections/{id}")));
    let before = ana.reader.open_page(&one).await;
    owner.patch(&path, 1, json!({"name": "Theirs", "client_id": "theirs"})).await.assert_status(200);
    let mine = [
        ("action", "change"),
        ("name", "Acme"),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("client_secret", ""),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    let (_, slow) = ana.reader.submit_form(&before, SAVE, &mine).await;
    assert!(
        slow.contains("Somebody changed this")
            && slow.contains("<h1>Theirs</h1>")
            && slow.contains("id=\"settings\" open"),
        "{slow}"
    );
    // What they changed is in the form, and the rest of it is the other's.
    assert!(
        slow.contains("value=\"openid\"")
            && slow.contains("value=\"theirs\"")
            && slow.contains("value=\"Theirs\""),
        "{slow}"
    );
    let stands: Value = owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        (&stands["version"], &stands["scopes"]),
        (&json!(2), &json!(["openid", "email"])),
        "nothing was done"
    );
    let (_, after) = ana
        .reader
        .submit_form(
            &slow,
            SAVE,
            &[
                ("action", "change"),
                ("name", "Theirs"),
                ("client_id", "theirs"),
                ("authentication", "private_key"),
                ("client_secret", ""),
                ("scopes", "openid"),
                ("domains", ""),
            ],
        )
        .await;
    assert!(after.contains("The connection is changed."), "{after}");
}

async fn console_connection_changes_need_permission_in_the_own_organization(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    owner
        .post(
            &acme.path("/roles"),
            json!({"name": "reader", "permissions": ["organization:read", "members:read"]}),
        )
        .await
        .assert_status(201);
    let wanted = json!({"name": "Acme", "issuer": "https://login.acme.example", "client_id": "x", "authentication": "private_key"});
    let id = owner.post(&acme.path("/connections"), wanted).await.assert_status(201).body["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let connections =
        async || owner.get(&acme.path("/connections")).await.assert_status(200).body["items"].clone();
    let (here, stands) = (console_path(&acme, "/connections"), connections().await);
    let one = format!("{here}/{id}");
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let csrf =
        csrf_of(&rita.reader.open_page(&console_path(&acme, &format!("/members/{}", rita.membership))).await);
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let own = csrf_of(&bia.reader.open_page(&console_path(&other, "/keys")).await);
    for action in ["change", "open_id", "saml", "prove"] {
        let fields = |csrf| {
            [
                ("csrf", csrf),
                ("action", action),
                ("form", "change"),
                ("version", "1"),
                ("once", "abcdefghijklmnopqrstuv"),
                ("name", "Mine"),
                ("issuer", "https://spy.example"),
                ("client_id", "spy"),
                ("authentication", "private_key"),
                ("scopes", "openid"),
            ]
        };
        for path in [&here, &one] {
            let (_, after) = rita.reader.forge_post(path, &world.origin(), &fields(csrf.as_str())).await;
            assert!(!after.contains("spy.example") && connections().await == stands, "{action}: {after}");
            assert_eq!(
                bia.reader.forge_post(path, &world.origin(), &fields(own.as_str())).await.0,
                404,
                "{action}"
            );
        }
        let through = console_path(&other, &format!("/connections/{id}"));
        bia.reader.forge_post(&through, &world.origin(), &fields(own.as_str())).await;
        assert_eq!(connections().await, stands, "{action}");
    }
    // A suspended organization is connected to nothing more, and what is set stays.
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (list, before) = (ana.reader.open_page(&here).await, ana.reader.open_page(&one).await);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    assert!(!ana.reader.open_page(&here).await.contains("<form"));
    let fields = |action| {
        [
            ("action", action),
            ("name", "Mine"),
            ("issuer", "https://b.example"),
            ("client_id", "x"),
            ("authentication", "private_key"),
            ("scopes", "openid"),
        ]
    };
    for (form, within, action) in [(&list, CONNECT, "open_id"), (&before, SAVE, "change")] {
        let (_, after) = ana.reader.submit_form(form, within, &fields(action)).await;
        assert!(after.contains("suspended and accepts no change"), "{action}: {after}");
    }
    assert_eq!(connections().await, stands);
}
