//! The one-time link that creates an operator if none can invite one. It is given only to the command line,
//! or shown when a development instance starts for the first time.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::organizations::invitations::ACCEPT_PATH;
use crate::{Engine, Error, Failure, InstanceMode, UseCaseResult, organizations};
use sinete_core::access_control::built_in_permissions::OPERATE_INSTANCE;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::limits::BOOTSTRAP_LIFETIME;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::secret::{BootstrapToken, Secret};
use sinete_core::time::Timestamp;
use sinete_store::administration::bootstrap;
use sinete_store::organizations::{memberships, roles};
use sinete_store::{BatchOutcome, WriteBatch};

/// A bootstrap link, shown once.
pub struct FirstOperatorLink {
    /// The URL, if there are hosted screens or a custom interface.
    pub address: Option<String>,
    /// The token, for use with the flow API.
    pub token: String,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Creates a link for a development instance without operators; `None` if there is one, and in production,
/// where the command line is required.
pub async fn create_development_link(engine: &Engine) -> Result<Option<FirstOperatorLink>, Failure> {
    if engine.settings().mode == InstanceMode::Production || has_operator(engine).await? {
        return Ok(None);
    }
    let caller = organizations::load_command_line_caller(engine).await?;
    invite_operator(engine, &InstanceAdmin::new(engine, &caller)).await.unless_refused()
}

/// Whether there is an operator who can sign in.
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

/// Creates a link. It can be used once, for a short time, and only until another operator exists; earlier
/// links stay valid.
pub async fn invite_operator(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
) -> Result<FirstOperatorLink, Error> {
    if instance_admin.cause().actor != SecurityEventActor::System {
        return Err(Refusal::because(
            AccessRefusal::PermissionMissing(OPERATE_INSTANCE),
            "not the command line",
        )
        .into());
    }
    let (token, now) = (Secret::<BootstrapToken>::mint(engine.entropy()), instance_admin.now());
    let expires_at = now.plus(BOOTSTRAP_LIFETIME);
    let event = instance_admin
        .event(engine, EventKind::OperatorInvited, instance_admin.operator_organization())
        .with_detail("expires_at", expires_at.to_string());
    let batch =
        WriteBatch::new().with_statement(bootstrap::issue_bootstrap_link(&token.digest(), now, expires_at));
    match engine.store().commit(instance_admin.record(batch, &event, "")?).await? {
        BatchOutcome::Committed(_) => {
            let token = token.reveal();
            let address =
                engine.settings().flows.interaction.link(engine, ACCEPT_PATH, "first_operator", &token);
            Ok(FirstOperatorLink { address, token, expires_at })
        }
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}
