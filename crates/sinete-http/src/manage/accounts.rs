//! People, for those who run the instance.

use super::errand::Errand;
use super::page::Viewed;
use crate::call::Call;
use crate::reply::json::{At, answer, nothing, tagged, written};
use crate::reply::{Answer, Declined};
use crate::route::Parameter;
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;
use sinete_core::id::{AccountId, ContactId, MembershipId, OrganizationId};
use sinete_core::people::Condition;
use sinete_core::people::address::EmailAddress;
use sinete_core::people::ways_in::WayIn;
use sinete_engine::accounts::{self, Account, Shown};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let page = errand.page(None)?;
    let (operating, email) = (errand.operating(), errand.asked_as::<EmailAddress>("email")?);
    let (after, most) = (page.after()?, page.to_read());
    let read = accounts::list(errand.engine(), &operating, email.as_ref(), after, most).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let shown = accounts::show(errand.engine(), &errand.operating(), errand.id("account")?).await??;
    Ok(tagged(answer(StatusCode::OK, written(&PersonView::of(&shown))?), shown.account.version))
}

pub(crate) async fn disable(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    summary(&accounts::disable(errand.engine(), &errand.operating(), errand.id("account")?).await??)
}

pub(crate) async fn enable(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    summary(&accounts::enable(errand.engine(), &errand.operating(), errand.id("account")?).await??)
}

pub(crate) async fn end_sessions(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    accounts::end_sessions(errand.engine(), &errand.operating(), errand.id("account")?).await??;
    Ok(nothing())
}

pub(crate) async fn start_reset(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    accounts::start_reset(errand.engine(), &errand.operating(), errand.id("account")?).await??;
    Ok(nothing())
}

pub(crate) async fn end_everybodys_sessions(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    accounts::end_everybodys_sessions(errand.engine(), &errand.operating()).await??;
    Ok(nothing())
}

fn summary(account: &Account) -> Result<Response, Declined> {
    Ok(tagged(answer(StatusCode::OK, written(&account.view()?)?), account.version))
}

/// An account, as it stands in a list.
#[derive(Serialize)]
struct AccountView<'a> {
    id: AccountId,
    condition: &'static str,
    language: Option<&'a str>,
    created_at: At,
    version: i64,
}

impl<'a> AccountView<'a> {
    fn of(account: &'a Account) -> Self {
        Self {
            id: account.id,
            condition: condition(account.condition),
            language: account.language.as_deref(),
            created_at: At(account.created_at),
            version: account.version,
        }
    }
}

impl Viewed for Account {
    fn place(&self) -> String {
        self.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        Ok(AccountView::of(self))
    }
}

/// A person, as they are shown.
#[derive(Serialize)]
struct PersonView<'a> {
    #[serde(flatten)]
    account: AccountView<'a>,
    contacts: Vec<ContactView<'a>>,
    memberships: Vec<MembershipView>,
    signs_in_with: Vec<&'static str>,
    sessions: usize,
}

#[derive(Serialize)]
struct ContactView<'a> {
    id: ContactId,
    kind: &'static str,
    address: &'a str,
    is_primary: bool,
    is_verified: bool,
}

#[derive(Serialize)]
struct MembershipView {
    id: MembershipId,
    organization: OrganizationId,
    condition: &'static str,
}

impl<'a> PersonView<'a> {
    fn of(shown: &'a Shown) -> Self {
        let contact = |it: &'a accounts::Contact| ContactView {
            id: it.id,
            kind: match it.kind {
                accounts::ContactKind::Email => "email",
                accounts::ContactKind::Phone => "phone",
            },
            address: &it.address,
            is_primary: it.is_primary,
            is_verified: it.verified_at.is_some(),
        };
        let membership = |it: &accounts::Membership| MembershipView {
            id: it.id,
            organization: it.organization,
            condition: condition(it.condition),
        };
        let way = |way: &WayIn| match way {
            WayIn::Passkey => "passkey",
            WayIn::Password => "password",
            WayIn::Totp => "totp",
            WayIn::RecoveryCodes => "recovery_codes",
            WayIn::Mail => "email",
            WayIn::Provider => "single_sign_on",
        };
        Self {
            account: AccountView::of(&shown.account),
            contacts: shown.contacts.iter().map(contact).collect(),
            memberships: shown.memberships.iter().map(membership).collect(),
            signs_in_with: shown.ways_in.iter().map(way).collect(),
            sessions: shown.sessions,
        }
    }
}

const fn condition(condition: Condition) -> &'static str {
    match condition {
        Condition::Enabled => "enabled",
        Condition::Suspended => "disabled",
        Condition::Ended => "deleted",
    }
}

/// What the list can be asked by.
pub(crate) const QUERY: &[Parameter] = &[Parameter {
    name: "email",
    description: "Only the account that proved this address.",
    is_required: false,
    schema: || json!({"type": "string", "format": "email", "minLength": 3, "maxLength": 254}),
}];

pub(crate) const SCHEMAS: &[&Schema] = &[&ACCOUNT_SUMMARY, &MANAGED_ACCOUNT];

/// What stands in a list.
pub(crate) const ACCOUNT_SUMMARY: Schema = Schema {
    name: "AccountSummary",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "condition", "language", "created_at", "version"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "condition": {"type": "string", "enum": ["enabled", "disabled", "deleted"]},
            "language": {"type": ["string", "null"]},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "minimum": 1}
        }
    }"##,
};

/// What is shown of one person.
pub(crate) const MANAGED_ACCOUNT: Schema = Schema {
    name: "ManagedAccount",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "condition", "language", "created_at", "version", "contacts", "memberships", "signs_in_with", "sessions"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "condition": {"type": "string", "enum": ["enabled", "disabled", "deleted"]},
            "language": {"type": ["string", "null"]},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "minimum": 1},
            "contacts": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["id", "kind", "address", "is_primary", "is_verified"],
                    "properties": {
                        "id": {"type": "string", "format": "uuid"},
                        "kind": {"type": "string", "enum": ["email", "phone"]},
                        "address": {"type": "string"},
                        "is_primary": {"type": "boolean"},
                        "is_verified": {"type": "boolean"}
                    }
                }
            },
            "memberships": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["id", "organization", "condition"],
                    "properties": {
                        "id": {"type": "string", "format": "uuid"},
                        "organization": {"type": "string", "format": "uuid"},
                        "condition": {"type": "string", "enum": ["enabled", "disabled", "deleted"]}
                    }
                }
            },
            "signs_in_with": {"type": "array", "items": {"type": "string"}, "description": "What the person can prove who they are with now; never a secret."},
            "sessions": {"type": "integer", "minimum": 0, "description": "In how many places they are signed in."}
        }
    }"##,
};
