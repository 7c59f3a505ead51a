//! Accessibility checks with axe-core, which runs inside the page.

use super::chromium::Browser;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The rules of WCAG 2.2 at levels A and AA, and best practices.
const RULES: &str = r#"["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa","best-practice"]"#;

/// Asserts that the page violates no rule.
pub async fn check(browser: &Browser, context: &str) {
    assert_eq!(violations(browser).await, Value::Array(Vec::new()), "{context}");
}

/// The rules that the page violates, and where.
pub async fn violations(browser: &Browser) -> Value {
    browser.cdp("Runtime.evaluate", json!({ "expression": checker() })).await;
    let script = format!(
        "const done = arguments[0];
         axe.run(document, {{
             runOnly: {{ type: 'tag', values: {RULES} }}, resultTypes: ['violations'], selectors: false,
         }}).then((found) => done(
             found.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' | '))),
             (cause) => done([String(cause)]));"
    );
    browser.run_to_the_end(&script, json!([])).await
}

/// The source of axe-core, which `./scripts/test` downloads.
#[expect(clippy::disallowed_methods, reason = "the test command puts it into the user's cache")]
fn checker() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"))).unwrap();
        std::fs::read_to_string(cache.join("sinete/axe-core/package/axe.min.js"))
            .expect("there is no axe-core: ./scripts/test fetches it")
    })
}
