//! The person's own page: what it shows is what the person's own API tells, and what its forms ask for is done by
//! the same functions.

mod acting;
mod changes;
mod providers;
mod requests;

use super::console::SavedReturnTo;
use super::flash::{FlowFlash, FlowNotice};
use super::{NOT_DONE, PageReader, walk};
use crate::call::RoutedRequest;
use crate::extract::session::{SessionTokenKind, TokenTransport, of_headers};
use crate::pages::spoken;
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use acting::{ApplicationNames, DelegateText};
use axum::http::StatusCode;
pub(crate) use changes::post;
pub(super) use changes::resume;
use providers::ProviderText;
use requests::ApprovalText;
use serde_json::{Map, Value};
use sinete_core::people::LifecycleCondition;
use sinete_core::people::language::Language as Written;
use sinete_engine::account::applications::{self, ApplicationGrants};
use sinete_engine::account::approvals::{self, PendingApproval};
use sinete_engine::account::contacts::{self, ContactKind};
use sinete_engine::account::credentials::{self, CredentialOverview, StoredCredentialKind as CredentialKind};
use sinete_engine::account::identities::{self, LinkableProvider};
use sinete_engine::account::memberships::{self, OwnMembership};
use sinete_engine::account::{self, AccountHolder, SecurityLogEntry, profile};
use sinete_engine::console;
use sinete_engine::flows::SmsDelivery;
use sinete_engine::lasting_access::{self, LastingAccess};
use sinete_engine::{Failure, sessions};
use sinete_screens::form::PageForm;
use sinete_screens::language::UiLanguage;
use sinete_screens::moment::DisplayTime;
use sinete_screens::my_account::{
    ActivityItem, ApprovalRequestItem, AuthorizedApplicationItem, ContactInput, ContactItem, MembershipItem,
    MembershipState, MyAccountView, PasskeyItem, ProviderItem, SessionItem, TotpItem, event,
};
use sinete_screens::set_password::{SetPasswordReason, SetPasswordView};
use sinete_screens::trouble::FormError;
use sinete_screens::way::SignInMethod;

/// As many events are shown.
const EVENTS_SHOWN: usize = 12;
/// As many are read for that: those that concern only us are left out.
const EVENTS_READ: u32 = 60;

/// Where the page is.
const PATH: &str = "/my-account";
/// Where a password is chosen.
const CHANGE_PASSWORD: &str = "/my-account?change=password";

/// Says, on the page, that something was done.
pub(super) fn saved() -> FlowFlash {
    FlowFlash { flow: PATH.to_owned(), ..FlowFlash::default() }
}

/// Shows the page to whoever is signed in, and leads everybody else to sign in.
pub(crate) async fn get(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    let Some(oneself) = signed_in(&state, &call).await? else {
        return Ok(super::see(&state, &walk::with_language("/sign-in", &query)));
    };
    if let Some(bound) = SavedReturnTo::of(call.headers(), state.scheme()).filter(|_| state.serves_console())
    {
        // Whoever wanted to work and had to sign in first goes on to work.
        let mut response = super::see(&state, &walk::with_language(&bound, &query));
        SavedReturnTo::clear(&mut response, state.scheme());
        return Ok(response);
    }
    let all = MyAccountData::read(&state, &oneself).await?;
    let reader = PageReader::new(&state, &call, [query.get("ui_locales"), all.language.as_deref()]);
    let changes_password = query.get("change") == Some("password");
    let here = if changes_password { CHANGE_PASSWORD } else { PATH };
    let flash = FlowFlash::of(call.headers(), state.scheme(), here);
    let csrf = oneself.csrf_token(state.engine());
    let form = PageForm { action: &walk::with_language(PATH, &query), csrf: &csrf };
    let page = if changes_password {
        let least = state.engine().settings().passwords.characters_min;
        all.password_page(&reader, form, flash.as_ref(), u32::try_from(least).unwrap_or(u32::MAX))
    } else {
        let not_done = (query.get("trouble") == Some(NOT_DONE)).then_some(FormError::NotDone);
        all.page(&reader, &oneself, form, (flash.as_ref(), not_done))
    };
    let mut response = reader.answer(StatusCode::OK, page);
    if flash.is_some() {
        FlowFlash::clear(&mut response, state.scheme());
    }
    Ok(response)
}

/// Whoever is signed in in this browser. Only its cookie counts: a page is nothing for programs.
pub(super) async fn signed_in(
    state: &HttpState,
    call: &RoutedRequest,
) -> Result<Option<AccountHolder>, HandlerError> {
    let presented = of_headers(SessionTokenKind::Session, call.headers(), state.scheme())?;
    let Some(presented) = presented.filter(|presented| presented.by == TokenTransport::Cookie) else {
        return Ok(None);
    };
    Ok(account::identify(state.engine(), presented.token, call.origin()).await?.ok())
}

/// Everything the page shows.
struct MyAccountData {
    name: String,
    language: Option<String>,
    contacts: Vec<contacts::ContactRow>,
    credentials: Vec<CredentialOverview>,
    requests: Vec<PendingApproval>,
    linked: Vec<identities::LinkedIdentity>,
    linkable: Vec<LinkableProvider>,
    sessions: Vec<sessions::SessionOverview>,
    access: Vec<LastingAccess>,
    applications: Vec<ApplicationGrants>,
    memberships: Vec<OwnMembership>,
    events: Vec<SecurityLogEntry>,
    names: ApplicationNames,
    /// Whether there is something to manage, and the console to do it on.
    manages: bool,
}

impl MyAccountData {
    async fn read(state: &HttpState, oneself: &AccountHolder) -> Result<Self, HandlerError> {
        let engine = state.engine();
        let account = profile::show(engine, oneself).await?;
        let mut events = account::latest_events(engine, oneself, EVENTS_READ).await?;
        events.retain(|entry| event(&entry.event.kind, UiLanguage::English).is_some());
        events.truncate(EVENTS_SHOWN);
        let said: Map<String, Value> = account.profile.read().map_err(Failure::from)?;
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
            names: ApplicationNames::read(engine, &events).await?,
            manages: state.serves_console() && !console::workplaces(engine, oneself).await?.is_empty(),
            events,
        })
    }

    /// What is in use of one kind.
    fn of_kind(&self, kind: CredentialKind) -> impl Iterator<Item = &CredentialOverview> {
        let in_use = move |shown: &&CredentialOverview| {
            shown.credential.kind == kind && shown.credential.confirmed_at.is_some()
        };
        self.credentials.iter().filter(in_use)
    }

    /// The page on which a password is chosen.
    fn password_page(
        &self,
        reader: &PageReader<'_>,
        form: PageForm<'_>,
        flash: Option<&FlowFlash>,
        password_min: u32,
    ) -> String {
        let main = self.contacts.iter().filter(|it| it.kind == ContactKind::Email);
        let main = main.max_by_key(|it| it.is_primary).map(|it| it.address.as_str());
        let has_one = self.of_kind(CredentialKind::Password).next().is_some();
        SetPasswordView {
            form,
            action: "choose_password",
            person: main.unwrap_or_default(),
            occasion: if has_one { SetPasswordReason::Replace } else { SetPasswordReason::First },
            password_min,
            asks_current: has_one,
            // Whoever changes their password while they are signed in did not lose their account.
            access: &[],
            back: Some(PATH),
            trouble: flash.and_then(|flash| flash.trouble).map(FormError::from),
        }
        .page(&reader.frame(CHANGE_PASSWORD))
    }

    fn page(
        &self,
        reader: &PageReader<'_>,
        oneself: &AccountHolder,
        form: PageForm<'_>,
        (flash, not_done): (Option<&FlowFlash>, Option<FormError>),
    ) -> String {
        let of_kind = |kind: CredentialKind| self.of_kind(kind);
        let ids: Vec<String> = self.credentials.iter().map(|shown| shown.credential.id.to_string()).collect();
        let id = |shown: &CredentialOverview| {
            let place = self.credentials.iter().position(|it| it.credential.id == shown.credential.id);
            place.and_then(|place| ids.get(place)).map(String::as_str).unwrap_or_default()
        };
        let passkeys: Vec<PasskeyItem<'_>> = of_kind(CredentialKind::Passkey)
            .map(|shown| PasskeyItem {
                id: id(shown),
                name: &shown.credential.name,
                added: DisplayTime(shown.credential.created_at.seconds()),
                used: shown.credential.used_at.map(|used| DisplayTime(used.seconds())),
                synced: shown.passkey.as_ref().is_some_and(|passkey| passkey.backed_up),
            })
            .collect();
        let totp = of_kind(CredentialKind::Totp).next();
        let sessions = self.sessions(oneself, reader.language);
        let (emails, phones) = (self.contacts(ContactKind::Email), self.contacts(ContactKind::Phone));
        let (applications, memberships) =
            (self.applications(reader.language), self.memberships(reader.language));
        let words: Vec<Vec<&str>> = applications.iter().map(DelegateText::may).collect();
        let applications: Vec<AuthorizedApplicationItem<'_>> =
            applications.iter().zip(&words).map(|(acting, may)| acting.view(may)).collect();
        let memberships: Vec<MembershipItem<'_>> = memberships.iter().map(MembershipText::view).collect();
        let sessions: Vec<SessionItem<'_>> = sessions.iter().map(SessionText::view).collect();
        let access: Vec<_> = self.access.iter().map(super::access_choice).collect();
        let requests: Vec<ApprovalText> = self.requests.iter().map(ApprovalText::of).collect();
        let requests: Vec<ApprovalRequestItem<'_>> = requests.iter().map(ApprovalText::view).collect();
        let providers = providers::all(&self.linked, &self.linkable);
        let providers: Vec<ProviderItem<'_>> = providers.iter().map(ProviderText::view).collect();
        MyAccountView {
            form,
            requests: &requests,
            name: &self.name,
            locale: self.language.as_deref().and_then(Written::first_spoken).map(spoken),
            emails: &reached(&emails),
            phones: &reached(&phones),
            texts: reader.state.engine().settings().flows.texts == SmsDelivery::Leave,
            typed: flash.and_then(typed),
            passkeys: &passkeys,
            password_set: of_kind(CredentialKind::Password)
                .next()
                .map(|shown| DisplayTime(shown.credential.created_at.seconds())),
            totp: totp.map(|shown| TotpItem {
                id: id(shown),
                added: DisplayTime(shown.credential.created_at.seconds()),
            }),
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
            trouble: flash.and_then(|flash| flash.trouble).map(FormError::from).or(not_done),
        }
        .page(&reader.frame(PATH))
    }

    fn contacts(&self, kind: ContactKind) -> Vec<(String, &contacts::ContactRow)> {
        let known = self.contacts.iter().filter(|contact| contact.kind == kind);
        known.map(|contact| (contact.id.to_string(), contact)).collect()
    }

    fn sessions(&self, oneself: &AccountHolder, language: UiLanguage) -> Vec<SessionText> {
        let language = written(language);
        let current = oneself.signed_in.session.id;
        self.sessions
            .iter()
            .map(|session| SessionText {
                id: session.id.to_string(),
                device: session.description.device_in(language).unwrap_or_default(),
                place: session.description.place.clone().unwrap_or_default(),
                seen: DisplayTime(session.used_at.seconds()),
                is_current: session.id == current,
            })
            .collect()
    }

    fn applications(&self, language: UiLanguage) -> Vec<DelegateText> {
        let named = |granted: &ApplicationGrants| {
            let there = |it: &&OwnMembership| it.organization.id == granted.application.organization;
            let found = self.memberships.iter().find(there);
            found.map(|it| it.organization.name.clone()).unwrap_or_default()
        };
        self.applications.iter().map(|granted| DelegateText::of(granted, named(granted), language)).collect()
    }

    fn memberships(&self, language: UiLanguage) -> Vec<MembershipText> {
        self.memberships.iter().map(|belonging| MembershipText::of(belonging, language)).collect()
    }

    fn events(&self, language: UiLanguage) -> Vec<ActivityItem<'_>> {
        let shown = |entry| -> Option<ActivityItem<'_>> {
            let entry: &SecurityLogEntry = entry;
            let place = entry.personal.as_ref().and_then(|personal| personal.address.as_deref());
            Some(ActivityItem {
                what: event(&entry.event.kind, language)?,
                about: self.names.of(&entry.event, language).unwrap_or_default(),
                at: DisplayTime(entry.event.at.seconds()),
                place: place.unwrap_or_default(),
            })
        };
        self.events.iter().filter_map(shown).collect()
    }
}

const fn written(language: UiLanguage) -> Written {
    match language {
        UiLanguage::English => Written::English,
        UiLanguage::Portuguese => Written::Portuguese,
    }
}

/// Addresses or numbers, as they are shown.
fn reached<'a>(known: &'a [(String, &'a contacts::ContactRow)]) -> Vec<ContactItem<'a>> {
    let shown = |(id, contact): &'a (String, &'a contacts::ContactRow)| ContactItem {
        id,
        value: &contact.address,
        verified: contact.verified_at.is_some(),
        primary: contact.is_primary,
    };
    known.iter().map(shown).collect()
}

/// What was typed to be reached at, where it was not right.
fn typed(flash: &FlowFlash) -> Option<(ContactInput, &str)> {
    let kind = match flash.trouble? {
        FlowNotice::BadEmail => ContactInput::Email,
        FlowNotice::BadPhone => ContactInput::Phone,
        _ => return None,
    };
    Some((kind, flash.identifier.as_str()))
}

/// What can be added or replaced on the screens.
const ENROLS: &[SignInMethod] =
    &[SignInMethod::Password, SignInMethod::Passkey, SignInMethod::Totp, SignInMethod::RecoveryCode];

/// A session, in words.
struct SessionText {
    id: String,
    device: String,
    place: String,
    seen: DisplayTime,
    is_current: bool,
}

impl SessionText {
    fn view(&self) -> SessionItem<'_> {
        let Self { id, device, place, seen, is_current } = self;
        SessionItem { id, device, place, seen: *seen, current: *is_current }
    }
}

/// A membership, in words.
struct MembershipText {
    organization: String,
    roles: String,
    state: MembershipState,
}

impl MembershipText {
    fn of(belonging: &OwnMembership, language: UiLanguage) -> Self {
        let OwnMembership { organization, member } = belonging;
        let roles = language.words().roles.read(member.roles.iter().map(|role| role.role.name()));
        Self {
            organization: organization.name.clone(),
            roles,
            state: match (organization.condition, member.membership.condition) {
                (LifecycleCondition::Enabled, LifecycleCondition::Enabled) => MembershipState::Usable,
                (LifecycleCondition::Suspended | LifecycleCondition::Ended, _) => MembershipState::Suspended,
                (LifecycleCondition::Enabled, LifecycleCondition::Suspended | LifecycleCondition::Ended) => {
                    MembershipState::Disabled
                }
            },
        }
    }

    fn view(&self) -> MembershipItem<'_> {
        MembershipItem { organization: &self.organization, roles: &self.roles, state: self.state }
    }
}
