//! The stages of a flow.

use crate::accounts::email_address::EmailAddress;
use crate::accounts::phone_number::PhoneNumber;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::{AccountId, ConnectionId, OrganizationId};
use crate::oauth::authorize::pending_authorization::ConsentRequest;
use crate::sign_in::credentials::enrollment::{EnrollableFactor, PendingEnrollment, RegisteredPasskey};
use crate::sign_in::credentials::password::PasswordHash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The stage of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowStage {
    /// The user must identify themselves and authenticate.
    SignIn,
    /// The user must give a second factor.
    SecondFactor,
    /// The signed-in user must reauthenticate or step up.
    Reauthenticate {
        /// The required level.
        needs: AssuranceLevel,
        /// The evidence of the session that is still valid.
        base: AuthenticationEvidence,
    },
    /// The user must enter the details of a new account.
    Details,
    /// The user must enter their e-mail address.
    Address,
    /// The user must enter the code sent by e-mail.
    MailedProof(EmailChallenge),
    /// The user must enter the code sent by SMS.
    TextedProof(SmsChallenge),
    /// The user must sign in at an identity provider and return.
    AtProvider(IdentityProviderRedirect),
    /// The user must choose a new password.
    NewPassword,
    /// The next step of the authorization request is not decided yet.
    Deciding,
    /// The user must enter the user code of a device.
    UserCode,
    /// The user must choose an organization.
    ChooseOrganization {
        /// The available organizations.
        choices: Vec<OrganizationChoice>,
    },
    /// The user must allow or deny the request.
    Consent {
        /// What the decision covers.
        agreement: Box<ConsentRequest>,
        /// The consent request as shown to the user.
        question: Value,
    },
    /// The signed-in user has no second factor that the request demands and must choose one to set up.
    ChooseFactor {
        /// The factors that the organization accepts.
        factors: Vec<EnrollableFactor>,
    },
    /// The signed-in user must enroll a credential.
    Enroll(PendingEnrollment),
    /// The authorization request can be answered.
    Resume,
    /// Ended: the signed-in user cannot approve the request.
    Refused {
        /// The error for the device.
        error: String,
        /// The error description.
        description: String,
    },
    /// Ended.
    Finished(FlowOutcome),
}

/// The outcome of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowOutcome {
    /// A session was started.
    SignedIn,
    /// The password was set; no user is signed in.
    PasswordSet,
    /// An e-mail address was verified.
    EmailVerified,
    /// A credential was enrolled.
    Enrolled,
    /// A phone number was verified.
    PhoneVerified,
    /// The e-mail address was changed.
    EmailChanged,
    /// The device was approved.
    DeviceAllowed,
    /// The device was denied.
    DeviceDenied,
    /// The CIBA request was approved.
    RequestApproved,
    /// The CIBA request was denied.
    RequestDenied,
    /// The account was linked to an identity provider.
    IdentityLinked,
}

/// A redirect to an identity provider.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct IdentityProviderRedirect {
    /// The connection to it.
    pub connection: ConnectionId,
    /// The stage before the redirect; `None` if the flow started with it.
    pub from: Option<Box<FlowStage>>,
    /// The login hint for the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The URL where a program with the flow token expects the return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_to: Option<String>,
}

impl std::fmt::Debug for IdentityProviderRedirect {
    /// Omits the hint and URL.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "AtProvider({:?})", self.connection)
    }
}

/// An e-mail challenge and what it leads to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailChallenge {
    /// The address as entered.
    pub address: EmailAddress,
    /// The account with this address, if any.
    pub account: Option<AccountId>,
    /// The id of the account to create, if any.
    pub new_account: Option<AccountId>,
    /// The password hash of the new account.
    pub password: Option<PasswordHash>,
    /// The passkey of the new account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<RegisteredPasskey>,
    /// The name of the new account's owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl EmailChallenge {
    /// Whether its proof creates an account. If the address belongs to an account by then, it creates none.
    pub const fn creates_account(&self) -> bool {
        self.new_account.is_some()
    }
}

impl std::fmt::Debug for EmailChallenge {
    /// Omits the address.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Mailed(for {:?}, making {:?})", self.account, self.new_account)
    }
}

/// An SMS challenge and where it leads back to.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SmsChallenge {
    /// The phone number.
    pub number: PhoneNumber,
    /// The account with this number, if any.
    pub account: Option<AccountId>,
    /// The stage before the challenge; `None` if the flow started with it.
    pub from: Option<Box<FlowStage>>,
}

impl std::fmt::Debug for SmsChallenge {
    /// Omits the number.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Texted(for {:?})", self.account)
    }
}

/// An organization that the user may choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationChoice {
    /// The organization.
    pub organization: OrganizationId,
    /// Its slug.
    pub slug: String,
    /// Its name.
    pub name: String,
}

impl FlowStage {
    /// The name in our API.
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
            Self::ChooseFactor { .. } => "choose_factor",
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
