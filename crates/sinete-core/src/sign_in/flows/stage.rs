//! Where a flow can stand.

use crate::accounts::email_address::EmailAddress;
use crate::accounts::phone_number::PhoneNumber;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::{AccountId, ConnectionId, OrganizationId};
use crate::oauth::authorize::pending_authorization::ConsentRequest;
use crate::sign_in::credentials::enrollment::{PendingEnrollment, RegisteredPasskey};
use crate::sign_in::credentials::password::PasswordHash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a flow stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowStage {
    /// Somebody is to say who they are, and to prove it.
    SignIn,
    /// They are to prove one thing more.
    SecondFactor,
    /// Whoever is signed in is to prove it again, or to prove more.
    Reauthenticate {
        /// What they need.
        needs: AssuranceLevel,
        /// What was proven in their session and still counts.
        base: AuthenticationEvidence,
    },
    /// Somebody is to say what their account will be.
    Details,
    /// Somebody is to name their address.
    Address,
    /// They are to type what was sent to it.
    MailedProof(EmailChallenge),
    /// They are to type what was sent to a telephone.
    TextedProof(SmsChallenge),
    /// They are to sign in at a provider of an organization, and to come back.
    AtProvider(IdentityProviderRedirect),
    /// They are to choose a new password.
    NewPassword,
    /// Where an authorization request goes on is not asked yet.
    Deciding,
    /// They are to type the code that a device shows.
    UserCode,
    /// Somebody is to choose the organization they speak for.
    ChooseOrganization {
        /// Those they may choose.
        choices: Vec<OrganizationChoice>,
    },
    /// Somebody is to allow or to deny.
    Consent {
        /// Exactly what.
        agreement: Box<ConsentRequest>,
        /// The question, as people are shown it.
        question: Value,
    },
    /// Whoever is signed in is to set something up to sign in with.
    Enroll(PendingEnrollment),
    /// The authorization request can be answered.
    Resume,
    /// It is over: whoever is signed in cannot allow what is asked.
    Refused {
        /// The error that the device is told.
        error: String,
        /// What is wrong.
        description: String,
    },
    /// It is over.
    Finished(FlowOutcome),
}

/// How a flow ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowOutcome {
    /// With a session.
    SignedIn,
    /// With a new password, and nobody signed in.
    PasswordSet,
    /// With an address that is proven.
    EmailVerified,
    /// With one thing more to sign in with.
    Enrolled,
    /// With a telephone number that is proven.
    PhoneVerified,
    /// With another address to be reached at.
    EmailChanged,
    /// With a device that gets what it asked for.
    DeviceAllowed,
    /// With a device that gets nothing.
    DeviceDenied,
    /// With a client that gets what it asked approval for.
    RequestApproved,
    /// With a client that gets nothing.
    RequestDenied,
    /// With a provider that knows whose account this is.
    IdentityLinked,
}

/// Somebody is at a provider.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct IdentityProviderRedirect {
    /// How the organization is connected to it.
    pub connection: ConnectionId,
    /// Where the flow stood when they went; nowhere, where it began with that.
    pub from: Option<Box<FlowStage>>,
    /// Whom the provider may ask for first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where a program that holds the flow's token waits for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_to: Option<String>,
}

impl std::fmt::Debug for IdentityProviderRedirect {
    /// Without the address.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "AtProvider({:?})", self.connection)
    }
}

/// What was sent to an address, and what it leads to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailChallenge {
    /// The address, as it was named.
    pub address: EmailAddress,
    /// Whose address it is, where it is anybody's.
    pub account: Option<AccountId>,
    /// The account that will be made for it, where one will.
    pub new_account: Option<AccountId>,
    /// The hash of the password that account will have.
    pub password: Option<PasswordHash>,
    /// The passkey that account will have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<RegisteredPasskey>,
    /// What the owner of that account is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl std::fmt::Debug for EmailChallenge {
    /// Without the address.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Mailed(for {:?}, making {:?})", self.account, self.new_account)
    }
}

/// What was sent to a telephone, and where it leads back to.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SmsChallenge {
    /// The number.
    pub number: PhoneNumber,
    /// Whose number it is, where it is anybody's.
    pub account: Option<AccountId>,
    /// Where the flow stood when the digits were asked for; nowhere, where it began with them.
    pub from: Option<Box<FlowStage>>,
}

impl std::fmt::Debug for SmsChallenge {
    /// Without the number.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Texted(for {:?})", self.account)
    }
}

/// An organization somebody may choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationChoice {
    /// The organization.
    pub organization: OrganizationId,
    /// Its short name.
    pub slug: String,
    /// Its name.
    pub name: String,
}

impl FlowStage {
    /// Its name. It is part of our interface.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::SecondFactor => "second_factor",
            Self::Reauthenticate { .. } => "reauthenticate",
            Self::Details => "details",
            Self::Address => "address",
            Self::MailedProof(_) => "mailed_proof",
            Self::TextedProof(_) => "texted_proof",
            Self::AtProvider(_) => "at_provider",
            Self::NewPassword => "new_password",
            Self::Deciding => "deciding",
            Self::UserCode => "user_code",
            Self::ChooseOrganization { .. } => "choose_organization",
            Self::Consent { .. } => "consent",
            Self::Enroll(_) => "enroll",
            Self::Resume => "resume",
            Self::Finished(FlowOutcome::SignedIn) => "signed_in",
            Self::Finished(FlowOutcome::PasswordSet) => "password_set",
            Self::Finished(FlowOutcome::EmailVerified) => "email_verified",
            Self::Finished(FlowOutcome::Enrolled) => "enrolled",
            Self::Finished(FlowOutcome::PhoneVerified) => "phone_verified",
            Self::Finished(FlowOutcome::EmailChanged) => "email_changed",
            Self::Finished(FlowOutcome::DeviceAllowed) => "device_allowed",
            Self::Finished(FlowOutcome::DeviceDenied) => "device_denied",
            Self::Finished(FlowOutcome::RequestApproved) => "request_approved",
            Self::Finished(FlowOutcome::RequestDenied) => "request_denied",
            Self::Refused { .. } => "refused",
            Self::Finished(FlowOutcome::IdentityLinked) => "identity_linked",
        }
    }
}
