//! The purpose of a flow.

use super::stage::{EmailChallenge, FlowStage, IdentityProviderRedirect, SmsChallenge};
use crate::accounts::email_address::EmailAddress;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::ContactId;
use crate::oauth::authorize::pending_authorization::{InteractionAnswers, PendingAuthorization};
use crate::sign_in::credentials::enrollment::PendingEnrollment;
use serde::{Deserialize, Serialize};

/// The purpose of a flow and its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowPurpose {
    /// Answers an authorization request.
    Authorize {
        /// The pending request.
        #[serde(rename = "asked")]
        pending_authorization: Box<PendingAuthorization>,
        /// The user's answers so far.
        answers: InteractionAnswers,
    },
    /// Approves a device that shows a user code (RFC 8628).
    ConfirmDevice {
        /// The user code from the URL. It is shown for comparison and counts only after the user submits it.
        #[serde(rename = "offered")]
        user_code: Option<String>,
        /// The device's request, after the user code was entered.
        #[serde(rename = "asked")]
        pending_authorization: Option<Box<PendingAuthorization>>,
        /// The user's answers so far.
        answers: InteractionAnswers,
    },
    /// Approves a CIBA request.
    ApproveRequest {
        /// The pending request.
        #[serde(rename = "asked")]
        pending_authorization: Box<PendingAuthorization>,
        /// The user's answers so far.
        answers: InteractionAnswers,
    },
    /// Signs in.
    SignIn,
    /// Creates an account.
    SignUp,
    /// Reauthenticates or raises the assurance level of a session.
    StepUp {
        /// The required level.
        needs: AssuranceLevel,
        /// The evidence of the session that is still valid.
        base: AuthenticationEvidence,
    },
    /// Verifies an e-mail address of the signed-in user.
    VerifyEmail {
        /// The contact's id.
        contact: ContactId,
        /// The challenge to send.
        mailed: EmailChallenge,
    },
    /// Changes the e-mail address of the signed-in user.
    ChangeEmail {
        /// The challenge to send.
        mailed: EmailChallenge,
    },
    /// Verifies a phone number of the signed-in user.
    VerifyPhone {
        /// The contact's id.
        contact: ContactId,
        /// The challenge to send.
        texted: SmsChallenge,
    },
    /// Resets a forgotten password.
    ResetPassword,
    /// Accepts an invitation.
    AcceptInvitation {
        /// The digest of the invitation token.
        invitation: [u8; 32],
        /// The address it was sent to.
        address: EmailAddress,
    },
    /// Enrolls a credential for the signed-in user.
    Enroll {
        /// The pending enrollment.
        enrolling: PendingEnrollment,
    },
    /// Links the signed-in user's account to an organization's identity provider.
    LinkIdentity {
        /// The redirect to the identity provider.
        at: IdentityProviderRedirect,
    },
    /// Makes the user who set up the instance its first operator.
    FirstOperator {
        /// The digest of the setup link's token.
        link: [u8; 32],
    },
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal;)*) => {
        /// The kinds of flows. The names are part of our API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FlowKind {
            $($(#[$doc])* $kind,)*
        }

        impl FlowKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The API name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// Answers an authorization request.
    Authorize = "authorize";
    /// Approves a device that shows a user code.
    ConfirmDevice = "confirm_device";
    /// Approves a CIBA request.
    ApproveRequest = "approve_request";
    /// Signs in.
    SignIn = "sign_in";
    /// Creates an account.
    SignUp = "sign_up";
    /// Reauthenticates or raises the assurance level.
    StepUp = "step_up";
    /// Verifies an e-mail address.
    VerifyEmail = "verify_email";
    /// Changes the e-mail address.
    ChangeEmail = "change_email";
    /// Verifies a phone number.
    VerifyPhone = "verify_phone";
    /// Resets a forgotten password.
    ResetPassword = "reset_password";
    /// Enrolls a credential.
    Enroll = "enroll";
    /// Accepts an invitation.
    AcceptInvitation = "accept_invitation";
    /// Links the account to an identity provider.
    LinkIdentity = "link_identity";
    /// Creates the first operator.
    FirstOperator = "first_operator";
}

impl FlowKind {
    /// Whether starting the flow sends a message (`FlowPurpose::first_stage`).
    pub const fn sends_at_start(self) -> bool {
        match self {
            Self::VerifyEmail | Self::ChangeEmail | Self::VerifyPhone => true,
            Self::Authorize
            | Self::ConfirmDevice
            | Self::ApproveRequest
            | Self::SignIn
            | Self::SignUp
            | Self::StepUp
            | Self::ResetPassword
            | Self::Enroll
            | Self::AcceptInvitation
            | Self::LinkIdentity
            | Self::FirstOperator => false,
        }
    }

    /// Whether the client waits on another channel and is answered as soon as the user decides.
    pub const fn is_deferred_grant(self) -> bool {
        matches!(self, Self::ConfirmDevice | Self::ApproveRequest)
    }

    /// Whether a user without the second factor that the request demands sets one up within the flow. Confirming a
    /// device does not lead there.
    pub const fn enrolls_on_demand(self) -> bool {
        matches!(self, Self::Authorize | Self::ApproveRequest)
    }
}

impl FlowPurpose {
    /// The kind.
    pub const fn kind(&self) -> FlowKind {
        match self {
            Self::Authorize { .. } => FlowKind::Authorize,
            Self::ConfirmDevice { .. } => FlowKind::ConfirmDevice,
            Self::ApproveRequest { .. } => FlowKind::ApproveRequest,
            Self::SignIn => FlowKind::SignIn,
            Self::SignUp => FlowKind::SignUp,
            Self::StepUp { .. } => FlowKind::StepUp,
            Self::VerifyEmail { .. } => FlowKind::VerifyEmail,
            Self::ChangeEmail { .. } => FlowKind::ChangeEmail,
            Self::VerifyPhone { .. } => FlowKind::VerifyPhone,
            Self::ResetPassword => FlowKind::ResetPassword,
            Self::Enroll { .. } => FlowKind::Enroll,
            Self::AcceptInvitation { .. } => FlowKind::AcceptInvitation,
            Self::LinkIdentity { .. } => FlowKind::LinkIdentity,
            Self::FirstOperator { .. } => FlowKind::FirstOperator,
        }
    }

    /// The first stage.
    pub(crate) fn first_stage(&self) -> FlowStage {
        match self {
            Self::Authorize { .. } | Self::ConfirmDevice { .. } | Self::ApproveRequest { .. } => {
                FlowStage::Deciding
            }
            Self::SignIn => FlowStage::SignIn,
            Self::SignUp | Self::AcceptInvitation { .. } | Self::FirstOperator { .. } => FlowStage::Details,
            Self::StepUp { needs, base } => FlowStage::Reauthenticate { needs: *needs, base: base.clone() },
            Self::VerifyEmail { mailed: challenge, .. } | Self::ChangeEmail { mailed: challenge } => {
                FlowStage::MailedProof(challenge.clone())
            }
            Self::VerifyPhone { texted: challenge, .. } => FlowStage::TextedProof(challenge.clone()),
            Self::ResetPassword => FlowStage::Address,
            Self::Enroll { enrolling: pending_enrollment } => FlowStage::Enroll(pending_enrollment.clone()),
            Self::LinkIdentity { at } => FlowStage::AtProvider(at.clone()),
        }
    }

    /// The answers to the flow's authorization request, if it has one.
    pub(crate) const fn answers_mut(&mut self) -> Option<&mut InteractionAnswers> {
        match self {
            Self::Authorize { answers, .. }
            | Self::ConfirmDevice { answers, .. }
            | Self::ApproveRequest { answers, .. } => Some(answers),
            Self::SignIn
            | Self::SignUp
            | Self::StepUp { .. }
            | Self::VerifyEmail { .. }
            | Self::ChangeEmail { .. }
            | Self::VerifyPhone { .. }
            | Self::ResetPassword
            | Self::Enroll { .. }
            | Self::LinkIdentity { .. }
            | Self::AcceptInvitation { .. }
            | Self::FirstOperator { .. } => None,
        }
    }

    /// The user code from the URL, for comparison.
    pub fn offered_user_code(&self) -> Option<&str> {
        match self {
            Self::ConfirmDevice { user_code, .. } => user_code.as_deref(),
            _ => None,
        }
    }

    /// The flow's authorization request, once known.
    pub fn pending_authorization(&self) -> Option<&PendingAuthorization> {
        match self {
            Self::Authorize { pending_authorization: pending, .. }
            | Self::ApproveRequest { pending_authorization: pending, .. } => Some(pending),
            Self::ConfirmDevice { pending_authorization: pending, .. } => pending.as_deref(),
            Self::SignIn
            | Self::SignUp
            | Self::StepUp { .. }
            | Self::VerifyEmail { .. }
            | Self::ChangeEmail { .. }
            | Self::VerifyPhone { .. }
            | Self::ResetPassword
            | Self::Enroll { .. }
            | Self::LinkIdentity { .. }
            | Self::AcceptInvitation { .. }
            | Self::FirstOperator { .. } => None,
        }
    }

    /// Whether it concerns the account of the session it is started in.
    pub(crate) const fn requires_session(&self) -> bool {
        match self {
            Self::StepUp { .. }
            | Self::VerifyEmail { .. }
            | Self::ChangeEmail { .. }
            | Self::VerifyPhone { .. }
            | Self::Enroll { .. }
            | Self::LinkIdentity { .. } => true,
            Self::Authorize { .. }
            | Self::ConfirmDevice { .. }
            | Self::ApproveRequest { .. }
            | Self::SignIn
            | Self::SignUp
            | Self::ResetPassword
            | Self::AcceptInvitation { .. }
            | Self::FirstOperator { .. } => false,
        }
    }
}
