//! The texts and languages of the hosted pages, without scripts.

use crate::both_engines;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_store::oauth::clients::ClientOrigin;

/// The `lang` attribute of a page.
fn language(page: &str) -> &str {
    page.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap()
}

both_engines!(
    page_language_follows_ui_locales_then_the_account_then_accept_language,
    sign_in_page_links_policy_and_terms_of_the_application,
    sign_in_page_has_autocomplete_attributes
);

async fn page_language_follows_ui_locales_then_the_account_then_accept_language(world: &World) {
    let (acme, ana) = (world.create_organization("acme").await, world.create_user("ana@example.com").await);
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    user.join_organization(&acme, "member").await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let build_url = |locales: Option<&str>| {
        world.authorization_url(&app.authorization_params(&[("ui_locales", locales)]))
    };
    // Without a user: the request's `ui_locales`, or else the browser's languages.
    for (locales, browser, expected) in [
        (None, "en", "en"),
        (None, "pt-BR,pt;q=0.9,en;q=0.1", "pt-BR"),
        (None, "de, fr", "en"),
        (Some("pt"), "en", "pt-BR"),
        (Some("fr en pt"), "pt", "en"),
        (Some("fr de"), "pt", "pt-BR"),
        (Some("x".repeat(300).as_str()), "pt", "pt-BR"),
    ] {
        let page = world.create_page_browser(browser).open_page(&build_url(locales)).await;
        assert_eq!(language(&page), expected, "{locales:?} {browser}");
        assert!(page.contains("id=\"sign-in-submit\""));
    }
    // The user's own language comes after the request and before the browser.
    let version = user.get("/account").await.assert_status(200).version();
    user.patch("/account", Some(version), json!({"language": "pt"})).await.assert_status(200);
    for (locales, expected) in [(None, "pt-BR"), (Some("en"), "en"), (Some("fr"), "pt-BR")] {
        let page =
            world.create_page_browser("en").with_session(&ana.session).open_page(&build_url(locales)).await;
        assert_eq!(language(&page), expected, "{locales:?}");
        assert!(page.contains("id=\"consent-allow\"") && page.contains("<dd>ana@example.com</dd>"), "{page}");
    }
    let page = world.create_page_browser("en").with_session(&ana.session).open_page("/my-account").await;
    assert_eq!(language(&page), "pt-BR");
    assert!(page.contains(">membro<") && !page.contains(">member<"), "{page}");
    // A choice on the page comes before everything else.
    let page = world
        .create_page_browser("en")
        .with_session(&ana.session)
        .open_page("/my-account?ui_locales=en")
        .await;
    assert_eq!(language(&page), "en");
    assert!(page.contains(">member<") && !page.contains(">membro<"), "{page}");
}

async fn sign_in_page_links_policy_and_terms_of_the_application(world: &World) {
    let papers = json!({
        "policy_uri": "https://app.example.com/privacy?a=1&b=2",
        "tos_uri": "https://app.example.com/terms",
        "logo_uri": "https://app.example.com/logo.png",
        "localized": {
            "client_name#pt": "Padaria",
            "policy_uri#pt-PT": "https://app.example.com/privacidade",
            "tos_uri#fr": "https://app.example.com/conditions",
        },
    });
    let app = world.create_application(ClientOrigin::DynamicRegistration, papers).await;
    let authorize_url = world.authorization_url(&app.authorization_params(&[]));
    let (acme, ana) = (world.create_organization("acme").await, world.create_user("ana@example.com").await);
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    user.join_organization(&acme, "member").await;
    for (language, name, policy, terms) in [
        ("en", "App", ("privacy?a=1&#38;b=2", "Privacy policy"), "Terms of service"),
        ("pt", "Padaria", ("privacidade", "Política de privacidade"), "Termos de serviço"),
    ] {
        // The first page is for a user who is not signed in; the second asks Ana for consent.
        let signing_in = world.create_page_browser(language).open_page(&authorize_url).await;
        let agreeing =
            world.create_page_browser(language).with_session(&ana.session).open_page(&authorize_url).await;
        assert!(signing_in.contains("id=\"sign-in-submit\"") && agreeing.contains("id=\"consent-allow\""));
        for page in [signing_in, agreeing] {
            let leads = |(path, words): (&str, &str)| {
                page.contains(&format!(
                    "<a href=\"https://app.example.com/{path}\" rel=\"noreferrer noopener\" \
                         target=\"_blank\">{words}</a>"
                ))
            };
            assert!(leads(policy) && leads(("terms", terms)) && page.contains(name), "{page}");
            assert!(!page.contains("logo.png"), "the logo of an unverified client is not displayed");
        }
    }
    // A client without policy links, and a page without a client.
    let silent = world.create_application(ClientOrigin::DynamicRegistration, json!({})).await;
    for page_url in [world.authorization_url(&silent.authorization_params(&[])), "/sign-in".to_owned()] {
        assert!(
            !world.create_page_browser("en").open_page(&page_url).await.contains("noreferrer"),
            "{page_url}"
        );
    }
}

async fn sign_in_page_has_autocomplete_attributes(world: &World) {
    let mut reader = world.create_page_browser("en");
    let page = reader.open_page("/sign-in").await;
    for (field, filled) in [("identifier", "username webauthn"), ("password", "current-password")] {
        let input_tag = page.split(&format!("id=\"{field}\"")).nth(1).unwrap().split('>').next().unwrap();
        assert!(input_tag.contains(&format!("autocomplete=\"{filled}\"")), "{input_tag}");
    }
    let page = reader.open_page("/sign-up").await;
    for (field, filled) in [("name", "name"), ("identifier", "email"), ("password", "new-password")] {
        let input_tag = page.split(&format!("id=\"{field}\"")).nth(1).unwrap().split('>').next().unwrap();
        assert!(input_tag.contains(&format!("autocomplete=\"{filled}\"")), "{input_tag}");
    }
}
