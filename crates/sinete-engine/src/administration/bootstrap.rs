//! The one-time link that makes an operator where there is none who could invite one. Only whoever holds the
//! command line is given it, or sees a development instance start for the first time.

use crate::access_control::caller;
use crate::access_control::instance_admin::InstanceAdmin;
use crate::organizations::invitations::ACCEPT_PATH;
use crate::{Engine, Failure, InstanceMode, organizations};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::limits::BOOTSTRAP_LIFETIME;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{BootstrapToken, Secret};
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;
use sinete_store::administration::bootstrap;
use sinete_store::organizations::{memberships, roles};

/// A link, shown this once.
pub struct FirstOperatorLink {
    /// Where it leads, where people are led anywhere.
    pub address: Option<String>,
    /// What makes the operator, whoever walks through the flow.
    pub token: String,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// A link for whoever starts a development instance that nobody runs yet; none as soon as somebody does, and none
/// in production, where it takes the command line.
pub async fn create_development_link(engine: &Engine) -> Result<Option<FirstOperatorLink>, Failure> {
    if engine.settings().mode == InstanceMode::Production || has_operator(engine).await? {
        return Ok(None);
    }
    let caller = caller::load_command_line_caller(engine).await?;
    Ok(invite_operator(engine, &InstanceAdmin::new(engine, &caller)).await?.ok())
}

/// Whether somebody who can sign in runs the instance.
pub async fn has_operator(engine: &Engine) -> Result<bool, Failure> {
    let slug = organizations::OPERATORS.parse().map_err(|_| Failure::Contended)?;
    let now = engine.now();
    let Some(house) =
        sinete_store::organizations::find_organization_by_slug(engine.store(), &slug, now).await?
    else {
        return Ok(false);
    };
    let all = roles::list_roles(engine.store(), house.id).await?;
    let operator = all.iter().find(|it| it.is_built_in && it.role.name() == BuiltInRole::Operator.name());
    let Some(operator) = operator else { return Ok(false) };
    Ok(memberships::count_role_holders(engine.store(), operator.id).await? > 0)
}

/// Makes a link. It works once, for a short time, and until somebody else comes to run the instance; an earlier one is not
/// ended by it.
pub async fn invite_operator(
    engine: &Engine,
    operating: &InstanceAdmin,
) -> Result<Result<FirstOperatorLink, Refusal>, Failure> {
    if operating.cause().actor != SecurityEventActor::System {
        let public = "the credential does not allow this";
        return Ok(Err(Refusal::new(RefusalCode::InsufficientScope, public, "not the command line")));
    }
    let (token, now) = (Secret::<BootstrapToken>::mint(engine.entropy()), operating.now());
    let expires_at = now.plus(BOOTSTRAP_LIFETIME);
    let event = operating
        .event(engine, EventKind::OperatorInvited, operating.operator_organization())
        .with_detail("expires_at", expires_at.to_string());
    let act =
        WriteBatch::new().with_statement(bootstrap::issue_bootstrap_link(&token.digest(), now, expires_at));
    match engine.store().commit(operating.record(act, &event, "")?).await? {
        Ok(_) => {
            let token = token.reveal();
            let address =
                engine.settings().flows.interaction.link(engine, ACCEPT_PATH, "first_operator", &token);
            Ok(Ok(FirstOperatorLink { address, token, expires_at }))
        }
        Err(_) => Err(Failure::Contended),
    }
}
