//! Provisioning by a directory of the organization's: users are memberships, groups are roles.
//!
//! Whoever provisions speaks for one organization and reaches nothing else: neither accounts, nor what people sign in
//! with, nor what they are elsewhere. A membership that is made here belongs to nobody until it is claimed.

pub mod bulk;
mod catalogue;
mod groups;
pub mod search;
mod seen;
mod users;

pub use seen::Seen;

use crate::acting::{self, Acting};
use crate::caller::Caller;
use crate::{Engine, Failed};
use serde_json::{Map, Value};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::patch::{self as patching, Operation};
use sinete_core::scim::{ResourceKind, incoming};

/// What it takes to provision.
pub const PERMISSION: &str = "scim:provision";

/// Where everything of this is, below the issuer.
pub const PATH: &str = "/scim/v2";

/// Something that is shown to a directory.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What kind of thing it is.
    pub kind: ResourceKind,
    /// Our id of it.
    pub id: String,
    /// The thing itself, all of it.
    pub resource: Map<String, Value>,
    /// Its version, as an entity tag.
    pub version: String,
}

impl Shown {
    /// Where it is.
    pub fn location(&self, engine: &Engine) -> String {
        location(engine, self.kind, &self.id)
    }
}

/// Steps into the one organization that the caller speaks for.
pub async fn begin(engine: &Engine, caller: &Caller) -> Result<Result<Acting, Refusal>, Failed> {
    let own = caller.organization.to_string();
    let acting = acting::step_into(engine, caller, &own).await?;
    Ok(acting.and_then(|acting| acting.may_look(PERMISSION).map(|()| acting)))
}

/// Makes a user or a group.
pub async fn create(
    engine: &Engine,
    acting: &Acting,
    kind: ResourceKind,
    sent: &Value,
) -> Result<Result<Shown, Refusal>, Failed> {
    match kind {
        ResourceKind::User => users::create(engine, acting, sent).await,
        ResourceKind::Group => groups::create(engine, acting, sent).await,
    }
}

/// Shows one.
pub async fn show(
    engine: &Engine,
    acting: &Acting,
    (kind, id): (ResourceKind, &str),
) -> Result<Result<Shown, Refusal>, Failed> {
    match kind {
        ResourceKind::User => users::show(engine, acting, id).await,
        ResourceKind::Group => groups::show(engine, acting, id).await,
    }
}

/// Puts what is sent in the place of one.
pub async fn replace(
    engine: &Engine,
    acting: &Acting,
    (kind, id): (ResourceKind, &str),
    seen: &Seen,
    sent: &Value,
) -> Result<Result<Shown, Refusal>, Failed> {
    match Becoming::whole(kind, sent) {
        Ok(becoming) => change(engine, acting, (kind, id), seen, &becoming).await,
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Changes parts of one.
pub async fn patch(
    engine: &Engine,
    acting: &Acting,
    (kind, id): (ResourceKind, &str),
    seen: &Seen,
    sent: &Value,
) -> Result<Result<Shown, Refusal>, Failed> {
    match Becoming::changed(sent) {
        Ok(becoming) => change(engine, acting, (kind, id), seen, &becoming).await,
        Err(refusal) => Ok(Err(refusal)),
    }
}

async fn change(
    engine: &Engine,
    acting: &Acting,
    (kind, id): (ResourceKind, &str),
    seen: &Seen,
    becoming: &Becoming,
) -> Result<Result<Shown, Refusal>, Failed> {
    settled(match kind {
        ResourceKind::User => users::change(engine, acting, id, seen, becoming).await,
        ResourceKind::Group => groups::change(engine, acting, id, seen, becoming).await,
    })
}

/// Removes one.
pub async fn remove(
    engine: &Engine,
    acting: &Acting,
    (kind, id): (ResourceKind, &str),
    seen: &Seen,
) -> Result<Result<(), Refusal>, Failed> {
    match kind {
        ResourceKind::User => users::remove(engine, acting, id, seen).await,
        ResourceKind::Group => groups::remove(engine, acting, id, seen).await,
    }
}

/// The address of the service for directories.
pub fn address(engine: &Engine) -> String {
    format!("{}{PATH}", engine.settings().issuer)
}

fn location(engine: &Engine, kind: ResourceKind, id: &str) -> String {
    format!("{}{}/{id}", address(engine), kind.endpoint())
}

/// What a thing is becoming.
#[derive(Debug)]
enum Becoming {
    /// Another, as a whole.
    Whole(Map<String, Value>),
    /// The same with these changes.
    Changed(Vec<Operation>),
}

impl Becoming {
    /// From the whole that was sent.
    fn whole(kind: ResourceKind, sent: &Value) -> Result<Self, Refusal> {
        incoming::resource(kind, sent).map(Self::Whole)
    }

    /// From the changes that were sent.
    fn changed(sent: &Value) -> Result<Self, Refusal> {
        patching::read(sent).map(Self::Changed)
    }

    /// What becomes of a thing that is this now.
    fn of(&self, kind: ResourceKind, before: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        match self {
            Self::Whole(whole) => Ok(whole.clone()),
            Self::Changed(operations) => patching::apply(kind, before, operations),
        }
    }
}

/// Why something is not done: it was turned down, or we failed.
#[derive(Debug)]
enum Undone {
    Refused(Refusal),
    Failed(Failed),
}

impl From<Refusal> for Undone {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<Failed>> From<E> for Undone {
    fn from(failed: E) -> Self {
        Self::Failed(failed.into())
    }
}

/// What came of it, as everybody else reads it.
fn settled<T>(outcome: Result<T, Undone>) -> Result<Result<T, Refusal>, Failed> {
    match outcome {
        Ok(done) => Ok(Ok(done)),
        Err(Undone::Refused(refusal)) => Ok(Err(refusal)),
        Err(Undone::Failed(failed)) => Err(failed),
    }
}

fn no_such_thing(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such thing here", reason)
}
