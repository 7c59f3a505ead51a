//! Verified inputs of a flow, and the effects of transitions.

use super::FlowTokenTransport;
use super::account::FlowAccount;
use super::stage::{EmailChallenge, IdentityProviderRedirect, OrganizationChoice, SmsChallenge};
use crate::accounts::email_address::EmailAddress;
use crate::accounts::phone_number::PhoneNumber;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use crate::id::{AccountId, ContactId, OrganizationId};
use crate::identity_providers::identity_resolution::IdentityResolution;
use crate::oauth::authorize::pending_authorization::{ConsentRequest, PendingAuthorization};
use crate::sign_in::credentials::enrollment::{CompletedEnrollment, EnrollableFactor, PendingEnrollment};
use crate::sign_in::credentials::password::PasswordHash;
use serde_json::Value;

/// A verified input. A wrong password is not an input: it changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum VerifiedFlowInput {
    /// The user gave a proof.
    Authenticated {
        /// The account and its proof methods.
        person: FlowAccount,
        /// The proof.
        proof: AuthenticationProof,
    },
    /// The user entered an e-mail address to send a challenge to.
    EmailChallengeRequested(EmailChallenge),
    /// The user requested a code by SMS.
    SmsCodeRequested {
        /// The phone number.
        number: PhoneNumber,
        /// The account with this number, if any.
        account: Option<AccountId>,
    },
    /// The user has no account yet and wants to create one.
    SignUp,
    /// The user entered the details of a new account.
    DetailsEntered(EmailChallenge),
    /// The user requested the code again.
    ResendRequested,
    /// The user entered the correct code.
    CodeVerified {
        /// The account with this address, in its current state.
        person: Option<FlowAccount>,
    },
    /// The user opened the magic link and confirmed.
    MagicLinkVerified {
        /// The account with this address, in its current state.
        person: Option<FlowAccount>,
        /// Who opened it.
        opener: MagicLinkOpener,
    },
    /// The user starts again.
    Restart,
    /// The user chose a password.
    PasswordChosen {
        /// The password's hash.
        hash: PasswordHash,
        /// The ids of sessions and grants that stay active.
        keep: Vec<String>,
    },
    /// The engine decided the next step of the authorization request.
    NextStepDecided(Box<NextAuthorizationStep>),
    /// The user entered the user code of this request.
    UserCodeEntered(Box<PendingAuthorization>),
    /// The user chose this organization.
    OrganizationChosen(OrganizationId),
    /// The user allowed or denied the request.
    ConsentDecided(bool),
    /// The user answered, but the request has changed meanwhile.
    RequestChanged,
    /// The user chose a factor to set up, which an authorization request demands.
    FactorChosen(PendingEnrollment),
    /// The user enrolled a credential.
    CredentialEnrolled(CompletedEnrollment),
    /// The user is redirected to an identity provider.
    RedirectedToProvider(IdentityProviderRedirect),
    /// The user returned, and the provider asserts their identity.
    IdentityAsserted {
        /// The account and its proof methods.
        person: FlowAccount,
        /// The proof.
        proof: AuthenticationProof,
        /// How the asserted identity maps to an account here.
        resolution: Box<IdentityResolution>,
    },
}

/// Who confirms a magic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MagicLinkOpener {
    /// The holder of the flow token.
    FlowHolder,
    /// A holder of only the link, perhaps on another device. They take over the flow with this token
    /// transport.
    LinkHolder(FlowTokenTransport),
}

/// The next step of an authorization request.
#[derive(Clone, Debug, PartialEq)]
pub enum NextAuthorizationStep {
    /// The user must sign in.
    SignIn,
    /// The user must create an account (`prompt=create`), or sign in.
    SignUp,
    /// The signed-in user must step up.
    StepUp {
        /// The required level.
        needs: AssuranceLevel,
        /// The evidence of the session that is still valid.
        base: AuthenticationEvidence,
        /// The account.
        person: FlowAccount,
    },
    /// The signed-in user must set up one of these factors.
    Enroll {
        /// The factors that the organization accepts.
        factors: Vec<EnrollableFactor>,
        /// The account.
        person: FlowAccount,
    },
    /// The user must enter the user code of a device.
    UserCode,
    /// The user must choose an organization.
    ChooseOrganization(Vec<OrganizationChoice>),
    /// The user must be asked for consent.
    Consent {
        /// What the consent covers.
        consent_request: ConsentRequest,
        /// The consent request as shown to the user.
        prompt: Value,
    },
    /// The signed-in user cannot approve it.
    Refuse {
        /// The error for the device.
        error: String,
        /// The error description.
        description: String,
    },
    /// The request can be answered.
    Resume,
}

/// An effect to commit in the transaction of the transition.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowEffect {
    /// Send an e-mail challenge.
    SendEmailChallenge(EmailChallenge),
    /// Send a code by SMS.
    SendSmsChallenge(SmsChallenge),
    /// Send the e-mail challenge again; if that exceeds the rate limit, the earlier one stays valid.
    ResendEmailChallenge(EmailChallenge),
    /// Send the SMS code again.
    ResendSmsChallenge(SmsChallenge),
    /// Create an account.
    CreateAccount {
        /// Its details.
        details: EmailChallenge,
        /// Whether the e-mail address is verified.
        is_proven: bool,
    },
    /// Make the account a member of the inviting organization.
    AcceptInvitation {
        /// The account.
        account: AccountId,
    },
    /// Make the account an operator of the instance.
    MakeOperator {
        /// The account.
        account: AccountId,
    },
    /// Start a session.
    StartSession {
        /// The account.
        account: AccountId,
        /// The session's evidence.
        evidence: AuthenticationEvidence,
    },
    /// Raise the session's assurance and rotate its token.
    RenewSession {
        /// The session's evidence.
        evidence: AuthenticationEvidence,
    },
    /// Set the account's password.
    SetPassword {
        /// The account.
        account: AccountId,
        /// The password's hash.
        hash: PasswordHash,
    },
    /// Add a credential to the account.
    AddCredential {
        /// The account.
        account: AccountId,
        /// The pending enrollment.
        pending_enrollment: PendingEnrollment,
        /// The completed enrollment.
        completed_enrollment: CompletedEnrollment,
    },
    /// End all sessions of the account, and what outlives them.
    EndSessions {
        /// The account.
        account: AccountId,
        /// The ids of sessions and grants that stay active.
        keep: Vec<String>,
    },
    /// Replace the account's e-mail address with a verified one.
    ChangeEmail {
        /// The account.
        account: AccountId,
        /// The new address.
        address: EmailAddress,
    },
    /// Apply how an asserted identity maps to an account here.
    ResolveIdentity {
        /// The account.
        account: AccountId,
        /// The mapping.
        resolution: Box<IdentityResolution>,
    },
    /// Mark the address as verified and remove unverified claims of other accounts to it.
    VerifyContact {
        /// The account.
        account: AccountId,
        /// The contact.
        contact: ContactId,
    },
}
