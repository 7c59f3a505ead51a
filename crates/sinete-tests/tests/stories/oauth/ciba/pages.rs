//! The pages on which a user approves a request, without scripts.

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::second_factors::enroll_totp;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::seconds;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    ciba_pages_work_without_scripts,
    ciba_page_requires_sign_in_and_step_up_first,
    ciba_request_is_denied_on_the_account_page_at_a_lower_level
);

async fn ciba_pages_work_without_scripts(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    let id = scene.ana.pending_ciba_requests().await[0]["id"].as_str().unwrap().to_owned();
    let mut reader = world.create_page_browser("pt-BR").with_session(&scene.ana.token);
    // The account page links to it.
    let page = reader.open_page("/my-account").await;
    assert!(
        page.contains("Pedidos aguardando sua aprovação") && page.contains("Pay 12.00 EUR to Moinho"),
        "{page}"
    );
    assert!(page.contains(&format!("/approve?request={id}\"")), "{page}");
    for _ in 0..2 {
        let page = reader.open_page(&format!("/approve?request={id}")).await;
        assert!(
            page.contains("Aprovar o pedido de Ledger agent?") && page.contains("Pay 12.00 EUR to Moinho"),
            "{page}"
        );
        assert!(page.contains("Você esperava por isto?") && page.contains("127.0.0.1"), "{page}");
    }
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    let page = reader.open_page(&format!("/approve?request={id}")).await;
    let (_, page) = reader.submit_first_form(&page, &[("action", "allow")]).await;
    assert!(page.contains("Pedido aprovado"), "{page}");
    scene.agent.redeem_ciba(&request).await;
    assert!(!reader.open_page("/my-account").await.contains("/approve?request="));
    let (status, page) = reader.open_url(&format!("/approve?request={id}")).await;
    assert_eq!(status, 410);
    assert!(page.contains("Este pedido foi encerrado"), "{page}");
    let denied = scene.agent.start_ciba(ANA, &[]).await;
    let id = scene.ana.pending_ciba_requests().await[0]["id"].as_str().unwrap().to_owned();
    let page = reader.open_page(&format!("/approve?request={id}")).await;
    let (_, page) = reader.submit_first_form(&page, &[("action", "deny")]).await;
    assert!(page.contains("Pedido negado"), "{page}");
    scene.agent.assert_ciba_poll_error(&denied, "access_denied").await;
}

async fn ciba_page_requires_sign_in_and_step_up_first(world: &World) {
    let scene = scene(world).await;
    let app = enroll_totp(world, &world.user_with_session(&scene.ana.token).await).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let email_text = world.newest_email_text(ANA).await;
    let link = email_text.split_whitespace().find(|word| word.contains("/approve?request=")).unwrap();
    let mut reader = world.create_page_browser("en");
    let page = reader.open_page(link).await;
    assert!(page.contains("name=\"password\"") && !page.contains("Moinho"), "{page}");
    let (_, page) = reader
        .submit_first_form(&page, &[("action", "password"), ("identifier", ANA), ("password", PASSWORD)])
        .await;
    assert!(page.contains("name=\"code\"") && !page.contains("Moinho"), "{page}");
    world.clock.advance(Lifetime::from_seconds(30));
    let (_, page) =
        reader.submit_first_form(&page, &[("action", "totp"), ("code", &app.code_at(seconds(world)))]).await;
    assert!(page.contains("Do you expect this?") && page.contains("Moinho"), "{page}");
    let (_, page) = reader.submit_first_form(&page, &[("action", "allow")]).await;
    assert!(page.contains("Request approved"), "{page}");
    scene.agent.redeem_ciba(&request).await;
}

async fn ciba_request_is_denied_on_the_account_page_at_a_lower_level(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    let id = scene.ana.pending_ciba_requests().await[0]["id"].as_str().unwrap().to_owned();
    // A session whose level is too low to approve.
    let weak = world
        .sign_in_account(
            scene.ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode),
        )
        .await;
    let mut reader = world.create_page_browser("en").with_session(&weak.token);
    let page = reader.open_page("/my-account").await;
    // Neither another user's request nor an unknown one.
    let ben = world.create_user("ben@example.com").await;
    let ben = world.sign_in_at_aal2(ben.account).await;
    let mut other = world.create_page_browser("en").with_session(&ben.token);
    let account_page = other.open_page("/my-account").await;
    let csrf =
        account_page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    for name in [id.as_str(), "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "x"] {
        let (_, after) = other
            .forge_post("/my-account", &world.origin(), &[("csrf", &csrf), ("deny_request", name)])
            .await;
        assert!(after.contains("This is not possible right now."), "{after}");
    }
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    let (_, after) = reader.submit_form(&page, "name=\"deny_request\"", &[("deny_request", &id)]).await;
    assert!(!after.contains("/approve?request="), "{after}");
    world.clock.advance(Lifetime::from_seconds(10));
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
    assert_eq!(world.count_events("approval.denied").await, 1);
}
