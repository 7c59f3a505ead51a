//! Creation of accounts in a flow, and their memberships.

use super::apply::FlowTransitionBuilder;
use crate::access_control::organization_access::with_audit_log_event;
use crate::organizations::invitations;
use crate::organizations::invitations::AcceptingAccount;
use crate::{Error, Failure, organizations};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, ContactId, MembershipId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::Digest;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::EmailChallenge;
use sinete_store::accounts;
use sinete_store::accounts::AccountRow;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::administration::bootstrap;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};

/// Creates the account with its address and password. Without an invitation it joins the home organization.
pub(crate) async fn create_account(
    doing: &mut FlowTransitionBuilder<'_>,
    drafted: &EmailChallenge,
    is_proven: bool,
) -> Result<(), Error> {
    let (engine, now) = (doing.engine, doing.engine.now());
    let Some(account) = drafted.new_account else { return Err(Failure::Contended.into()) };
    let profile = match &drafted.name {
        Some(name) => JsonDocument::from_value(&serde_json::json!({ "name": name }))?,
        None => JsonDocument::from_value(&serde_json::json!({}))?,
    };
    let language = doing.actor.language.stored_value();
    let (contact, lookup) = (ContactId::mint(now, engine.entropy()), drafted.address.lookup_key());
    let address = NewContact {
        id: contact,
        account,
        kind: ContactKind::Email,
        address: drafted.address.as_str(),
        lookup: &lookup,
        is_primary: true,
        created_at: now,
    };
    let event = doing.account_event(EventKind::AccountCreated, account).with_subject("account", account);
    doing.extend_batch(|batch| {
        let batch = batch
            .with_statement(accounts::create_account(account, Some(language), &profile, now))
            .with_statement(contacts::add_contact(&address));
        let statements = is_proven.then(|| {
            [
                contacts::verify_contact(account, contact, now),
                contacts::delete_unverified_claims(account, ContactKind::Email, &lookup),
            ]
        });
        batch.with_statements(statements.into_iter().flatten()).with_event(&event)
    });
    if let Some(hash) = &drafted.password {
        doing.set_password(account, hash).await?;
    }
    if let Some(passkey) = &drafted.passkey {
        doing.add_passkey(account, passkey).await?;
    }
    doing.created_account = Some(AccountRow {
        id: account,
        condition: LifecycleCondition::Enabled,
        language: None,
        profile,
        epoch: 0,
        created_at: now,
        version: 1,
    });
    if doing.flow.verifies_new_address() {
        join_organization(doing, account, organizations::HOME, &["member"]).await?;
    }
    Ok(())
}

/// Accepts the invitation for the account.
pub(crate) async fn accept_invitation(
    doing: &mut FlowTransitionBuilder<'_>,
    account: AccountId,
) -> Result<(), Error> {
    let FlowPurpose::AcceptInvitation { invitation, .. } = doing.flow.purpose() else { return Ok(()) };
    let digest = Digest::from_bytes(*invitation);
    let accepting_account =
        if doing.created_account.is_some() { AcceptingAccount::New } else { AcceptingAccount::Existing };
    let (steps, event) =
        invitations::prepare_acceptance(doing.engine, &digest, account, accepting_account).await?;
    let event = event.with_origin(&doing.actor.origin);
    let organization = event.organization.ok_or(Failure::Contended)?;
    let batch = std::mem::take(&mut doing.batch).with_statements(steps);
    doing.batch = with_audit_log_event(batch, &event, organization, "")?;
    Ok(())
}

/// Makes the account an operator, with the bootstrap link.
pub(crate) async fn become_operator(
    doing: &mut FlowTransitionBuilder<'_>,
    account: AccountId,
) -> Result<(), Error> {
    let FlowPurpose::FirstOperator { link } = doing.flow.purpose() else { return Ok(()) };
    let (digest, now) = (Digest::from_bytes(*link), doing.engine.now());
    let bootstrap_link = bootstrap::find_bootstrap_link(doing.engine.store(), &digest).await?;
    if !bootstrap_link.is_some_and(|link| link.is_valid(now)) {
        return Err(invalid_link().into());
    }
    doing.extend_batch(|batch| {
        batch
            .with_statement(bootstrap::consume_bootstrap_link(&digest, now))
            .with_statement(bootstrap::end_other_bootstrap_links(&digest))
    });
    join_organization(doing, account, organizations::OPERATORS, &["owner", "operator"]).await?;
    Ok(())
}

/// The same refusal for every reason.
pub(crate) fn invalid_link() -> Refusal {
    Refusal::because(SignInRefusal::LinkInvalid, "the bootstrap link is not valid")
}

/// Makes the account a member of a built-in organization.
async fn join_organization(
    doing: &mut FlowTransitionBuilder<'_>,
    account: AccountId,
    slug: &str,
    role_names: &[&str],
) -> Result<(), Failure> {
    let (engine, now) = (doing.engine, doing.engine.now());
    organizations::ensure_built_in_organizations(engine).await?;
    let slug = slug.parse().map_err(|_| Failure::Contended)?;
    let organization_row =
        sinete_store::organizations::find_organization_by_slug(engine.store(), &slug, now).await?;
    let organization: OrganizationId = organization_row.ok_or(Failure::Contended)?.id;
    let all = roles::list_roles(engine.store(), organization).await?;
    let id = MembershipId::mint(now, engine.entropy());
    let profile = JsonDocument::from_value(&serde_json::json!({}))?;
    let membership = NewMembership {
        id,
        organization,
        holder: &MembershipHolder::User(account),
        profile: &profile,
        external_id: None,
        created_at: now,
    };
    let roles = all.iter().filter(|role| role_names.contains(&role.role.name()));
    let statements: Vec<GuardedStatement> =
        roles.map(|role| memberships::add_role(id, role.id, now)).collect();
    let event = doing
        .account_event(EventKind::MembershipCreated, account)
        .with_organization(organization)
        .with_subject("membership", id);
    let batch: WriteBatch = std::mem::take(&mut doing.batch)
        .with_statement(memberships::create_membership(&membership))
        .with_statements(statements);
    doing.batch = with_audit_log_event(batch, &event, organization, "")?;
    Ok(())
}
