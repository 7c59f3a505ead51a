//! The flows that can be requested.

use sinete_core::assurance::AssuranceLevel;
use sinete_core::oauth::authorize::pending_authorization::PendingAuthorization;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::purpose::FlowKind;

/// A flow to start.
#[derive(Debug)]
pub enum FlowRequest {
    /// Sign-in.
    SignIn,
    /// Sign-up.
    SignUp,
    /// Step-up: authenticating again or more strongly in a session.
    StepUp {
        /// The required level; by default the highest that the user can reach.
        needs: Option<AssuranceLevel>,
    },
    /// Verification of an e-mail address.
    VerifyEmail {
        /// The address; by default the unverified one.
        email: Option<String>,
    },
    /// Change of the e-mail address.
    ChangeEmail {
        /// The new address.
        email: String,
    },
    /// Verification of a phone number.
    VerifyPhone {
        /// The number; by default the unverified one.
        phone: Option<String>,
    },
    /// Password reset.
    ResetPassword,
    /// Enrollment of a credential.
    Enroll {
        /// The kind.
        factor: EnrollableFactor,
    },
    /// Acceptance of an invitation.
    AcceptInvitation {
        /// Its token.
        token: String,
    },
    /// Linking of an identity.
    LinkIdentity {
        /// The connection.
        connection: String,
        /// Where a program waits for the response.
        return_to: Option<String>,
    },
    /// Creation of the first operator.
    FirstOperator {
        /// The token of the bootstrap link.
        token: String,
    },
    /// Approval of a device authorization.
    ConfirmDevice {
        /// The user code from the URL, to be confirmed.
        user_code: Option<String>,
    },
    /// Approval of a CIBA request.
    ApproveRequest {
        /// The id of the request.
        request: String,
    },
    /// An authorization request; only the authorization endpoint starts such a flow.
    Authorize(Box<PendingAuthorization>),
}

impl FlowRequest {
    /// The kind of flow.
    pub const fn kind(&self) -> FlowKind {
        match self {
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
            Self::ConfirmDevice { .. } => FlowKind::ConfirmDevice,
            Self::ApproveRequest { .. } => FlowKind::ApproveRequest,
            Self::Authorize(_) => FlowKind::Authorize,
        }
    }
}
