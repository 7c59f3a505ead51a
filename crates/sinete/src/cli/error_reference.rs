//! The reference of every reason for which a request is refused. `docs/reference/errors.md` is its output.

use sinete_core::refusal::RefusalReason;
use std::fmt::Write as _;

const OPENING: &str = "\
# Errors

This page is the output of `sinete reference errors`. It lists every reason for which Sinete refuses a request, by
area. A reason does not change its name once it was published.

Where a reason appears depends on the endpoint:

- **Management, account and flow API**: problem details (RFC 9457). `type` is `urn:sinete:problem:` and the reason;
  `code` is the general error code, which several reasons share; `detail` is the sentence: what is wrong, then what
  to do; `errors` lists every fault of the body with a JSON pointer; `instance` is the request id, which is also in
  the log of the server.
- **OAuth and OpenID Connect endpoints**: `error` is the code and `error_description` the sentence (RFC 6749). Where a
  body has several faults, `error_description` lists them with their fields instead.
- **SCIM**: `scimType` is the code where RFC 7644 defines one, and `detail` the sentence, or the attribute and what is
  wrong with it.

The log line of the request has the reason as well, and a detail that is not public, such as which of several checks
failed.

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
            let _ = write!(
                page,
                "\n## {area}\n\n| Reason | Code | Status | What is wrong | What to do |\n|---|---|---|---|---|\n"
            );
        }
        let (name, code, sentence) = (reason.name(), reason.code(), reason.sentence());
        let (fault, remedy) = match sentence.split_once(". ") {
            Some((fault, remedy)) => (format!("{fault}."), remedy),
            None => (sentence.to_string(), ""),
        };
        let example = if reason.has_text() { "For example: " } else { "" };
        let _ = writeln!(
            page,
            "| `{name}` | `{}` | {} | {example}{fault} | {remedy} |",
            code.name(),
            code.status()
        );
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
