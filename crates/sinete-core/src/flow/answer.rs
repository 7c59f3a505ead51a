//! What can arrive at a flow once it was judged, and what must then be done.

use super::Carrier;
use super::credential::enrolling::{Enrolling, SetUp};
use super::credential::password::PasswordHash;
use super::credential::single_sign_on::Admission;
use super::person::Person;
use super::stage::{AtProvider, Choice, Mailed, Texted};
use crate::assurance::{Assurance, Evidence, Proof};
use crate::authorize::asked::{Agreement, Asked};
use crate::id::{AccountId, ContactId, OrganizationId};
use crate::people::address::EmailAddress;
use crate::people::phone::PhoneNumber;
use serde_json::Value;

/// An answer whose facts are known. A wrong password is no answer: it moves nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Somebody proved something.
    Proved {
        /// Who, with what they could prove besides.
        person: Person,
        /// What.
        proof: Proof,
    },
    /// Somebody named an address that something is to be sent to.
    Addressed(Mailed),
    /// Somebody wants digits sent to a telephone.
    Called {
        /// Its number.
        number: PhoneNumber,
        /// Whose it is, where it is anybody's.
        account: Option<AccountId>,
    },
    /// Somebody said what their account will be.
    Drafted(Mailed),
    /// They want it sent again.
    Again,
    /// What was sent came back.
    CodeRight {
        /// Whose address it is, as they are now.
        person: Option<Person>,
    },
    /// The link that was sent was followed, and its button pressed.
    LinkRight {
        /// Whose address it is, as they are now.
        person: Option<Person>,
        /// By whom.
        opener: Opener,
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
    Directed(Box<Direction>),
    /// They typed the code of a device that asks for this.
    Recognised(Box<Asked>),
    /// They chose this organization.
    Chose(OrganizationId),
    /// They allowed or denied what they were asked.
    Consented(bool),
    /// They answered, and what they were asked is not so any more.
    Reconsidered,
    /// They set up something to sign in with.
    SetUp(SetUp),
    /// They go to a provider of an organization.
    SentToProvider(AtProvider),
    /// They came back, and the provider vouches for them.
    Vouched {
        /// Who, with what they could prove besides.
        person: Person,
        /// What that proves.
        proof: Proof,
        /// What the provider's word makes of them here.
        admission: Box<Admission>,
    },
}

/// Whoever presses the button of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    /// Whoever walks through the flow: they hold its token.
    Walker,
    /// Somebody who holds the link and nothing else, on another device perhaps. The flow is theirs from then on,
    /// and its tokens are held like this.
    Reader(Carrier),
}

/// Where an authorization request goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Direction {
    /// Somebody has to sign in.
    SignIn,
    /// Whoever is signed in has to prove more.
    StepUp {
        /// What they need.
        needs: Assurance,
        /// What was proven in their session and still counts.
        base: Evidence,
        /// Who they are.
        person: Person,
    },
    /// They have to type the code that a device shows.
    UserCode,
    /// They have to choose an organization.
    ChooseOrganization(Vec<Choice>),
    /// They have to be asked.
    Consent {
        /// For what.
        agreement: Agreement,
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
pub enum Effect {
    /// Something only the reader of an address will know is sent there.
    SendProof(Mailed),
    /// Digits are sent to a telephone.
    SendDigits(Texted),
    /// The same as before is sent again; where that would be too often, what was sent before still counts.
    RepeatProof(Mailed),
    /// The same to a telephone.
    RepeatDigits(Texted),
    /// An account is made.
    CreateAccount {
        /// Of this.
        drafted: Mailed,
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
        evidence: Evidence,
    },
    /// The session the flow stands in counts for more, under a new token.
    RenewSession {
        /// On what.
        evidence: Evidence,
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
        enrolling: Enrolling,
        /// What came of it.
        made: SetUp,
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
        admission: Box<Admission>,
    },
    /// The address is proven, and whoever else claimed it loses that claim.
    VerifyContact {
        /// The account.
        account: AccountId,
        /// The address.
        contact: ContactId,
    },
}
