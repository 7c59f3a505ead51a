//! Renders messages as plain text and as self-contained HTML.

use super::{EmailAction, EmailCallToAction, EmailContent};
use std::fmt::Write as _;

/// Renders plain text.
pub(super) fn render_text(letter: &EmailContent<'_>) -> String {
    let mut text = format!("{}\n\n{}\n", letter.greeting, letter.lead);
    if !letter.facts.is_empty() {
        text.push('\n');
    }
    for (name, value) in &letter.facts {
        let _ = writeln!(text, "  {name}: {value}");
    }
    for EmailCallToAction {
        lead,
        action: EmailAction::Open { link: given, .. } | EmailAction::Type(given),
    } in &letter.actions
    {
        let _ = write!(text, "\n{lead}\n\n{given}\n");
    }
    let _ = write!(text, "\n{}\n\n-- \n{}\n", letter.closing, letter.issuer);
    text
}

/// Renders HTML: one column, without images, scripts or external resources.
pub(super) fn render_html(letter: &EmailContent<'_>) -> String {
    let language = letter.language.tag();
    let mut body = String::new();
    let _ = write!(body, "<p>{}</p>\n<p>{}</p>\n", escape_html(letter.greeting), escape_html(&letter.lead));
    if !letter.facts.is_empty() {
        body.push_str("<table role=\"presentation\" style=\"margin:16px 0;border-collapse:collapse\">\n");
        for (name, value) in &letter.facts {
            let _ = writeln!(
                body,
                "<tr><td style=\"padding:2px 16px 2px 0;color:#5c5548\">{}</td><td style=\"padding:2px 0\">{}</td></tr>",
                escape_html(name),
                escape_html(value)
            );
        }
        body.push_str("</table>\n");
    }
    for ask in &letter.actions {
        body.push_str(&render_action(ask));
    }
    let _ = writeln!(body, "<p>{}</p>", escape_html(&letter.closing));
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light\"><title>{title}</title></head>\n\
         <body style=\"margin:0;background:#f6f3ec;color:#211e19;\
         font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:16px;line-height:1.5\">\n\
         <div style=\"max-width:560px;margin:0 auto;padding:32px 20px\">\n\
         <h1 style=\"font-size:22px;line-height:1.3;margin:0 0 16px\">{title}</h1>\n{body}\
         <p style=\"margin-top:32px;padding-top:12px;border-top:1px solid #d9d2c3;color:#5c5548;font-size:13px\">{issuer}</p>\n\
         </div>\n</body>\n</html>\n",
        title = escape_html(&letter.subject),
        issuer = escape_html(letter.issuer),
    )
}

/// Renders the action: a button with its URL below, or the code in large type.
fn render_action(ask: &EmailCallToAction<'_>) -> String {
    let lead = escape_html(&ask.lead);
    match &ask.action {
        EmailAction::Open { link: address, label } => {
            let address = escape_html(address);
            format!(
                "<p>{lead}</p>\n<p style=\"margin:24px 0\"><a href=\"{address}\" style=\"display:inline-block;\
                 background:#7a1f2b;color:#ffffff;text-decoration:none;font-weight:600;padding:12px 22px;\
                 border-radius:6px\">{label}</a></p>\n\
                 <p style=\"color:#5c5548;font-size:13px;word-break:break-all\">{address}</p>\n",
                label = escape_html(label),
            )
        }
        EmailAction::Type(code) => format!(
            "<p>{lead}</p>\n<p style=\"margin:24px 0;font-family:ui-monospace,monospace;font-size:28px;\
             letter-spacing:4px;font-weight:600;word-break:break-all\">{}</p>\n",
            escape_html(code)
        ),
    }
}

/// Escapes text for HTML content and quoted attributes.
fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}
