//! What a flow is for.

use super::stage::{EmailChallenge, FlowStage, IdentityProviderRedirect, SmsChallenge};
use crate::accounts::email_address::EmailAddress;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::ContactId;
use crate::oauth::authorize::pending_authorization::{InteractionAnswers, PendingAuthorization};
use crate::sign_in::credentials::enrollment::PendingEnrollment;
use serde::{Deserialize, Serialize};

/// What a flow is for, with what belongs to that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowPurpose {
    /// An authorization request is answered.
    Authorize {
        /// The request, as it came.
        asked: Box<PendingAuthorization>,
        /// What was answered so far.
        answers: InteractionAnswers,
    },
    /// Somebody answers for a device that shows a code (RFC 8628).
    ConfirmDevice {
        /// The code that an address brought along. It is shown to be compared, and counts once somebody sends it.
        offered: Option<String>,
        /// What the device asks for, once its code was typed.
        asked: Option<Box<PendingAuthorization>>,
        /// What was answered so far.
        answers: InteractionAnswers,
    },
    /// Somebody answers a client that asks for their approval (OpenID CIBA).
    ApproveRequest {
        /// What is asked for.
        asked: Box<PendingAuthorization>,
        /// What was answered so far.
        answers: InteractionAnswers,
    },
    /// Somebody signs in.
    SignIn,
    /// Somebody makes an account.
    SignUp,
    /// Whoever is signed in proves more, or proves it again.
    StepUp {
        /// What they need.
        needs: AssuranceLevel,
        /// What was proven in their session and still counts.
        base: AuthenticationEvidence,
    },
    /// Whoever is signed in proves that an address is theirs.
    VerifyEmail {
        /// The address, as their account keeps it.
        contact: ContactId,
        /// Where the proof is sent.
        mailed: EmailChallenge,
    },
    /// Whoever is signed in wants to be reached at another address.
    ChangeEmail {
        /// Where the proof is sent.
        mailed: EmailChallenge,
    },
    /// Whoever is signed in proves that a telephone number is theirs.
    VerifyPhone {
        /// The number, as their account keeps it.
        contact: ContactId,
        /// Where the digits are sent.
        texted: SmsChallenge,
    },
    /// Somebody who can no longer sign in chooses a new password.
    ResetPassword,
    /// Somebody accepts an invitation.
    AcceptInvitation {
        /// Of the invitation's token.
        invitation: [u8; 32],
        /// The address it was sent to.
        address: EmailAddress,
    },
    /// Whoever is signed in sets something up to sign in with.
    Enroll {
        /// What.
        enrolling: PendingEnrollment,
    },
    /// Whoever is signed in has a provider of an organization know whose account this is.
    LinkIdentity {
        /// The provider.
        at: IdentityProviderRedirect,
    },
    /// Whoever set the instance up becomes its first operator.
    FirstOperator {
        /// Of the link's token.
        link: [u8; 32],
    },
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal;)*) => {
        /// The kinds of flow. Their names are part of our interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FlowKind {
            $($(#[$doc])* $kind,)*
        }

        impl FlowKind {
            /// Every kind there is.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// An authorization request is answered.
    Authorize = "authorize";
    /// Somebody answers for a device that shows a code.
    ConfirmDevice = "confirm_device";
    /// Somebody answers a client that asks for their approval.
    ApproveRequest = "approve_request";
    /// Somebody signs in.
    SignIn = "sign_in";
    /// Somebody makes an account.
    SignUp = "sign_up";
    /// Whoever is signed in proves more, or proves it again.
    StepUp = "step_up";
    /// Whoever is signed in proves that an address is theirs.
    VerifyEmail = "verify_email";
    /// Whoever is signed in wants to be reached at another address.
    ChangeEmail = "change_email";
    /// Whoever is signed in proves that a telephone number is theirs.
    VerifyPhone = "verify_phone";
    /// Somebody who can no longer sign in chooses a new password.
    ResetPassword = "reset_password";
    /// Whoever is signed in sets something up to sign in with.
    Enroll = "enroll";
    /// Somebody accepts an invitation.
    AcceptInvitation = "accept_invitation";
    /// Whoever is signed in has a provider of an organization know whose account this is.
    LinkIdentity = "link_identity";
    /// Whoever set the instance up becomes its first operator.
    FirstOperator = "first_operator";
}

impl FlowKind {
    /// Whether a message is sent as soon as such a flow is started ([`FlowPurpose::first_stage`]).
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

    /// Whether whoever asked waits elsewhere for the answer, which is given as soon as it is said.
    pub const fn is_deferred_grant(self) -> bool {
        matches!(self, Self::ConfirmDevice | Self::ApproveRequest)
    }
}

impl FlowPurpose {
    /// Its kind.
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

    /// Where such a flow begins.
    pub(crate) fn first_stage(&self) -> FlowStage {
        match self {
            Self::Authorize { .. } | Self::ConfirmDevice { .. } | Self::ApproveRequest { .. } => {
                FlowStage::Deciding
            }
            Self::SignIn => FlowStage::SignIn,
            Self::SignUp | Self::AcceptInvitation { .. } | Self::FirstOperator { .. } => FlowStage::Details,
            Self::StepUp { needs, base } => FlowStage::Reauthenticate { needs: *needs, base: base.clone() },
            Self::VerifyEmail { mailed, .. } | Self::ChangeEmail { mailed } => {
                FlowStage::MailedProof(mailed.clone())
            }
            Self::VerifyPhone { texted, .. } => FlowStage::TextedProof(texted.clone()),
            Self::ResetPassword => FlowStage::Address,
            Self::Enroll { enrolling } => FlowStage::Enroll(enrolling.clone()),
            Self::LinkIdentity { at } => FlowStage::AtProvider(at.clone()),
        }
    }

    /// What was answered to the request it is about, where it is about one.
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

    /// The code of a device that an address brought along, to be compared.
    pub fn offered_user_code(&self) -> Option<&str> {
        match self {
            Self::ConfirmDevice { offered, .. } => offered.as_deref(),
            _ => None,
        }
    }

    /// The request it is about, where it is about one that is known.
    pub fn pending_authorization(&self) -> Option<&PendingAuthorization> {
        match self {
            Self::Authorize { asked, .. } | Self::ApproveRequest { asked, .. } => Some(asked),
            Self::ConfirmDevice { asked, .. } => asked.as_deref(),
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
