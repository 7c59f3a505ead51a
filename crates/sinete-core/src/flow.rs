//! One pass through signing in, signing up and everything of that kind: where it stands, what it takes there,
//! and what follows.
//!
//! A flow is moved by answers that were judged already: whoever holds the facts found out whether a password, a
//! signature or some digits were right. Here it is decided what that leads to, and nothing else moves a flow. An
//! answer that is not the turn of anybody is refused and leaves the flow as it was. What a session is worth
//! follows from the proofs given in the flow, each bound to the flow, the step and the account.
//!
//! A new credential needs no new stage: it is one more [`Action`] and one more [`Proof`], and the engine learns to
//! judge it.

pub mod action;
pub mod answer;
mod at_provider;
pub mod attempts;
pub mod credential;
pub mod enrolment;
mod known;
mod mailed;
mod new_account;
pub mod person;
pub mod purpose;
mod reauthenticate;
pub mod sends;
pub mod stage;
pub mod stored;
mod texted;

#[cfg(test)]
mod tests;

use crate::assurance::{Evidence, Proof};
use crate::authorize::asked::{Decided, SignIn};
use crate::id::{AccountId, FlowId, SessionId};
use answer::{Answer, Direction, Effect};
use credential::password::PasswordHash;
use person::{Person, Way};
use purpose::{FlowKind, Purpose};
use serde::{Deserialize, Serialize};
use stage::{Ending, Stage, Texted};

/// One pass through the flow engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    id: FlowId,
    purpose: Purpose,
    stage: Stage,
    carrier: Carrier,
    person: Option<Person>,
    proofs: Vec<Given>,
    session: Option<SessionId>,
    steps: u32,
    /// Whether short messages leave this instance, so that digits by telephone may be asked for.
    #[serde(default)]
    texts: bool,
    /// Whether anybody signs in at a provider of their organization here.
    #[serde(default)]
    providers: bool,
}

/// How whoever walks through a flow holds its token, and afterwards the session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// A browser, in cookies.
    Cookie,
    /// A program, which is told the tokens.
    Token,
}

/// A proof that was given in this flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Given {
    proof: Proof,
    account: AccountId,
    step: u32,
}

/// The answer is nobody's turn: the flow stands elsewhere, is about somebody else, or has it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not the turn of that answer")]
pub struct OutOfTurn;

/// Where an answer led, and what must be done in the same act.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The flow, one step further.
    pub flow: Flow,
    /// What must be done, in this order.
    pub effects: Vec<Effect>,
}

impl Flow {
    /// A flow at its beginning, in the session of whoever starts it, where they have one.
    pub fn begin(
        id: FlowId,
        purpose: Purpose,
        carrier: Carrier,
        within: Option<(SessionId, Person)>,
    ) -> Self {
        let stage = purpose.first_stage();
        let (session, person) =
            within.map_or((None, None), |(session, person)| (Some(session), Some(person)));
        // Whoever is about to say who they are has not said it yet.
        let person = person.filter(|_| purpose.is_about_whoever_is_signed_in());
        Self {
            id,
            purpose,
            stage,
            carrier,
            person,
            proofs: Vec::new(),
            session,
            steps: 0,
            texts: false,
            providers: false,
        }
    }

    /// The same in an instance whose short messages leave, or do not.
    #[must_use]
    pub const fn texting(mut self, texts: bool) -> Self {
        self.texts = texts;
        self
    }

    /// The same in an instance where some sign in at providers of their organizations, or nobody does.
    #[must_use]
    pub const fn providing(mut self, providers: bool) -> Self {
        self.providers = providers;
        self
    }

    /// A flow for the account that an invitation is meant for: they sign in before they accept it.
    #[must_use]
    pub fn meant_for(mut self, person: Person) -> Self {
        self.person = Some(person);
        self.stage = Stage::SignIn;
        self
    }

    /// Moves the flow, or refuses the answer and changes nothing.
    pub fn step(mut self, answer: Answer) -> Result<Moved, OutOfTurn> {
        self.steps = self.steps.saturating_add(1);
        match (self.stage.clone(), answer) {
            (
                Stage::SignIn | Stage::SecondFactor | Stage::Reauthenticate { .. },
                Answer::Proved { person, proof },
            ) => {
                let is_offered = Way::of(&proof).is_some_and(|way| self.ways().contains(&way));
                if is_offered { self.prove(person, proof) } else { Err(OutOfTurn) }
            }
            (Stage::SignIn, Answer::Addressed(mailed)) if self.may_mail(&mailed) => self.mail(mailed),
            (Stage::Address, Answer::Addressed(mailed)) => self.mail(mailed),
            (Stage::Details, Answer::Drafted(mailed)) => self.draft(mailed),
            (Stage::MailedProof(mailed), Answer::Again) => Ok(self.moved([Effect::RepeatProof(mailed)])),
            (Stage::MailedProof(mailed), Answer::CodeRight { person }) => {
                self.mail_proven(mailed, person, Proof::EmailCode)
            }
            (Stage::MailedProof(mailed), Answer::LinkRight { person, opener }) => {
                self.link_followed(mailed, person, opener)
            }
            (
                from @ (Stage::SignIn | Stage::SecondFactor | Stage::Reauthenticate { .. }),
                Answer::Called { number, account },
            ) => self.call(from, number, account),
            (Stage::TextedProof(texted), Answer::Again) => Ok(self.moved([Effect::RepeatDigits(texted)])),
            (Stage::TextedProof(texted), Answer::CodeRight { person }) => self.text_proven(texted, person),
            (Stage::TextedProof(Texted { from: Some(from), .. }), Answer::Restart) => {
                self.stage = *from;
                Ok(self.moved([]))
            }
            (Stage::MailedProof(_) | Stage::SecondFactor, Answer::Restart) if self.may_restart() => {
                Ok(self.restart_sign_in())
            }
            (Stage::NewPassword, Answer::PasswordChosen { hash, keep }) => self.password_chosen(hash, keep),
            (Stage::Deciding, Answer::Directed(direction)) => self.directed(*direction),
            (Stage::ChooseOrganization { choices }, Answer::Chose(organization)) => {
                let Some(answers) = self.purpose.answers_mut() else { return Err(OutOfTurn) };
                if !choices.iter().any(|choice| choice.organization == organization) {
                    return Err(OutOfTurn);
                }
                (answers.organization, self.stage) = (Some(organization), Stage::Deciding);
                Ok(self.moved([]))
            }
            (Stage::UserCode, Answer::Recognised(recognised)) => {
                let Purpose::ConfirmDevice { asked, .. } = &mut self.purpose else { return Err(OutOfTurn) };
                (*asked, self.stage) = (Some(recognised), Stage::Deciding);
                Ok(self.moved([]))
            }
            (Stage::Consent { .. }, Answer::Consented(agreed)) if self.kind().is_answered_elsewhere() => {
                Ok(self.answered_elsewhere(agreed))
            }
            (Stage::UserCode | Stage::Consent { .. }, Answer::Reconsidered) => {
                self.stage = Stage::Deciding;
                Ok(self.moved([]))
            }
            (Stage::Consent { agreement, .. }, Answer::Consented(agreed)) => {
                let Purpose::Authorize { answers, .. } = &mut self.purpose else { return Err(OutOfTurn) };
                // What is agreed to is what was asked, whatever the answer brought along.
                answers.consent = Some(if agreed { Decided::Agreed(*agreement) } else { Decided::Denied });
                self.stage = Stage::Deciding;
                Ok(self.moved([]))
            }
            (Stage::Enroll(enrolling), Answer::SetUp(made)) => self.set_up(enrolling, made),
            (stage @ Stage::AtProvider(_), answer) | (stage, answer @ Answer::SentToProvider(_)) => {
                self.there_and_back(stage, answer)
            }
            _ => Err(OutOfTurn),
        }
    }

    /// One proof more, of the person the flow is about.
    fn prove(mut self, person: Person, proof: Proof) -> Result<Moved, OutOfTurn> {
        if self.person.as_ref().is_some_and(|known| known.account != person.account) {
            return Err(OutOfTurn);
        }
        self.proofs.push(Given { proof, account: person.account, step: self.steps });
        let (account, evidence) = (person.account, self.evidence());
        let is_enough = person.is_let_in_by(&evidence);
        self.person = Some(person);
        if let Stage::Reauthenticate { needs, base } = self.stage.clone() {
            return Ok(self.prove_again(needs, &base));
        }
        if !is_enough {
            self.stage = Stage::SecondFactor;
            return Ok(self.moved([]));
        }
        self.signed_in(account, evidence)
    }

    /// What they said is done in the same act: nobody comes back for it.
    fn answered_elsewhere(mut self, agreed: bool) -> Moved {
        self.stage = Stage::Finished(match (self.kind(), agreed) {
            (FlowKind::ApproveRequest, true) => Ending::RequestApproved,
            (FlowKind::ApproveRequest, false) => Ending::RequestDenied,
            (_, true) => Ending::DeviceAllowed,
            (_, false) => Ending::DeviceDenied,
        });
        self.moved([])
    }

    /// Everything that was needed has been proven.
    fn signed_in(mut self, account: AccountId, evidence: Evidence) -> Result<Moved, OutOfTurn> {
        let start = Effect::StartSession { account, evidence };
        match &mut self.purpose {
            Purpose::Authorize { answers, .. }
            | Purpose::ConfirmDevice { answers, .. }
            | Purpose::ApproveRequest { answers, .. } => {
                answers.sign_in = SignIn::Because;
                self.stage = Stage::Deciding;
                Ok(self.moved([start]))
            }
            Purpose::SignIn => {
                self.stage = Stage::Finished(Ending::SignedIn);
                Ok(self.moved([start]))
            }
            Purpose::AcceptInvitation { .. } => {
                self.stage = Stage::Finished(Ending::SignedIn);
                Ok(self.moved([Effect::AcceptInvitation { account }, start]))
            }
            Purpose::SignUp
            | Purpose::StepUp { .. }
            | Purpose::VerifyEmail { .. }
            | Purpose::ChangeEmail { .. }
            | Purpose::VerifyPhone { .. }
            | Purpose::ResetPassword
            | Purpose::Enroll { .. }
            | Purpose::LinkIdentity { .. }
            | Purpose::FirstOperator { .. } => Err(OutOfTurn),
        }
    }

    /// A password for the account whose address was proven in this flow. No session comes of it: whoever reads
    /// somebody's mail still lacks their second factor.
    fn password_chosen(mut self, hash: PasswordHash, keep: Vec<String>) -> Result<Moved, OutOfTurn> {
        let proven = self.proofs.iter().find(|given| given.proof.is_mailed());
        let (Purpose::ResetPassword, Some(given)) = (&self.purpose, proven) else { return Err(OutOfTurn) };
        let account = given.account;
        self.stage = Stage::Finished(Ending::PasswordSet);
        Ok(self.moved([Effect::SetPassword { account, hash }, Effect::EndSessions { account, keep }]))
    }

    /// Where an authorization request goes on.
    fn directed(mut self, direction: Direction) -> Result<Moved, OutOfTurn> {
        let (is_device, is_elsewhere) = match self.purpose {
            Purpose::Authorize { .. } => (false, false),
            Purpose::ConfirmDevice { .. } => (true, true),
            Purpose::ApproveRequest { .. } => (false, true),
            _ => return Err(OutOfTurn),
        };
        self.stage = match direction {
            Direction::SignIn => {
                self.person = None;
                self.proofs.clear();
                Stage::SignIn
            }
            Direction::StepUp { needs, base, person } => {
                self.person = Some(person);
                self.proofs.clear();
                Stage::Reauthenticate { needs, base }
            }
            Direction::UserCode if is_device => Stage::UserCode,
            Direction::ChooseOrganization(choices) => Stage::ChooseOrganization { choices },
            Direction::Consent { agreement, question } => {
                Stage::Consent { agreement: Box::new(agreement), question }
            }
            Direction::Refuse { error, description } if is_elsewhere => Stage::Refused { error, description },
            Direction::Resume if !is_elsewhere => Stage::Resume,
            Direction::UserCode | Direction::Refuse { .. } | Direction::Resume => return Err(OutOfTurn),
        };
        Ok(self.moved([]))
    }

    fn moved(self, effects: impl IntoIterator<Item = Effect>) -> Moved {
        Moved { flow: self, effects: effects.into_iter().collect() }
    }

    /// What was proven in this flow.
    pub fn evidence(&self) -> Evidence {
        self.proofs.iter().fold(Evidence::default(), |evidence, given| evidence.and(given.proof))
    }

    /// The ways in which something can be proven at this stage. Before anybody has proven anything they are the
    /// same for everybody.
    pub fn ways(&self) -> Vec<Way> {
        let given = |way: &Way| self.proofs.iter().any(|given| Way::of(&given.proof) == Some(*way));
        match &self.stage {
            Stage::SignIn => Way::FIRST.to_vec(),
            Stage::SecondFactor => {
                let second = self.person.iter().flat_map(Person::second_ways);
                second.filter(|way| !given(way)).collect()
            }
            Stage::Reauthenticate { needs, .. } => {
                self.ways_again(*needs).into_iter().filter(|way| !given(way)).collect()
            }
            Stage::Details
            | Stage::Address
            | Stage::MailedProof(_)
            | Stage::TextedProof(_)
            | Stage::AtProvider(_)
            | Stage::NewPassword
            | Stage::Deciding
            | Stage::UserCode
            | Stage::ChooseOrganization { .. }
            | Stage::Consent { .. }
            | Stage::Enroll(_)
            | Stage::Resume
            | Stage::Refused { .. }
            | Stage::Finished(_) => Vec::new(),
        }
    }
}
