//! The hosted screens on which somebody approves, read without running anything.

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::second_factors::gets_app;
use crate::harness::world::World;
use crate::stories::credentials::seconds;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    a_request_is_read_and_answered_on_pages_without_a_script,
    whoever_is_not_signed_in_signs_in_and_proves_enough_first,
    a_request_is_denied_on_the_persons_own_page_also_by_who_cannot_approve_it
);

async fn a_request_is_read_and_answered_on_pages_without_a_script(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[("scope", "openid invoices:send")]).await;
    let id = scene.ana.requests().await[0]["id"].as_str().unwrap().to_owned();
    let mut reader = world.reader("pt-BR").holding(&scene.ana.token);
    // Their own page leads to it.
    let page = reader.reads("/my-account").await;
    assert!(page.contains("Aguardando sua resposta") && page.contains("Pay 12.00 EUR to Moinho"), "{page}");
    assert!(page.contains(&format!("/approve?request={id}\"")), "{page}");
    for _ in 0..2 {
        let page = reader.reads(&format!("/approve?request={id}")).await;
        assert!(
            page.contains("Aprovar o pedido de Ledger agent?") && page.contains("Pay 12.00 EUR to Moinho"),
            "{page}"
        );
        assert!(page.contains("Você esperava por isto?") && page.contains("127.0.0.1"), "{page}");
    }
    scene.agent.is_refused(&request, "authorization_pending").await;
    let page = reader.reads(&format!("/approve?request={id}")).await;
    let (_, page) = reader.sends(&page, &[("action", "allow")]).await;
    assert!(page.contains("Você aprovou"), "{page}");
    scene.agent.is_given(&request).await;
    assert!(!reader.reads("/my-account").await.contains("/approve?request="));
    let (status, page) = reader.opens(&format!("/approve?request={id}")).await;
    assert_eq!(status, 410);
    assert!(page.contains("Este pedido terminou"), "{page}");
    let denied = scene.agent.waits_for(ANA, &[]).await;
    let id = scene.ana.requests().await[0]["id"].as_str().unwrap().to_owned();
    let page = reader.reads(&format!("/approve?request={id}")).await;
    let (_, page) = reader.sends(&page, &[("action", "deny")]).await;
    assert!(page.contains("Você negou"), "{page}");
    scene.agent.is_refused(&denied, "access_denied").await;
}

async fn whoever_is_not_signed_in_signs_in_and_proves_enough_first(world: &World) {
    let scene = scene(world).await;
    let app = gets_app(world, &world.holding(&scene.ana.token).await).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    let letter = world.newest_mail(ANA).await;
    let link = letter.split_whitespace().find(|word| word.contains("/approve?request=")).unwrap();
    let mut reader = world.reader("en");
    let page = reader.reads(link).await;
    assert!(page.contains("name=\"password\"") && !page.contains("Moinho"), "{page}");
    let (_, page) =
        reader.sends(&page, &[("action", "password"), ("identifier", ANA), ("password", PASSWORD)]).await;
    assert!(page.contains("name=\"code\"") && !page.contains("Moinho"), "{page}");
    world.clock.pass(Lifetime::from_seconds(30));
    let (_, page) =
        reader.sends(&page, &[("action", "totp"), ("code", &app.digits_at(seconds(world)))]).await;
    assert!(page.contains("Do you expect this?") && page.contains("Moinho"), "{page}");
    let (_, page) = reader.sends(&page, &[("action", "allow")]).await;
    assert!(page.contains("You approved it"), "{page}");
    scene.agent.is_given(&request).await;
}

async fn a_request_is_denied_on_the_persons_own_page_also_by_who_cannot_approve_it(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[("scope", "openid invoices:send")]).await;
    let id = scene.ana.requests().await[0]["id"].as_str().unwrap().to_owned();
    // A session that proves too little to approve anything.
    let weak =
        world.signs_in(scene.ana.account, &AuthenticationEvidence::of(AuthenticationProof::EmailCode)).await;
    let mut reader = world.reader("en").holding(&weak.token);
    let page = reader.reads("/my-account").await;
    // Neither somebody else's request nor one that there is not.
    let ben = world.somebody("ben@example.com").await;
    let ben = world.signs_in_strongly(ben.account).await;
    let mut other = world.reader("en").holding(&ben.token);
    let own = other.reads("/my-account").await;
    let csrf = own.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    for named in [id.as_str(), "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "x"] {
        let (_, after) =
            other.forges("/my-account", &world.origin(), &[("csrf", &csrf), ("deny_request", named)]).await;
        assert!(after.contains("That cannot be done right now."), "{after}");
    }
    scene.agent.is_refused(&request, "authorization_pending").await;
    let (_, after) = reader.presses(&page, "name=\"deny_request\"", &[("deny_request", &id)]).await;
    assert!(!after.contains("/approve?request="), "{after}");
    world.clock.pass(Lifetime::from_seconds(10));
    scene.agent.is_refused(&request, "access_denied").await;
    assert_eq!(world.logged("approval.denied").await, 1);
}
