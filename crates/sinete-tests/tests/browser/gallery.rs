//! Every screen, looked at: in both languages, light and dark, on a telephone and on a desk. The pictures in the
//! documentation are these.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use super::showroom::Showroom;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sinete_screens::language::Language;
use sinete_screens::specimens;
use std::path::PathBuf;

/// The narrowest window that is catered for, a desk, and a desk at twice the size.
const WIDTHS: [u32; 3] = [320, 640, 1280];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_can_use_every_screen_in_both_languages_and_schemes() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    for specimen in specimens::all() {
        for (language, scheme) in [(Language::English, Scheme::Light), (Language::Portuguese, Scheme::Dark)] {
            let about = format!("{} in {language:?}, {scheme:?}", specimen.name);
            browser.look(1280, scheme).await;
            browser.open(&format!("{}/{}/{}", showroom.address, language.tag(), specimen.name)).await;
            accessibility::check(&browser, &about).await;
            for width in WIDTHS {
                browser.look(width, scheme).await;
                let found = browser.content_width().await;
                assert!(found <= u64::from(width), "{about}: {found} wide in {width}");
            }
            browser.expect_quiet_console(&about).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_screen_has_its_picture() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    let folder = pictures();
    std::fs::create_dir_all(&folder).unwrap();
    for specimen in specimens::all() {
        let width = if specimen.name.starts_with("my-account") { 960 } else { 640 };
        let mut panels = Vec::new();
        for language in Language::ALL {
            for scheme in [Scheme::Light, Scheme::Dark] {
                browser.look(width, scheme).await;
                browser.open(&format!("{}/{}/{}", showroom.address, language.tag(), specimen.name)).await;
                let picture = browser.picture("png").await;
                assert!(picture.len() > 2_000, "{} shows nothing", specimen.name);
                panels.push(format!("data:image/png;base64,{}", STANDARD.encode(picture)));
            }
        }
        // Four in a row, half the size: one picture for each screen.
        browser.look(2 * width + 40, Scheme::Light).await;
        browser.open("about:blank").await;
        let script = "const [panels, width] = arguments, done = arguments[2];
            document.body.style.cssText = 'margin:8px;display:flex;gap:8px;align-items:flex-start;background:#9a938c';
            Promise.all(panels.map((panel) => {
                const image = document.createElement('img');
                image.width = width;
                image.src = panel;
                document.body.append(image);
                return image.decode();
            })).then(() => done(true));";
        let drawn = browser.run_to_the_end(script, json!([panels, width / 2])).await;
        assert_eq!(drawn, json!(true));
        std::fs::write(folder.join(format!("{}.webp", specimen.name)), browser.picture("webp").await)
            .unwrap();
    }
}

/// Where the pictures go: beside the rest of what a build makes, unless somebody wants them elsewhere.
fn pictures() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned();
    root.join(std::env::var_os("SINETE_TEST_PICTURES").map_or("target/screens".into(), PathBuf::from))
}
