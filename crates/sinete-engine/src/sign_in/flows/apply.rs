//! Applies the consequences of an input, in the transaction that advances the flow.

use super::{FlowActor, FlowSnapshot, IssuedSecrets, LoadedFlow, account_creation, challenge_messages};
use crate::platform::email::EmailKind;
use crate::sign_in::backchannel_logout;
use crate::sign_in::backchannel_logout::EndedSessions;
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::LongLivedAccessRevocation;
use crate::sign_in::message_rate_limit::MessageResendStatus;
use crate::sign_in::sessions;
use crate::sign_in::sessions::{SessionRenewal, SessionStart};
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, ContactId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{DeviceCookie, Digest, Secret};
use sinete_core::sign_in::credentials::password::PasswordHash;
use sinete_core::sign_in::flows::stage::{EmailChallenge, SmsChallenge};
use sinete_core::sign_in::flows::verified_input::FlowEffect;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTransition, storage_format};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_store::accounts;
use sinete_store::accounts::AccountRow;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::flows::StoredFlowState;
use sinete_store::sign_in::sessions::SessionRow;
use sinete_store::sign_in::{flows, known_devices};
use sinete_store::{JsonDocument, WriteBatch};

/// Builds the batch that advances the flow and applies the consequences, and the resulting flow.
pub(crate) async fn apply_transition(
    engine: &Engine,
    loaded_flow: &LoadedFlow,
    moved: FlowTransition,
    batch: WriteBatch,
    actor: &FlowActor,
) -> Result<(WriteBatch, FlowSnapshot), Error> {
    let FlowTransition { flow, effects } = moved;
    let mut doing = FlowTransitionBuilder {
        engine,
        actor,
        flow,
        batch: WriteBatch::new(),
        issued_secrets: IssuedSecrets::default(),
        created_account: None,
    };
    for effect in effects {
        doing.apply_effect(effect).await?;
    }
    Ok(doing.finish_transition(loaded_flow, batch)?)
}

/// A transaction in preparation.
pub(crate) struct FlowTransitionBuilder<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) actor: &'a FlowActor,
    pub(crate) flow: AuthenticationFlow,
    pub(crate) batch: WriteBatch,
    pub(crate) issued_secrets: IssuedSecrets,
    /// The account created in this transaction, if any.
    pub(crate) created_account: Option<AccountRow>,
}

impl FlowTransitionBuilder<'_> {
    async fn apply_effect(&mut self, effect: FlowEffect) -> Result<(), Error> {
        match effect {
            FlowEffect::SendEmailChallenge(challenge) => {
                Ok(self.send_email(challenge, MessageResendStatus::First).await?)
            }
            FlowEffect::ResendEmailChallenge(challenge) => {
                Ok(self.send_email(challenge, MessageResendStatus::Repeat).await?)
            }
            FlowEffect::SendSmsChallenge(challenge) => {
                Ok(self.send_sms(&challenge, MessageResendStatus::First).await?)
            }
            FlowEffect::ResendSmsChallenge(challenge) => {
                Ok(self.send_sms(&challenge, MessageResendStatus::Repeat).await?)
            }
            FlowEffect::CreateAccount { details: drafted, is_proven } => {
                account_creation::create_account(self, &drafted, is_proven).await
            }
            FlowEffect::AcceptInvitation { account } => {
                account_creation::accept_invitation(self, account).await
            }
            FlowEffect::MakeOperator { account } => account_creation::become_operator(self, account).await,
            FlowEffect::StartSession { account, evidence } => self.start_session(account, &evidence).await,
            FlowEffect::RenewSession { evidence } => self.renew_session(&evidence).await,
            FlowEffect::SetPassword { account, hash } => {
                self.set_password(account, &hash).await?;
                Ok(self.notify_owner(account, EmailKind::PasswordChanged).await?)
            }
            FlowEffect::AddCredential { account, pending_enrollment, completed_enrollment } => {
                self.add_credential(account, &pending_enrollment, completed_enrollment).await
            }
            FlowEffect::EndSessions { account, keep } => {
                let cause = self.account_cause(account);
                let batch = std::mem::take(&mut self.batch);
                let eviction = LongLivedAccessRevocation {
                    account,
                    session: None,
                    keep: &keep,
                    reason: "password_reset",
                };
                let (batch, ended) =
                    long_lived_access::revoke_long_lived_access(self.engine, batch, &eviction, &cause)
                        .await?;
                self.batch = batch;
                self.issued_secrets.add_ended_sessions(&cause, ended);
                Ok(())
            }
            FlowEffect::ResolveIdentity { account, resolution: admission } => {
                self.apply_admission(account, *admission).await
            }
            FlowEffect::ChangeEmail { account, address } => self.change_email(account, &address).await,
            FlowEffect::VerifyContact { account, contact } => self.verify_contact(account, contact).await,
        }
    }

    /// Uses the spelling of the address that its owner verified: for a mail server, another spelling could be
    /// another mailbox.
    async fn with_verified_address(&self, challenge: EmailChallenge) -> Result<EmailChallenge, Failure> {
        let lookup = challenge.address.lookup_key();
        let contact_row =
            contacts::find_verified_contact(self.engine.store(), ContactKind::Email, &lookup).await?;
        let address = contact_row.and_then(|contact| contact.address.parse().ok());
        Ok(EmailChallenge { address: address.unwrap_or_else(|| challenge.address.clone()), ..challenge })
    }

    async fn send_email(
        &mut self,
        challenge: EmailChallenge,
        round: MessageResendStatus,
    ) -> Result<(), Failure> {
        let challenge = self.with_verified_address(challenge).await?;
        let steps =
            challenge_messages::send_email_challenge(self.engine, &self.flow, &challenge, self.actor, round)
                .await?;
        self.extend_batch(|batch| batch.with_statements(steps));
        Ok(())
    }

    async fn send_sms(
        &mut self,
        challenge: &SmsChallenge,
        round: MessageResendStatus,
    ) -> Result<(), Failure> {
        let steps =
            challenge_messages::send_sms_code(self.engine, &self.flow, challenge, self.actor, round).await?;
        self.extend_batch(|batch| batch.with_statements(steps));
        Ok(())
    }

    /// Starts a session. If the browser already has one, it is renewed for the same account and ended for
    /// another, so that nothing is carried over.
    async fn start_session(
        &mut self,
        account: AccountId,
        evidence: &AuthenticationEvidence,
    ) -> Result<(), Error> {
        let cause = self.account_cause(account);
        let before = self.actor.session.as_ref().map(|signed_in| signed_in.session.clone());
        let device = self.recognize_device();
        self.record_device(account, &device, evidence)?;
        if let Some(session) = before.as_ref().filter(|session| session.account == account) {
            return Ok(self.renew_existing_session(session, evidence, &cause)?);
        }
        let batch = std::mem::take(&mut self.batch);
        let batch = match &before {
            Some(session) => {
                let (batch, ended) = end_session(self.engine, batch, session, &cause);
                self.issued_secrets.add_ended_sessions(&cause, ended);
                batch
            }
            None => batch,
        };
        let account_row = match self.created_account.take() {
            Some(account) => Some(account),
            None => accounts::find_account(self.engine.store(), account).await?,
        };
        let Some(account) = account_row.filter(|account| account.condition == LifecycleCondition::Enabled)
        else {
            return Err(super::invalid_proof("the account cannot sign in").into());
        };
        let start = SessionStart { account: &account, evidence, device: Some(device) };
        let (batch, session) = sessions::start(self.engine, batch, &start, &cause).await?;
        self.batch = batch;
        self.flow = self.flow.clone().with_session(session.id);
        self.issued_secrets.add_ended_sessions(&cause, session.ended_sessions);
        self.issued_secrets.session = Some(session.token);
        Ok(())
    }

    async fn renew_session(&mut self, evidence: &AuthenticationEvidence) -> Result<(), Error> {
        let now = self.engine.now();
        let session = match self.flow.session() {
            Some(id) => {
                sinete_store::sign_in::sessions::find_session_by_id(self.engine.store(), id, now).await?
            }
            None => None,
        };
        let Some(session) = session.filter(|session| Some(session.account) == self.flow.account()) else {
            return Err(Refusal::because(AccessRefusal::SessionEnded, "no session to renew").into());
        };
        let cause = self.account_cause(session.account);
        Ok(self.renew_existing_session(&session, evidence, &cause)?)
    }

    fn renew_existing_session(
        &mut self,
        session: &SessionRow,
        evidence: &AuthenticationEvidence,
        cause: &EventCause,
    ) -> Result<(), Failure> {
        let renewal = SessionRenewal { session, evidence, authenticated_at: self.engine.now() };
        let batch = std::mem::take(&mut self.batch);
        let (batch, session) = sessions::renew(self.engine, batch, &renewal, cause)?;
        self.batch = batch;
        self.flow = self.flow.clone().with_session(session.id);
        self.issued_secrets.session = Some(session.token);
        Ok(())
    }

    /// Sets the password of the account.
    pub(crate) async fn set_password(
        &mut self,
        account: AccountId,
        hash: &PasswordHash,
    ) -> Result<(), Failure> {
        let (batch, cause) = (std::mem::take(&mut self.batch), self.account_cause(account));
        self.batch = super::set_password(self.engine, batch, account, hash, &cause).await?;
        Ok(())
    }

    /// Notifies the user at their primary address.
    pub(crate) async fn notify_owner(
        &mut self,
        account: AccountId,
        email_kind: EmailKind<'_>,
    ) -> Result<(), Failure> {
        let batch = std::mem::take(&mut self.batch);
        self.batch = sign_in_alerts::notify_owner(self.engine, batch, account, email_kind).await?;
        Ok(())
    }

    async fn verify_contact(&mut self, account: AccountId, contact: ContactId) -> Result<(), Error> {
        let contacts = contacts::list_account_contacts(self.engine.store(), account).await?;
        let Some(contact_row) = contacts.into_iter().find(|it| it.id == contact && it.verified_at.is_none())
        else {
            return Err(Refusal::because(SignInRefusal::EmailNotConfirmable, "gone or verified").into());
        };
        let event = self.account_event(EventKind::ContactVerified, account).with_subject("account", account);
        let now = self.engine.now();
        self.extend_batch(|batch| {
            batch
                .with_statement(contacts::verify_contact(account, contact, now))
                .with_statement(contacts::delete_unverified_claims(
                    account,
                    contact_row.kind,
                    &contact_row.lookup,
                ))
                .with_event(&event)
        });
        self.notify_owner(account, EmailKind::ContactAdded { address: &contact_row.address }).await?;
        Ok(())
    }

    /// The known-device cookie; a new device gets one.
    fn recognize_device(&mut self) -> Digest<DeviceCookie> {
        if let Some(digest) = self.actor.device {
            return digest;
        }
        let cookie = Secret::<DeviceCookie>::mint(self.engine.entropy());
        let digest = cookie.digest();
        self.issued_secrets.device = Some(cookie);
        digest
    }

    /// Records the device as known to the account. A sign-in by identity provider alone does not count: the
    /// provider's administrator could sign in the same way and get the password disabled by guessing.
    fn record_device(
        &mut self,
        account: AccountId,
        device: &Digest<DeviceCookie>,
        evidence: &AuthenticationEvidence,
    ) -> Result<(), Failure> {
        let description = JsonDocument::from_value(&DeviceDescription::from_origin(&self.actor.origin))?;
        let now = self.engine.now();
        let step = if evidence.exclude_identity_providers() == AuthenticationEvidence::default() {
            known_devices::record_provider_device(account, device, &description, now)
        } else {
            known_devices::record_device(account, device, &description, now)
        };
        self.extend_batch(|batch| batch.with_statement(step));
        Ok(())
    }

    /// Completes the batch: used proofs first, then the advanced flow, then all consequences. After a
    /// successful proof, the flow gets a new token.
    fn finish_transition(
        mut self,
        loaded_flow: &LoadedFlow,
        spent: WriteBatch,
    ) -> Result<(WriteBatch, FlowSnapshot), Failure> {
        let (id, now) = (self.flow.id(), self.engine.now());
        let mut digest = loaded_flow.digest;
        let first = if self.flow.is_finished() {
            flows::finish_flow(id, loaded_flow.version, now)
        } else {
            if self.flow.evidence() != loaded_flow.flow.evidence() {
                let token = Secret::mint(self.engine.entropy());
                digest = token.digest();
                self.issued_secrets.flow = Some(token);
            }
            let document = JsonDocument::from_value(&self.flow)?;
            let state = StoredFlowState {
                document: &document,
                form: storage_format::FORMAT_VERSION,
                account: self.flow.account(),
            };
            flows::advance_flow(id, loaded_flow.version, state, &digest, now)
        };
        let batch = spent.with_statement(first).append(self.batch);
        Ok((
            batch,
            FlowSnapshot {
                flow: self.flow,
                expires_at: loaded_flow.expires_at,
                issued_secrets: self.issued_secrets,
                digest,
                version: loaded_flow.version + 1,
            },
        ))
    }

    /// Extends the batch.
    pub(crate) fn extend_batch(&mut self, extend: impl FnOnce(WriteBatch) -> WriteBatch) {
        self.batch = extend(std::mem::take(&mut self.batch));
    }

    /// Creates an event caused by the owner of this account.
    pub(crate) fn account_event(&self, kind: EventKind, account: AccountId) -> SecurityEvent {
        let actor = SecurityEventActor::Account(account);
        SecurityEvent::new(kind, actor, self.engine.now(), self.engine.entropy())
            .with_origin(&self.actor.origin)
    }

    fn account_cause(&self, account: AccountId) -> EventCause {
        EventCause { actor: SecurityEventActor::Account(account), origin: self.actor.origin.clone() }
    }
}

fn end_session(
    engine: &Engine,
    batch: WriteBatch,
    session: &SessionRow,
    cause: &EventCause,
) -> (WriteBatch, EndedSessions) {
    let event =
        SecurityEvent::new(EventKind::SessionEnded, cause.actor.clone(), engine.now(), engine.entropy())
            .with_origin(&cause.origin)
            .with_subject("session", session.id)
            .with_detail("because", "somebody_else_signed_in");
    let ending = sinete_store::sign_in::sessions::end_session(session.account, session.id, engine.now());
    backchannel_logout::enqueue_backchannel_logout(
        engine,
        batch.with_statement(ending).with_event(&event),
        vec![session.id],
    )
}
