//! The hosted screens for devices, read without running anything.

use super::scene;
use crate::both_engines;
use crate::harness::world::World;

both_engines!(
    a_code_is_typed_compared_and_answered_on_pages_without_a_script,
    an_address_with_a_code_in_it_sends_nothing_by_itself,
    whoever_is_not_signed_in_signs_in_first_and_the_code_is_still_there
);

async fn a_code_is_typed_compared_and_answered_on_pages_without_a_script(world: &World) {
    let scene = scene(world).await;
    let waiting = scene.tv.waits(&[("scope", "openid invoices:read")]).await;
    let mut reader = world.reader("pt-BR").holding(&scene.browser.token);
    let page = reader.reads("/device").await;
    assert!(page.contains("Conectar um dispositivo") && page.contains("id=\"user-code\""), "{page}");
    let (_, page) = reader.sends(&page, &[("action", "user_code"), ("user_code", "BBBB-BBBB")]).await;
    assert!(page.contains("Nenhum dispositivo mostra este código agora"), "{page}");
    let (_, page) = reader.sends(&page, &[("action", "user_code"), ("user_code", "")]).await;
    assert!(page.contains("Preencha o que está marcado"), "{page}");
    let (status, page) = reader
        .sends(&page, &[("action", "user_code"), ("user_code", &waiting.user_code.to_lowercase())])
        .await;
    assert_eq!(status, 200);
    assert!(
        page.contains("Foi você que começou isto, agora há pouco?")
            && page.contains("127.0.0.1")
            && page.contains("TV"),
        "{page}"
    );
    let (_, page) = reader.sends(&page, &[("action", "allow")]).await;
    assert!(page.contains("Seu dispositivo está conectado"), "{page}");
    scene.tv.is_handed(&waiting).await;
}

async fn an_address_with_a_code_in_it_sends_nothing_by_itself(world: &World) {
    let scene = scene(world).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let complete = waiting.told["verification_uri_complete"].as_str().unwrap();
    let mut reader = world.reader("en").holding(&scene.browser.token);
    for _ in 0..3 {
        let page = reader.reads(complete).await;
        assert!(
            page.contains(&format!("value=\"{}\"", waiting.user_code))
                && page.contains("does your device show exactly this code"),
            "{page}"
        );
    }
    assert_eq!(world.logged("device.recognised").await, 0);
    scene.tv.is_told(&waiting, "authorization_pending").await;
    let page = reader.reads(complete).await;
    let (_, page) = reader.sends(&page, &[("action", "user_code"), ("user_code", &waiting.user_code)]).await;
    assert!(page.contains("Did you start this yourself, just now?"), "{page}");
    let (_, page) = reader.sends(&page, &[("action", "deny")]).await;
    assert!(page.contains("The device gets nothing"), "{page}");
    scene.tv.is_told(&waiting, "access_denied").await;
    // What is no code is not shown, whatever it is.
    let page = reader.reads("/device?user_code=%3Cscript%3E").await;
    assert!(!page.contains("script&gt;") && page.contains("value=\"\""), "{page}");
    // Whoever cannot allow it is told so, and so is the device.
    let waiting = scene.tv.waits(&[("scope", "openid"), ("organization", "nowhere")]).await;
    let page = reader.reads("/device").await;
    let (_, page) = reader.sends(&page, &[("action", "user_code"), ("user_code", &waiting.user_code)]).await;
    assert!(page.contains("This cannot be allowed with your account"), "{page}");
    scene.tv.is_told(&waiting, "access_denied").await;
}

async fn whoever_is_not_signed_in_signs_in_first_and_the_code_is_still_there(world: &World) {
    let scene = scene(world).await;
    let ana = world.somebody("ana@example.com").await;
    crate::stories::authorize::joins(world, ana.account, &scene.books.tenant, "clerk").await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut reader = world.reader("en");
    let page = reader.reads(waiting.told["verification_uri_complete"].as_str().unwrap()).await;
    assert!(page.contains("name=\"password\"") && !page.contains(&waiting.user_code), "{page}");
    let sign_in = [
        ("action", "password"),
        ("identifier", "ana@example.com"),
        ("password", crate::harness::person::PASSWORD),
    ];
    let (_, page) = reader.sends(&page, &sign_in).await;
    assert!(page.contains(&waiting.user_code) && page.contains("ana@example.com"), "{page}");
    assert_eq!(world.logged("device.recognised").await, 0);
}
