//! Authorized applications on the account page: with the texts of the consent page, and among the user's events.

use super::add_member;
use super::flows::{EMAIL, browser, enters, goes_on};
use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

const ASKED: &str = "openid email invoices:read";

fn kinds(events: &Value) -> Vec<&str> {
    let items = events["items"].as_array().unwrap().iter();
    items.map(|item| item["kind"].as_str().unwrap()).filter(|kind| !kind.starts_with("session.")).collect()
}

both_engines!(authorized_applications_have_the_permission_texts_of_the_consent);

async fn authorized_applications_have_the_permission_texts_of_the_consent(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let owner =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    let read =
        json!({"permission": "invoices:read", "english": "Read invoices", "portuguese": "Ler faturas"});
    let api = json!({"identifier": "https://invoices.example", "name": "Invoices", "permissions": [read]});
    owner.create_api(api).await.assert_status(201);
    owner
        .post(&acme.path("/roles"), json!({"name": "reader", "permissions": ["invoices:read"]}))
        .await
        .assert_status(201);
    let (ana, bob) = (world.create_user(EMAIL).await, world.create_signed_in_user("bob@example.com").await);
    let membership = add_member(world, ana.account, &acme, "reader").await;
    let body = json!({"client_name": "Bakery", "localized": {"client_name#pt": "Padaria"}, "scope": ASKED});
    let app = world.create_application(ClientOrigin::Organization(acme.id), body).await;
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    for allow in [false, true] {
        let mut walk = enters(&app, Some(&browser(&ana)), &[("scope", Some(ASKED))]).await;
        walk.submit("consent", json!({"allow": allow})).await.assert_status(200);
        goes_on(world, &walk, &ana.session).await;
        world.clock.advance(Lifetime::from_seconds(1));
    }

    let page = async |language| {
        world.create_page_browser(language).with_session(&ana.session).open_page("/my-account").await
    };
    assert_page_shows_texts_in_each_language(&page).await;
    let applications = user.get("/account/applications").await.assert_status(200).body;
    let [application] = &applications["items"].as_array().unwrap()[..] else { panic!("{applications}") };
    assert_eq!(application["localized"], json!({"client_name#pt": "Padaria"}));
    let invoices = json!({"audience": "https://invoices.example", "name": "invoices:read", "english": "Read invoices", "portuguese": "Ler faturas"});
    let allowed = application["allowed"].as_array().unwrap();
    assert!(allowed.len() == 3 && allowed.contains(&invoices), "each once: {allowed:?}");

    // The consent and its revocation are among this user's events, and not among another user's.
    let path = format!("/account/memberships/{membership}/applications/{}", app.id);
    user.delete(&path).await.assert_status(204);
    let events = user.get("/account/events").await.assert_status(200).body;
    assert_eq!(kinds(&events), ["consent.denied", "consent.given", "application.removed"]);
    let consent_event =
        events["items"].as_array().unwrap().iter().find(|it| it["kind"] == "consent.given").unwrap();
    assert_eq!(
        (&consent_event["client_id"], &consent_event["subject"]["id"]),
        (&json!(app.id), &json!(membership))
    );
    let page = page("pt").await;
    assert!(
        page.contains("Acesso de um aplicativo revogado: Padaria")
            && page.contains("Nenhum aplicativo tem acesso à sua conta."),
        "{page}"
    );
    assert_eq!(kinds(&bob.get("/account/events").await.assert_status(200).body), [""; 0]);
}

/// The account page shows the texts of the permissions, never their names.
async fn assert_page_shows_texts_in_each_language(page: impl AsyncFn(&'static str) -> String) {
    for (language, expected) in [
        (
            "en",
            [
                "<strong>Bakery</strong>",
                "Read invoices",
                "Know that it is you",
                "Application allowed: Bakery",
                "Application denied: Bakery",
            ],
        ),
        (
            "pt",
            [
                "<strong>Padaria</strong>",
                "Ler faturas",
                "Saber que é você",
                "Aplicativo permitido: Padaria",
                "Aplicativo negado: Padaria",
            ],
        ),
    ] {
        let page = page(language).await;
        for text in expected {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert!(!page.contains("invoices:read") && !page.contains(">openid"), "{page}");
    }
}
