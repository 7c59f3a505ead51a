//! Webhooks in a declarative configuration: those of an organization and those of the instance.

use super::plan::{DeclarativeChange, DeclarativePrunePolicy, find_differences};
use super::{DeclarativeConfig, SecretReference, escape_pointer_segment, is_default};
use crate::events::webhooks::{EventKindFilter, WebhookUrl};
use crate::id::WebhookId;
use crate::limits::WEBHOOKS_MAX;
use crate::organizations::OrganizationSlug;
use crate::validation::ValidationErrors;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A declared webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredWebhook {
    /// The webhook's id; if omitted, the webhook is identified by its URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<WebhookId>,
    /// The URL.
    pub address: WebhookUrl,
    /// The description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The event types it receives; if omitted, all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kinds: EventKindFilter,
    /// Where to read the secret that signs deliveries; if omitted, the stored one is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretReference>,
}

/// The webhooks of one organization or of the instance, by a name that is local to the document.
pub type DeclaredWebhooks = BTreeMap<String, DeclaredWebhook>;

impl DeclarativeConfig {
    /// Iterates over all webhooks in the document: the instance's, then each organization's.
    pub fn iter_webhooks(&self) -> impl Iterator<Item = (Option<&OrganizationSlug>, &DeclaredWebhooks)> {
        let of_organizations = self.organizations.iter().map(|(slug, it)| (Some(slug), &it.webhooks));
        std::iter::once((None, &self.webhooks)).chain(of_organizations)
    }

    /// Like [`Self::iter_webhooks`], but mutable.
    pub fn iter_webhooks_mut(
        &mut self,
    ) -> impl Iterator<Item = (Option<&OrganizationSlug>, &mut DeclaredWebhooks)> {
        let of_organizations = self.organizations.iter_mut().map(|(slug, it)| (Some(slug), &mut it.webhooks));
        std::iter::once((None, &mut self.webhooks)).chain(of_organizations)
    }

    /// The webhooks of an organization, or of the instance if `owner` is `None`.
    pub fn find_webhooks(&self, owner: Option<&OrganizationSlug>) -> Option<&DeclaredWebhooks> {
        match owner {
            None => Some(&self.webhooks),
            Some(slug) => self.organizations.get(slug).map(|it| &it.webhooks),
        }
    }
}

/// Formats the JSON pointer to a webhook in the document.
pub fn format_webhook_pointer(owner: Option<&OrganizationSlug>, name: &str) -> String {
    let owner_pointer = owner.map_or(String::new(), |slug| format!("/organizations/{slug}"));
    format!("{owner_pointer}/webhooks/{}", escape_pointer_segment(name))
}

/// Validates the document's webhooks by themselves.
pub(super) fn validate_webhooks(document: &DeclarativeConfig, errors: &mut ValidationErrors) {
    for (owner, webhooks) in document.iter_webhooks() {
        for (name, webhook) in webhooks {
            let pointer = format_webhook_pointer(owner, name);
            if !webhook.description.is_empty() {
                errors.check_display_text(&format!("{pointer}/description"), &webhook.description);
            }
            let is_twin = |other: &DeclaredWebhook| match (webhook.id, other.id) {
                (None, None) => webhook.address == other.address,
                (one, other) => one == other,
            };
            if webhooks.iter().any(|(other, it)| other < name && is_twin(it)) {
                errors.add(
                    pointer,
                    "another webhook of the document has the same URL and event types; give each an id",
                );
            }
        }
    }
}

/// Validates the document's webhooks against the current state of the instance.
pub(super) fn validate_webhooks_against_instance(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    unmentioned: DeclarativePrunePolicy,
    errors: &mut ValidationErrors,
) {
    for (owner, webhooks) in config.iter_webhooks() {
        for (name, webhook) in webhooks.iter().filter(|(_, it)| it.id.is_some()) {
            let mut elsewhere = current.iter_webhooks().filter(|(other, _)| *other != owner);
            if elsewhere.any(|(_, theirs)| theirs.values().any(|it| it.id == webhook.id)) {
                errors.add(
                    format!("{}/id", format_webhook_pointer(owner, name)),
                    "a webhook cannot be moved to another organization; create a new one",
                );
            }
        }
        let stay = match unmentioned {
            DeclarativePrunePolicy::Keep => list_unmentioned_webhooks(current, owner, webhooks).count(),
            DeclarativePrunePolicy::Remove => 0,
        };
        let room = usize::try_from(WEBHOOKS_MAX).unwrap_or(usize::MAX);
        if let Some(last) = webhooks.keys().last().filter(|_| webhooks.len() + stay > room) {
            errors.add(
                format_webhook_pointer(owner, last),
                format!("at most {WEBHOOKS_MAX} webhooks are allowed"),
            );
        }
    }
}

/// Plans the changes that bring the webhooks into line with the document.
pub(super) fn plan_changes(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    for (owner, webhooks) in config.iter_webhooks() {
        for (name, webhook) in webhooks {
            let (owner, name) = (owner.cloned(), name.clone());
            match find_existing_webhook(current.find_webhooks(owner.as_ref()), webhooks, webhook) {
                None => changes.push(DeclarativeChange::CreateWebhook(owner, name, webhook.clone())),
                Some((_, now)) => {
                    let declared_webhook = DeclaredWebhook {
                        id: now.id,
                        secret: webhook.secret.clone().or_else(|| now.secret.clone()),
                        ..webhook.clone()
                    };
                    let differences = find_differences(now, &declared_webhook);
                    if !differences.is_empty() {
                        changes.push(DeclarativeChange::UpdateWebhook(
                            owner,
                            name,
                            declared_webhook,
                            differences,
                        ));
                    }
                }
            }
        }
    }
}

/// Plans the removal of webhooks that the document omits, within the owners it covers.
pub(super) fn plan_removals(
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    changes: &mut Vec<DeclarativeChange>,
) {
    for (owner, webhooks) in config.iter_webhooks() {
        let gone = list_unmentioned_webhooks(current, owner, webhooks);
        changes.extend(gone.map(|name| DeclarativeChange::RemoveWebhook(owner.cloned(), name.to_owned())));
    }
}

/// The names of existing webhooks that the document does not mention.
fn list_unmentioned_webhooks<'a>(
    current: &'a DeclarativeConfig,
    owner: Option<&OrganizationSlug>,
    mentioned: &'a DeclaredWebhooks,
) -> impl Iterator<Item = &'a str> {
    let now = current.find_webhooks(owner);
    let names = now.into_iter().flat_map(BTreeMap::keys);
    names.map(String::as_str).filter(move |name| {
        let mut existing_webhooks =
            mentioned.values().filter_map(|webhook| find_existing_webhook(now, mentioned, webhook));
        !existing_webhooks.any(|(it, _)| it == *name)
    })
}

/// Finds the existing webhook by the declared id or, if none is declared, by URL. A webhook that the document
/// mentions by id is never matched by URL.
fn find_existing_webhook<'a>(
    now: Option<&'a DeclaredWebhooks>,
    mentioned: &DeclaredWebhooks,
    webhook: &DeclaredWebhook,
) -> Option<(&'a str, &'a DeclaredWebhook)> {
    let is_chosen = |id| mentioned.values().any(|it| it.id.is_some() && it.id == id);
    let is_same = |it: &DeclaredWebhook| match webhook.id {
        Some(id) => it.id == Some(id),
        None => it.address == webhook.address && !is_chosen(it.id),
    };
    now?.iter().find(|(_, it)| is_same(it)).map(|(name, it)| (name.as_str(), it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::declarative::plan::plan_changes;
    use crate::administration::declarative::validation::validate_against_instance;
    use serde_json::{Value, json};

    fn document(instance: Value, acme: Value) -> DeclarativeConfig {
        let raw =
            json!({"organizations": {"acme": {"name": "Acme", "webhooks": acme}}, "webhooks": instance});
        serde_json::from_value(raw).unwrap()
    }

    fn lines(
        current: &DeclarativeConfig,
        config: &DeclarativeConfig,
        unmentioned: DeclarativePrunePolicy,
    ) -> Vec<String> {
        plan_changes(current, config, unmentioned).iter().map(DeclarativeChange::to_string).collect()
    }

    fn id(seed: u8) -> Value {
        serde_json::to_value(WebhookId::from_bytes([seed; 16])).unwrap()
    }

    #[test]
    fn declarative_webhooks_are_matched_by_id_or_else_by_url() {
        let now = document(
            json!({"siem": {"id": id(1), "address": "https://siem.example"}}),
            json!({"a": {"id": id(2), "address": "https://a.example/"}, "b": {"id": id(3), "address": "https://a.example/"}}),
        );
        assert!(now.validate().is_empty());
        // The same URL in another spelling and under another name in the document.
        let same = document(
            json!({"logs": {"address": "https://siem.example/"}}),
            json!({"one": {"address": "HTTPS://A.example"}, "two": {"id": id(3), "address": "https://a.example/"}}),
        );
        assert_eq!(lines(&now, &same, DeclarativePrunePolicy::Remove), Vec::<String>::new());
        let moved = document(json!({}), json!({"two": {"id": id(3), "address": "https://c.example/"}}));
        assert_eq!(lines(&now, &moved, DeclarativePrunePolicy::Keep), ["~ webhook two of acme"]);
        let expected = ["~ webhook two of acme", "- webhook siem", "- webhook a of acme"];
        assert_eq!(lines(&now, &moved, DeclarativePrunePolicy::Remove), expected);
        // An owner that the document does not cover keeps its webhooks.
        let config = DeclarativeConfig::default();
        assert_eq!(lines(&now, &config, DeclarativePrunePolicy::Remove), ["- webhook siem"]);
        assert_eq!(
            lines(&config, &now, DeclarativePrunePolicy::Keep),
            ["+ organization acme", "+ webhook siem", "+ webhook a of acme", "+ webhook b of acme"]
        );
    }

    #[test]
    fn declarative_webhook_secret_omitted_is_unchanged_and_a_new_one_is_a_change() {
        let with = |secret: &str| {
            let secret = json!({"digest": secret.repeat(64)});
            document(json!({"a": {"address": "https://a.example/", "secret": secret}}), json!({}))
        };
        let without = document(json!({"a": {"address": "https://a.example/"}}), json!({}));
        assert_eq!(lines(&with("1"), &without, DeclarativePrunePolicy::Keep), Vec::<String>::new());
        assert_eq!(lines(&with("1"), &with("1"), DeclarativePrunePolicy::Keep), Vec::<String>::new());
        let changes = plan_changes(&with("1"), &with("2"), DeclarativePrunePolicy::Keep);
        assert_eq!(changes[0].differences()[0].pointer, "/secret/digest");
    }

    #[test]
    fn declarative_webhook_duplicates_and_foreign_ids_are_reported() {
        let one = json!({"address": "https://a.example/"});
        let twins = document(json!({"a": one, "b": one}), json!({"c": one}));
        let places: Vec<_> = twins.validate().iter().map(|fault| fault.pointer.clone()).collect();
        assert_eq!(places, ["/webhooks/b"]);
        let theirs = document(json!({"a": {"id": id(1), "address": "https://a.example/"}}), json!({}));
        let ours = document(json!({}), json!({"a": {"id": id(1), "address": "https://a.example/"}}));
        let list_pointers = |current: &DeclarativeConfig, config: &DeclarativeConfig, unmentioned| {
            let errors = validate_against_instance(current, config, unmentioned);
            errors.iter().map(|fault| fault.pointer.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            list_pointers(&theirs, &ours, DeclarativePrunePolicy::Keep),
            ["/organizations/acme/webhooks/a/id"]
        );
        let many = |first: u32, count: u32| {
            let one =
                |number| (format!("n{number:02}"), json!({"address": format!("https://{number}.example/")}));
            document((first..first + count).map(one).collect(), json!({}))
        };
        assert_eq!(
            list_pointers(&many(0, 1), &many(0, 20), DeclarativePrunePolicy::Keep),
            Vec::<String>::new()
        );
        assert_eq!(list_pointers(&many(0, 1), &many(1, 20), DeclarativePrunePolicy::Keep), ["/webhooks/n20"]);
        assert_eq!(
            list_pointers(&many(0, 1), &many(1, 20), DeclarativePrunePolicy::Remove),
            Vec::<String>::new()
        );
    }
}
