//! `sinete user`: accounts, by a verified e-mail address or by id.

use super::ResourceSession;
use super::output::ResourceOutput;
use crate::cli::resources::{AccountArg, UserCommand};
use crate::exit::CommandError;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::AccountId;
use sinete_core::sign_in::sign_in_methods::SignInMethod;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::accounts::management;
use sinete_engine::accounts::management::{AccountFilter, AccountOverview, AccountRow, ContactRow};
use sinete_store::accounts::contacts;

impl ResourceSession<'_> {
    pub(super) async fn run_user(&self, user_command: &UserCommand) -> Result<ResourceOutput, CommandError> {
        let instance_admin = InstanceAdmin::new(self.engine, &self.caller);
        let account = match user_command {
            UserCommand::List => return self.list_users(&instance_admin).await,
            UserCommand::Show { account }
            | UserCommand::Disable { account }
            | UserCommand::Enable { account } => account,
        };
        let id = self.find_user(&instance_admin, account).await?;
        let before = management::show(self.engine, &instance_admin, id).await?;
        let is_enabled = before.account.condition == LifecycleCondition::Enabled;
        let note = match user_command {
            UserCommand::List | UserCommand::Show { .. } => None,
            UserCommand::Disable { .. } => {
                management::disable(self.engine, &instance_admin, id).await?;
                Some(match is_enabled {
                    true => "the account is disabled: its sessions, grants and API keys no longer work",
                    false => "nothing was changed: the account was disabled already",
                })
            }
            UserCommand::Enable { .. } => {
                management::enable(self.engine, &instance_admin, id).await?;
                Some(match is_enabled {
                    true => "nothing was changed: the account was enabled already",
                    false => "the account is enabled: its user can sign in again",
                })
            }
        };
        let overview = describe_overview(&management::show(self.engine, &instance_admin, id).await?)?;
        Ok(match note {
            Some(note) => ResourceOutput::Changed(overview, note.to_owned()),
            None => ResourceOutput::Item(overview),
        })
    }

    async fn list_users(&self, instance_admin: &InstanceAdmin) -> Result<ResourceOutput, CommandError> {
        let account_page =
            management::list(self.engine, instance_admin, AccountFilter::All, None, self.limit).await?;
        let mut rows = Vec::new();
        for account in account_page.accounts {
            let contacts = contacts::list_account_contacts(self.engine.store(), account.id).await?;
            rows.push(describe_account(&account, &contacts)?);
        }
        Ok(ResourceOutput::List { columns: &["email", "name", "condition", "id"], rows })
    }

    async fn find_user(
        &self,
        instance_admin: &InstanceAdmin,
        account_arg: &AccountArg,
    ) -> Result<AccountId, CommandError> {
        let email = match account_arg {
            AccountArg::Id(id) => return Ok(*id),
            AccountArg::Email(email) => email,
        };
        let account_page =
            management::list(self.engine, instance_admin, AccountFilter::Email(email), None, 1).await?;
        let account = account_page.accounts.into_iter().next();
        account.map(|account| account.id).ok_or_else(|| {
            CommandError::invalid_usage(format!(
                "no account has verified {email}: give its id, which `sinete user list` shows"
            ))
        })
    }
}

fn describe_account(account: &AccountRow, contacts: &[ContactRow]) -> Result<Value, CommandError> {
    let condition = match account.condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "disabled",
        LifecycleCondition::Ended => "deleted",
    };
    let profile: Value = account.profile.parse()?;
    let is_email = |contact: &&ContactRow| contact.kind == contacts::ContactKind::Email;
    let primary = contacts.iter().filter(is_email).max_by_key(|contact| contact.is_primary);
    Ok(json!({
        "id": account.id.to_string(),
        "email": primary.map(|contact| contact.address.as_str()),
        "name": profile.get("name"),
        "condition": condition,
        "created_at": account.created_at.to_string(),
    }))
}

fn describe_overview(overview: &AccountOverview) -> Result<Value, CommandError> {
    let mut described = describe_account(&overview.account, &overview.contacts)?;
    let contacts = overview.contacts.iter().map(|contact| contact.address.clone());
    let methods = overview.sign_in_methods.iter().map(|method| match method {
        SignInMethod::Passkey => "passkey",
        SignInMethod::Password => "password",
        SignInMethod::Totp => "totp",
        SignInMethod::RecoveryCodes => "recovery_codes",
        SignInMethod::Email => "email",
        SignInMethod::Provider => "single_sign_on",
    });
    let memberships = overview.memberships.iter().map(|(membership, _)| membership.id.to_string());
    described["contacts"] = contacts.collect();
    described["signs_in_with"] = methods.collect();
    described["memberships"] = memberships.collect();
    described["sessions"] = overview.sessions.into();
    Ok(described)
}
