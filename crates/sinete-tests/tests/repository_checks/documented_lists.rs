//! Closed lists are documented completely: every kind of event, and every setting of an organization.

use super::markdown::{cells, code_spans};
use super::source_tree::{File, files};
use super::{expect_complaint, expect_silence};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sinete_core::accounts::language::Language;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::assurance::credential_kind::CredentialKind;
use sinete_core::events::security_event::EventKind;
use sinete_core::organizations::audit_log_settings::{AuditLogSettings, AuditRetention};
use sinete_core::organizations::branding::BrandingSettings;
use sinete_core::organizations::client_documents::{ClientDocumentPolicy, ClientDocumentRules};
use sinete_core::organizations::scim_settings::{ScimSettings, UnknownAttributePolicy};
use sinete_core::organizations::settings::{
    DelegationPolicy, OrganizationSettings, RegistrationSettings, RestrictableGrantType, ScopeCeilingPolicy,
    SingleSignOnPolicy, UnverifiedClientPolicy,
};

const EVENTS: &str = "docs/reference/events.md";
const SETTINGS: &str = "docs/reference/organization-settings.md";
const KINDS: &str = "crates/sinete-core/src/events/security_event/kind.rs";

fn find<'a>(files: &'a [File], path: &str) -> &'a File {
    files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path} is missing"))
}

/// The cells of the table rows that begin with a name in code quotes.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| line.starts_with("| `")).filter_map(cells).collect()
}

/// Where the document and the code differ about kinds of events.
fn events_off(document: &str, code: &str) -> Vec<String> {
    let table_rows = rows(document);
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let meaning = |name: &str| {
        let index = lines.iter().position(|line| line.ends_with(&format!("= \"{name}\";")))?;
        lines.get(index.checked_sub(1)?)?.strip_prefix("/// ")
    };
    let mut complaints = Vec::new();
    for kind in EventKind::ALL {
        let expected = [format!("`{kind}`"), meaning(kind.name()).unwrap_or("?").to_owned()];
        if !table_rows.iter().any(|row| row.as_slice() == expected) {
            complaints.push(format!("{EVENTS} lacks the row: | {} | {} |", expected[0], expected[1]));
        }
    }
    if table_rows.len() > EventKind::ALL.len() {
        complaints.push(format!("{EVENTS} lists kinds that do not exist"));
    }
    complaints
}

/// Every setting with a value that is not the default. A new setting does not compile until it is added here.
fn unusual() -> OrganizationSettings {
    OrganizationSettings {
        least_assurance: AssuranceLevel::Two,
        least_assurance_from: serde_json::from_value(json!("2026-12-01")).unwrap(),
        allowed_credentials: Some([CredentialKind::Passkey].into()),
        single_sign_on: SingleSignOnPolicy::Required,
        refused_grants: [RestrictableGrantType::ApiKey].into(),
        unverified_clients: UnverifiedClientPolicy::Refuse,
        client_documents: ClientDocumentRules {
            policy: ClientDocumentPolicy::Off,
            hosts: vec!["app.example".to_owned()].try_into().unwrap(),
        },
        registration: RegistrationSettings { scope_ceiling: Some(ScopeCeilingPolicy::Registered) },
        delegation: DelegationPolicy { own_agents: false },
        language: Language::Portuguese,
        branding: BrandingSettings {
            name: Some("Acme".to_owned().try_into().unwrap()),
            accent: serde_json::from_value(json!("#1a5fb4")).unwrap(),
            background: serde_json::from_value(json!("#ffffff")).unwrap(),
        },
        scim: ScimSettings {
            unknown_attributes: UnknownAttributePolicy::Refuse,
            extension_schemas: vec!["urn:acme:crm:1.0:User".to_owned()].try_into().unwrap(),
        },
        audit_log: AuditLogSettings { retention_days: AuditRetention::try_from(400).ok() },
    }
}

/// The names of all members; nested ones with a dot.
fn names(value: &Value, under: &str, all: &mut Vec<String>) {
    for (name, value) in value.as_object().unwrap() {
        let name = format!("{under}{name}");
        if value.is_object() { names(value, &format!("{name}."), all) } else { all.push(name) }
    }
}

/// The values of a closed type, taken from its own error message.
fn values<T: DeserializeOwned>() -> Vec<String> {
    let reason = serde_json::from_value::<T>(json!("something else")).err().unwrap().to_string();
    let value_list = reason.split_once("expected ").map(|(_, value_list)| value_list).unwrap_or_default();
    code_spans(value_list)
}

fn settings_off(document: &str) -> Vec<String> {
    let (table_rows, mut expected) = (rows(document), Vec::new());
    names(&serde_json::to_value(unusual()).unwrap(), "", &mut expected);
    let defaults = OrganizationSettings::default();
    let closed = |name: &str| match name {
        "least_assurance" => Some((values::<AssuranceLevel>(), Some(json!(defaults.least_assurance)))),
        "allowed_credentials" => Some((values::<CredentialKind>(), None)),
        "single_sign_on" => Some((values::<SingleSignOnPolicy>(), Some(json!(defaults.single_sign_on)))),
        "refused_grants" => Some((values::<RestrictableGrantType>(), None)),
        "unverified_clients" => {
            Some((values::<UnverifiedClientPolicy>(), Some(json!(defaults.unverified_clients))))
        }
        "client_documents.policy" => {
            Some((values::<ClientDocumentPolicy>(), Some(json!(defaults.client_documents.policy))))
        }
        "delegation.own_agents" => {
            Some((vec!["true".into(), "false".into()], Some(json!(defaults.delegation.own_agents))))
        }
        "scim.unknown_attributes" => {
            Some((values::<UnknownAttributePolicy>(), Some(json!(defaults.scim.unknown_attributes))))
        }
        "language" => Some((values::<Language>(), Some(json!(defaults.language)))),
        _ => None,
    };
    let mut complaints = Vec::new();
    for name in &expected {
        let Some(row) = table_rows.iter().find(|row| row[0] == format!("`{name}`")) else {
            complaints.push(format!("{SETTINGS} does not list {name}"));
            continue;
        };
        let [_, can_be, default, meaning] = row.as_slice() else {
            complaints.push(format!("{SETTINGS} lacks the values, the default or the purpose of {name}"));
            continue;
        };
        let Some((values, default_value)) = closed(name) else { continue };
        let default_value = default_value.map(|default_value| {
            default_value.as_str().map_or_else(|| default_value.to_string(), str::to_owned)
        });
        if code_spans(can_be) != values
            || code_spans(default) != Vec::from_iter(default_value)
            || meaning.is_empty()
        {
            complaints.push(format!("{SETTINGS} has a wrong row for {name}; its values are {values:?}"));
        }
    }
    if table_rows.len() > expected.len() {
        complaints.push(format!("{SETTINGS} lists settings that do not exist"));
    }
    complaints
}

#[test]
fn event_kinds_are_all_documented() {
    let files = files();
    expect_silence(&events_off(&find(&files, EVENTS).text, &find(&files, KINDS).text));
}

#[test]
fn organization_settings_are_all_documented() {
    let files = files();
    expect_silence(&settings_off(&find(&files, SETTINGS).text));
}

#[test]
fn documented_list_check_finds_a_stale_one() {
    let files = files();
    let (events, code) = (&find(&files, EVENTS).text, &find(&files, KINDS).text);
    let without: String = events
        .lines()
        .filter(|line| !line.contains("`role.changed`"))
        .fold(String::new(), |text, line| text + line + "\n");
    expect_complaint(&events_off(&without, code), "`role.changed`");
    expect_complaint(
        &events_off(&format!("{events}| `role.lost` | A role was lost. |\n"), code),
        "that do not exist",
    );
    let settings = &find(&files, SETTINGS).text;
    expect_complaint(&settings_off(&settings.replace("`totp`, ", "")), "allowed_credentials");
    expect_complaint(&settings_off(&settings.replace("| `aal1` |", "| `aal2` |")), "least_assurance");
    expect_complaint(&settings_off(&settings.replace("`language`", "`tongue`")), "does not list language");
}
