//! The person's own page: what it shows is what the person's own API tells, and what its forms ask for is done by
//! the same functions.

mod acting;
mod changes;
mod providers;
mod requests;

use super::console::Bound;
use super::flash::{Flash, Told};
use super::{NOT_DONE, Reader, walk};
use crate::call::Call;
use crate::extract::session::{By, Kind, of_headers};
use crate::pages::spoken;
use crate::reply::{Answer, Declined};
use crate::state::State;
use acting::{Acting, Names};
use axum::http::StatusCode;
pub(crate) use changes::post;
pub(super) use changes::resume;
use providers::Providing;
use requests::Asked;
use serde_json::{Map, Value};
use sinete_core::people::Condition;
use sinete_core::people::language::Language as Written;
use sinete_engine::account::applications::{self, Granted};
use sinete_engine::account::approvals::{self, Waiting};
use sinete_engine::account::contacts::{self, Kind as ContactKind};
use sinete_engine::account::credentials::{self, Kind as CredentialKind, Shown};
use sinete_engine::account::identities::{self, Linkable};
use sinete_engine::account::memberships::{self, Belonging};
use sinete_engine::account::{self, Entry, Oneself, profile};
use sinete_engine::console;
use sinete_engine::flows::Texts;
use sinete_engine::lasting_access::{self, LastingAccess};
use sinete_engine::{Failed, sessions};
use sinete_screens::form::Form;
use sinete_screens::language::Language;
use sinete_screens::moment::Moment;
use sinete_screens::my_account::{
    Application, Contact, Event, Membership, MembershipState, MyAccount, Passkey, Provider, Request, Session,
    Totp, Typed, event,
};
use sinete_screens::set_password::{Occasion, SetPassword};
use sinete_screens::trouble::Trouble;
use sinete_screens::way::Way;

/// As many events are shown.
const EVENTS_SHOWN: usize = 12;
/// As many are read for that: those that concern only us are left out.
const EVENTS_READ: u32 = 60;

/// Where the page is.
const PATH: &str = "/my-account";
/// Where a password is chosen.
const CHANGE_PASSWORD: &str = "/my-account?change=password";

/// Says, on the page, that something was done.
pub(super) fn saved() -> Flash {
    Flash { flow: PATH.to_owned(), ..Flash::default() }
}

/// Shows the page to whoever is signed in, and leads everybody else to sign in.
pub(crate) async fn get(state: State, call: Call) -> Answer {
    let query = call.query()?;
    let Some(oneself) = signed_in(&state, &call).await? else {
        return Ok(super::see(&state, &walk::with_language("/sign-in", &query)));
    };
    if let Some(bound) = Bound::of(call.headers(), state.scheme()).filter(|_| state.serves_console()) {
        // Whoever wanted to work and had to sign in first goes on to work.
        let mut response = super::see(&state, &walk::with_language(&bound, &query));
        Bound::clear(&mut response, state.scheme());
        return Ok(response);
    }
    let all = Everything::read(&state, &oneself).await?;
    let reader = Reader::new(&state, &call, [query.get("ui_locales"), all.language.as_deref()]);
    let changes_password = query.get("change") == Some("password");
    let here = if changes_password { CHANGE_PASSWORD } else { PATH };
    let flash = Flash::of(call.headers(), state.scheme(), here);
    let csrf = oneself.csrf_token(state.engine());
    let form = Form { action: &walk::with_language(PATH, &query), csrf: &csrf };
    let page = if changes_password {
        let least = state.engine().settings().passwords.characters_min;
        all.password_page(&reader, form, flash.as_ref(), u32::try_from(least).unwrap_or(u32::MAX))
    } else {
        let not_done = (query.get("trouble") == Some(NOT_DONE)).then_some(Trouble::NotDone);
        all.page(&reader, &oneself, form, (flash.as_ref(), not_done))
    };
    let mut response = reader.answer(StatusCode::OK, page);
    if flash.is_some() {
        Flash::clear(&mut response, state.scheme());
    }
    Ok(response)
}

/// Whoever is signed in in this browser. Only its cookie counts: a page is nothing for programs.
pub(super) async fn signed_in(state: &State, call: &Call) -> Result<Option<Oneself>, Declined> {
    let presented = of_headers(Kind::Session, call.headers(), state.scheme())?;
    let Some(presented) = presented.filter(|presented| presented.by == By::Cookie) else { return Ok(None) };
    Ok(account::identify(state.engine(), presented.token, call.origin()).await?.ok())
}

/// Everything the page shows.
struct Everything {
    name: String,
    language: Option<String>,
    contacts: Vec<contacts::Contact>,
    credentials: Vec<Shown>,
    requests: Vec<Waiting>,
    linked: Vec<identities::Shown>,
    linkable: Vec<Linkable>,
    sessions: Vec<sessions::Shown>,
    access: Vec<LastingAccess>,
    applications: Vec<Granted>,
    memberships: Vec<Belonging>,
    events: Vec<Entry>,
    names: Names,
    /// Whether there is something to manage, and the console to do it on.
    manages: bool,
}

impl Everything {
    async fn read(state: &State, oneself: &Oneself) -> Result<Self, Declined> {
        let engine = state.engine();
        let account = profile::show(engine, oneself).await?;
        let mut events = account::latest_events(engine, oneself, EVENTS_READ).await?;
        events.retain(|entry| event(&entry.event.kind, Language::English).is_some());
        events.truncate(EVENTS_SHOWN);
        let said: Map<String, Value> = account.profile.read().map_err(Failed::from)?;
        Ok(Self {
            name: said.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            language: account.language,
            contacts: contacts::list(engine, oneself).await?,
            credentials: credentials::list(engine, oneself).await?,
            requests: approvals::list(engine, oneself).await?,
            linked: identities::list(engine, oneself).await?,
            linkable: identities::linkable(engine, oneself).await?,
            sessions: sessions::list(engine, oneself.account()).await?,
            access: lasting_access::list(engine, oneself.account()).await?,
            applications: applications::list(engine, oneself).await?,
            memberships: memberships::list(engine, oneself).await?,
            names: Names::read(engine, &events).await?,
            manages: state.serves_console() && !console::workplaces(engine, oneself).await?.is_empty(),
            events,
        })
    }

    /// What is in use of one kind.
    fn of_kind(&self, kind: CredentialKind) -> impl Iterator<Item = &Shown> {
        let in_use =
            move |shown: &&Shown| shown.credential.kind == kind && shown.credential.confirmed_at.is_some();
        self.credentials.iter().filter(in_use)
    }

    /// The page on which a password is chosen.
    fn password_page(
        &self,
        reader: &Reader<'_>,
        form: Form<'_>,
        flash: Option<&Flash>,
        password_min: u32,
    ) -> String {
        let main = self.contacts.iter().filter(|it| it.kind == ContactKind::Email);
        let main = main.max_by_key(|it| it.is_primary).map(|it| it.address.as_str());
        let has_one = self.of_kind(CredentialKind::Password).next().is_some();
        SetPassword {
            form,
            action: "choose_password",
            person: main.unwrap_or_default(),
            occasion: if has_one { Occasion::Replace } else { Occasion::First },
            password_min,
            asks_current: has_one,
            // Whoever changes their password while they are signed in did not lose their account.
            access: &[],
            back: Some(PATH),
            trouble: flash.and_then(|flash| flash.trouble).map(Trouble::from),
        }
        .page(&reader.frame(CHANGE_PASSWORD))
    }

    fn page(
        &self,
        reader: &Reader<'_>,
        oneself: &Oneself,
        form: Form<'_>,
        (flash, not_done): (Option<&Flash>, Option<Trouble>),
    ) -> String {
        let of_kind = |kind: CredentialKind| self.of_kind(kind);
        let ids: Vec<String> = self.credentials.iter().map(|shown| shown.credential.id.to_string()).collect();
        let id = |shown: &Shown| {
            let place = self.credentials.iter().position(|it| it.credential.id == shown.credential.id);
            place.and_then(|place| ids.get(place)).map(String::as_str).unwrap_or_default()
        };
        let passkeys: Vec<Passkey<'_>> = of_kind(CredentialKind::Passkey)
            .map(|shown| Passkey {
                id: id(shown),
                name: &shown.credential.name,
                added: Moment(shown.credential.created_at.seconds()),
                used: shown.credential.used_at.map(|used| Moment(used.seconds())),
                synced: shown.passkey.as_ref().is_some_and(|passkey| passkey.backed_up),
            })
            .collect();
        let totp = of_kind(CredentialKind::Totp).next();
        let sessions = self.sessions(oneself, reader.language);
        let (emails, phones) = (self.contacts(ContactKind::Email), self.contacts(ContactKind::Phone));
        let (applications, memberships) =
            (self.applications(reader.language), self.memberships(reader.language));
        let words: Vec<Vec<&str>> = applications.iter().map(Acting::may).collect();
        let applications: Vec<Application<'_>> =
            applications.iter().zip(&words).map(|(acting, may)| acting.view(may)).collect();
        let memberships: Vec<Membership<'_>> = memberships.iter().map(Belongs::view).collect();
        let sessions: Vec<Session<'_>> = sessions.iter().map(Where::view).collect();
        let access: Vec<_> = self.access.iter().map(super::access_choice).collect();
        let requests: Vec<Asked> = self.requests.iter().map(Asked::of).collect();
        let requests: Vec<Request<'_>> = requests.iter().map(Asked::view).collect();
        let providers = providers::all(&self.linked, &self.linkable);
        let providers: Vec<Provider<'_>> = providers.iter().map(Providing::view).collect();
        MyAccount {
            form,
            requests: &requests,
            name: &self.name,
            locale: self.language.as_deref().and_then(Written::first_spoken).map(spoken),
            emails: &reached(&emails),
            phones: &reached(&phones),
            texts: reader.state.engine().settings().flows.texts == Texts::Leave,
            typed: flash.and_then(typed),
            passkeys: &passkeys,
            password_set: of_kind(CredentialKind::Password)
                .next()
                .map(|shown| Moment(shown.credential.created_at.seconds())),
            totp: totp
                .map(|shown| Totp { id: id(shown), added: Moment(shown.credential.created_at.seconds()) }),
            enrols: ENROLS,
            recovery_left: of_kind(CredentialKind::RecoveryCodes)
                .next()
                .and_then(|shown| shown.codes_left)
                .map(|left| u32::try_from(left).unwrap_or_default()),
            providers: &providers,
            sessions: &sessions,
            access: &access,
            applications: &applications,
            memberships: &memberships,
            manages: self.manages,
            events: &self.events(reader.language),
            saved: flash.is_some_and(|flash| flash.trouble.is_none()),
            trouble: flash.and_then(|flash| flash.trouble).map(Trouble::from).or(not_done),
        }
        .page(&reader.frame(PATH))
    }

    fn contacts(&self, kind: ContactKind) -> Vec<(String, &contacts::Contact)> {
        let known = self.contacts.iter().filter(|contact| contact.kind == kind);
        known.map(|contact| (contact.id.to_string(), contact)).collect()
    }

    fn sessions(&self, oneself: &Oneself, language: Language) -> Vec<Where> {
        let language = written(language);
        let current = oneself.signed_in.session.id;
        self.sessions
            .iter()
            .map(|session| Where {
                id: session.id.to_string(),
                device: session.description.device_in(language).unwrap_or_default(),
                place: session.description.place.clone().unwrap_or_default(),
                seen: Moment(session.used_at.seconds()),
                is_current: session.id == current,
            })
            .collect()
    }

    fn applications(&self, language: Language) -> Vec<Acting> {
        let named = |granted: &Granted| {
            let there = |it: &&Belonging| it.organization.id == granted.application.organization;
            let found = self.memberships.iter().find(there);
            found.map(|it| it.organization.name.clone()).unwrap_or_default()
        };
        self.applications.iter().map(|granted| Acting::of(granted, named(granted), language)).collect()
    }

    fn memberships(&self, language: Language) -> Vec<Belongs> {
        self.memberships.iter().map(|belonging| Belongs::of(belonging, language)).collect()
    }

    fn events(&self, language: Language) -> Vec<Event<'_>> {
        let shown = |entry| -> Option<Event<'_>> {
            let entry: &Entry = entry;
            let place = entry.personal.as_ref().and_then(|personal| personal.address.as_deref());
            Some(Event {
                what: event(&entry.event.kind, language)?,
                about: self.names.of(&entry.event, language).unwrap_or_default(),
                at: Moment(entry.event.at.seconds()),
                place: place.unwrap_or_default(),
            })
        };
        self.events.iter().filter_map(shown).collect()
    }
}

const fn written(language: Language) -> Written {
    match language {
        Language::English => Written::English,
        Language::Portuguese => Written::Portuguese,
    }
}

/// Addresses or numbers, as they are shown.
fn reached<'a>(known: &'a [(String, &'a contacts::Contact)]) -> Vec<Contact<'a>> {
    let shown = |(id, contact): &'a (String, &'a contacts::Contact)| Contact {
        id,
        value: &contact.address,
        verified: contact.verified_at.is_some(),
        primary: contact.is_primary,
    };
    known.iter().map(shown).collect()
}

/// What was typed to be reached at, where it was not right.
fn typed(flash: &Flash) -> Option<(Typed, &str)> {
    let kind = match flash.trouble? {
        Told::BadEmail => Typed::Email,
        Told::BadPhone => Typed::Phone,
        _ => return None,
    };
    Some((kind, flash.identifier.as_str()))
}

/// What can be added or replaced on the screens.
const ENROLS: &[Way] = &[Way::Password, Way::Passkey, Way::Totp, Way::RecoveryCode];

/// A session, in words.
struct Where {
    id: String,
    device: String,
    place: String,
    seen: Moment,
    is_current: bool,
}

impl Where {
    fn view(&self) -> Session<'_> {
        let Self { id, device, place, seen, is_current } = self;
        Session { id, device, place, seen: *seen, current: *is_current }
    }
}

/// A membership, in words.
struct Belongs {
    organization: String,
    roles: String,
    state: MembershipState,
}

impl Belongs {
    fn of(belonging: &Belonging, language: Language) -> Self {
        let Belonging { organization, member } = belonging;
        let roles = language.words().roles.read(member.roles.iter().map(|role| role.role.name()));
        Self {
            organization: organization.name.clone(),
            roles,
            state: match (organization.condition, member.membership.condition) {
                (Condition::Enabled, Condition::Enabled) => MembershipState::Usable,
                (Condition::Suspended | Condition::Ended, _) => MembershipState::Suspended,
                (Condition::Enabled, Condition::Suspended | Condition::Ended) => MembershipState::Disabled,
            },
        }
    }

    fn view(&self) -> Membership<'_> {
        Membership { organization: &self.organization, roles: &self.roles, state: self.state }
    }
}
