//! How somebody becomes the one who runs an instance: by a link, or by a request where no screen could be opened.

use sinete_engine::administration::bootstrap::FirstOperatorLink;

/// What to open, or else what to send.
pub fn render_instructions(link: &FirstOperatorLink, issuer: &str) -> String {
    let FirstOperatorLink { address, token, .. } = link;
    address.clone().unwrap_or_else(|| {
        format!(
            r#"curl -H 'Content-Type: application/json' -d '{{"kind": "first_operator", "session": "token", "token": "{token}"}}' {issuer}/flows"#
        )
    })
}
