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
    pub(super) async fn run_user(&self, asked: &UserCommand) -> Result<ResourceOutput, CommandError> {
        let operating = InstanceAdmin::new(self.engine, &self.caller);
        let account = match asked {
            UserCommand::List => return self.list_users(&operating).await,
            UserCommand::Show { account }
            | UserCommand::Disable { account }
            | UserCommand::Enable { account } => account,
        };
        let id = self.find_user(&operating, account).await?;
        let before = management::show(self.engine, &operating, id).await?;
        let is_enabled = before.account.condition == LifecycleCondition::Enabled;
        let note = match asked {
            UserCommand::List | UserCommand::Show { .. } => None,
            UserCommand::Disable { .. } => {
                management::disable(self.engine, &operating, id).await?;
                Some(match is_enabled {
                    true => "the account is disabled: its sessions, grants and API keys no longer work",
                    false => "nothing was changed: the account was disabled already",
                })
            }
            UserCommand::Enable { .. } => {
                management::enable(self.engine, &operating, id).await?;
                Some(match is_enabled {
                    true => "nothing was changed: the account was enabled already",
                    false => "the account is enabled: its user can sign in again",
                })
            }
        };
        let shown = describe_overview(&management::show(self.engine, &operating, id).await?)?;
        Ok(match note {
            Some(note) => ResourceOutput::Changed(shown, note.to_owned()),
            None => ResourceOutput::Item(shown),
        })
    }

    async fn list_users(&self, operating: &InstanceAdmin) -> Result<ResourceOutput, CommandError> {
        let listed = management::list(self.engine, operating, AccountFilter::All, None, self.limit).await?;
        let mut rows = Vec::new();
        for account in listed.accounts {
            let known = contacts::list_account_contacts(self.engine.store(), account.id).await?;
            rows.push(describe_account(&account, &known)?);
        }
        Ok(ResourceOutput::List { columns: &["email", "name", "condition", "id"], rows })
    }

    async fn find_user(
        &self,
        operating: &InstanceAdmin,
        named: &AccountArg,
    ) -> Result<AccountId, CommandError> {
        let email = match named {
            AccountArg::Id(id) => return Ok(*id),
            AccountArg::Email(email) => email,
        };
        let found = management::list(self.engine, operating, AccountFilter::Email(email), None, 1).await?;
        let account = found.accounts.into_iter().next();
        account.map(|account| account.id).ok_or_else(|| {
            CommandError::invalid_usage(format!(
                "no account has verified {email}: give its id, which `sinete user list` shows"
            ))
        })
    }
}

fn describe_account(account: &AccountRow, known: &[ContactRow]) -> Result<Value, CommandError> {
    let condition = match account.condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "disabled",
        LifecycleCondition::Ended => "deleted",
    };
    let profile: Value = account.profile.parse()?;
    let is_email = |contact: &&ContactRow| contact.kind == contacts::ContactKind::Email;
    let primary = known.iter().filter(is_email).max_by_key(|contact| contact.is_primary);
    Ok(json!({
        "id": account.id.to_string(),
        "email": primary.map(|contact| contact.address.as_str()),
        "name": profile.get("name"),
        "condition": condition,
        "created_at": account.created_at.to_string(),
    }))
}

fn describe_overview(shown: &AccountOverview) -> Result<Value, CommandError> {
    let mut described = describe_account(&shown.account, &shown.contacts)?;
    let contacts = shown.contacts.iter().map(|contact| contact.address.clone());
    let methods = shown.sign_in_methods.iter().map(|method| match method {
        SignInMethod::Passkey => "passkey",
        SignInMethod::Password => "password",
        SignInMethod::Totp => "totp",
        SignInMethod::RecoveryCodes => "recovery_codes",
        SignInMethod::Mail => "email",
        SignInMethod::Provider => "single_sign_on",
    });
    let memberships = shown.memberships.iter().map(|(membership, _)| membership.id.to_string());
    described["contacts"] = contacts.collect();
    described["signs_in_with"] = methods.collect();
    described["memberships"] = memberships.collect();
    described["sessions"] = shown.sessions.into();
    Ok(described)
}
