//! Screenshots of every screen: in both languages, light and dark, on narrow and wide windows. The documentation shows
//! these pictures.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use super::preview_server::Showroom;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sinete_screens::assets::ASSETS;
use sinete_screens::branding::PageBranding;
use sinete_screens::language::UiLanguage;
use sinete_screens::page::PageFrame;
use sinete_screens::previews;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The screens that are pictured in every run of the tests.
const SAMPLES: [&str; 2] = ["sign-in", "console-members"];

/// The widths of the smallest supported window, a desktop window, and one of twice that width.
const WIDTHS: [u32; 3] = [320, 640, 1280];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn screens_are_accessible_in_english_and_light() {
    assert_accessible(UiLanguage::English, Scheme::Light).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn screens_are_accessible_in_portuguese_and_dark() {
    assert_accessible(UiLanguage::Portuguese, Scheme::Dark).await;
}

/// Opens every screen in this language and color scheme.
async fn assert_accessible(language: UiLanguage, scheme: Scheme) {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    for specimen in previews::all_previews() {
        let context = format!("{} in {language:?}, {scheme:?}", specimen.name);
        browser.look(1280, scheme).await;
        browser.open(&format!("{}/{}/{}", showroom.address, language.tag(), specimen.name)).await;
        accessibility::check(&browser, &context).await;
        for width in WIDTHS {
            browser.look(width, scheme).await;
            let content_width = browser.content_width().await;
            assert!(content_width <= u64::from(width), "{context}: {content_width} wide in {width}");
        }
        // Text of twice the size in a window of the same size (WCAG 2.2 §1.4.4).
        let larger = "document.documentElement.style.fontSize = '200%';
            return document.documentElement.scrollWidth";
        assert!(browser.run(larger, json!([])).await.as_u64().unwrap() <= 1280, "{context}");
        browser.expect_quiet_console(&context).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn screens_have_no_motion_with_prefers_reduced_motion() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    let moves = "return [...document.querySelectorAll('*')].filter((it) => {
            const style = getComputedStyle(it);
            return [style.transitionDuration, style.animationDuration].some((time) => parseFloat(time) > 0);
        }).length + document.getAnimations().length";
    for name in ["sign-in", "my-account"] {
        browser.open(&format!("{}/en/{name}", showroom.address)).await;
        browser.prefers_motion(true).await;
        assert_ne!(browser.run(moves, json!([])).await, 0, "{name}");
        browser.prefers_motion(false).await;
        assert_eq!(browser.run(moves, json!([])).await, 0, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn screens_have_a_screenshot() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    let is_selected = |name: &str| {
        if takes_every_screenshot() { name.starts_with(&wanted()) } else { SAMPLES.contains(&name) }
    };
    let selected_previews: Vec<_> =
        previews::all_previews().into_iter().filter(|it| is_selected(it.name)).collect();
    assert!(!selected_previews.is_empty(), "no preview has this name");
    for specimen in selected_previews {
        let is_wide = ["my-account", "console-"].iter().any(|it| specimen.name.starts_with(it));
        let width = if is_wide { 960 } else { 520 };
        let mut panels = Vec::new();
        for language in [UiLanguage::English, UiLanguage::Portuguese] {
            for scheme in [Scheme::Light, Scheme::Dark] {
                browser.look(width, scheme).await;
                browser.open(&format!("{}/{}/{}", showroom.address, language.tag(), specimen.name)).await;
                panels.push(panel(&browser, specimen.name).await);
            }
        }
        save_in_a_row(&browser, specimen.name, &panels, width * 3 / 4).await;
    }
}

/// A picture of the open page, as a URL.
pub(super) async fn panel(browser: &Browser, name: &str) -> String {
    let picture = browser.picture("png").await;
    assert!(picture.len() > 2_000, "the screenshot of {name} is empty");
    format!("data:image/png;base64,{}", STANDARD.encode(picture))
}

/// Writes several pictures in a row, of this width each, as one.
pub(super) async fn save_in_a_row(browser: &Browser, name: &str, panels: &[String], width: u32) {
    let count = u32::try_from(panels.len()).unwrap();
    browser.look(count * (width + 8) + 8, Scheme::Light).await;
    browser.open("data:text/html,<!doctype html><title>Several pictures in a row</title>").await;
    let script = "const [panels, width] = arguments, done = arguments[2];
        document.body.style.cssText = 'margin:8px;height:max-content;display:flex;gap:8px;align-items:flex-start;background:#9a938c';
        Promise.all(panels.map((panel) => {
            const image = document.createElement('img');
            image.width = width;
            image.src = panel;
            document.body.append(image);
            return image.decode();
        })).then(() => done(true));";
    assert_eq!(browser.run_to_the_end(script, json!([panels, width])).await, json!(true));
    let folder = pictures();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.webp")), browser.picture("webp").await).unwrap();
}

#[test]
fn screens_documentation_lists_every_screen_and_screenshot() {
    let docs = root().join("docs");
    let text = std::fs::read_to_string(docs.join("guides/hosted-screens.md")).unwrap();
    let pictured = |name: &str| text.contains(&format!("](../screens/{name}.webp)"));
    let mut screenshot_files: Vec<String> = std::fs::read_dir(docs.join("screens"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    screenshot_files.sort();
    let mut expected: Vec<String> =
        previews::all_previews().iter().map(|specimen| format!("{}.webp", specimen.name)).collect();
    let screens = expected.len();
    expected.extend(super::mails::picture_names().map(|name| name + ".webp"));
    expected.sort();
    assert_eq!(screenshot_files, expected);
    let missing: Vec<&str> = previews::all_previews()
        .iter()
        .map(|specimen| specimen.name)
        .filter(|name| !pictured(name))
        .collect();
    assert_eq!(missing, [""; 0]);
    assert_eq!(
        text.matches("](../screens/").count(),
        screens,
        "the documents contain a screenshot twice, or one of no screen"
    );
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The folder for the pictures: in the build directory, unless a variable names another.
#[expect(clippy::disallowed_methods, reason = "this variable sets the folder of the screenshots")]
fn pictures() -> PathBuf {
    root().join(std::env::var_os("SINETE_TEST_PICTURES").map_or("target/screens".into(), PathBuf::from))
}

/// Whether every screenshot is taken, and not only one of each kind: on request, because it takes minutes and asserts
/// little beyond what the accessibility checks assert of the same pages.
#[expect(clippy::disallowed_methods, reason = "these variables select the screenshots to take")]
pub(super) fn takes_every_screenshot() -> bool {
    ["SINETE_TEST_PICTURES", "SINETE_TEST_PICTURES_OF"].iter().any(|name| std::env::var_os(name).is_some())
}

/// The prefix of the previews to render on request; all of them, unless a variable names one.
#[expect(clippy::disallowed_methods, reason = "this variable selects the screenshots to take")]
fn wanted() -> String {
    std::env::var("SINETE_TEST_PICTURES_OF").unwrap_or_default()
}

/// The largest compressed size of the sign-in page, for users with a slow connection.
const SIGN_IN_BYTES_MAX: usize = 30 * 1024;

#[test]
fn sign_in_page_is_small_and_not_blocked_by_scripts() {
    let brand = PageBranding::default();
    let frame = PageFrame {
        nonce: "nonce",
        current_path: "/sign-in",
        ..PageFrame::without_script(UiLanguage::Portuguese, "", &brand)
    };
    let specimen = previews::all_previews().into_iter().find(|specimen| specimen.name == "sign-in").unwrap();
    let page = (specimen.page)(&frame);
    assert!(page.contains("<script type=\"module\"") && page.matches("<script").count() == 1);
    let files = ASSETS.iter().map(|asset| asset.bytes).chain([page.as_bytes()]);
    let total_size: usize = files.map(compressed).sum();
    assert!(total_size < SIGN_IN_BYTES_MAX, "{total_size} bytes");
}

/// The size after compression, as a web server would send it.
fn compressed(bytes: &[u8]) -> usize {
    let mut gzip = Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = gzip.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writing = std::thread::spawn(move || input.write_all(&bytes).unwrap());
    let output = gzip.wait_with_output().unwrap();
    writing.join().unwrap();
    output.stdout.len()
}
