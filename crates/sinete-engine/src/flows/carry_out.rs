//! Doing what follows from an answer, in the one act that moves the flow.

use super::sends::SendAttempt;
use super::{FlowActor, FlowSnapshot, IssuedSecrets, LoadedFlow, letter, make_account};
use crate::lasting_access::{self, AccessEviction};
use crate::letters::EmailKind;
use crate::logout::{self, EndedSessions};
use crate::sessions::{self, SessionRenewal, SessionStart};
use crate::{Engine, EventCause, Failure, watch};
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::flow::answer::FlowEffect;
use sinete_core::flow::credential::password::PasswordHash;
use sinete_core::flow::stage::{EmailChallenge, SmsChallenge};
use sinete_core::flow::{AuthenticationFlow, FlowTransition, stored};
use sinete_core::id::{AccountId, ContactId};
use sinete_core::people::LifecycleCondition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{DeviceCookie, Digest, Secret};
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::session::device::DeviceDescription;
use sinete_store::accounts::{self, AccountRow};
use sinete_store::contacts::ContactKind;
use sinete_store::flows::StoredFlowState;
use sinete_store::sessions::SessionRow;
use sinete_store::{JsonDocument, WriteBatch, contacts, devices, flows};

/// The act that moves the flow and does what follows, and where the flow then stands.
pub(super) async fn carry_out(
    engine: &Engine,
    found: &LoadedFlow,
    moved: FlowTransition,
    act: WriteBatch,
    walker: &FlowActor,
) -> Result<Result<(WriteBatch, FlowSnapshot), Refusal>, Failure> {
    let FlowTransition { flow, effects } = moved;
    let mut doing = FlowTransaction {
        engine,
        walker,
        flow,
        act: WriteBatch::new(),
        handed: IssuedSecrets::default(),
        made: None,
    };
    for effect in effects {
        if let Err(refusal) = doing.effect(effect).await? {
            return Ok(Err(refusal));
        }
    }
    doing.moved(found, act).map(Ok)
}

/// An act that is being put together.
pub(super) struct FlowTransaction<'a> {
    pub(super) engine: &'a Engine,
    pub(super) walker: &'a FlowActor,
    pub(super) flow: AuthenticationFlow,
    pub(super) act: WriteBatch,
    pub(super) handed: IssuedSecrets,
    /// The account that is made in this act, if one is.
    pub(super) made: Option<AccountRow>,
}

impl FlowTransaction<'_> {
    async fn effect(&mut self, effect: FlowEffect) -> Result<Result<(), Refusal>, Failure> {
        match effect {
            FlowEffect::SendProof(mailed) => self.mail(mailed, SendAttempt::First).await.map(Ok),
            FlowEffect::RepeatProof(mailed) => self.mail(mailed, SendAttempt::Again).await.map(Ok),
            FlowEffect::SendDigits(texted) => self.text(&texted, SendAttempt::First).await.map(Ok),
            FlowEffect::RepeatDigits(texted) => self.text(&texted, SendAttempt::Again).await.map(Ok),
            FlowEffect::CreateAccount { drafted, is_proven } => {
                make_account::create(self, &drafted, is_proven).await
            }
            FlowEffect::AcceptInvitation { account } => make_account::accept_invitation(self, account).await,
            FlowEffect::MakeOperator { account } => make_account::make_operator(self, account).await,
            FlowEffect::StartSession { account, evidence } => self.start_session(account, &evidence).await,
            FlowEffect::RenewSession { evidence } => self.renew_session(&evidence).await,
            FlowEffect::SetPassword { account, hash } => {
                self.set_password(account, &hash).await?;
                self.tell(account, EmailKind::PasswordChanged).await.map(Ok)
            }
            FlowEffect::AddCredential { account, enrolling, made } => {
                self.add_credential(account, &enrolling, made).await
            }
            FlowEffect::EndSessions { account, keep } => {
                let cause = self.cause(account);
                let act = std::mem::take(&mut self.act);
                let eviction =
                    AccessEviction { account, session: None, keep: &keep, because: "password_reset" };
                let (act, ended) = lasting_access::evict(self.engine, act, &eviction, &cause).await?;
                self.act = act;
                self.handed.ended(&cause, ended);
                Ok(Ok(()))
            }
            FlowEffect::Admit { account, admission } => self.admit(account, *admission).await,
            FlowEffect::ChangeEmail { account, address } => self.change_email(account, &address).await,
            FlowEffect::VerifyContact { account, contact } => self.verify_contact(account, contact).await,
        }
    }

    /// The same, to the address as its owner proved it: to their mail server another spelling could be somebody
    /// else.
    async fn as_proven(&self, mailed: EmailChallenge) -> Result<EmailChallenge, Failure> {
        let lookup = mailed.address.lookup();
        let found = contacts::find_verified(self.engine.store(), ContactKind::Email, &lookup).await?;
        let proven = found.and_then(|contact| contact.address.parse().ok());
        Ok(EmailChallenge { address: proven.unwrap_or_else(|| mailed.address.clone()), ..mailed })
    }

    async fn mail(&mut self, mailed: EmailChallenge, round: SendAttempt) -> Result<(), Failure> {
        let mailed = self.as_proven(mailed).await?;
        let steps = letter::send_proof(self.engine, &self.flow, &mailed, self.walker, round).await?;
        self.add(|act| act.with_all(steps));
        Ok(())
    }

    async fn text(&mut self, texted: &SmsChallenge, round: SendAttempt) -> Result<(), Failure> {
        let steps = letter::send_digits(self.engine, &self.flow, texted, self.walker, round).await?;
        self.add(|act| act.with_all(steps));
        Ok(())
    }

    /// Begins a session. Where the browser has one already, the same person's is renewed and another person's
    /// ends, so that nothing of either is carried over.
    async fn start_session(
        &mut self,
        account: AccountId,
        evidence: &AuthenticationEvidence,
    ) -> Result<Result<(), Refusal>, Failure> {
        let cause = self.cause(account);
        let before = self.walker.session.as_ref().map(|signed_in| signed_in.session.clone());
        let device = self.recognised();
        self.saw_device(account, &device, evidence)?;
        if let Some(session) = before.as_ref().filter(|session| session.account == account) {
            return self.renew(session, evidence, &cause).map(Ok);
        }
        let act = std::mem::take(&mut self.act);
        let act = match &before {
            Some(session) => {
                let (act, ended) = end(self.engine, act, session, &cause);
                self.handed.ended(&cause, ended);
                act
            }
            None => act,
        };
        let known = match self.made.take() {
            Some(made) => Some(made),
            None => accounts::find(self.engine.store(), account).await?,
        };
        let Some(known) = known.filter(|known| known.condition == LifecycleCondition::Enabled) else {
            return Ok(Err(super::wrong("the account cannot sign in")));
        };
        let start = SessionStart { account: &known, evidence, device: Some(device) };
        let (act, begun) = sessions::start(self.engine, act, &start, &cause).await?;
        self.act = act;
        self.flow = self.flow.clone().within(begun.id);
        self.handed.ended(&cause, begun.ended);
        self.handed.session = Some(begun.token);
        Ok(Ok(()))
    }

    async fn renew_session(
        &mut self,
        evidence: &AuthenticationEvidence,
    ) -> Result<Result<(), Refusal>, Failure> {
        let now = self.engine.now();
        let session = match self.flow.session() {
            Some(id) => sinete_store::sessions::find_by_id(self.engine.store(), id, now).await?,
            None => None,
        };
        let Some(session) = session.filter(|session| Some(session.account) == self.flow.account()) else {
            let public = "the session has ended: sign in again";
            return Ok(Err(Refusal::new(RefusalCode::Unauthenticated, public, "no session to renew")));
        };
        let cause = self.cause(session.account);
        self.renew(&session, evidence, &cause).map(Ok)
    }

    fn renew(
        &mut self,
        session: &SessionRow,
        evidence: &AuthenticationEvidence,
        cause: &EventCause,
    ) -> Result<(), Failure> {
        let renewal = SessionRenewal { session, evidence, authenticated_at: self.engine.now() };
        let act = std::mem::take(&mut self.act);
        let (act, begun) = sessions::renew(self.engine, act, &renewal, cause)?;
        self.act = act;
        self.flow = self.flow.clone().within(begun.id);
        self.handed.session = Some(begun.token);
        Ok(())
    }

    /// The account has this password and no other.
    pub(super) async fn set_password(
        &mut self,
        account: AccountId,
        hash: &PasswordHash,
    ) -> Result<(), Failure> {
        let (act, cause) = (std::mem::take(&mut self.act), self.cause(account));
        self.act = super::set_password(self.engine, act, account, hash, &cause).await?;
        Ok(())
    }

    /// Tells the owner of the account, at the address they are written to at.
    pub(super) async fn tell(&mut self, account: AccountId, about: EmailKind<'_>) -> Result<(), Failure> {
        let act = std::mem::take(&mut self.act);
        self.act = watch::tell(self.engine, act, account, about).await?;
        Ok(())
    }

    async fn verify_contact(
        &mut self,
        account: AccountId,
        contact: ContactId,
    ) -> Result<Result<(), Refusal>, Failure> {
        let known = contacts::of_account(self.engine.store(), account).await?;
        let Some(known) = known.into_iter().find(|it| it.id == contact && it.verified_at.is_none()) else {
            let public = "the address is not yours to confirm any more";
            return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "gone or verified")));
        };
        let event = self.event(EventKind::ContactVerified, account).about("account", account);
        let now = self.engine.now();
        self.add(|act| {
            act.with(contacts::verify(account, contact, now))
                .with(contacts::evict_claims(account, known.kind, &known.lookup))
                .record(&event)
        });
        self.tell(account, EmailKind::ContactAdded { address: &known.address }).await?;
        Ok(Ok(()))
    }

    /// What the device is recognised by; one that was never seen is given something.
    fn recognised(&mut self) -> Digest<DeviceCookie> {
        if let Some(known) = self.walker.device {
            return known;
        }
        let cookie = Secret::<DeviceCookie>::mint(self.engine.entropy());
        let digest = cookie.digest();
        self.handed.device = Some(cookie);
        digest
    }

    /// The account was seen on this device. Whoever only came through a provider is no owner who guesses there: whoever
    /// runs the provider could come in the same way, and have a password ended by guessing at it.
    fn saw_device(
        &mut self,
        account: AccountId,
        device: &Digest<DeviceCookie>,
        evidence: &AuthenticationEvidence,
    ) -> Result<(), Failure> {
        let description = JsonDocument::of(&DeviceDescription::of(&self.walker.origin))?;
        let now = self.engine.now();
        let step = if evidence.own() == AuthenticationEvidence::default() {
            devices::vouched_for(account, device, &description, now)
        } else {
            devices::seen(account, device, &description, now)
        };
        self.add(|act| act.with(step));
        Ok(())
    }

    /// The whole act: what is spent, then where the flow stands now, then everything that follows. Whoever proved
    /// something holds a token that nobody held before.
    fn moved(mut self, found: &LoadedFlow, spent: WriteBatch) -> Result<(WriteBatch, FlowSnapshot), Failure> {
        let (id, now) = (self.flow.id(), self.engine.now());
        let first = if self.flow.is_finished() {
            flows::finish(id, found.version, now)
        } else {
            let digest = if self.flow.evidence() == found.flow.evidence() {
                found.digest
            } else {
                let token = Secret::mint(self.engine.entropy());
                let digest = token.digest();
                self.handed.flow = Some(token);
                digest
            };
            let document = JsonDocument::of(&self.flow)?;
            let state =
                StoredFlowState { document: &document, form: stored::FORM, account: self.flow.account() };
            flows::advance(id, found.version, state, &digest, now)
        };
        let act = spent.with(first).then(self.act);
        Ok((act, FlowSnapshot { flow: self.flow, expires_at: found.expires_at, handed: self.handed }))
    }

    /// The act, with more in it.
    pub(super) fn add(&mut self, more: impl FnOnce(WriteBatch) -> WriteBatch) {
        self.act = more(std::mem::take(&mut self.act));
    }

    /// An event that the owner of this account brings about.
    pub(super) fn event(&self, kind: EventKind, account: AccountId) -> SecurityEvent {
        let actor = SecurityEventActor::Account(account);
        SecurityEvent::new(kind, actor, self.engine.now(), self.engine.entropy())
            .from_origin(&self.walker.origin)
    }

    fn cause(&self, account: AccountId) -> EventCause {
        EventCause { actor: SecurityEventActor::Account(account), origin: self.walker.origin.clone() }
    }
}

fn end(
    engine: &Engine,
    act: WriteBatch,
    session: &SessionRow,
    cause: &EventCause,
) -> (WriteBatch, EndedSessions) {
    let event =
        SecurityEvent::new(EventKind::SessionEnded, cause.actor.clone(), engine.now(), engine.entropy())
            .from_origin(&cause.origin)
            .about("session", session.id)
            .with("because", "somebody_else_signed_in");
    let ending = sinete_store::sessions::end(session.account, session.id, engine.now());
    logout::queue(engine, act.with(ending).record(&event), vec![session.id])
}
