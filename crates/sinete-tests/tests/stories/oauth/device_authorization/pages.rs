//! The pages for devices, without scripts.

use super::scene;
use crate::both_engines;
use crate::harness::world::World;

both_engines!(
    device_pages_work_without_scripts,
    verification_uri_complete_submits_nothing_by_itself,
    device_page_requires_sign_in_first_and_preserves_the_user_code
);

async fn device_pages_work_without_scripts(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid invoices:read")]).await;
    let mut reader = world.create_page_browser("pt-BR").with_session(&scene.browser.token);
    let page = reader.open_page("/device").await;
    assert!(page.contains("Conectar um dispositivo") && page.contains("id=\"user-code\""), "{page}");
    let (_, page) =
        reader.submit_first_form(&page, &[("action", "user_code"), ("user_code", "BBBB-BBBB")]).await;
    assert!(page.contains("Este código não é válido"), "{page}");
    let (_, page) = reader.submit_first_form(&page, &[("action", "user_code"), ("user_code", "")]).await;
    assert!(page.contains("Preencha os campos marcados"), "{page}");
    let (status, page) = reader
        .submit_first_form(&page, &[("action", "user_code"), ("user_code", &reply.user_code.to_lowercase())])
        .await;
    assert_eq!(status, 200);
    assert!(
        page.contains("Foi você que começou isto, agora há pouco?")
            && page.contains("127.0.0.1")
            && page.contains("TV"),
        "{page}"
    );
    let (_, page) = reader.submit_first_form(&page, &[("action", "allow")]).await;
    assert!(page.contains("Seu dispositivo está conectado"), "{page}");
    scene.tv.redeem_device_code(&reply).await;
}

async fn verification_uri_complete_submits_nothing_by_itself(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let complete = reply.response["verification_uri_complete"].as_str().unwrap();
    let mut reader = world.create_page_browser("en").with_session(&scene.browser.token);
    for _ in 0..3 {
        let page = reader.open_page(complete).await;
        assert!(
            page.contains(&format!("value=\"{}\"", reply.user_code))
                && page.contains("Does your device show exactly this code?"),
            "{page}"
        );
    }
    assert_eq!(world.count_events("device.recognised").await, 0);
    scene.tv.assert_device_poll_error(&reply, "authorization_pending").await;
    let page = reader.open_page(complete).await;
    let (_, page) =
        reader.submit_first_form(&page, &[("action", "user_code"), ("user_code", &reply.user_code)]).await;
    assert!(page.contains("Did you start this yourself, just now?"), "{page}");
    let (_, page) = reader.submit_first_form(&page, &[("action", "deny")]).await;
    assert!(page.contains("The device was denied access"), "{page}");
    scene.tv.assert_device_poll_error(&reply, "access_denied").await;
    // An invalid code is not repeated on the page.
    let page = reader.open_page("/device?user_code=%3Cscript%3E").await;
    assert!(!page.contains("script&gt;") && page.contains("value=\"\""), "{page}");
    // A user who cannot allow it sees why, and the device gets an error.
    let reply =
        scene.tv.start_device_authorization(&[("scope", "openid"), ("organization", "nowhere")]).await;
    let page = reader.open_page("/device").await;
    let (_, page) =
        reader.submit_first_form(&page, &[("action", "user_code"), ("user_code", &reply.user_code)]).await;
    assert!(page.contains("This cannot be allowed with your account"), "{page}");
    scene.tv.assert_device_poll_error(&reply, "access_denied").await;
}

async fn device_page_requires_sign_in_first_and_preserves_the_user_code(world: &World) {
    let scene = scene(world).await;
    let ana = world.create_user("ana@example.com").await;
    crate::stories::oauth::authorize::add_member(world, ana.account, &scene.books.tenant, "clerk").await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut reader = world.create_page_browser("en");
    let page = reader.open_page(reply.response["verification_uri_complete"].as_str().unwrap()).await;
    assert!(page.contains("name=\"password\"") && !page.contains(&reply.user_code), "{page}");
    let sign_in = [
        ("action", "password"),
        ("identifier", "ana@example.com"),
        ("password", crate::harness::flow_client::PASSWORD),
    ];
    let (_, page) = reader.submit_first_form(&page, &sign_in).await;
    assert!(page.contains(&reply.user_code) && page.contains("ana@example.com"), "{page}");
    assert_eq!(world.count_events("device.recognised").await, 0);
}
