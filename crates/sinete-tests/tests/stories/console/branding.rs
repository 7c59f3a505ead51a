//! Branding on the console: previewed with the input, saved as by the API, with errors beside each field.

use super::console_path;
use super::webhooks::csrf_of;
use crate::both_engines;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

both_engines!(
    console_branding_is_previewed_without_being_stored,
    console_branding_is_saved_with_its_logo_as_by_the_api,
    console_branding_errors_are_displayed_beside_each_field_at_once,
    console_branding_conflict_preserves_the_input,
    console_branding_is_previewed_but_not_saved_by_readers,
    instance_console_branding_is_previewed_and_never_stored
);

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 0h8v8z'/></svg>";

/// The page without the hidden field of its logo, which a script would fill in.
fn without_logo_field(page: &str) -> String {
    page.replace("<input type=\"hidden\" name=\"logo\"", "<input type=\"text\" name=\"logo\"")
}

async fn console_branding_is_previewed_without_being_stored(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let settings = ana.reader.open_page(&console_path(&acme, "/settings")).await;
    assert!(settings.contains("href=\"/console/acme/branding\""), "{settings}");
    let page_path = console_path(&acme, "/branding");
    let page = ana.reader.open_page(&page_path).await;
    assert_eq!(page.matches("<iframe").count(), 2, "{page}");
    assert!(page.contains("As users see it now."), "{page}");
    let before = owner.get(&acme.path("")).await.assert_status(200);
    let logo = URL_SAFE_NO_PAD.encode(SVG);
    let fields = [
        ("action", "preview"),
        ("name", "Padaria da Esquina"),
        ("accent", "#12594a"),
        ("background", "#eef4ee"),
        ("logo", logo.as_str()),
        ("page", "consent"),
        ("language", "pt-BR"),
    ];
    let (status, preview) =
        ana.reader.submit_form(&without_logo_field(&page), "id=\"preview-now\"", &fields).await;
    assert_eq!(status, 200);
    assert!(
        preview.contains("Not saved yet") && preview.contains("value=\"Padaria da Esquina\""),
        "{preview}"
    );
    // The samples are in the selected language, with the unsaved name, colors and logo, in both schemes.
    assert!(preview.contains("lang=&#34;pt-BR&#34;"), "{preview}");
    assert!(preview.contains("preview.css?accent=%2312594a"), "{preview}");
    assert!(preview.contains("data:image/svg+xml;base64,"), "{preview}");
    assert!(preview.contains("class=\"light\"") && preview.contains("class=\"dark\""), "{preview}");
    // A message is a sample too; its inline styles are in a style sheet of this origin.
    let fields = [
        ("action", "preview"),
        ("name", "Pão"),
        ("accent", "#12594a"),
        ("page", "email"),
        ("language", "es"),
    ];
    let (_, message) = ana.reader.submit_form(&preview, "id=\"preview-now\"", &fields).await;
    assert!(
        message.contains("Aceptar invitación") && message.contains("data-style=&#34;0&#34;"),
        "{message}"
    );
    assert_eq!(message.matches("<iframe").count(), 1, "{message}");
    let style = ana
        .reader
        .open_page(&console_path(
            &acme,
            "/emails/invitation/style?accent=%2312594a&background=&ui_locales=es",
        ))
        .await;
    assert!(style.contains("background:#12594a") && style.starts_with("[data-style=\"0\"]{"), "{style}");
    // The colors of a preview are served without a session, and are nothing but colors.
    let colours = ana.reader.open_page("/assets/brand/preview.css?accent=%2312594a&background=red}").await;
    assert!(colours.contains("--accent:#12594a") && !colours.contains("red"), "{colours}");
    let after = owner.get(&acme.path("")).await.assert_status(200);
    assert_eq!(after.body, before.body, "nothing was stored");
    owner.get(&acme.path("/logo")).await.assert_status(404);
}

async fn console_branding_is_saved_with_its_logo_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/branding");
    let page = ana.reader.open_page(&page_path).await;
    let logo = URL_SAFE_NO_PAD.encode(SVG);
    let fields = [
        ("action", "save"),
        ("name", "Padaria"),
        ("accent", "#12594a"),
        ("background", ""),
        ("logo", logo.as_str()),
    ];
    let (_, saved) = ana.reader.submit_form(&without_logo_field(&page), "id=\"save-now\"", &fields).await;
    assert!(
        saved.contains("Your changes are saved.") && saved.contains("id=\"save-remove_logo\""),
        "{saved}"
    );
    let stored = owner.get(&acme.path("")).await.assert_status(200).body;
    assert_eq!(stored["settings"]["branding"], json!({"name": "Padaria", "accent": "#12594a"}));
    let described = owner.get(&acme.path("/logo")).await.assert_status(200).body;
    assert_eq!((&described["media_type"], &described["bytes"]), (&json!("image/svg+xml"), &json!(SVG.len())));
    assert!(saved.contains(&format!("/assets/organizations/{}/logo", acme.id)), "{saved}");
    // The logo is removed, and the rest stays.
    let fields = [
        ("action", "save"),
        ("name", "Padaria"),
        ("accent", "#12594a"),
        ("background", ""),
        ("remove_logo", "on"),
    ];
    let (_, removed) = ana.reader.submit_form(&saved, "id=\"save-now\"", &fields).await;
    assert!(
        removed.contains("Your changes are saved.") && !removed.contains("id=\"save-remove_logo\""),
        "{removed}"
    );
    owner.get(&acme.path("/logo")).await.assert_status(404);
    let stored = owner.get(&acme.path("")).await.assert_status(200).body;
    assert_eq!(stored["settings"]["branding"], json!({"name": "Padaria", "accent": "#12594a"}));
}

async fn console_branding_errors_are_displayed_beside_each_field_at_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = without_logo_field(&ana.reader.open_page(&console_path(&acme, "/branding")).await);
    let active = URL_SAFE_NO_PAD.encode("<svg xmlns='x'><script>alert(1)</script></svg>");
    for action in ["preview", "save"] {
        let fields = [
            ("action", action),
            ("name", "a\u{202e}b"),
            ("accent", "#ffff00"),
            ("background", "#1a5fb4"),
            ("logo", active.as_str()),
        ];
        let (_, wrong) = ana.reader.submit_form(&page, "id=\"save-now\"", &fields).await;
        for (field, text) in [
            ("name", "1 to 100 visible characters"),
            ("accent", "less contrast than 4.5 to 1"),
            ("background", "less contrast than 12 to 1"),
            ("logo", "contains scripts"),
        ] {
            let field_error = wrong.split(&format!("id=\"save-{field}-error\"")).nth(1).unwrap();
            assert!(field_error.split("</p>").next().unwrap().contains(text), "{field}: {wrong}");
        }
        assert!(wrong.contains("value=\"#ffff00\"") && !wrong.contains("saved."), "{wrong}");
        assert!(!wrong.contains("alert(1)"), "an invalid logo is not shown");
    }
    for (logo, text) in [
        (URL_SAFE_NO_PAD.encode(vec![b' '; 40 * 1024 + 1]), "larger than 40 KB"),
        (URL_SAFE_NO_PAD.encode("GIF89a"), "not a PNG, JPEG, WebP or SVG"),
        ("no base64!".to_owned(), "not a PNG, JPEG, WebP or SVG"),
    ] {
        let fields = [("action", "save"), ("logo", logo.as_str())];
        let (_, wrong) = ana.reader.submit_form(&page, "id=\"save-now\"", &fields).await;
        assert!(wrong.contains(text), "{wrong}");
    }
    let stored = owner.get(&acme.path("")).await.assert_status(200).body;
    assert!(stored["settings"].get("branding").is_none_or(|it| it == &json!({})), "{stored}");
}

async fn console_branding_conflict_preserves_the_input(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/branding")).await;
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    owner.patch(&acme.path(""), version, json!({"name": "Acme Ltda"})).await.assert_status(200);
    let fields = [("action", "save"), ("name", "Padaria"), ("accent", "#12594a"), ("background", "")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"save-now\"", &fields).await;
    assert!(after.contains("value=\"Padaria\"") && !after.contains("Your changes are saved."), "{after}");
    let (_, saved) = ana.reader.submit_form(&after, "id=\"save-now\"", &fields).await;
    assert!(saved.contains("Your changes are saved."), "{saved}");
}

async fn console_branding_is_previewed_but_not_saved_by_readers(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "audit:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut bruno = world.create_console_user(&acme, "bruno@example.com", "reader").await;
    let page_path = console_path(&acme, "/branding");
    let page = bruno.reader.open_page(&page_path).await;
    assert!(page.contains("id=\"preview-now\"") && !page.contains("id=\"save-now\""), "{page}");
    assert!(!page.contains("type=\"file\""), "{page}");
    let fields = [("action", "preview"), ("name", "Padaria")];
    let (_, preview) = bruno.reader.submit_form(&page, "id=\"preview-now\"", &fields).await;
    assert!(preview.contains("Padaria"), "{preview}");
    // A forged form changes nothing.
    let csrf = csrf_of(&page);
    let forged = [("action", "save"), ("name", "Padaria"), ("csrf", csrf.as_str()), ("version", "1")];
    let (_, refused) = bruno.reader.forge_post(&page_path, &world.origin(), &forged).await;
    assert!(!refused.contains("Your changes are saved."), "{refused}");
    let stored = owner.get(&acme.path("")).await.assert_status(200).body;
    assert!(stored["settings"].get("branding").is_none_or(|it| it == &json!({})), "{stored}");
    // Other organizations do not exist for them.
    let globex = world.create_organization("globex").await;
    for below in ["/branding", "/emails/invitation/style"] {
        assert_eq!(bruno.reader.open_url(&console_path(&globex, below)).await.0, 404, "{below}");
    }
}

async fn instance_console_branding_is_previewed_and_never_stored(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let html = ana.reader.open_page("/instance/branding").await;
    assert!(html.contains("id=\"preview-now\"") && !html.contains("id=\"save-now\""), "{html}");
    let fields =
        [("action", "preview"), ("name", "Padaria"), ("accent", "#12594a"), ("background", "#000000")];
    let (_, preview) = ana.reader.submit_form(&html, "id=\"preview-now\"", &fields).await;
    // The configuration for what was tried, without what is not readable.
    assert!(preview.contains("screens.accent") && preview.contains("&#34;#12594a&#34;"), "{preview}");
    assert!(!preview.contains("screens.background") && preview.contains("12 to 1"), "{preview}");
    let fields = [("action", "preview"), ("accent", "#12594a"), ("page", "email"), ("language", "pt-BR")];
    let (_, message) = ana.reader.submit_form(&html, "id=\"preview-now\"", &fields).await;
    assert!(message.contains("/instance/emails/style?accent=%2312594a"), "{message}");
    let style = ana.reader.open_page("/instance/emails/style?accent=%2312594a&background=").await;
    assert!(style.contains("[data-style=\"0\"]"), "{style}");
    let reopened_page = ana.reader.open_page("/instance/branding").await;
    assert!(!reopened_page.contains("#12594a"), "{reopened_page}");
    // Owners of other organizations have no such page.
    let acme = world.create_organization("acme").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    for page in ["/instance/branding", "/instance/emails/style"] {
        assert_eq!(bia.reader.open_url(page).await.0, 404, "{page}");
    }
}
