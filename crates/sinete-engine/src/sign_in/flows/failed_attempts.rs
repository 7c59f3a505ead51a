//! Failed attempts: the security log records each with the client and the organization of the flow, and the audit log of
//! that organization contains it.
//!
//! An organization learns of attempts in flows of its own only: for one of its applications, in a request that names it,
//! or with one of its invitations. It learns whose account was meant only if that is a member of it
//! (docs/contribute/decisions/0329-audit-log-failed-sign-ins-of-an-organization.md).

use super::FlowActor;
use super::verify::NO_ACCOUNT;
use crate::access_control::organization_access;
use crate::oauth::authorize::ActiveClient;
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{SecurityEvent, SecurityEventTarget};
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::secret::{Digest, InvitationToken};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_store::WriteBatch;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::{invitations, memberships};

/// What a flow is for, as far as the record of a failed attempt needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowTarget {
    /// A request of a client.
    Client {
        /// The client.
        client: ClientId,
        /// The organization that the user chose.
        selected_organization: Option<OrganizationId>,
        /// The organization that the request names.
        requested: Option<String>,
    },
    /// An invitation, by the digest of its token.
    Invitation([u8; 32]),
}

impl FlowTarget {
    /// What the flow is for; `None` if it belongs to the account alone.
    pub(super) fn from_flow(flow: &AuthenticationFlow) -> Option<Self> {
        match flow.purpose() {
            FlowPurpose::Authorize { pending_authorization: pending, answers }
            | FlowPurpose::ApproveRequest { pending_authorization: pending, answers }
            | FlowPurpose::ConfirmDevice { pending_authorization: Some(pending), answers, .. } => {
                Some(Self::Client {
                    client: pending.client.clone(),
                    selected_organization: answers.organization,
                    requested: pending.find_parameter("organization").map(str::to_owned),
                })
            }
            FlowPurpose::AcceptInvitation { invitation, .. } => Some(Self::Invitation(*invitation)),
            _ => None,
        }
    }

    /// The organization whose audit log contains the attempt. An application of an organization belongs to it alone, so
    /// that no other organization learns what happens there.
    async fn find_organization(&self, engine: &Engine) -> Result<Option<OrganizationId>, Failure> {
        match self {
            Self::Client {
                client,
                selected_organization: chosen_organization,
                requested: organization_name,
            } => {
                let origin = ActiveClient::find(engine, client).await?;
                match (origin.map(|it| it.client.client.origin), chosen_organization, organization_name) {
                    (Some(ClientOrigin::Organization(owner)), _, _) => Ok(Some(owner)),
                    (_, Some(chosen_organization), _) => Ok(Some(*chosen_organization)),
                    (_, None, Some(organization_name)) => {
                        let organization_row =
                            organization_access::find_organization(engine, organization_name, engine.now())
                                .await?;
                        Ok(organization_row.map(|organization| organization.id))
                    }
                    (_, None, None) => Ok(None),
                }
            }
            Self::Invitation(digest) => {
                let digest = Digest::<InvitationToken>::from_bytes(*digest);
                let invitation_row = invitations::find_invitation_by_token(engine.store(), &digest).await?;
                Ok(invitation_row.map(|invitation| invitation.organization))
            }
        }
    }
}

/// Adds the event of a failed attempt to the security log, and to the audit log of the flow's organization. The queries
/// are the same whether or not the account exists.
pub(in crate::sign_in) async fn with_failed_attempt(
    engine: &Engine,
    batch: WriteBatch,
    event: SecurityEvent,
    account: Option<AccountId>,
    actor: &FlowActor,
) -> Result<WriteBatch, Failure> {
    let Some(target) = &actor.flow_target else { return Ok(batch.with_event(&event)) };
    let event = match target {
        FlowTarget::Client { client, .. } => event.with_client(client.clone()),
        FlowTarget::Invitation(_) => event,
    };
    let Some(organization) = target.find_organization(engine).await? else {
        return Ok(batch.with_event(&event));
    };
    let event = event.with_organization(organization);
    let memberships =
        memberships::list_account_memberships(engine.store(), account.unwrap_or(NO_ACCOUNT)).await?;
    let member = memberships
        .iter()
        .find(|it| it.organization == organization && it.condition == LifecycleCondition::Enabled)
        .map(|it| SecurityEventTarget { kind: "membership", id: it.id.to_string().into() });
    let visible = SecurityEvent { subject: member, ..event.clone() };
    let entry = organization_access::build_audit_entry(&visible, organization, "")?;
    Ok(batch.with_statement(entry).with_event(&event))
}
