//! Instructions for creating the first operator, by a link or, without hosted screens, by an API request.

use sinete_engine::administration::bootstrap::FirstOperatorLink;

/// Renders the link to open or the request to send.
pub fn render_instructions(link: &FirstOperatorLink, issuer: &str) -> String {
    let FirstOperatorLink { address, token, .. } = link;
    address.clone().unwrap_or_else(|| {
        format!(
            r#"curl -H 'Content-Type: application/json' -d '{{"kind": "first_operator", "session": "token", "token": "{token}"}}' {issuer}/flows"#
        )
    })
}
