//! Bringing people over from somewhere else: each of them whole, with what they need to sign in, or not at all.
//!
//! Somebody is known by where they come from and what they were called there, so that a run that broke off is simply
//! run again. Nobody is made one with an account that is here already, whatever address they share: see decision
//! 0093.

use crate::acting::{self, Acting, in_trail};
use crate::{ATTEMPTS_MAX, Engine, Failed, granting};
use sinete_core::authority::catalogue::{BuiltIn, BuiltInRole, CATALOGUE, Reach};
use sinete_core::fault::Faults;
use sinete_core::id::{AccountId, ContactId, CredentialId, MembershipId, RoleId};
use sinete_core::people::Condition;
use sinete_core::people::incoming::{Incoming, IncomingPassword, SourceName};
use sinete_core::people::organization::OrganizationKind;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::EventKind;
use sinete_core::time::Timestamp;
use sinete_crypto::foreign::{FirebaseProject, ForeignHash};
use sinete_store::contacts::{self, Kind, NewContact};
use sinete_store::credentials::{self, NewCredential};
use sinete_store::identities::{self, Identity};
use sinete_store::memberships::{self, Holder, NewMembership};
use sinete_store::roles::StoredRole;
use sinete_store::{Act, Document, accounts};

/// What a run is to do.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Where the people come from.
    pub source: SourceName,
    /// The roles they begin with in the organization they come to.
    pub roles: Vec<RoleId>,
    /// Whether what the source says about proven addresses is believed.
    pub addresses: Addresses,
    /// What the hashes of a Firebase project have in common.
    pub firebase: Option<FirebaseProject>,
}

/// Whose word counts for an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Nobody's but its owner's, given here.
    ProvenHere,
    /// The source's too.
    AsTheSourceSays,
}

/// A run that may be made.
#[derive(Debug)]
pub struct Run {
    wanted: Wanted,
    inside: Acting,
    provider: String,
}

/// What became of somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They have an account now, or would have.
    Imported,
    /// They had been brought over before; nothing was changed.
    Known,
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were brought over.
    pub imported: u64,
    /// How many had been before.
    pub known: u64,
    /// How many were refused.
    pub refused: u64,
}

/// A hash that will do, with the name of its form.
struct Password {
    text: String,
    form: &'static str,
}

/// A run, if everybody could be given those roles.
pub async fn prepare(
    engine: &Engine,
    inside: &Acting,
    wanted: Wanted,
) -> Result<Result<Run, Refusal>, Failed> {
    if let Err(refusal) = inside.may_change("members:manage") {
        return Ok(Err(refusal));
    }
    let nobody = MembershipId::from_bytes([0; 16]);
    let granted = match granting::first(engine, inside, nobody, &wanted.roles).await? {
        Ok(granted) => granted,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if !granted.guard.is_empty() {
        let public = "nobody becomes an owner by being brought over: invite them instead";
        return Ok(Err(Refusal::new(RefusalCode::Forbidden, public, "a role of owners")));
    }
    if inside.organization.kind == OrganizationKind::Operator && granted.roles.iter().any(runs_the_instance) {
        let public = "nobody becomes an operator by being brought over: invite them instead";
        return Ok(Err(Refusal::new(RefusalCode::Forbidden, public, "a role of operators")));
    }
    let provider = format!("import:{}", wanted.source.as_str());
    Ok(Ok(Run { wanted, inside: inside.clone(), provider }))
}

/// Whether the role confers something over the instance, by whatever name.
fn runs_the_instance(role: &StoredRole) -> bool {
    let is_operator = role.is_built_in && role.role.name() == BuiltInRole::Operator.name();
    let over_instance = |it: &&BuiltIn| it.reach != Reach::Organization;
    let held = |it: &BuiltIn| it.permission.parse().is_ok_and(|it| role.role.permissions().covers(&it));
    is_operator || CATALOGUE.iter().filter(over_instance).any(held)
}

impl Run {
    /// What would become of somebody. Nothing is changed.
    pub async fn foresee(
        &self,
        engine: &Engine,
        incoming: &Incoming,
    ) -> Result<Result<Outcome, Refusal>, Failed> {
        match self.look(engine, incoming).await? {
            Err(refusal) => Ok(Err(refusal)),
            Ok(Outcome::Known) => Ok(Ok(Outcome::Known)),
            Ok(Outcome::Imported) => Ok(self.password(incoming).map(|_| Outcome::Imported)),
        }
    }

    /// Brings somebody over.
    pub async fn bring(
        &self,
        engine: &Engine,
        incoming: &Incoming,
    ) -> Result<Result<Outcome, Refusal>, Failed> {
        let password = match self.password(incoming) {
            Ok(password) => password,
            Err(refusal) => return Ok(Err(refusal)),
        };
        for _ in 0..ATTEMPTS_MAX {
            match self.look(engine, incoming).await? {
                Ok(Outcome::Imported) => {}
                seen => return Ok(seen),
            }
            let act = self.written(engine, incoming, password.as_ref())?;
            match engine.store().commit(act).await? {
                Ok(_) => return Ok(Ok(Outcome::Imported)),
                Err(conflict) if conflict.statement() == "memberships.create" => {
                    return Ok(Err(acting::suspended()));
                }
                Err(_) => {}
            }
        }
        Err(Failed::Contended)
    }

    /// Records how the run went.
    pub async fn finish(&self, engine: &Engine, tally: Tally) -> Result<(), Failed> {
        let event = engine
            .event(EventKind::ImportFinished, &self.inside.cause, engine.now())
            .within(self.inside.organization.id)
            .with("source", self.wanted.source.as_str())
            .with("imported", tally.imported)
            .with("known", tally.known)
            .with("refused", tally.refused);
        let act = in_trail(Act::new(), &event, self.inside.organization.id, "")?;
        // Nothing in this act can conflict: it only adds rows under a new id.
        engine.store().commit(act).await?.map(|_| ()).map_err(|_| Failed::Contended)
    }

    /// Whether somebody is new, and their address nobody else's.
    async fn look(&self, engine: &Engine, incoming: &Incoming) -> Result<Result<Outcome, Refusal>, Failed> {
        let identity = self.identity(incoming);
        if identities::find(engine.store(), identity).await?.is_some() {
            return Ok(Ok(Outcome::Known));
        }
        let lookup = incoming.address.lookup();
        let proven = contacts::find_verified(engine.store(), Kind::Email, &lookup).await?;
        let is_claimed = match proven {
            Some(_) => true,
            // An address that is proven is taken from whoever merely claimed it; one that is not stays theirs.
            None if self.is_proven(incoming) => false,
            None => contacts::is_claimed(engine.store(), Kind::Email, &lookup).await?,
        };
        Ok(if is_claimed { Err(taken()) } else { Ok(Outcome::Imported) })
    }

    fn identity<'a>(&'a self, incoming: &'a Incoming) -> Identity<'a> {
        Identity { provider: &self.provider, subject: &incoming.id }
    }

    fn is_proven(&self, incoming: &Incoming) -> bool {
        incoming.is_verified && self.wanted.addresses == Addresses::AsTheSourceSays
    }

    /// The hash of their password, if it is one that can be checked here.
    fn password(&self, incoming: &Incoming) -> Result<Option<Password>, Refusal> {
        let text = match (&incoming.password, &self.wanted.firebase) {
            (None, _) => return Ok(None),
            (Some(IncomingPassword::Whole(text)), _) => text.clone(),
            (Some(IncomingPassword::OfFirebase { salt, tag }), Some(project)) => project.whole(salt, tag),
            (Some(IncomingPassword::OfFirebase { .. }), None) => {
                let why = "the parameters of its Firebase project are needed for its password hash";
                return Err(unfit(why.to_owned()));
            }
        };
        match ForeignHash::parse(&text) {
            Ok(hash) => Ok(Some(Password { form: hash.form().name(), text })),
            Err(why) => Err(unfit(why.to_string())),
        }
    }

    /// Everything that makes them somebody here, in one act.
    fn written(
        &self,
        engine: &Engine,
        incoming: &Incoming,
        password: Option<&Password>,
    ) -> Result<Act, Failed> {
        let now = engine.now();
        let account = AccountId::mint(now, engine.entropy());
        let profile = match &incoming.name {
            Some(name) => Document::of(&serde_json::json!({ "name": name }))?,
            None => Document::of(&serde_json::json!({}))?,
        };
        let language = incoming.language.map(|language| language.tag());
        let act = Act::new().with(accounts::create(account, language, &profile, now)).with(identities::link(
            self.identity(incoming),
            account,
            now,
        ));
        let act = self.with_address(act, engine, incoming, account);
        let act = match password {
            Some(password) => {
                let id = CredentialId::mint(now, engine.entropy());
                act.with(credentials::add_imported(&stored(id, account, password, now), password.form))
            }
            None => act,
        };
        let event = engine
            .event(EventKind::AccountImported, &self.inside.cause, now)
            .about("account", account)
            .with("source", self.wanted.source.as_str())
            .with("password", password.map_or("none", |password| password.form));
        let suspended =
            (!incoming.is_enabled).then(|| accounts::change_condition(account, 1, Condition::Suspended, now));
        self.with_membership(act.record(&event), engine, account).map(|act| act.with_all(suspended))
    }

    fn with_address(&self, act: Act, engine: &Engine, incoming: &Incoming, account: AccountId) -> Act {
        let now = engine.now();
        let (id, lookup) = (ContactId::mint(now, engine.entropy()), incoming.address.lookup());
        let act = act.with(contacts::add(&NewContact {
            id,
            account,
            kind: Kind::Email,
            address: incoming.address.as_str(),
            lookup: &lookup,
            is_primary: true,
            created_at: now,
        }));
        if self.is_proven(incoming) {
            act.with(contacts::verify(account, id, now)).with(contacts::evict_claims(
                account,
                Kind::Email,
                &lookup,
            ))
        } else {
            act
        }
    }

    fn with_membership(&self, act: Act, engine: &Engine, account: AccountId) -> Result<Act, Failed> {
        let (now, organization) = (engine.now(), self.inside.organization.id);
        let id = MembershipId::mint(now, engine.entropy());
        let profile = Document::of(&serde_json::json!({}))?;
        let act = act.with(memberships::create(&NewMembership {
            id,
            organization,
            holder: &Holder::Person(account),
            profile: &profile,
            external_id: None,
            created_at: now,
        }));
        let roles = self.wanted.roles.iter().map(|role| memberships::give_role(id, *role, now));
        let event = engine
            .event(EventKind::MembershipCreated, &self.inside.cause, now)
            .within(organization)
            .about("membership", id);
        in_trail(act.with_all(roles), &event, organization, "")
    }
}

fn stored<'a>(
    id: CredentialId,
    account: AccountId,
    password: &'a Password,
    now: Timestamp,
) -> NewCredential<'a> {
    NewCredential {
        id,
        account,
        kind: credentials::Kind::Password,
        name: "",
        handle: None,
        material: password.text.as_bytes(),
        counter: 0,
        created_at: now,
        confirmed_at: Some(now),
    }
}

fn taken() -> Refusal {
    let public = "the address belongs to an account that is here already";
    Refusal::new(RefusalCode::Conflict, public, "nobody is matched by their address")
}

fn unfit(why: String) -> Refusal {
    let mut faults = Faults::default();
    faults.add("/password_hash", why);
    Refusal::unfit(faults)
}
