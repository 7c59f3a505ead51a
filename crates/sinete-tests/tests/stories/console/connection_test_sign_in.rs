//! The test sign-in of a connection: what the provider reported and what would be done with it, without an account, a
//! session or an enabled connection.

use super::{ConsoleUser, console_path};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oidc_provider::{OidcProviderBehavior, TestOidcProvider, provider_user, verify_domain};
use crate::harness::organizations::TestOrganization;
use crate::harness::saml_provider::{SamlProviderBehavior, saml_user};
use crate::harness::world::World;
use crate::stories::identity_providers::oidc_sign_in::signs_in;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

const BUTTON: &str = "id=\"test-sign-in\"";
const ENDED: &str = "This test has ended, or someone else started it.";

both_engines!(
    connection_test_sign_in_shows_claims_and_decision_and_creates_nothing,
    connection_test_sign_in_is_valid_once_for_its_administrator_and_a_short_time,
    connection_test_sign_in_of_saml_shows_attributes_once,
    connection_test_sign_in_explains_a_refusal_and_an_unreachable_provider
);

impl ConsoleUser<'_> {
    /// Starts a test sign-in, and returns the URL at the provider.
    async fn starts_sign_in(&mut self, page: &str) -> String {
        let html = self.reader.open_page(page).await;
        let (_, leaves) = self.reader.submit_form(&html, BUTTON, &[("action", "sign_in")]).await;
        let url = leaves.split("content=\"0;url=").nth(1).unwrap_or_else(|| panic!("{leaves}"));
        url.split('"').next().unwrap().replace("&#38;", "&")
    }

    /// Signs in at the provider, and returns the page with the result.
    async fn tests_sign_in(&mut self, provider: &TestOidcProvider, page: &str) -> String {
        let url = self.starts_sign_in(page).await;
        let back = provider.follow_authorization(self.reader.world, &url).await;
        self.reader.open_page(&back).await
    }
}

/// A disabled connection with an unverified domain.
async fn create_disabled(
    owner: &ApiCaller<'_>,
    acme: &TestOrganization,
    provider: &TestOidcProvider,
) -> Value {
    use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET};
    owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(201);
    let connection_body = json!({
        "name": "Acme", "issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
        "domains": ["acme.example"], "two_factors": {"amr": ["mfa"]},
    });
    owner.post(&acme.path("/connections"), connection_body).await.assert_status(201).body
}

async fn connection_test_sign_in_shows_claims_and_decision_and_creates_nothing(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = create_disabled(&owner, &acme, &provider).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let one = console_path(&acme, &format!("/connections/{}", created["id"].as_str().unwrap()));
    let (accounts, sessions) =
        (world.count_events("account.created").await, world.count_events("session.started").await);
    provider.set_user(provider_user("bia-7", "bia@acme.example"));
    let page = ana.tests_sign_in(&provider, &one).await;
    assert!(
        page.contains("would be refused") && page.contains("acme.example is not verified yet."),
        "{page}"
    );
    assert!(page.contains("<code>sub</code>") && page.contains("bia-7"), "{page}");
    // The script adds a button that copies the value, and none at the name of the claim.
    let is_copied = |text: &str| page.contains(&format!("<span class=\"id\"><code>{text}</code></span>"));
    assert!(is_copied("bia-7") && !is_copied("sub"), "{page}");
    let domain = owner.get(&acme.path("/domains/acme.example")).await.assert_status(200).body;
    let record = |member: &str| domain["record"][member].as_str().unwrap();
    world.dns.publish(record("name"), record("value"));
    owner.post(&acme.path("/domains/acme.example/verify"), Value::Null).await.assert_status(200);
    let page = ana.tests_sign_in(&provider, &one).await;
    assert!(page.contains("would join as a new member") && page.contains(">member<"), "{page}");
    assert!(page.contains("email_verified") && page.contains("bia@acme.example"), "{page}");
    // Nothing was created, enabled or linked: the session of the browser is still the administrator's.
    assert_eq!(
        (accounts, sessions),
        (world.count_events("account.created").await, world.count_events("session.started").await)
    );
    assert_eq!(world.count_events("identity.linked").await, 0);
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let stands = owner.get(&path).await.assert_status(200).body;
    assert_eq!((&stands["enabled"], &stands["version"]), (&json!(false), &created["version"]));
    // The events say what would have happened, and nothing that the provider sent.
    let tested = owner.get(&acme.path("/audit?kind=connection.tested")).await.assert_status(200);
    assert!(tested.text.contains("joins") && tested.text.contains("refused"), "{}", tested.text);
    assert!(!tested.text.contains("bia"), "{}", tested.text);
    // After a real sign-in the same identity is a member.
    owner.patch(&path, 1, json!({"enabled": true})).await.assert_status(200);
    signs_in(world, &provider, "bia@acme.example").await.1.assert_status(200);
    let page = ana.tests_sign_in(&provider, &one).await;
    assert!(page.contains("would sign in") && page.contains("Ana Souza"), "{page}");
}

async fn connection_test_sign_in_is_valid_once_for_its_administrator_and_a_short_time(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = create_disabled(&owner, &acme, &provider).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    let mut cleo = world.create_console_user(&other, "cleo@example.com", "owner").await;
    let one = console_path(&acme, &format!("/connections/{}", created["id"].as_str().unwrap()));
    provider.set_user(provider_user("bia-7", "bia@acme.example"));
    let url = ana.starts_sign_in(&one).await;
    let back = provider.follow_authorization(world, &url).await;
    // Another administrator, another organization and a browser without a session see nothing of it.
    let page = bia.reader.open_page(&back).await;
    assert!(page.contains(ENDED) && !page.contains("bia-7"), "{page}");
    let (status, page) = cleo.reader.open_url(&back).await;
    assert!(status == 404 && !page.contains("bia-7"), "{page}");
    let page = world.create_page_browser("en").open_page(&back).await;
    assert!(!page.contains("bia-7"), "{page}");
    let page = ana.reader.open_page(&back).await;
    assert!(page.contains("bia-7"), "{page}");
    // The code was redeemed.
    let page = ana.reader.open_page(&back).await;
    assert!(page.contains("response rejected") && !page.contains("bia-7"), "{page}");
    // A response that waited too long, or whose state was changed, belongs to no test.
    let url = ana.starts_sign_in(&one).await;
    let back = provider.follow_authorization(world, &url).await;
    let forged = back.replace("state=", "state=A");
    assert_eq!(ana.reader.open_url(&forged).await.0, 400);
    world.clock.advance(Lifetime::from_minutes(16));
    assert_eq!(ana.reader.open_url(&back).await.0, 400);
    // A member who may not manage connections, or whose organization is suspended, cannot start a test.
    let html = ana.reader.open_page(&one).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let (_, refused) = ana.reader.submit_form(&html, BUTTON, &[("action", "sign_in")]).await;
    assert!(refused.contains("The organization is suspended") && !refused.contains("0;url="), "{refused}");
}

async fn connection_test_sign_in_of_saml_shows_attributes_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let one = console_path(&acme, &format!("/connections/{}", created["id"].as_str().unwrap()));
    provider.set_user(saml_user("bia-7", "bia@acme.example"));
    let go_to = ana.starts_sign_in(&one).await;
    let form = provider.respond_to(&go_to);
    let answer = world.post_saml_response(&form).await;
    assert_eq!(answer.status(), 303);
    assert!(!answer.headers().contains_key("set-cookie"));
    let page = answer.headers()["location"].to_str().unwrap().to_owned();
    let html = ana.reader.open_page(&page).await;
    assert!(html.contains("would join as a new member") && html.contains("<code>mail</code>"), "{html}");
    assert!(html.contains("NameID") && html.contains("bia-7"), "{html}");
    let html = ana.reader.open_page(&page).await;
    assert!(html.contains("displayed before") && !html.contains("bia-7"), "{html}");
    // A response without a persistent NameID is shown with what it contains and what to enter.
    provider.set_behavior(SamlProviderBehavior {
        changes_before_signing: vec![("nameid-format:persistent", "nameid-format:transient".to_owned())],
        ..SamlProviderBehavior::default()
    });
    let go_to = ana.starts_sign_in(&one).await;
    let answer = world.post_saml_response(&provider.respond_to(&go_to)).await;
    let page = answer.headers()["location"].to_str().unwrap().to_owned();
    let html = ana.reader.open_page(&page).await;
    assert!(
        html.contains("response rejected")
            && html.contains("the format of the NameID is transient")
            && html.contains("such as mail, as the subject attribute")
            && html.contains("<code>mail</code>"),
        "{html}"
    );
    // The reason of a rejected response is shown.
    provider.set_behavior(SamlProviderBehavior {
        is_signed_by_foreign_key: true,
        ..SamlProviderBehavior::default()
    });
    let go_to = ana.starts_sign_in(&one).await;
    let answer = world.post_saml_response(&provider.respond_to(&go_to)).await;
    let page = answer.headers()["location"].to_str().unwrap().to_owned();
    let html = ana.reader.open_page(&page).await;
    assert!(html.contains("response rejected") && !html.contains("bia-7"), "{html}");
    assert_eq!(world.count_events("identity.linked").await, 0);
}

async fn connection_test_sign_in_explains_a_refusal_and_an_unreachable_provider(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    verify_domain(&owner, "elsewhere.example").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let one = console_path(&acme, &format!("/connections/{}", created["id"].as_str().unwrap()));
    for (user_claims, reason) in [
        (json!({"sub": "7", "email": "bia@acme.example"}), "reports no verified e-mail address"),
        (provider_user("7", "bia@nobody.example"), "nobody.example is not a domain of your organization"),
        (provider_user("7", "bia@elsewhere.example"), "elsewhere.example does not belong to this connection"),
    ] {
        provider.set_user(user_claims);
        let page = ana.tests_sign_in(&provider, &one).await;
        assert!(page.contains("would be refused") && page.contains(reason), "{reason}: {page}");
    }
    provider.set_behavior(OidcProviderBehavior {
        error: Some("access_denied".into()),
        ..OidcProviderBehavior::default()
    });
    let page = ana.tests_sign_in(&provider, &one).await;
    assert!(page.contains("response rejected") && page.contains("access_denied"), "{page}");
    provider.set_behavior(OidcProviderBehavior { is_unreachable: true, ..OidcProviderBehavior::default() });
    let html = ana.reader.open_page(&one).await;
    let (_, away) = ana.reader.submit_form(&html, BUTTON, &[("action", "sign_in")]).await;
    assert!(away.contains("id=\"wrong\"") && away.contains(&provider.issuer), "{away}");
}
