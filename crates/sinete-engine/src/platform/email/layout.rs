//! The built-in layout of messages: plain text, and self-contained HTML with one button.

use super::{EmailAction, EmailCallToAction, EmailContent};
use std::fmt::Write as _;

/// Renders plain text.
pub(super) fn render_text(content: &EmailContent<'_>) -> String {
    let mut text = format!("{}\n\n{}\n", content.greeting, content.introduction);
    if !content.facts.is_empty() {
        text.push('\n');
    }
    for (name, value) in &content.facts {
        let _ = writeln!(text, "  {name}: {value}");
    }
    for EmailCallToAction {
        introduction: lead,
        action: EmailAction::OpenLink { link: link_or_code, .. } | EmailAction::EnterCode(link_or_code),
    } in &content.actions
    {
        let _ = write!(text, "\n{lead}\n\n{link_or_code}\n");
    }
    let _ = write!(text, "\n{}\n\n-- \n{}\n{}\n", content.closing, content.brand.name, content.issuer);
    text
}

/// Renders HTML: one column, without scripts; the logo is the only image. The preheader is what mail programs
/// show beside the subject in the list of messages.
pub(super) fn render_html(content: &EmailContent<'_>) -> String {
    let mut body = String::new();
    let _ = write!(
        body,
        "<p>{}</p>\n<p>{}</p>\n",
        escape_html(content.greeting),
        escape_html(&content.introduction)
    );
    if !content.facts.is_empty() {
        body.push_str("<table role=\"presentation\" style=\"margin:16px 0;border-collapse:collapse\">\n");
        for (name, value) in &content.facts {
            let _ = writeln!(
                body,
                "<tr><td style=\"padding:2px 16px 2px 0;color:#5c5548\">{}</td><td style=\"padding:2px 0\">{}</td></tr>",
                escape_html(name),
                escape_html(value)
            );
        }
        body.push_str("</table>\n");
    }
    for action in &content.actions {
        body.push_str(&render_action(action, &content.brand.accent));
    }
    let _ = writeln!(body, "<p>{}</p>", escape_html(&content.closing));
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light\"><title>{title}</title></head>\n\
         <body style=\"margin:0;background:{background};color:#211e19;\
         font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:16px;line-height:1.5\">\n\
         <div style=\"display:none;max-height:0;overflow:hidden\">{preheader}</div>\n\
         <div role=\"main\" style=\"max-width:560px;margin:0 auto;padding:32px 20px\">\n{brand}\
         <h1 style=\"font-size:22px;line-height:1.3;margin:0 0 16px\">{title}</h1>\n{body}\
         <p style=\"margin-top:32px;padding-top:12px;border-top:1px solid #d9d2c3;color:#5c5548;font-size:13px\">{name} · {host}</p>\n\
         </div>\n</body>\n</html>\n",
        language = content.language.tag(),
        background = escape_html(&content.brand.background),
        preheader = escape_html(&content.introduction),
        brand = render_brand(content),
        title = escape_html(&content.subject),
        name = escape_html(&content.brand.name),
        host = escape_html(content.host),
    )
}

/// The logo or the name above the message.
fn render_brand(content: &EmailContent<'_>) -> String {
    let name = escape_html(&content.brand.name);
    match &content.brand.logo {
        Some(address) => format!(
            "<p style=\"margin:0 0 24px\"><img src=\"{}\" alt=\"{name}\" height=\"40\" \
             style=\"height:40px;max-width:240px\"></p>\n",
            escape_html(address)
        ),
        None => format!("<p style=\"margin:0 0 24px;font-weight:600;color:#5c5548\">{name}</p>\n"),
    }
}

/// Renders the action: a button with its URL below, or the code in large type.
fn render_action(ask: &EmailCallToAction<'_>, accent: &str) -> String {
    let lead = escape_html(&ask.introduction);
    match &ask.action {
        EmailAction::OpenLink { link: address, label } => {
            let address = escape_html(address);
            format!(
                "<p>{lead}</p>\n<p style=\"margin:24px 0\"><a href=\"{address}\" style=\"display:inline-block;\
                 background:{accent};color:#ffffff;text-decoration:none;font-weight:600;padding:12px 22px;\
                 border-radius:6px\">{label}</a></p>\n\
                 <p style=\"color:#5c5548;font-size:13px;word-break:break-all\">{address}</p>\n",
                accent = escape_html(accent),
                label = escape_html(label),
            )
        }
        EmailAction::EnterCode(code) => format!(
            "<p>{lead}</p>\n<p style=\"margin:24px 0;font-family:ui-monospace,monospace;font-size:28px;\
             letter-spacing:4px;font-weight:600;word-break:break-all\">{}</p>\n",
            escape_html(code)
        ),
    }
}

/// Escapes text for HTML content and quoted attributes.
pub(super) fn escape_html(text: &str) -> String {
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
