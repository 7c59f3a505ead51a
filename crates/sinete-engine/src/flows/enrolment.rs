//! Setting up something to sign in with: begun by whoever just proved who they are, and kept once it was shown to work.

use super::attempts::{self, factor};
use super::carry_out::Doing;
use super::{Judged, Walker};
use crate::account::Oneself;
use crate::letters::{self, About};
use crate::{Cause, Engine, Failed};
use sinete_core::fault::Faults;
use sinete_core::flow::Flow;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::credential::enrolling::{Enrolling, Factor, MadePasskey, SetUp};
use sinete_core::flow::stage::Stage;
use sinete_core::id::{AccountId, CredentialId};
use sinete_core::limits::CREDENTIALS_OF_KIND_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Digest;
use sinete_core::security::event::{Actor, EventKind};
use sinete_crypto::recovery_code::{self, CODES, digest_of};
use sinete_crypto::seal::{Place, Purpose};
use sinete_crypto::totp::Seed;
use sinete_store::credentials::{self, Credential, Kind, NewCredential};
use sinete_store::{Act, Step, recovery_codes};

/// What is to be set up, if whoever is signed in proved who they are just now. The seed of an application is made
/// here, and stays sealed in the flow until its first digits were right.
pub(super) async fn begin(
    engine: &Engine,
    factor: Factor,
    walker: &Walker,
) -> Result<Result<Enrolling, Refusal>, Failed> {
    let Some(signed_in) = walker.session.clone() else { return Ok(Err(super::begin::nobody())) };
    let cause = Cause { actor: Actor::Account(signed_in.session.account), origin: walker.origin.clone() };
    let oneself = Oneself::new(signed_in, cause, engine.now());
    if let Err(refusal) = oneself.must_be_fresh(engine).await? {
        return Ok(Err(refusal));
    }
    let kept = credentials::of_account(engine.store(), oneself.account()).await?;
    if kept.iter().filter(|it| it.kind == kind_of(factor)).count() >= CREDENTIALS_OF_KIND_MAX {
        let public = "there are as many of this kind as an account keeps: remove one first";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "too many credentials")));
    }
    Ok(Ok(match factor {
        Factor::Passkey => Enrolling::Passkey,
        Factor::RecoveryCodes => Enrolling::RecoveryCodes,
        Factor::Totp => {
            let credential = CredentialId::mint(engine.now(), engine.entropy());
            let place = Place::new(Purpose::TotpSeed, credential.as_bytes());
            let seed = Seed::mint(engine.entropy());
            let sealed = engine.instance_keys().seal(&place, seed.as_bytes(), engine.entropy())?;
            Enrolling::Totp { credential, sealed }
        }
    }))
}

const fn kind_of(factor: Factor) -> Kind {
    match factor {
        Factor::Passkey => Kind::Passkey,
        Factor::Totp => Kind::Totp,
        Factor::RecoveryCodes => Kind::RecoveryCodes,
    }
}

/// The seed of the application that is being set up in this flow.
pub(super) fn seed(engine: &Engine, flow: &Flow) -> Result<Option<Seed>, Failed> {
    let Stage::Enroll(Enrolling::Totp { credential, sealed }) = flow.stage() else { return Ok(None) };
    let place = Place::new(Purpose::TotpSeed, credential.as_bytes());
    Ok(Seed::from_bytes(&engine.instance_keys().open(&place, sealed)?))
}

/// Whether the first digits of the application are right.
pub(super) fn judge_first_digits(
    engine: &Engine,
    flow: &Flow,
    digits: &str,
    name: Option<&str>,
) -> Result<Result<Judged, Refusal>, Failed> {
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
        Some(step) => Ok(Judged { answer: Answer::SetUp(SetUp::Totp { step, name }), act: Act::new() }),
        None => {
            let mut faults = Faults::default();
            faults.add("/code", "these are not the digits that the application shows now");
            Err(Refusal::unfit(faults))
        }
    })
}

impl Doing<'_> {
    /// Keeps what was set up, if the session it was begun in still counts.
    pub(super) async fn add_credential(
        &mut self,
        account: AccountId,
        enrolling: &Enrolling,
        made: SetUp,
    ) -> Result<Result<(), Refusal>, Failed> {
        let now = self.engine.now();
        let live = sinete_store::sessions::of_account(self.engine.store(), account, now).await?;
        if !live.iter().any(|session| Some(session.id) == self.flow.session()) {
            let public = "the session has ended: sign in again";
            return Ok(Err(Refusal::new(RefusalCode::Unauthenticated, public, "the session is over")));
        }
        match (made, enrolling) {
            (SetUp::Passkey(passkey), _) => {
                if let Err(refusal) = self.add_passkey(account, &passkey).await? {
                    return Ok(Err(refusal));
                }
                self.tell(account, added(Kind::Passkey, &passkey.name)).await?;
            }
            (SetUp::Totp { step, name }, Enrolling::Totp { credential, sealed }) => {
                let new = NewCredential {
                    counter: step,
                    ..new(*credential, account, (Kind::Totp, &name), sealed, now)
                };
                self.keep(account, Kind::Totp, *credential, [credentials::add(&new)]);
                self.add(|act| act.with_all(attempts::forgive(account, factor::TOTP)));
                self.tell(account, added(Kind::Totp, &name)).await?;
            }
            (SetUp::RecoveryCodes, _) => {
                self.add_recovery_codes(account).await?;
                self.tell(account, added(Kind::RecoveryCodes, "")).await?;
            }
            (SetUp::Totp { .. }, Enrolling::Passkey | Enrolling::RecoveryCodes) => {}
        }
        Ok(Ok(()))
    }

    /// Keeps a passkey that passed every check, unless it is somebody's already.
    pub(super) async fn add_passkey(
        &mut self,
        account: AccountId,
        passkey: &MadePasskey,
    ) -> Result<Result<(), Refusal>, Failed> {
        if credentials::find_by_handle(self.engine.store(), &passkey.handle).await?.is_some() {
            return Ok(Err(super::wrong("a passkey of this id is known already")));
        }
        let now = self.engine.now();
        let id = CredentialId::mint(now, self.engine.entropy());
        let new = NewCredential {
            handle: Some(&passkey.handle),
            counter: i64::from(passkey.counter),
            ..new(id, account, (Kind::Passkey, &passkey.name), &passkey.material, now)
        };
        self.keep(account, Kind::Passkey, id, [credentials::add(&new)]);
        Ok(Ok(()))
    }

    /// A new set in place of every older one. The codes are handed over this once.
    async fn add_recovery_codes(&mut self, account: AccountId) -> Result<(), Failed> {
        let (engine, now) = (self.engine, self.engine.now());
        let kept = credentials::of_account(engine.store(), account).await?;
        let is_set = |it: &&Credential| it.kind == Kind::RecoveryCodes;
        let mut steps: Vec<Step> =
            kept.iter().filter(is_set).map(|it| credentials::remove(it, now)).collect();
        let id = CredentialId::mint(now, engine.entropy());
        steps.push(credentials::add(&new(id, account, (Kind::RecoveryCodes, "recovery codes"), &[], now)));
        let codes: Vec<String> = (0..CODES).map(|_| recovery_code::mint(engine.entropy())).collect();
        for code in &codes {
            let digest = digest_of(code).ok_or(Failed::Interrupted)?;
            steps.push(recovery_codes::add(&Digest::from_bytes(digest), id));
        }
        self.keep(account, Kind::RecoveryCodes, id, steps);
        self.add(|act| act.with_all(attempts::forgive(account, factor::RECOVERY_CODE)));
        self.handed.recovery_codes = Some(codes);
        Ok(())
    }

    fn keep(
        &mut self,
        account: AccountId,
        kind: Kind,
        id: CredentialId,
        steps: impl IntoIterator<Item = Step>,
    ) {
        let event = self.event(EventKind::CredentialAdded, account).about("credential", id);
        let event = event.with("kind", crate::account::credentials::kind_name(kind));
        self.add(|act| act.with_all(steps).record(&event));
    }
}

const fn added(kind: Kind, name: &str) -> About<'_> {
    About::CredentialAdded(letters::Credential { kind, name })
}

/// A credential that was shown to work.
fn new<'a>(
    id: CredentialId,
    account: AccountId,
    (kind, name): (Kind, &'a str),
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
