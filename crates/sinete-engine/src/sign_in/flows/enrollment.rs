//! Enrollment of credentials: started after recent authentication, and stored after a first successful use.

use super::apply::FlowTransitionBuilder;
use super::{FlowActor, VerifiedInput};
use crate::platform::email;
use crate::platform::email::EmailKind;
use crate::sign_in::account_holder::AccountHolder;
use crate::sign_in::lockout;
use crate::sign_in::lockout::factor;
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{AccountId, CredentialId};
use sinete_core::limits::CREDENTIALS_PER_KIND_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::Digest;
use sinete_core::sign_in::credentials::enrollment::{
    CompletedEnrollment, EnrollableFactor, PendingEnrollment, RegisteredPasskey,
};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::validation::ValidationErrors;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::sign_in::credentials::recovery_codes;
use sinete_crypto::sign_in::credentials::recovery_codes::{CODES_PER_SET, digest_recovery_code};
use sinete_crypto::sign_in::credentials::totp::TotpSecret;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::recovery_codes as store_recovery_codes;
use sinete_store::sign_in::credentials::{CredentialRow, NewCredential, StoredCredentialKind};
use sinete_store::{GuardedStatement, WriteBatch};

/// Starts an enrollment after recent authentication. A TOTP secret is stored encrypted in the flow until its
/// first code is verified.
pub(crate) async fn start_enrollment(
    engine: &Engine,
    factor: EnrollableFactor,
    actor: &FlowActor,
) -> Result<PendingEnrollment, Error> {
    let Some(signed_in) = actor.session.clone() else { return Err(super::start::not_signed_in().into()) };
    let cause = EventCause {
        actor: SecurityEventActor::Account(signed_in.session.account),
        origin: actor.origin.clone(),
    };
    let account_holder = AccountHolder::new(signed_in, cause, engine.now());
    account_holder.require_fresh_authentication(engine).await?;
    let credentials = credentials::list_account_credentials(engine.store(), account_holder.account()).await?;
    if credentials.iter().filter(|it| it.kind == credential_kind(factor)).count() >= CREDENTIALS_PER_KIND_MAX
    {
        return Err(Refusal::because(SignInRefusal::CredentialLimit, "too many credentials").into());
    }
    Ok(mint_enrollment(engine, factor)?)
}

/// A new enrollment. A TOTP secret is generated here.
pub(crate) fn mint_enrollment(
    engine: &Engine,
    factor: EnrollableFactor,
) -> Result<PendingEnrollment, Failure> {
    Ok(match factor {
        EnrollableFactor::Passkey => PendingEnrollment::Passkey,
        EnrollableFactor::RecoveryCodes => PendingEnrollment::RecoveryCodes,
        EnrollableFactor::Totp => {
            let credential = CredentialId::mint(engine.now(), engine.entropy());
            let context = EncryptionContext::new(EncryptionPurpose::TotpSeed, credential.as_bytes());
            let seed = TotpSecret::mint(engine.entropy());
            let encrypted_seed =
                engine.instance_keys().encrypt(&context, seed.as_bytes(), engine.entropy())?;
            PendingEnrollment::Totp { credential, encrypted_seed }
        }
    })
}

const fn credential_kind(factor: EnrollableFactor) -> StoredCredentialKind {
    match factor {
        EnrollableFactor::Passkey => StoredCredentialKind::Passkey,
        EnrollableFactor::Totp => StoredCredentialKind::Totp,
        EnrollableFactor::RecoveryCodes => StoredCredentialKind::RecoveryCodes,
    }
}

/// The TOTP secret of this flow.
pub(crate) fn open_totp_seed(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Option<TotpSecret>, Failure> {
    let FlowStage::Enroll(PendingEnrollment::Totp { credential, encrypted_seed }) = flow.stage() else {
        return Ok(None);
    };
    let context = EncryptionContext::new(EncryptionPurpose::TotpSeed, credential.as_bytes());
    Ok(TotpSecret::from_bytes(&engine.instance_keys().decrypt(&context, encrypted_seed)?))
}

/// Verifies the first TOTP code.
pub(crate) fn verify_first_totp(
    engine: &Engine,
    flow: &AuthenticationFlow,
    digits: &str,
    name: Option<&str>,
) -> Result<VerifiedInput, Error> {
    let name = name
        .map(crate::sign_in::credentials::check_credential_name)
        .transpose()?
        .unwrap_or("authenticator application")
        .to_owned();
    let lateness = engine.settings().passkeys.totp_tolerance;
    let step = match open_totp_seed(engine, flow)? {
        Some(seed) => seed.find_matching_step(digits, engine.now().seconds(), lateness),
        None => None,
    };
    match step {
        Some(step) => Ok(VerifiedInput {
            input: VerifiedFlowInput::CredentialEnrolled(CompletedEnrollment::Totp { step, name }),
            batch: WriteBatch::new(),
        }),
        None => {
            let mut errors = ValidationErrors::default();
            errors.add("/code", "is not the code that the authenticator app shows now");
            Err(Refusal::from_validation_errors(errors).into())
        }
    }
}

impl FlowTransitionBuilder<'_> {
    /// Stores the credential, if the session of the enrollment is still active.
    pub(crate) async fn add_credential(
        &mut self,
        account: AccountId,
        pending_enrollment: &PendingEnrollment,
        completed_enrollment: CompletedEnrollment,
    ) -> Result<(), Error> {
        let now = self.engine.now();
        let live =
            sinete_store::sign_in::sessions::list_account_sessions(self.engine.store(), account, now).await?;
        if !live.iter().any(|session| Some(session.id) == self.flow.session()) {
            return Err(Refusal::because(AccessRefusal::SessionEnded, "the session is over").into());
        }
        match (completed_enrollment, pending_enrollment) {
            (CompletedEnrollment::Passkey(passkey), _) => {
                self.add_passkey(account, &passkey).await?;
                self.notify_enrollment(account, StoredCredentialKind::Passkey, &passkey.name).await?;
            }
            (
                CompletedEnrollment::Totp { step, name },
                PendingEnrollment::Totp { credential, encrypted_seed },
            ) => {
                let new = NewCredential {
                    counter: step,
                    ..new_credential(
                        *credential,
                        account,
                        StoredCredentialKind::Totp,
                        &name,
                        encrypted_seed,
                        now,
                    )
                };
                self.store_credential(
                    account,
                    StoredCredentialKind::Totp,
                    *credential,
                    [credentials::add_credential(&new)],
                );
                self.extend_batch(|batch| {
                    batch.with_statements(lockout::reset_unknown_devices(account, factor::TOTP))
                });
                self.notify_enrollment(account, StoredCredentialKind::Totp, &name).await?;
                // A lost authenticator must not lock its owner out.
                if !self.has_recovery_codes(account).await? {
                    self.add_recovery_codes(account).await?;
                }
            }
            (CompletedEnrollment::RecoveryCodes, _) => {
                self.add_recovery_codes(account).await?;
                self.notify_enrollment(account, StoredCredentialKind::RecoveryCodes, "").await?;
            }
            (
                CompletedEnrollment::Totp { .. },
                PendingEnrollment::Passkey | PendingEnrollment::RecoveryCodes,
            ) => {}
        }
        Ok(())
    }

    /// Notifies the user of a new credential. If it was set up because an authorization request demanded it, every
    /// verified address is notified: the user did not go to their account to do it.
    async fn notify_enrollment(
        &mut self,
        account: AccountId,
        kind: StoredCredentialKind,
        name: &str,
    ) -> Result<(), Failure> {
        let email_kind = EmailKind::CredentialAdded(email::NotifiedCredential { kind, name });
        if !self.flow.kind().enrolls_on_demand() {
            return self.notify_owner(account, email_kind).await;
        }
        let batch = std::mem::take(&mut self.batch);
        self.batch = sign_in_alerts::notify_every_address(self.engine, batch, account, email_kind).await?;
        Ok(())
    }

    async fn has_recovery_codes(&self, account: AccountId) -> Result<bool, Failure> {
        let credentials = credentials::list_account_credentials(self.engine.store(), account).await?;
        Ok(credentials.iter().any(|it| it.kind == StoredCredentialKind::RecoveryCodes))
    }

    /// Stores a verified passkey, unless it already exists.
    pub(crate) async fn add_passkey(
        &mut self,
        account: AccountId,
        passkey: &RegisteredPasskey,
    ) -> Result<(), Error> {
        if credentials::find_passkey_by_handle(self.engine.store(), &passkey.handle).await?.is_some() {
            return Err(super::invalid_proof("a passkey of this id is known already").into());
        }
        let now = self.engine.now();
        let id = CredentialId::mint(now, self.engine.entropy());
        let new = NewCredential {
            handle: Some(&passkey.handle),
            counter: i64::from(passkey.counter),
            ..new_credential(
                id,
                account,
                StoredCredentialKind::Passkey,
                &passkey.name,
                &passkey.material,
                now,
            )
        };
        self.store_credential(
            account,
            StoredCredentialKind::Passkey,
            id,
            [credentials::add_credential(&new)],
        );
        Ok(())
    }

    /// Replaces all recovery codes with a new set, which is shown once.
    async fn add_recovery_codes(&mut self, account: AccountId) -> Result<(), Failure> {
        let (engine, now) = (self.engine, self.engine.now());
        let credentials = credentials::list_account_credentials(engine.store(), account).await?;
        let is_set = |it: &&CredentialRow| it.kind == StoredCredentialKind::RecoveryCodes;
        let mut steps: Vec<GuardedStatement> =
            credentials.iter().filter(is_set).map(|it| credentials::remove_credential(it, now)).collect();
        let id = CredentialId::mint(now, engine.entropy());
        steps.push(credentials::add_credential(&new_credential(
            id,
            account,
            StoredCredentialKind::RecoveryCodes,
            "recovery codes",
            &[],
            now,
        )));
        let codes: Vec<String> =
            (0..CODES_PER_SET).map(|_| recovery_codes::mint_recovery_code(engine.entropy())).collect();
        for code in &codes {
            let digest = digest_recovery_code(code).ok_or(Failure::Interrupted)?;
            steps.push(store_recovery_codes::add_recovery_code(&Digest::from_bytes(digest), id));
        }
        self.store_credential(account, StoredCredentialKind::RecoveryCodes, id, steps);
        self.extend_batch(|batch| {
            batch.with_statements(lockout::reset_unknown_devices(account, factor::RECOVERY_CODE))
        });
        self.issued_secrets.recovery_codes = Some(codes);
        Ok(())
    }

    fn store_credential(
        &mut self,
        account: AccountId,
        kind: StoredCredentialKind,
        id: CredentialId,
        steps: impl IntoIterator<Item = GuardedStatement>,
    ) {
        let event = self.account_event(EventKind::CredentialAdded, account).with_subject("credential", id);
        let event = event.with_detail("kind", crate::sign_in::credentials::kind_name(kind));
        self.extend_batch(|batch| batch.with_statements(steps).with_event(&event));
    }
}

/// A new confirmed credential.
fn new_credential<'a>(
    id: CredentialId,
    account: AccountId,
    kind: StoredCredentialKind,
    name: &'a str,
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
