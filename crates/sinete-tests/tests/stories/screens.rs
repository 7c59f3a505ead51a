//! What the hosted screens say and in which language, read without running anything.

use crate::harness::oneself::Oneself;
use crate::stories;
use serde_json::json;
use sinete_store::clients::Origin;

/// The language that a page declares itself in.
fn language(page: &str) -> &str {
    page.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap()
}

stories! {
    async fn a_page_is_in_the_language_that_is_asked_for_then_chosen_then_said_by_the_browser(world: &World) {
        let (acme, ana) = (world.tenant("acme").await, world.somebody("ana@example.com").await);
        let oneself = Oneself { world, account: ana.account, token: ana.session.clone() };
        oneself.joins(&acme, "member").await;
        let app = world.application(Origin::Operator, json!({})).await;
        let asking = |locales: Option<&str>| world.authorization_address(&app.request(&[("ui_locales", locales)]));
        // Nobody is known: the request, or else the browser.
        for (locales, browser, expected) in [
            (None, "en", "en"),
            (None, "pt-BR,pt;q=0.9,en;q=0.1", "pt-BR"),
            (None, "de, fr", "en"),
            (Some("pt"), "en", "pt-BR"),
            (Some("fr en pt"), "pt", "en"),
            (Some("fr de"), "pt", "pt-BR"),
            (Some("x".repeat(300).as_str()), "pt", "pt-BR"),
        ] {
            let page = world.reader(browser).reads(&asking(locales)).await;
            assert_eq!(language(&page), expected, "{locales:?} {browser}");
            assert!(page.contains("id=\"sign-in-submit\""));
        }
        // Whoever is known chose one: it comes after the request and before the browser.
        let seen = oneself.get("/account").await.is(200).version();
        oneself.patch("/account", Some(seen), json!({"language": "pt"})).await.is(200);
        for (locales, expected) in [(None, "pt-BR"), (Some("en"), "en"), (Some("fr"), "pt-BR")] {
            let page = world.reader("en").holding(&ana.session).reads(&asking(locales)).await;
            assert_eq!(language(&page), expected, "{locales:?}");
            assert!(page.contains("id=\"consent-allow\"") && page.contains("<dd>ana@example.com</dd>"), "{page}");
        }
        assert_eq!(language(&world.reader("en").holding(&ana.session).reads("/my-account").await), "pt-BR");
        // What somebody presses on the page itself comes before everything.
        let page = world.reader("en").holding(&ana.session).reads("/my-account?ui_locales=en").await;
        assert_eq!(language(&page), "en");
    }

    async fn password_managers_and_phones_find_what_they_fill_in(world: &World) {
        let mut reader = world.reader("en");
        let page = reader.reads("/sign-in").await;
        for (field, filled) in [("identifier", "username webauthn"), ("password", "current-password")] {
            let written = page.split(&format!("id=\"{field}\"")).nth(1).unwrap().split('>').next().unwrap();
            assert!(written.contains(&format!("autocomplete=\"{filled}\"")), "{written}");
        }
        let page = reader.reads("/sign-up").await;
        for (field, filled) in [("name", "name"), ("identifier", "email"), ("password", "new-password")] {
            let written = page.split(&format!("id=\"{field}\"")).nth(1).unwrap().split('>').next().unwrap();
            assert!(written.contains(&format!("autocomplete=\"{filled}\"")), "{written}");
        }
    }
}
