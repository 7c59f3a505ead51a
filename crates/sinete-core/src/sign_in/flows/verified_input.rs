//! What can arrive at a flow once it was judged, and what must then be done.

use super::FlowTokenTransport;
use super::account::FlowAccount;
use super::stage::{EmailChallenge, IdentityProviderRedirect, OrganizationChoice, SmsChallenge};
use crate::accounts::email_address::EmailAddress;
use crate::accounts::phone_number::PhoneNumber;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use crate::id::{AccountId, ContactId, OrganizationId};
use crate::identity_providers::identity_resolution::IdentityResolution;
use crate::oauth::authorize::pending_authorization::{ConsentRequest, PendingAuthorization};
use crate::sign_in::credentials::enrollment::{CompletedEnrollment, PendingEnrollment};
use crate::sign_in::credentials::password::PasswordHash;
use serde_json::Value;

/// An answer whose facts are known. A wrong password is no answer: it moves nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum VerifiedFlowInput {
    /// Somebody proved something.
    Proved {
        /// Who, with what they could prove besides.
        person: FlowAccount,
        /// What.
        proof: AuthenticationProof,
    },
    /// Somebody named an address that something is to be sent to.
    Addressed(EmailChallenge),
    /// Somebody wants digits sent to a telephone.
    Called {
        /// Its number.
        number: PhoneNumber,
        /// Whose it is, where it is anybody's.
        account: Option<AccountId>,
    },
    /// Somebody said what their account will be.
    Drafted(EmailChallenge),
    /// They want it sent again.
    Again,
    /// What was sent came back.
    CodeRight {
        /// Whose address it is, as they are now.
        person: Option<FlowAccount>,
    },
    /// The link that was sent was followed, and its button pressed.
    LinkRight {
        /// Whose address it is, as they are now.
        person: Option<FlowAccount>,
        /// By whom.
        opener: MagicLinkOpener,
    },
    /// They begin anew.
    Restart,
    /// They chose a password, of which this is the hash.
    PasswordChosen {
        /// The hash.
        hash: PasswordHash,
        /// The ids of what goes on acting for them.
        keep: Vec<String>,
    },
    /// The authorization request goes on here.
    Directed(Box<NextAuthorizationStep>),
    /// They typed the code of a device that asks for this.
    Recognised(Box<PendingAuthorization>),
    /// They chose this organization.
    Chose(OrganizationId),
    /// They allowed or denied what they were asked.
    Consented(bool),
    /// They answered, and what they were asked is not so any more.
    Reconsidered,
    /// They set up something to sign in with.
    SetUp(CompletedEnrollment),
    /// They go to a provider of an organization.
    SentToProvider(IdentityProviderRedirect),
    /// They came back, and the provider vouches for them.
    Vouched {
        /// Who, with what they could prove besides.
        person: FlowAccount,
        /// What that proves.
        proof: AuthenticationProof,
        /// What the provider's word makes of them here.
        admission: Box<IdentityResolution>,
    },
}

/// Whoever presses the button of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MagicLinkOpener {
    /// Whoever walks through the flow: they hold its token.
    Walker,
    /// Somebody who holds the link and nothing else, on another device perhaps. The flow is theirs from then on,
    /// and its tokens are held like this.
    Reader(FlowTokenTransport),
}

/// Where an authorization request goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum NextAuthorizationStep {
    /// Somebody has to sign in.
    SignIn,
    /// Whoever is signed in has to prove more.
    StepUp {
        /// What they need.
        needs: AssuranceLevel,
        /// What was proven in their session and still counts.
        base: AuthenticationEvidence,
        /// Who they are.
        person: FlowAccount,
    },
    /// They have to type the code that a device shows.
    UserCode,
    /// They have to choose an organization.
    ChooseOrganization(Vec<OrganizationChoice>),
    /// They have to be asked.
    Consent {
        /// For what.
        agreement: ConsentRequest,
        /// The question, as people are shown it.
        question: Value,
    },
    /// Whoever is signed in cannot allow it.
    Refuse {
        /// The error that the device is told.
        error: String,
        /// What is wrong.
        description: String,
    },
    /// It can be answered.
    Resume,
}

/// What must be done in the act that moves the flow.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowEffect {
    /// Something only the reader of an address will know is sent there.
    SendProof(EmailChallenge),
    /// Digits are sent to a telephone.
    SendDigits(SmsChallenge),
    /// The same as before is sent again; where that would be too often, what was sent before still counts.
    RepeatProof(EmailChallenge),
    /// The same to a telephone.
    RepeatDigits(SmsChallenge),
    /// An account is made.
    CreateAccount {
        /// Of this.
        drafted: EmailChallenge,
        /// Whether its owner proved the address.
        is_proven: bool,
    },
    /// The account becomes a member where it was invited.
    AcceptInvitation {
        /// The account.
        account: AccountId,
    },
    /// The account runs the instance from now on.
    MakeOperator {
        /// The account.
        account: AccountId,
    },
    /// A session begins.
    StartSession {
        /// Whose.
        account: AccountId,
        /// On what.
        evidence: AuthenticationEvidence,
    },
    /// The session the flow stands in counts for more, under a new token.
    RenewSession {
        /// On what.
        evidence: AuthenticationEvidence,
    },
    /// The account has another password.
    SetPassword {
        /// The account.
        account: AccountId,
        /// The password's hash.
        hash: PasswordHash,
    },
    /// The account has one thing more to sign in with.
    AddCredential {
        /// The account.
        account: AccountId,
        /// What was being set up.
        enrolling: PendingEnrollment,
        /// What came of it.
        made: CompletedEnrollment,
    },
    /// Every session of the account ends, and so does what outlives sessions.
    EndSessions {
        /// The account.
        account: AccountId,
        /// The ids of what goes on acting for its owner.
        keep: Vec<String>,
    },
    /// The account is reached at another address, which is proven, and no longer at the old one.
    ChangeEmail {
        /// The account.
        account: AccountId,
        /// The new address.
        address: EmailAddress,
    },
    /// What a provider's word makes of somebody here.
    Admit {
        /// The account.
        account: AccountId,
        /// What.
        admission: Box<IdentityResolution>,
    },
    /// The address is proven, and whoever else claimed it loses that claim.
    VerifyContact {
        /// The account.
        account: AccountId,
        /// The address.
        contact: ContactId,
    },
}
