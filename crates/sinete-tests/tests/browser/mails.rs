//! Every e-mail as a mail program shows it: accessible, without a horizontal scroll bar, and pictured in three languages.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use super::screens::{panel, save_in_a_row, takes_every_screenshot};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sinete_core::accounts::language::Language;
use sinete_engine::platform::email::samples::render_sample;
use sinete_engine::platform::email::{EmailBranding, EmailBrandingAndTemplates, EmailKind, EmailOrigin};
use sinete_screens::previews;

const ISSUER: &str = "https://id.example.com";
const LANGUAGES: [Language; 3] = [Language::English, Language::Portuguese, Language::Spanish];

/// The names of the pictures.
pub(super) fn picture_names() -> impl Iterator<Item = String> {
    EmailKind::NAMES.into_iter().map(|name| format!("mail-{}", name.replace('_', "-")))
}

/// The branding of the previews, with the logo in the message itself.
fn settings() -> EmailBrandingAndTemplates {
    let files = previews::preview_assets();
    let logo = files.iter().find(|file| file.path.contains("/logo")).unwrap();
    let branding = EmailBranding {
        name: "Padaria da Esquina".to_owned(),
        logo: Some(format!("data:{};base64,{}", logo.content_type, STANDARD.encode(&logo.bytes))),
        accent: "#12594a".to_owned(),
        background: "#eef4ee".to_owned(),
    };
    EmailBrandingAndTemplates { branding, ..EmailBrandingAndTemplates::default() }
}

fn message_html(name: &str, settings: &EmailBrandingAndTemplates, language: Language) -> String {
    let origin = EmailOrigin { issuer: ISSUER, settings, organization: None };
    render_sample(name, origin, &language.into()).unwrap().html
}

fn message_url(name: &str, settings: &EmailBrandingAndTemplates, language: Language) -> String {
    format!("data:text/html;charset=utf-8;base64,{}", STANDARD.encode(message_html(name, settings, language)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn emails_are_accessible_and_fit_into_a_narrow_window() {
    let (settings, browser) = (settings(), Browser::start("en").await);
    browser.look(320, Scheme::Light).await;
    browser.open("about:blank").await;
    // A URL of its own would start a process for each message.
    let replace = "document.open(); document.write(arguments[0]); document.close()";
    for name in EmailKind::NAMES {
        for language in Language::ALL {
            let context = format!("{name} in {language:?}");
            browser.run(replace, json!([message_html(name, &settings, language)])).await;
            assert!(browser.shows("body p").await, "{context}");
            let content_width = browser.content_width().await;
            assert!(content_width <= 320, "{context}: {content_width} wide");
            accessibility::check(&browser, &context).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn emails_have_a_screenshot() {
    let (settings, browser) = (settings(), Browser::start("en").await);
    let count = if takes_every_screenshot() { EmailKind::NAMES.len() } else { 1 };
    for (name, picture) in EmailKind::NAMES.into_iter().zip(picture_names()).take(count) {
        let mut panels = Vec::new();
        for language in LANGUAGES {
            browser.look(520, Scheme::Light).await;
            browser.open(&message_url(name, &settings, language)).await;
            panels.push(panel(&browser, name).await);
        }
        save_in_a_row(&browser, &picture, &panels, 340).await;
    }
}
