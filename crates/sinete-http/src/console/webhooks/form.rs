//! The form of a webhook, and its conversion to the input of the management API.

use super::super::{ActionError, PageContext};
use crate::console::submitted_form::{SubmittedForm, encode_original_values};
use crate::events::webhooks::handlers::{NEW_WEBHOOK, WebhookInput};
use serde_json::json;
use sinete_core::refusal::Refusal;
use sinete_engine::events::webhooks::{WebhookDraft, WebhookRow};
use sinete_screens::console::audit_log::EVENT_KIND_GROUPS;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::webhooks::{WebhookFields, is_selectable_kind};
use sinete_server::extract::params::FormParams;

/// The field prefix of event types.
const EVENT_KIND_FIELD_PREFIX: &str = "kind.";

/// The value for all event types.
const ALL_EVENTS_VALUE: &str = "everything";

/// The values of the form.
#[derive(Clone, Default)]
pub(super) struct WebhookForm {
    address: String,
    description: String,
    all_events: bool,
    kinds: Vec<String>,
    /// Selected event types that are not offered in the form.
    internal_kinds: Vec<String>,
}

impl WebhookForm {
    /// The form of a new webhook, with rejected input.
    pub(super) fn new(context: &PageContext<'_>) -> Self {
        let filled = Self { all_events: true, ..Self::default() };
        filled.with_texts(SubmittedForm::from_flash(context.flash.as_ref(), "add"))
    }

    /// The form of an existing webhook.
    pub(super) fn from_webhook(webhook: &WebhookRow) -> Self {
        Self {
            address: webhook.address.clone(),
            description: webhook.description.clone(),
            all_events: webhook.kinds.is_empty(),
            kinds: webhook.kinds.clone(),
            internal_kinds: webhook.kinds.iter().filter(|kind| !is_selectable_kind(kind)).cloned().collect(),
        }
    }

    /// The same with the user's unsaved changes. Unchanged fields have the current values.
    pub(super) fn with_submitted_changes(&self, context: &PageContext<'_>) -> Self {
        self.clone().with_texts(SubmittedForm::from_flash(context.flash.as_ref(), "change"))
    }

    fn with_texts(mut self, retyped: Option<SubmittedForm>) -> Self {
        let Some(retyped) = retyped else { return self };
        if let Some(text) = retyped.changed_text("address") {
            text.clone_into(&mut self.address);
        }
        if let Some(text) = retyped.changed_text("description") {
            text.clone_into(&mut self.description);
        }
        if let Some(text) = retyped.changed_text("told") {
            self.all_events = text == ALL_EVENTS_VALUE;
        }
        let selectable_kinds = EVENT_KIND_GROUPS.iter().flat_map(|heading| heading.kinds).copied();
        let selectable_kinds = selectable_kinds.filter(|kind| is_selectable_kind(kind));
        let all: Vec<String> =
            selectable_kinds.map(str::to_owned).chain(self.internal_kinds.iter().cloned()).collect();
        let is_ticked = |kind: &String| {
            retyped
                .changed_tick(&format!("{EVENT_KIND_FIELD_PREFIX}{kind}"))
                .unwrap_or_else(|| self.kinds.contains(kind))
        };
        self.kinds = all.into_iter().filter(is_ticked).collect();
        self
    }

    /// The displayed values, which the form submits.
    pub(super) fn original_values(&self) -> String {
        let events_value = if self.all_events { ALL_EVENTS_VALUE } else { "chosen" };
        let values =
            [("address", self.address.as_str()), ("description", &self.description), ("told", events_value)];
        encode_original_values(
            values,
            self.kinds.iter().map(|kind| format!("{EVENT_KIND_FIELD_PREFIX}{kind}")),
        )
    }

    /// The selected event types, and those not offered in the form.
    pub(super) fn event_kind_choices(&self) -> (Vec<&str>, Vec<&str>) {
        let (kinds, others) = (self.kinds.iter(), self.internal_kinds.iter());
        (kinds.map(String::as_str).collect(), others.map(String::as_str).collect())
    }

    pub(super) fn to_fields<'a>(&'a self, kinds: &'a [&'a str], others: &'a [&'a str]) -> WebhookFields<'a> {
        let Self { address, description, all_events: everything, .. } = self;
        WebhookFields { address, description, all_events: *everything, kinds, unlisted_kinds: others }
    }
}

/// Parses a new webhook.
pub(super) fn parse_new_webhook(form: &FormParams) -> Result<WebhookDraft, ConsoleNotice> {
    let kind_names: Vec<&str> =
        form.iter().filter_map(|(name, _)| name.strip_prefix(EVENT_KIND_FIELD_PREFIX)).collect();
    let kinds = match form.get("told") {
        Some(ALL_EVENTS_VALUE) => Vec::new(),
        // An empty list would mean all event types.
        Some(_) | None if kind_names.is_empty() => return Err(ConsoleNotice::NoKinds),
        Some(_) | None => kind_names,
    };
    let body = json!({
        "address": form.get("address").unwrap_or_default().trim(),
        "description": form.get("description").unwrap_or_default().trim(),
        "kinds": kinds,
    });
    if let Some(fault) = crate::schema::SCHEMA_REGISTRY.check(&NEW_WEBHOOK, &body).iter().next() {
        return Err(notice_for_pointer(&fault.pointer));
    }
    serde_json::from_value::<WebhookInput>(body)
        .map(WebhookInput::into_webhook_request)
        .map_err(|_| ConsoleNotice::NotPossible)
}

/// Converts a refusal to the notice of the invalid field.
pub(super) fn webhook_error(refusal: Refusal) -> ActionError {
    ActionError::from_fields(refusal, notice_for_pointer)
}

fn notice_for_pointer(pointer: &str) -> ConsoleNotice {
    match pointer.trim_start_matches('/').split('/').next() {
        Some("address") => ConsoleNotice::BadAddress,
        Some("description") => ConsoleNotice::BadDescription,
        Some("kinds") => ConsoleNotice::BadKind,
        _ => ConsoleNotice::NotPossible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_form_accepts_as_many_event_types_as_the_api() {
        let limit = 100;
        let kinds: Vec<String> = (0..limit).map(|it| format!("kind.k{it}=on")).collect();
        let base_fields = "csrf=c&version=1&shown=s&address=a&description=d&told=chosen&action=change";
        let form = FormParams::parse(format!("{base_fields}&{}", kinds.join("&")).as_bytes()).unwrap();
        let kind_count = form.iter().filter(|(name, _)| name.starts_with(EVENT_KIND_FIELD_PREFIX)).count();
        let body =
            |many: usize| json!({"address": "https://a.example/", "kinds": vec!["role.created"; many]});
        assert!(
            crate::schema::SCHEMA_REGISTRY.check(&NEW_WEBHOOK, &body(kind_count)).is_empty(),
            "the API takes them"
        );
        assert!(
            !crate::schema::SCHEMA_REGISTRY.check(&NEW_WEBHOOK, &body(limit + 1)).is_empty(),
            "and not one more"
        );
    }

    #[test]
    fn webhook_form_with_no_event_type_chosen_is_not_all_events() {
        let parse_form = |form: &str| parse_new_webhook(&FormParams::parse(form.as_bytes()).unwrap());
        let address = "address=https%3A%2F%2Fa.example%2F";
        assert!(
            parse_form(&format!("{address}&told=everything&kind.role.created=on")).unwrap().kinds.is_empty()
        );
        assert_eq!(
            parse_form(&format!("{address}&told=chosen&kind.role.created=on")).unwrap().kinds,
            ["role.created"]
        );
        for nothing in ["&told=chosen", ""] {
            assert_eq!(parse_form(&format!("{address}{nothing}")).unwrap_err(), ConsoleNotice::NoKinds);
        }
        assert_eq!(parse_form("told=everything&address=").unwrap_err(), ConsoleNotice::BadAddress);
    }
}
