//! Setting up something to sign in with: begun by whoever just proved who they are, and kept once it was shown to work.

use super::attempts::{self, factor};
use super::carry_out::FlowTransaction;
use super::{FlowActor, VerifiedInput};
use crate::account::AccountHolder;
use crate::letters::{self, EmailKind};
use crate::{Engine, EventCause, Failure};
use sinete_core::fault::ValidationErrors;
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::answer::VerifiedFlowInput;
use sinete_core::flow::credential::enrolling::{
    CompletedEnrollment, EnrollableFactor, PendingEnrollment, RegisteredPasskey,
};
use sinete_core::flow::stage::FlowStage;
use sinete_core::id::{AccountId, CredentialId};
use sinete_core::limits::CREDENTIALS_OF_KIND_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Digest;
use sinete_core::security::event::{EventKind, SecurityEventActor};
use sinete_crypto::recovery_code::{self, CODES, digest_of};
use sinete_crypto::seal::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::totp::TotpSecret;
use sinete_store::credentials::{self, CredentialRow, NewCredential, StoredCredentialKind};
use sinete_store::{GuardedStatement, WriteBatch, recovery_codes};

/// What is to be set up, if whoever is signed in proved who they are just now. The seed of an application is made
/// here, and stays sealed in the flow until its first digits were right.
pub(super) async fn begin(
    engine: &Engine,
    factor: EnrollableFactor,
    walker: &FlowActor,
) -> Result<Result<PendingEnrollment, Refusal>, Failure> {
    let Some(signed_in) = walker.session.clone() else { return Ok(Err(super::begin::nobody())) };
    let cause = EventCause {
        actor: SecurityEventActor::Account(signed_in.session.account),
        origin: walker.origin.clone(),
    };
    let oneself = AccountHolder::new(signed_in, cause, engine.now());
    if let Err(refusal) = oneself.must_be_fresh(engine).await? {
        return Ok(Err(refusal));
    }
    let kept = credentials::of_account(engine.store(), oneself.account()).await?;
    if kept.iter().filter(|it| it.kind == kind_of(factor)).count() >= CREDENTIALS_OF_KIND_MAX {
        let public = "there are as many of this kind as an account keeps: remove one first";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "too many credentials")));
    }
    Ok(Ok(match factor {
        EnrollableFactor::Passkey => PendingEnrollment::Passkey,
        EnrollableFactor::RecoveryCodes => PendingEnrollment::RecoveryCodes,
        EnrollableFactor::Totp => {
            let credential = CredentialId::mint(engine.now(), engine.entropy());
            let place = EncryptionContext::new(EncryptionPurpose::TotpSeed, credential.as_bytes());
            let seed = TotpSecret::mint(engine.entropy());
            let sealed = engine.instance_keys().seal(&place, seed.as_bytes(), engine.entropy())?;
            PendingEnrollment::Totp { credential, sealed }
        }
    }))
}

const fn kind_of(factor: EnrollableFactor) -> StoredCredentialKind {
    match factor {
        EnrollableFactor::Passkey => StoredCredentialKind::Passkey,
        EnrollableFactor::Totp => StoredCredentialKind::Totp,
        EnrollableFactor::RecoveryCodes => StoredCredentialKind::RecoveryCodes,
    }
}

/// The seed of the application that is being set up in this flow.
pub(super) fn seed(engine: &Engine, flow: &AuthenticationFlow) -> Result<Option<TotpSecret>, Failure> {
    let FlowStage::Enroll(PendingEnrollment::Totp { credential, sealed }) = flow.stage() else {
        return Ok(None);
    };
    let place = EncryptionContext::new(EncryptionPurpose::TotpSeed, credential.as_bytes());
    Ok(TotpSecret::from_bytes(&engine.instance_keys().open(&place, sealed)?))
}

/// Whether the first digits of the application are right.
pub(super) fn judge_first_digits(
    engine: &Engine,
    flow: &AuthenticationFlow,
    digits: &str,
    name: Option<&str>,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let name = match name.map(crate::account::credentials::named).transpose() {
        Ok(name) => name.unwrap_or("authenticator application").to_owned(),
        Err(refusal) => return Ok(Err(refusal)),
    };
    let lateness = engine.settings().passkeys.lateness;
    let step = match seed(engine, flow)? {
        Some(seed) => seed.matched_step(digits, engine.now().seconds(), lateness),
        None => None,
    };
    Ok(match step {
        Some(step) => Ok(VerifiedInput {
            answer: VerifiedFlowInput::SetUp(CompletedEnrollment::Totp { step, name }),
            act: WriteBatch::new(),
        }),
        None => {
            let mut faults = ValidationErrors::default();
            faults.add("/code", "these are not the digits that the application shows now");
            Err(Refusal::unfit(faults))
        }
    })
}

impl FlowTransaction<'_> {
    /// Keeps what was set up, if the session it was begun in still counts.
    pub(super) async fn add_credential(
        &mut self,
        account: AccountId,
        enrolling: &PendingEnrollment,
        made: CompletedEnrollment,
    ) -> Result<Result<(), Refusal>, Failure> {
        let now = self.engine.now();
        let live = sinete_store::sessions::of_account(self.engine.store(), account, now).await?;
        if !live.iter().any(|session| Some(session.id) == self.flow.session()) {
            let public = "the session has ended: sign in again";
            return Ok(Err(Refusal::new(RefusalCode::Unauthenticated, public, "the session is over")));
        }
        match (made, enrolling) {
            (CompletedEnrollment::Passkey(passkey), _) => {
                if let Err(refusal) = self.add_passkey(account, &passkey).await? {
                    return Ok(Err(refusal));
                }
                self.tell(account, added(StoredCredentialKind::Passkey, &passkey.name)).await?;
            }
            (CompletedEnrollment::Totp { step, name }, PendingEnrollment::Totp { credential, sealed }) => {
                let new = NewCredential {
                    counter: step,
                    ..new(*credential, account, (StoredCredentialKind::Totp, &name), sealed, now)
                };
                self.keep(account, StoredCredentialKind::Totp, *credential, [credentials::add(&new)]);
                self.add(|act| act.with_all(attempts::forgive(account, factor::TOTP)));
                self.tell(account, added(StoredCredentialKind::Totp, &name)).await?;
            }
            (CompletedEnrollment::RecoveryCodes, _) => {
                self.add_recovery_codes(account).await?;
                self.tell(account, added(StoredCredentialKind::RecoveryCodes, "")).await?;
            }
            (
                CompletedEnrollment::Totp { .. },
                PendingEnrollment::Passkey | PendingEnrollment::RecoveryCodes,
            ) => {}
        }
        Ok(Ok(()))
    }

    /// Keeps a passkey that passed every check, unless it is somebody's already.
    pub(super) async fn add_passkey(
        &mut self,
        account: AccountId,
        passkey: &RegisteredPasskey,
    ) -> Result<Result<(), Refusal>, Failure> {
        if credentials::find_by_handle(self.engine.store(), &passkey.handle).await?.is_some() {
            return Ok(Err(super::wrong("a passkey of this id is known already")));
        }
        let now = self.engine.now();
        let id = CredentialId::mint(now, self.engine.entropy());
        let new = NewCredential {
            handle: Some(&passkey.handle),
            counter: i64::from(passkey.counter),
            ..new(id, account, (StoredCredentialKind::Passkey, &passkey.name), &passkey.material, now)
        };
        self.keep(account, StoredCredentialKind::Passkey, id, [credentials::add(&new)]);
        Ok(Ok(()))
    }

    /// A new set in place of every older one. The codes are handed over this once.
    async fn add_recovery_codes(&mut self, account: AccountId) -> Result<(), Failure> {
        let (engine, now) = (self.engine, self.engine.now());
        let kept = credentials::of_account(engine.store(), account).await?;
        let is_set = |it: &&CredentialRow| it.kind == StoredCredentialKind::RecoveryCodes;
        let mut steps: Vec<GuardedStatement> =
            kept.iter().filter(is_set).map(|it| credentials::remove(it, now)).collect();
        let id = CredentialId::mint(now, engine.entropy());
        steps.push(credentials::add(&new(
            id,
            account,
            (StoredCredentialKind::RecoveryCodes, "recovery codes"),
            &[],
            now,
        )));
        let codes: Vec<String> = (0..CODES).map(|_| recovery_code::mint(engine.entropy())).collect();
        for code in &codes {
            let digest = digest_of(code).ok_or(Failure::Interrupted)?;
            steps.push(recovery_codes::add(&Digest::from_bytes(digest), id));
        }
        self.keep(account, StoredCredentialKind::RecoveryCodes, id, steps);
        self.add(|act| act.with_all(attempts::forgive(account, factor::RECOVERY_CODE)));
        self.handed.recovery_codes = Some(codes);
        Ok(())
    }

    fn keep(
        &mut self,
        account: AccountId,
        kind: StoredCredentialKind,
        id: CredentialId,
        steps: impl IntoIterator<Item = GuardedStatement>,
    ) {
        let event = self.event(EventKind::CredentialAdded, account).about("credential", id);
        let event = event.with("kind", crate::account::credentials::kind_name(kind));
        self.add(|act| act.with_all(steps).record(&event));
    }
}

const fn added(kind: StoredCredentialKind, name: &str) -> EmailKind<'_> {
    EmailKind::CredentialAdded(letters::EmailedCredential { kind, name })
}

/// A credential that was shown to work.
fn new<'a>(
    id: CredentialId,
    account: AccountId,
    (kind, name): (StoredCredentialKind, &'a str),
    material: &'a [u8],
    now: sinete_core::time::Timestamp,
) -> NewCredential<'a> {
    NewCredential {
        id,
        account,
        kind,
        name,
        handle: None,
        material,
        counter: 0,
        created_at: now,
        confirmed_at: Some(now),
    }
}
