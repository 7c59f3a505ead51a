//! The consent page. The prompt was built by the engine and stored with the flow, so what is shown is what
//! will be granted.

use serde_json::Value;
use sinete_core::oauth::client_metadata::localized::select_localized_text;
use sinete_core::sign_in::sessions::device::localize_device_label;
use sinete_screens::display_time::DisplayTime;
use sinete_screens::form::PageForm;
use sinete_screens::form_error::FormError;
use sinete_screens::language::UiLanguage;
use sinete_screens::oauth::consent::{
    ConsentApproval, ConsentDetail, ConsentDevice, ConsentPermission, ConsentView, TrustLabel,
};
use sinete_screens::page::PageFrame;

/// The scopes that release claims, rather than grant permissions.
const IDENTITY_SCOPES: [&str; 5] = ["openid", "profile", "email", "address", "phone"];

/// Renders the page.
pub(super) fn consent_page(
    question: &Value,
    account_label: &str,
    form: PageForm<'_>,
    error: Option<FormError>,
    frame: &PageFrame<'_>,
) -> String {
    let text = |pointer: &str| question.pointer(pointer).and_then(Value::as_str);
    let localized_texts = || {
        let entries = question.pointer("/client/localized").and_then(Value::as_object).into_iter().flatten();
        entries.filter_map(|(name, text)| Some((name.as_str(), text.as_str()?)))
    };
    let client_text = |member: &str, otherwise: &str| {
        select_localized_text(localized_texts(), member, frame.language.tag()).or_else(|| text(otherwise))
    };
    let lines = question.get("lines").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let language = frame.language;
    let (claims, permissions): (Vec<_>, Vec<_>) = lines.iter().partition(|line| {
        line.get("scope").and_then(Value::as_str).is_some_and(|scope| IDENTITY_SCOPES.contains(&scope))
    });
    let claim_lines = question.get("claims").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // In a first request everything is new, so nothing is marked as such.
    let is_first = lines.iter().chain(claim_lines).all(is_new_permission);
    let to_item = |line| permission_item(line, is_first, language);
    let permissions: Vec<ConsentPermission<'_>> = permissions.into_iter().map(to_item).collect();
    let claims: Vec<ConsentPermission<'_>> = claims.into_iter().chain(claim_lines).map(to_item).collect();
    let details = detail_items(question);
    let details: Vec<(&str, Vec<(&str, &str)>)> = details
        .iter()
        .map(|(name, facts)| {
            (name.as_str(), facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect())
        })
        .collect();
    let details: Vec<ConsentDetail<'_>> =
        details.iter().map(|(name, facts)| ConsentDetail { name, facts }).collect();
    let host = text("/redirect_host").unwrap_or_default();
    let organization = text("/organization/name").unwrap_or_default();
    let (device, approval) = (question.get("device"), question.get("approval"));
    let request_details = device.or(approval);
    let request_text = |name: &str| request_details.and_then(|it| it.get(name)?.as_str()).unwrap_or_default();
    let from = match (request_text("place"), request_text("address")) {
        ("", address) => address.to_owned(),
        (location, "") => location.to_owned(),
        (location, address) => format!("{location} ({address})"),
    };
    let time = DisplayTime(request_details.and_then(|it| it.get("asked_at")?.as_i64()).unwrap_or_default());
    let label = match request_text("english") {
        _ if language.has_stored_descriptions() => request_text(text_key(language)).to_owned(),
        english => localize_device_label(english, language),
    };
    let device = device.map(|_| ConsentDevice { name: &label, from: &from, requested_at: time });
    let message = request_text("binding_message");
    let approval = approval.map(|_| ConsentApproval { message, from: &from, requested_at: time });
    ConsentView {
        form,
        application: client_text("client_name", "/client/name").unwrap_or_default(),
        agent: text("/client/kind") == Some("agent"),
        trust: match text("/client/vouched_by") {
            Some("operator") => TrustLabel::Operator,
            Some("organization") => TrustLabel::Organization(organization),
            Some(_) | None => TrustLabel::Unverified,
        },
        account_label,
        organization,
        redirect_host: host,
        device,
        approval,
        loopback: matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "::1"),
        permissions: &permissions,
        claims: &claims,
        details: &details,
        policy: https_link(client_text("policy_uri", "/client/privacy_policy")),
        terms: https_link(client_text("tos_uri", "/client/terms")),
        error,
    }
    .render(frame)
}

/// A link of the application, if a page may contain it.
pub(super) fn https_link(address: Option<&str>) -> Option<&str> {
    address.filter(|address| address.starts_with("https://"))
}

fn is_new_permission(line: &Value) -> bool {
    line.get("is_new").and_then(Value::as_bool).unwrap_or(true)
}

/// The member of a prompt with the text in a language.
const fn text_key(language: UiLanguage) -> &'static str {
    language.choose_description("english", "portuguese")
}

fn permission_item(line: &Value, is_first: bool, language: UiLanguage) -> ConsentPermission<'_> {
    let words = text_key(language);
    let text = |name: &str| line.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let translate = || {
        let scope = text("scope").and_then(|scope| {
            language.describe_identity_scope(scope).or_else(|| language.describe_permission(scope))
        });
        scope.or_else(|| text("claim").and_then(|claim| language.describe_claim(claim)))
    };
    let translation = if language.has_stored_descriptions() { None } else { translate() };
    ConsentPermission {
        text: translation
            .or_else(|| text(words))
            .or_else(|| text("scope"))
            .or_else(|| text("claim"))
            .unwrap_or_default(),
        new: !is_first && is_new_permission(line),
        irreversible: line.get("is_irreversible").and_then(Value::as_bool).unwrap_or_default(),
    }
}

/// The authorization details: their types, and every field as text. None is omitted, so that users see
/// everything they consent to.
fn detail_items(question: &Value) -> Vec<(String, Vec<(String, String)>)> {
    let details = question.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    details
        .iter()
        .filter_map(Value::as_object)
        .map(|detail| {
            let name = detail.get("type").map(plain).unwrap_or_default();
            let others = detail.iter().filter(|(name, _)| *name != "type");
            (name, others.map(|(name, value)| (name.clone(), plain(value))).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sinete_screens::branding::PageBranding;

    fn shown(lines: Value) -> String {
        asked(lines, json!([]))
    }

    fn asked(lines: Value, claims: Value) -> String {
        page_in(UiLanguage::Portuguese, lines, claims)
    }

    fn page_in(language: UiLanguage, lines: Value, claims: Value) -> String {
        let question = json!({
            "client": { "name": "Ledger", "vouched_by": "nobody", "terms": "javascript:alert(1)" },
            "redirect_host": "127.0.0.1",
            "organization": { "name": "Acme" },
            "lines": lines,
            "claims": claims,
            "details": [{ "type": "payment", "amount": { "value": 12 }, "to": "<b>" }],
        });
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(language, "", &brand);
        consent_page(&question, "ana@example.org", PageForm { action: "/consent", csrf: "c" }, None, &frame)
    }

    #[test]
    fn consent_page_is_localized_and_escaped() {
        let line = json!({ "scope": "invoices:read", "english": "Read", "portuguese": "Ler faturas", "is_new": true });
        let page = shown(
            json!([line, { "scope": "email", "english": "x", "portuguese": "seu e-mail", "is_new": true }]),
        );
        assert!(
            page.contains("Ler faturas")
                && page.contains("seu e-mail")
                && page.contains("Aplicativo não verificado")
        );
        assert!(page.contains("um programa neste dispositivo") && page.contains("payment"));
        assert!(!page.contains("javascript:") && !page.contains("<b>"));
        assert!(!page.contains("tag new"), "everything is new the first time");
    }

    #[test]
    fn consent_page_describes_scopes_and_claims_in_languages_that_are_not_stored() {
        let lines = json!([
            { "scope": "email", "english": "See it", "portuguese": "Ver", "is_new": true },
            { "scope": "members:read", "english": "See it", "portuguese": "Ver", "is_new": true },
            { "scope": "invoices:read", "english": "Read invoices", "portuguese": "Ler faturas", "is_new": true }
        ]);
        let claims =
            json!([{ "claim": "picture", "english": "See it", "portuguese": "Ver", "is_new": true }]);
        let page = page_in(UiLanguage::Spanish, lines, claims);
        for expected in ["Ver tu correo electrónico", "Ver los miembros", "Ver tu foto", "Read invoices"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("See it") && !page.contains("Ler faturas"));
    }

    #[test]
    fn consent_page_shows_every_authorization_detail() {
        let fields = (0..200).map(|number| (format!("field{number:03}"), json!(format!("value{number:03}"))));
        let mut detail: serde_json::Map<String, Value> = fields.collect();
        detail.insert("type".to_owned(), json!("payment"));
        let detail_rows = detail_items(&json!({"details": [detail]}));
        assert_eq!(detail_rows[0].1.len(), 200);
        assert_eq!(detail_rows[0].1[199], ("field199".to_owned(), "value199".to_owned()));
    }

    #[test]
    fn consent_page_marks_only_new_scopes() {
        let page = shown(json!([
            { "scope": "a:b", "portuguese": "um", "is_new": false },
            { "scope": "a:c", "portuguese": "dois", "is_new": true, "is_irreversible": true },
        ]));
        assert_eq!(page.matches("tag new").count(), 1);
        assert_eq!(page.matches("tag warn").count(), 1);
    }

    #[test]
    fn consent_page_lists_claims_requested_by_name_and_marks_new_ones() {
        let known_scopes = json!([{ "scope": "openid", "portuguese": "quem você é", "is_new": false }]);
        let birthdate =
            json!({ "claim": "birthdate", "english": "x", "portuguese": "Ver sua data", "is_new": true });
        let page = asked(known_scopes.clone(), json!([birthdate]));
        assert!(page.contains("Ver sua data") && !page.contains("tag warn"));
        assert_eq!(page.matches("tag new").count(), 1);
        assert!(!asked(known_scopes, json!([])).contains("tag new"));
    }
}
