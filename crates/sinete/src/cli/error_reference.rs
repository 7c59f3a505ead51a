//! The reference of every reason for which a request is refused. `docs/reference/errors.md` is its output.

use sinete_core::refusal::RefusalReason;
use std::fmt::Write as _;

const OPENING: &str = "\
# Errors

This page is the output of `sinete reference errors`. It lists every reason for which Sinete refuses a request, by
area. A reason does not change its name once it was published.

Where a reason appears depends on the endpoint:

- **Management, account and flow API**: problem details (RFC 9457). `type` is `urn:sinete:problem:` and the reason;
  `code` is the general error code, which several reasons share; `detail` is the sentence; `errors` lists every
  fault of the body with a JSON pointer; `instance` is the request id, which is also in the log of the server.
- **OAuth and OpenID Connect endpoints**: `error` is the code and `error_description` the sentence (RFC 6749).
- **SCIM**: `scimType` is the code where RFC 7644 defines one, and `detail` the sentence.

Sentences that concern an account are the same for every cause, so that they do not reveal whether an account
exists.

[Why was a token refused?](../operate/incident-playbooks.md#why-was-a-token-refused) leads from a refused request to
the reason in the log.
";

/// Renders the page in Markdown.
pub fn render_markdown() -> String {
    let mut page = OPENING.to_owned();
    let mut area = "";
    for reason in RefusalReason::all() {
        if reason.area() != area {
            area = reason.area();
            let _ = write!(page, "\n## {area}\n\n| Reason | Code | Status | Sentence |\n|---|---|---|---|\n");
        }
        let (name, code, sentence) = (reason.name(), reason.code(), reason.sentence());
        let _ = writeln!(page, "| `{name}` | `{}` | {} | {sentence} |", code.name(), code.status());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_reference_in_the_docs_matches_the_program() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/errors.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(
            page == render_markdown(),
            "docs/reference/errors.md is out of step: cargo run -- reference errors > docs/reference/errors.md"
        );
    }
}
