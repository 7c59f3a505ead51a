//! What stands in the fields of a form about a webhook, and what the management API makes of it.

use super::super::shown::{SubmittedForm, carried};
use super::super::{ActionError, PageContext};
use crate::extract::pairs::FormParams;
use crate::manage::webhooks::{NEW_WEBHOOK, WebhookInput};
use serde_json::json;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::webhooks::{WebhookDraft, WebhookRow};
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::trail::CHOSEN_FROM;
use sinete_screens::console::webhooks::{WebhookFields, is_offered};

/// What stands before a kind in the name of its box.
const KIND: &str = "kind.";

/// What is chosen where everything is told.
const EVERYTHING: &str = "everything";

/// What stands in the fields.
#[derive(Clone, Default)]
pub(super) struct WebhookForm {
    address: String,
    about: String,
    everything: bool,
    kinds: Vec<String>,
    /// Kinds that can be ticked here and are not offered to everybody.
    others: Vec<String>,
}

impl WebhookForm {
    /// Of a webhook that is not there yet: with what was typed where it was not done.
    pub(super) fn new(work: &PageContext<'_>) -> Self {
        let filled = Self { everything: true, ..Self::default() };
        filled.with(SubmittedForm::of(work.left.as_ref(), "add"))
    }

    /// Of one that is there, as it is.
    pub(super) fn of(webhook: &WebhookRow) -> Self {
        Self {
            address: webhook.address.clone(),
            about: webhook.description.clone(),
            everything: webhook.kinds.is_empty(),
            kinds: webhook.kinds.clone(),
            others: webhook.kinds.iter().filter(|kind| !is_offered(kind)).cloned().collect(),
        }
    }

    /// The same with what somebody changed, where it was not done. What they did not change is as it is now.
    pub(super) fn changed(&self, work: &PageContext<'_>) -> Self {
        self.clone().with(SubmittedForm::of(work.left.as_ref(), "change"))
    }

    fn with(mut self, retyped: Option<SubmittedForm>) -> Self {
        let Some(retyped) = retyped else { return self };
        if let Some(typed) = retyped.text("address") {
            typed.clone_into(&mut self.address);
        }
        if let Some(typed) = retyped.text("description") {
            typed.clone_into(&mut self.about);
        }
        if let Some(typed) = retyped.text("told") {
            self.everything = typed == EVERYTHING;
        }
        let offered = CHOSEN_FROM.iter().flat_map(|heading| heading.kinds).copied();
        let offered = offered.filter(|kind| is_offered(kind));
        let all: Vec<String> = offered.map(str::to_owned).chain(self.others.iter().cloned()).collect();
        let is_ticked = |kind: &String| {
            retyped.ticked(&format!("{KIND}{kind}")).unwrap_or_else(|| self.kinds.contains(kind))
        };
        self.kinds = all.into_iter().filter(is_ticked).collect();
        self
    }

    /// What the form carries of what is shown.
    pub(super) fn carried(&self) -> String {
        let told = if self.everything { EVERYTHING } else { "chosen" };
        let texts = [("address", self.address.as_str()), ("description", &self.about), ("told", told)];
        carried(texts, self.kinds.iter().map(|kind| format!("{KIND}{kind}")))
    }

    /// The kinds that are ticked, and those that are not offered to everybody.
    pub(super) fn kinds(&self) -> (Vec<&str>, Vec<&str>) {
        let (kinds, others) = (self.kinds.iter(), self.others.iter());
        (kinds.map(String::as_str).collect(), others.map(String::as_str).collect())
    }

    pub(super) fn view<'a>(&'a self, kinds: &'a [&'a str], others: &'a [&'a str]) -> WebhookFields<'a> {
        let Self { address, about, everything, .. } = self;
        WebhookFields { address, about, everything: *everything, kinds, others }
    }
}

/// The webhook that a form asks for, as the API takes it.
pub(super) fn wanted(form: &FormParams) -> Result<WebhookDraft, ConsoleNotice> {
    let ticked: Vec<&str> = form.iter().filter_map(|(name, _)| name.strip_prefix(KIND)).collect();
    let kinds = match form.get("told") {
        Some(EVERYTHING) => Vec::new(),
        // Nothing at all would be everything.
        Some(_) | None if ticked.is_empty() => return Err(ConsoleNotice::NoKinds),
        Some(_) | None => ticked,
    };
    let body = json!({
        "address": form.get("address").unwrap_or_default().trim(),
        "description": form.get("description").unwrap_or_default().trim(),
        "kinds": kinds,
    });
    if let Some(fault) = NEW_WEBHOOK.check(&body).iter().next() {
        return Err(said_of(&fault.pointer));
    }
    serde_json::from_value::<WebhookInput>(body)
        .map(WebhookInput::wanted)
        .map_err(|_| ConsoleNotice::NotPossible)
}

/// A form about a webhook was refused. What is wrong is told beside its field.
pub(super) fn trouble(refusal: Refusal, conflict: ConsoleNotice) -> ActionError {
    let first = refusal.faults().iter().next().map(|fault| said_of(&fault.pointer));
    match (refusal.code(), first) {
        (RefusalCode::Unprocessable, said) => {
            ActionError::ConsoleNotice(said.unwrap_or(ConsoleNotice::NotPossible))
        }
        _ => ActionError::Refused(refusal, conflict),
    }
}

fn said_of(pointer: &str) -> ConsoleNotice {
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
    fn a_form_holds_as_many_kinds_as_the_api_takes() {
        let most = 100;
        let kinds: Vec<String> = (0..most).map(|it| format!("kind.k{it}=on")).collect();
        let own = "csrf=c&version=1&shown=s&address=a&description=d&told=chosen&action=change";
        let form = FormParams::parse(format!("{own}&{}", kinds.join("&")).as_bytes()).unwrap();
        let ticked = form.iter().filter(|(name, _)| name.starts_with(KIND)).count();
        let body =
            |many: usize| json!({"address": "https://a.example/", "kinds": vec!["role.created"; many]});
        assert!(NEW_WEBHOOK.check(&body(ticked)).is_empty(), "the API takes them");
        assert!(!NEW_WEBHOOK.check(&body(most + 1)).is_empty(), "and not one more");
    }

    #[test]
    fn choosing_nothing_is_not_everything() {
        let wanted = |form: &str| wanted(&FormParams::parse(form.as_bytes()).unwrap());
        let address = "address=https%3A%2F%2Fa.example%2F";
        assert!(wanted(&format!("{address}&told=everything&kind.role.created=on")).unwrap().kinds.is_empty());
        assert_eq!(
            wanted(&format!("{address}&told=chosen&kind.role.created=on")).unwrap().kinds,
            ["role.created"]
        );
        for nothing in ["&told=chosen", ""] {
            assert_eq!(wanted(&format!("{address}{nothing}")).unwrap_err(), ConsoleNotice::NoKinds);
        }
        assert_eq!(wanted("told=everything&address=").unwrap_err(), ConsoleNotice::BadAddress);
    }
}
