//! Account import: each account completely, with its credentials, or not at all.
//!
//! An account is identified by its source and its id there, so an interrupted import can be repeated.
//! Imported accounts are never merged with existing ones, even if they share an address: see decision 0093.

use crate::access_control::organization_access;
use crate::access_control::organization_access::{OrganizationAccess, with_audit_log_event};
use crate::organizations::role_assignment;
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::MANAGE_MEMBERS;
use sinete_core::access_control::permission_catalog::{
    BuiltInPermission, BuiltInRole, PERMISSION_CATALOG, PermissionReach,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::administration::import::{ImportSourceName, ImportedAccount, ImportedPasswordHash};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, ContactId, CredentialId, MembershipId, RoleId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::administration::AdministrationRefusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_crypto::sign_in::credentials::foreign_password::{FirebaseProject, ForeignPasswordHash};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::identity_providers::identities;
use sinete_store::identity_providers::identities::ExternalIdentityKey;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles::RoleRow;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::NewCredential;
use sinete_store::{BatchOutcome, JsonDocument, WriteBatch, accounts};

/// The options of an import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// The source.
    pub source: ImportSourceName,
    /// The roles in the organization that the accounts join.
    pub roles: Vec<RoleId>,
    /// Whether addresses verified by the source are trusted.
    pub addresses: ImportedEmailTrust,
    /// The hash parameters of a Firebase project.
    pub firebase: Option<FirebaseProject>,
}

/// Whether verified addresses of the source are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportedEmailTrust {
    /// No: the user must verify the address here.
    VerifyHere,
    /// Yes.
    TrustSource,
}

/// A prepared import.
#[derive(Debug)]
pub struct ImportRun {
    options: ImportOptions,
    access: OrganizationAccess,
    provider: String,
}

/// The outcome for one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// Imported, or would be imported in a dry run.
    Imported,
    /// Already imported earlier; unchanged.
    AlreadyImported,
}

/// The counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportTally {
    /// Imported accounts.
    pub imported: u64,
    /// Accounts imported earlier.
    pub already_imported: u64,
    /// Rejected accounts.
    pub refused: u64,
}

/// A usable password hash with the name of its algorithm.
struct ImportedPassword {
    text: String,
    form: &'static str,
}

/// Prepares an import, if the roles may be assigned.
pub async fn prepare_import(
    engine: &Engine,
    inside: &OrganizationAccess,
    import_options: ImportOptions,
) -> Result<ImportRun, Error> {
    inside.require_change_permission(MANAGE_MEMBERS)?;
    let placeholder_membership = MembershipId::from_bytes([0; 16]);
    let granted =
        role_assignment::plan_first_roles(engine, inside, placeholder_membership, &import_options.roles)
            .await?;
    if !granted.guard_statements.is_empty() {
        return Err(Refusal::because(AdministrationRefusal::ImportOfOwner, "a role of owners").into());
    }
    if inside.organization.kind == OrganizationKind::Operator && granted.roles.iter().any(is_operator_role) {
        return Err(Refusal::because(AdministrationRefusal::ImportOfOperator, "a role of operators").into());
    }
    let provider = format!("import:{}", import_options.source.as_str());
    Ok(ImportRun { options: import_options, access: inside.clone(), provider })
}

/// Whether the role grants instance permissions.
fn is_operator_role(role: &RoleRow) -> bool {
    let is_operator = role.is_built_in && role.role.name() == BuiltInRole::Operator.name();
    let over_instance = |it: &&BuiltInPermission| it.reach != PermissionReach::Organization;
    let is_granted =
        |it: &BuiltInPermission| it.permission.parse().is_ok_and(|it| role.role.permissions().covers(&it));
    is_operator || PERMISSION_CATALOG.iter().filter(over_instance).any(is_granted)
}

impl ImportRun {
    /// Returns what an import of the account would do, without changing anything.
    pub async fn preview_account(
        &self,
        engine: &Engine,
        account: &ImportedAccount,
    ) -> Result<ImportOutcome, Error> {
        let outcome = self.check_account(engine, account).await?;
        if outcome == ImportOutcome::Imported {
            self.parse_password(account)?;
        }
        Ok(outcome)
    }

    /// Imports an account.
    pub async fn import_account(
        &self,
        engine: &Engine,
        account: &ImportedAccount,
    ) -> Result<ImportOutcome, Error> {
        let password = self.parse_password(account)?;
        for _ in 0..ATTEMPTS_MAX {
            match self.check_account(engine, account).await? {
                ImportOutcome::Imported => {}
                ImportOutcome::AlreadyImported => return Ok(ImportOutcome::AlreadyImported),
            }
            let batch = self.build_batch(engine, account, password.as_ref())?;
            match engine.store().commit(batch).await? {
                BatchOutcome::Committed(_) => return Ok(ImportOutcome::Imported),
                BatchOutcome::Conflict(conflict) if conflict.statement() == "memberships.create" => {
                    return Err(organization_access::organization_suspended().into());
                }
                BatchOutcome::Conflict(_) => {}
            }
        }
        Err(Failure::Contended.into())
    }

    /// Records the counts of the import.
    pub async fn record_summary(&self, engine: &Engine, tally: ImportTally) -> Result<(), Failure> {
        let event = engine
            .event(EventKind::ImportFinished, &self.access.cause, engine.now())
            .with_organization(self.access.organization.id)
            .with_detail("source", self.options.source.as_str())
            .with_detail("imported", tally.imported)
            .with_detail("known", tally.already_imported)
            .with_detail("refused", tally.refused);
        let batch = with_audit_log_event(WriteBatch::new(), &event, self.access.organization.id, "")?;
        // This batch cannot conflict: it only adds rows with new ids.
        engine.store().commit(batch).await?.into_result().map_err(|_| Failure::Contended)?;
        Ok(())
    }

    /// Checks that the account is new and its address not in use.
    async fn check_account(
        &self,
        engine: &Engine,
        account: &ImportedAccount,
    ) -> Result<ImportOutcome, Error> {
        let identity = self.source_identity(account);
        if identities::find_identity_account(engine.store(), identity).await?.is_some() {
            return Ok(ImportOutcome::AlreadyImported);
        }
        let lookup = account.address.lookup_key();
        let contact = contacts::find_verified_contact(engine.store(), ContactKind::Email, &lookup).await?;
        let is_claimed = match contact {
            Some(_) => true,
            // A verified address is taken from an account that did not verify it; an unverified address is
            // not.
            None if self.is_address_verified(account) => false,
            None => contacts::is_contact_claimed(engine.store(), ContactKind::Email, &lookup).await?,
        };
        if is_claimed { Err(address_taken().into()) } else { Ok(ImportOutcome::Imported) }
    }

    fn source_identity<'a>(&'a self, account: &'a ImportedAccount) -> ExternalIdentityKey<'a> {
        ExternalIdentityKey { provider: &self.provider, subject: &account.id }
    }

    fn is_address_verified(&self, account: &ImportedAccount) -> bool {
        account.is_verified && self.options.addresses == ImportedEmailTrust::TrustSource
    }

    /// Parses the password hash, if it is supported.
    fn parse_password(&self, account: &ImportedAccount) -> Result<Option<ImportedPassword>, Refusal> {
        let text = match (&account.password, &self.options.firebase) {
            (None, _) => return Ok(None),
            (Some(ImportedPasswordHash::SelfContained(text)), _) => text.clone(),
            (Some(ImportedPasswordHash::Firebase { salt, tag }), Some(project)) => {
                project.format_hash(salt, tag)
            }
            (Some(ImportedPasswordHash::Firebase { .. }), None) => {
                let reason = "the parameters of its Firebase project are needed for its password hash";
                return Err(invalid_password_hash(reason.to_owned()));
            }
        };
        match ForeignPasswordHash::parse(&text) {
            Ok(hash) => Ok(Some(ImportedPassword { form: hash.algorithm().name(), text })),
            Err(foreign_hash) => Err(invalid_password_hash(foreign_hash.to_string())),
        }
    }

    /// Builds the write batch of an account.
    fn build_batch(
        &self,
        engine: &Engine,
        imported_account: &ImportedAccount,
        password: Option<&ImportedPassword>,
    ) -> Result<WriteBatch, Failure> {
        let now = engine.now();
        let account = AccountId::mint(now, engine.entropy());
        let profile = match &imported_account.name {
            Some(name) => JsonDocument::from_value(&serde_json::json!({ "name": name }))?,
            None => JsonDocument::from_value(&serde_json::json!({}))?,
        };
        let language = imported_account.language.map(|language| language.stored_value());
        let batch = WriteBatch::new()
            .with_statement(accounts::create_account(account, language, &profile, now))
            .with_statement(identities::link_identity(self.source_identity(imported_account), account, now));
        let batch = self.with_address(batch, engine, imported_account, account);
        let batch = match password {
            Some(password) => {
                let id = CredentialId::mint(now, engine.entropy());
                batch.with_statement(credentials::add_imported_password(
                    &new_credential(id, account, password, now),
                    password.form,
                ))
            }
            None => batch,
        };
        let event = engine
            .event(EventKind::AccountImported, &self.access.cause, now)
            .with_subject("account", account)
            .with_detail("source", self.options.source.as_str())
            .with_detail("password", password.map_or("none", |password| password.form));
        let suspended = (!imported_account.is_enabled)
            .then(|| accounts::change_account_condition(account, 1, LifecycleCondition::Suspended, now));
        self.with_membership(batch.with_event(&event), engine, account)
            .map(|batch| batch.with_statements(suspended))
    }

    fn with_address(
        &self,
        batch: WriteBatch,
        engine: &Engine,
        imported_account: &ImportedAccount,
        account: AccountId,
    ) -> WriteBatch {
        let now = engine.now();
        let (id, lookup) = (ContactId::mint(now, engine.entropy()), imported_account.address.lookup_key());
        let batch = batch.with_statement(contacts::add_contact(&NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address: imported_account.address.as_str(),
            lookup: &lookup,
            is_primary: true,
            created_at: now,
        }));
        if self.is_address_verified(imported_account) {
            batch
                .with_statement(contacts::verify_contact(account, id, now))
                .with_statement(contacts::delete_unverified_claims(account, ContactKind::Email, &lookup))
        } else {
            batch
        }
    }

    fn with_membership(
        &self,
        batch: WriteBatch,
        engine: &Engine,
        account: AccountId,
    ) -> Result<WriteBatch, Failure> {
        let (now, organization) = (engine.now(), self.access.organization.id);
        let id = MembershipId::mint(now, engine.entropy());
        let profile = JsonDocument::from_value(&serde_json::json!({}))?;
        let batch = batch.with_statement(memberships::create_membership(&NewMembership {
            id,
            organization,
            holder: &MembershipHolder::User(account),
            profile: &profile,
            external_id: None,
            created_at: now,
        }));
        let roles = self.options.roles.iter().map(|role| memberships::add_role(id, *role, now));
        let event = engine
            .event(EventKind::MembershipCreated, &self.access.cause, now)
            .with_organization(organization)
            .with_subject("membership", id);
        with_audit_log_event(batch.with_statements(roles), &event, organization, "")
    }
}

fn new_credential<'a>(
    id: CredentialId,
    account: AccountId,
    password: &'a ImportedPassword,
    now: Timestamp,
) -> NewCredential<'a> {
    NewCredential {
        id,
        account,
        kind: credentials::StoredCredentialKind::Password,
        name: "",
        handle: None,
        material: password.text.as_bytes(),
        counter: 0,
        created_at: now,
        confirmed_at: Some(now),
    }
}

fn address_taken() -> Refusal {
    Refusal::because(AdministrationRefusal::ImportedEmailTaken, "accounts are not matched by e-mail address")
}

fn invalid_password_hash(reason: String) -> Refusal {
    let mut errors = ValidationErrors::default();
    errors.add("/password_hash", reason);
    Refusal::from_validation_errors(errors)
}
