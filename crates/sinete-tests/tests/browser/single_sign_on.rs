//! Signing in at a provider of an organization, on the pages: there and back, and turned away.

use super::accessibility;
use super::chromium::Browser;
use crate::harness::database::TestEngine;
use crate::harness::provider::{OidcProviderBehavior, person};
use crate::harness::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_leads_to_its_organizations_provider_and_back() {
    let (world, browser) = (World::begin(TestEngine::Sqlite).await, Browser::start("en").await);
    let sign_in = format!("{}/sign-in", world.origin());
    browser.open(&sign_in).await;
    browser.find("#sign-in-submit").await;
    assert!(!browser.words().await.contains("organization"), "nobody signs in at a provider here yet");
    let acme = world.tenant("acme").await;
    let provider = world.provider().await;
    provider.connect(&world.owner(&acme).await, "acme.example").await;
    provider.knows(person("ana-7", "ana@acme.example"));
    browser.open(&sign_in).await;
    browser.find("#use-provider").await;
    accessibility::check(&browser, "signing in at a provider").await;
    browser.fill("#identifier", "ana@elsewhere.example").await;
    browser.press("#use-provider").await;
    assert!(browser.element_text("#trouble").await.contains("No organization signs its people in"));
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    browser.press("#passkey-skip").await;
    browser.find("#sessions-title").await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_nobody_knows_is_told_so_without_scripts_in_portuguese_and_signs_in_another_time() {
    let (world, browser) =
        (World::begin(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    let acme = world.tenant("acme").await;
    let provider = world.provider().await;
    provider.connect(&world.owner(&acme).await, "acme.example").await;
    provider.knows(person("ana-7", "ana@elsewhere.example"));
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    assert!(browser.element_text("#trouble").await.contains("não confirmou quem você é"));
    provider.behaves(OidcProviderBehavior {
        error: Some("access_denied".into()),
        ..OidcProviderBehavior::default()
    });
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    assert!(browser.element_text("#trouble").await.contains("não confirmou quem você é"));
    provider.behaves(OidcProviderBehavior::default());
    provider.knows(person("ana-7", "ana@acme.example"));
    browser.fill("#identifier", "ana@acme.example").await;
    browser.press("#use-provider").await;
    browser.press("#passkey-skip").await;
    assert!(browser.element_text("#sessions-title").await.contains("Suas sessões"));
    world.end().await;
}
