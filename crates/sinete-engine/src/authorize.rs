//! The authorization endpoint: what a request still needs before it is granted, and the grant itself.
//!
//! A request is received once and proven ([`receive`]); from then on [`next`] says again and again, from what is
//! true at that moment, what is missing: a sign-in, a choice, a step-up, consent, or nothing. Whoever walks
//! through these steps only answers questions; [`complete`] then opens the grant and hands out its code in one
//! act.

mod aim;
mod applicant;
pub(crate) mod approval;
mod arrive;
mod complete;
pub(crate) mod device;
pub(crate) mod hint;
mod meaning;
mod question;
mod receive;
mod resume;
mod signed;
mod via;
mod walk;
mod wanted;

pub use arrive::{Seen, Visiting, arrive};
pub use complete::{Completed, Issued, Passage, complete};
pub use meaning::Meaning;
pub use question::{Applying, AskingClient, AskingDevice, ClaimLine, Line, Question};
pub use receive::{Received, receive};
pub use resume::{Resumed, resume};
pub use sinete_core::authorize::asked::{Agreement, Answers, Arrival, Asked, Decided, SignIn};
pub use sinete_core::authorize::person::Reason;
pub use walk::next;

pub use applicant::interaction_of;
pub(crate) use wanted::Audience;

pub(crate) use applicant::{Applicant, vouching};
pub(crate) use receive::HANDLE;
pub(crate) use signed::{must_not_be_plain, open};
pub(crate) use wanted::before_the_person;

use serde::Serialize;
use sinete_core::assurance::Assurance;
use sinete_core::authorize::response::{Delivery, Redirected, Wrong};
use sinete_core::authorize::unvalidated::ShownLocally;
use sinete_core::id::OrganizationId;
use sinete_core::people::settings::CredentialKind;
use std::collections::BTreeSet;

/// What happens next with a request.
#[derive(Debug)]
pub enum Next {
    /// Somebody has to sign in.
    SignIn(SignInFirst),
    /// Whoever is signed in has to prove more.
    StepUp(StepUp),
    /// They have to choose one of these organizations.
    ChooseOrganization(Vec<Choice>),
    /// They have to agree.
    Consent(Box<Question>),
    /// Nothing is missing.
    Grant(Box<complete::Granting>),
    /// The client is told why not.
    Refuse(Box<Refused>),
    /// Whoever waits elsewhere is told no, for this reason.
    Deny(Wrong),
    /// The client, or the address for the answer, is not proven any more: nobody is told but the person.
    Show(ShownLocally),
}

/// Somebody has to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInFirst {
    /// Why.
    pub reason: Reason,
    /// Whom the client expects, in its words. It proves nothing.
    pub login_hint: Option<String>,
    /// The credentials that count where the request is for; where that is not known yet, or all do, nothing.
    pub allowed: Option<BTreeSet<CredentialKind>>,
}

/// Whoever is signed in has to prove more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepUp {
    /// What must be reached.
    pub needed: Assurance,
    /// The credentials that count where the request is for; where all do, nothing.
    pub allowed: Option<BTreeSet<CredentialKind>>,
}

/// An organization to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Its id.
    pub id: OrganizationId,
    /// Its short name.
    pub slug: String,
    /// Its name, as people read it.
    pub name: String,
}

/// A request that was turned down, with the answer for its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The answer.
    pub redirected: Redirected,
    /// Whether the person is shown where it goes before it does.
    pub delivery: Delivery,
    /// What the client calls itself.
    pub client_name: String,
}
