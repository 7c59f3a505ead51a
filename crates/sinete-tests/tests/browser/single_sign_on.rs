//! Single sign-on through an identity provider, on the pages: successful and refused.

use super::accessibility;
use super::chromium::Browser;
use crate::harness::database::TestEngine;
use crate::harness::oidc_provider::{OidcProviderBehavior, provider_user};
use crate::harness::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_sign_on_redirects_to_the_identity_provider_of_the_address_and_back() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let sign_in = format!("{}/sign-in", world.origin());
    browser.open(&sign_in).await;
    browser.find("#sign-in-submit").await;
    assert!(!browser.words().await.contains("organization"), "no identity provider is connected yet");
    let acme = world.create_organization("acme").await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&world.create_owner(&acme).await, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    browser.open(&sign_in).await;
    browser.find("#use-provider").await;
    accessibility::check(&browser, "signing in at a provider").await;
    browser.fill("#identifier", "ana@elsewhere.example").await;
    browser.press("#use-provider").await;
    assert!(browser.element_text("#trouble").await.contains("There is no single sign-on for this address"));
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    browser.press("#passkey-skip").await;
    browser.find("#sessions-title").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_sign_on_of_an_unknown_user_is_refused_without_scripts_in_portuguese() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    let acme = world.create_organization("acme").await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&world.create_owner(&acme).await, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@elsewhere.example"));
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    assert!(browser.element_text("#trouble").await.contains("não confirmou quem você é"));
    provider.set_behavior(OidcProviderBehavior {
        error: Some("access_denied".into()),
        ..OidcProviderBehavior::default()
    });
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    assert!(browser.element_text("#trouble").await.contains("não confirmou quem você é"));
    provider.set_behavior(OidcProviderBehavior::default());
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    browser.press("#passkey-skip").await;
    assert!(browser.element_text("#sessions-title").await.contains("Sessões ativas"));
    world.stop().await;
}
