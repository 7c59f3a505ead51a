//! Creates many accounts directly through the store, a thousand per transaction, with the rows that the program writes.

use crate::failed::BenchError;
use crate::settings::BenchSettings;
use serde_json::json;
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, ContactId, CredentialId, MembershipId, OrganizationId, RoleId};
use sinete_core::time::Timestamp;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::events::audit_log;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{NewCredential, StoredCredentialKind};
use sinete_store::{JsonDocument, Store, WriteBatch, accounts};

/// The number of accounts per transaction.
const ACCOUNTS_PER_BATCH: u64 = 1_000;
/// The number of concurrent transactions.
const CONCURRENT_BATCHES: usize = 4;
/// The password of all accounts.
pub const PASSWORD: &str = "a kettle sings at dawn";
/// Its hash at the default cost.
pub(crate) const HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$BwcHBwcHBwcHBwcHBwcHBw$fWUKHYoQQAmgRslKPL2eDGHIBsFLjB+g3wHulI6EaxA";

/// The organization that the accounts join.
#[derive(Clone, Copy, Debug)]
pub struct TargetOrganization {
    /// The organization.
    pub organization: OrganizationId,
    /// The role of all members.
    pub role: RoleId,
    /// The time of creation.
    pub now: Timestamp,
    /// What is known of them.
    pub detail: MemberDetail,
}

/// What is known of each member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberDetail {
    /// Only what signing in needs.
    Credentials,
    /// Also a profile, and an entry in the security log and in the organization's audit log.
    ProfileAndLog,
}

const GIVEN_NAMES: [&str; 16] = [
    "Ana", "Bruno", "Carla", "Davi", "Elisa", "Fábio", "Gabriela", "Hugo", "Inês", "João", "Karina", "Luís",
    "Maria", "Nuno", "Olívia", "Paulo",
];
const FAMILY_NAMES: [&str; 13] = [
    "Almeida",
    "Barbosa",
    "Costa",
    "Dias",
    "Esteves",
    "Ferreira",
    "Gomes",
    "Henriques",
    "Lima",
    "Moreira",
    "Nunes",
    "Oliveira",
    "Silva",
];

/// The e-mail address of an account.
pub fn account_email(number: u64) -> String {
    format!("person{number}@example.com")
}

/// Creates this many accounts, each with a verified address, a password and a membership.
pub async fn create_accounts(
    settings: &BenchSettings,
    store: &Store,
    organization: TargetOrganization,
    many: u64,
) -> Result<(), BenchError> {
    let mut working = tokio::task::JoinSet::new();
    let mut progress_step = 0;
    for first in (0..many).step_by(usize::try_from(ACCOUNTS_PER_BATCH).unwrap_or(1)) {
        if working.len() >= CONCURRENT_BATCHES {
            flatten_join_result(working.join_next().await)?;
        }
        let store = store.clone();
        let last = (first + ACCOUNTS_PER_BATCH).min(many);
        working.spawn(
            async move { commit_batch(&store, build_account_batch(organization, first..last)?).await },
        );
        if first / 100_000 > progress_step {
            progress_step = first / 100_000;
            settings.progress(&format!("{first} of {many} accounts are there"));
        }
    }
    while let Some(result) = working.join_next().await {
        flatten_join_result(Some(result))?;
    }
    Ok(())
}

fn flatten_join_result(
    result: Option<Result<Result<(), BenchError>, tokio::task::JoinError>>,
) -> Result<(), BenchError> {
    match result {
        Some(Ok(outcome)) => outcome,
        Some(Err(error)) => Err(BenchError::Unexpected(format!("filling was interrupted: {error}"))),
        None => Ok(()),
    }
}

async fn commit_batch(store: &Store, batch: WriteBatch) -> Result<(), BenchError> {
    let result = store.commit(batch).await?.into_result();
    result
        .map(drop)
        .map_err(|conflict| BenchError::Unexpected(format!("accounts could not be made: {conflict}")))
}

/// Builds one transaction with the accounts of these numbers.
fn build_account_batch(
    organization: TargetOrganization,
    numbers: std::ops::Range<u64>,
) -> Result<WriteBatch, BenchError> {
    let entropy = DangerouslySeededEntropy::new(1_000_003 + numbers.start);
    let now = organization.now;
    let mut batch = WriteBatch::new();
    for number in numbers {
        let profile = build_profile(organization.detail, number)?;
        let (account, contact) = (AccountId::mint(now, &entropy), ContactId::mint(now, &entropy));
        let (membership, email) = (MembershipId::mint(now, &entropy), account_email(number));
        batch = batch
            .with_statement(accounts::create_account(account, None, &profile.account, now))
            .with_statement(contacts::add_contact(&NewContact {
                id: contact,
                account,
                kind: ContactKind::Email,
                address: &email,
                lookup: &email,
                is_primary: true,
                created_at: now,
            }))
            .with_statement(contacts::verify_contact(account, contact, now))
            .with_statement(credentials::add_credential(&NewCredential {
                id: CredentialId::mint(now, &entropy),
                account,
                kind: StoredCredentialKind::Password,
                name: "",
                handle: None,
                material: HASH.as_bytes(),
                counter: 0,
                created_at: now,
                confirmed_at: Some(now),
            }))
            .with_statement(memberships::create_membership(&NewMembership {
                id: membership,
                organization: organization.organization,
                holder: &MembershipHolder::User(account),
                profile: &profile.member,
                external_id: profile.external_id.as_deref(),
                created_at: now,
            }))
            .with_statement(memberships::add_role(membership, organization.role, now));
        if organization.detail == MemberDetail::ProfileAndLog {
            batch = with_log_entry(batch, organization, membership, &entropy)?;
        }
    }
    Ok(batch)
}

/// The profiles of an account and of its membership.
struct MemberProfiles {
    account: JsonDocument,
    member: JsonDocument,
    external_id: Option<String>,
}

fn build_profile(detail: MemberDetail, number: u64) -> Result<MemberProfiles, BenchError> {
    if detail == MemberDetail::Credentials {
        let nothing = JsonDocument::from_value(&json!({}))?;
        return Ok(MemberProfiles { account: nothing.clone(), member: nothing, external_id: None });
    }
    // The lengths of the two lists have no common divisor, so that every pair of names occurs.
    let pick = |names: &[&'static str]| {
        let index = usize::try_from(number).unwrap_or_default() % names.len();
        names.get(index).copied().unwrap_or_default()
    };
    let (given_name, family) = (pick(&GIVEN_NAMES), pick(&FAMILY_NAMES));
    let name = format!("{given_name} {family}");
    Ok(MemberProfiles {
        account: JsonDocument::from_value(&json!({ "name": name }))?,
        member: JsonDocument::from_value(&json!({
            "name": name, "given_name": given_name, "family_name": family, "email": account_email(number),
        }))?,
        external_id: Some(format!("directory-{number}")),
    })
}

/// Adds the event of a new membership to the security log and to the organization's audit log.
fn with_log_entry(
    batch: WriteBatch,
    organization: TargetOrganization,
    membership: MembershipId,
    entropy: &DangerouslySeededEntropy,
) -> Result<WriteBatch, BenchError> {
    let event = SecurityEvent::new(
        EventKind::MembershipCreated,
        SecurityEventActor::System,
        organization.now,
        entropy,
    )
    .with_organization(organization.organization)
    .with_subject("membership", membership);
    let entry = audit_log::NewAuditEntry {
        id: event.id,
        organization: organization.organization,
        at: event.at,
        kind: event.kind.name(),
        actor_kind: event.actor.kind(),
        actor_id: None,
        subject: event.subject.as_ref().map(|subject| (subject.kind, subject.id.as_str())),
        reason: "",
        detail: &JsonDocument::from_value(&json!({}))?,
    };
    Ok(batch.with_statement(audit_log::append_audit_entry(&entry)).with_event(&event))
}
