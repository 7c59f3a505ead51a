//! The account page. It shows what the account API returns, and its forms call the same functions.

mod actions;
mod applications;
mod ciba_requests;
mod identities;
mod memberships;
pub(crate) mod routes;
mod sessions;

pub(crate) use crate::accounts::account_pages::actions::resume_action;
pub(crate) use crate::accounts::account_pages::actions::submit_form;
use crate::accounts::account_pages::applications::{
    ApplicationNames, AuthorizedApplicationText, application_list,
};
use crate::accounts::account_pages::ciba_requests::ApprovalText;
use crate::accounts::account_pages::identities::ProviderText;
use crate::screens::flash::{FlowFlash, FlowNotice};
use crate::screens::saved_return_to::SavedReturnTo;
use crate::screens::{ACTION_NOT_PERFORMED, PageRenderContext};
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use memberships::MembershipText;
use serde_json::{Map, Value};
use sessions::SessionText;
use sinete_engine::accounts::contacts;
use sinete_engine::accounts::contacts::ContactKind;
use sinete_engine::accounts::linked_identities;
use sinete_engine::accounts::linked_identities::LinkableProvider;
use sinete_engine::accounts::memberships::OwnMembership;
use sinete_engine::accounts::picture::PICTURE_PATH;
use sinete_engine::accounts::profile;
use sinete_engine::administration::console;
use sinete_engine::oauth::authorized_applications;
use sinete_engine::oauth::authorized_applications::ApplicationGrants;
use sinete_engine::oauth::ciba::pending_approvals;
use sinete_engine::oauth::ciba::pending_approvals::PendingApproval;
use sinete_engine::sign_in::account_holder;
use sinete_engine::sign_in::account_holder::{AccountHolder, SecurityLogEntry};
use sinete_engine::sign_in::credentials;
use sinete_engine::sign_in::credentials::{ListedCredential, StoredCredentialKind as CredentialKind};
use sinete_engine::sign_in::flows::SmsDelivery;
use sinete_engine::sign_in::long_lived_access;
use sinete_engine::sign_in::long_lived_access::LongLivedAccess;
use sinete_engine::sign_in::sessions::SessionOverview;
use sinete_engine::{Failure, UseCaseResult};
use sinete_screens::accounts::activity::{ActivityItem, activity_text};
use sinete_screens::accounts::my_account::{
    ApprovalRequestItem, ContactInput, ContactItem, MembershipItem, MyAccountView, PasskeyItem, ProviderItem,
    SessionItem, TotpItem,
};
use sinete_screens::display_time::DisplayTime;
use sinete_screens::form::PageForm;
use sinete_screens::form_error::FormError;
use sinete_screens::language::UiLanguage;
use sinete_screens::sign_in::set_password::{SetPasswordReason, SetPasswordView};
use sinete_screens::sign_in_method::SignInMethod;
use sinete_server::extract::session::{SessionTokenKind, TokenTransport, find_token};
use sinete_server::reply::{HandlerError, HandlerResult};

/// The number of events shown.
const EVENTS_DISPLAYED: usize = 12;
/// The number of events read for that: those that concern only operators are omitted.
const EVENTS_READ: u32 = 60;

/// The path of the page.
const MY_ACCOUNT_PATH: &str = "/my-account";
/// The URL of the password form.
pub(crate) const CHANGE_PASSWORD_PATH: &str = "/my-account?change=password";

/// Whether the path is a page of the console, and the console is enabled.
fn is_served_console_page(state: &HttpState, path: &str) -> bool {
    state.serves_console() && (path == "/console" || (state.resumable_pages().is_console_page)(path))
}

/// Shows the page to a signed-in user, and redirects others to sign-in.
pub(crate) async fn show_my_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let Some(account_holder) = authenticate_browser_session(&state, &request).await? else {
        let mut response = crate::screens::see_other(&state, &flow_pages::with_language("/sign-in", &query));
        if query.get("change") == Some("password") {
            SavedReturnTo::new(CHANGE_PASSWORD_PATH).set_cookie(&mut response, state.scheme());
        }
        return Ok(response);
    };
    if let Some(bound) = SavedReturnTo::from_cookie(request.headers(), state.scheme())
        .filter(|bound| bound == CHANGE_PASSWORD_PATH || is_served_console_page(&state, bound))
    {
        // A user who was on the way to another page continues there after sign-in.
        let mut response = crate::screens::see_other(&state, &flow_pages::with_language(&bound, &query));
        SavedReturnTo::clear_cookie(&mut response, state.scheme());
        return Ok(response);
    }
    let all = MyAccountData::load(&state, &account_holder).await?;
    let reader = PageRenderContext::new(&state, &request, [query.get("ui_locales"), all.language.as_deref()]);
    let changes_password = query.get("change") == Some("password");
    let page_path = if changes_password { CHANGE_PASSWORD_PATH } else { MY_ACCOUNT_PATH };
    let flash = FlowFlash::from_cookie(request.headers(), state.scheme(), page_path);
    let csrf = account_holder.csrf_token(state.engine());
    let form = PageForm { action: &flow_pages::with_language(MY_ACCOUNT_PATH, &query), csrf: &csrf };
    let page = if changes_password {
        let least = state.engine().settings().passwords.characters_min;
        all.password_page(&reader, form, flash.as_ref(), u32::try_from(least).unwrap_or(u32::MAX))
    } else {
        let not_done =
            (query.get("trouble") == Some(ACTION_NOT_PERFORMED)).then_some(FormError::ActionNotPerformed);
        all.my_account_page(&reader, &account_holder, form, flash.as_ref(), not_done)
    };
    let mut response = reader.script_page_response(StatusCode::OK, page);
    if flash.is_some() {
        FlowFlash::clear_cookie(&mut response, state.scheme());
    }
    Ok(response)
}

/// Redirects to the password form (W3C, A Well-Known URL for Changing Passwords).
pub(crate) async fn redirect_to_password_change(state: HttpState) -> HandlerResult {
    Ok(crate::screens::see_other(&state, CHANGE_PASSWORD_PATH))
}

/// Authenticates the session of this browser. Only its cookie is accepted, because a page is not for
/// programs.
pub(crate) async fn authenticate_browser_session(
    state: &HttpState,
    request: &RoutedRequest,
) -> Result<Option<AccountHolder>, HandlerError> {
    let token = find_token(SessionTokenKind::Session, request.headers(), state.scheme())?;
    let Some(token) = token.filter(|token| token.transport == TokenTransport::Cookie) else {
        return Ok(None);
    };
    let result = account_holder::authenticate_session(state.engine(), token.token, request.origin()).await;
    Ok(result.unless_refused()?)
}

/// The path of the picture in the profile below the base URL. Pictures of other hosts are not shown.
fn stored_picture_path(issuer: &str, profile: &Map<String, Value>) -> Option<String> {
    let path = profile.get("picture").and_then(Value::as_str)?.strip_prefix(issuer)?;
    path.starts_with(PICTURE_PATH).then(|| path.to_owned())
}

/// The data of the page.
struct MyAccountData {
    name: String,
    /// The path of the picture, if it is stored here.
    picture: Option<String>,
    language: Option<String>,
    contacts: Vec<contacts::ContactRow>,
    credentials: Vec<ListedCredential>,
    requests: Vec<PendingApproval>,
    linked: Vec<linked_identities::LinkedIdentity>,
    linkable: Vec<LinkableProvider>,
    sessions: Vec<SessionOverview>,
    access: Vec<LongLivedAccess>,
    applications: Vec<ApplicationGrants>,
    memberships: Vec<OwnMembership>,
    events: Vec<SecurityLogEntry>,
    names: ApplicationNames,
    /// Where the console begins for the user, if they may use it and it is enabled.
    console_path: Option<&'static str>,
}

/// Where the console begins for the user: operators begin with the instance, others with their organizations.
async fn find_console_path(
    state: &HttpState,
    account_holder: &AccountHolder,
) -> Result<Option<&'static str>, HandlerError> {
    let engine = state.engine();
    if !state.serves_console() {
        return Ok(None);
    }
    if console::can_enter_instance(engine, account_holder).await? {
        return Ok(Some("/instance"));
    }
    let manages = !console::list_manageable_organizations(engine, account_holder).await?.is_empty();
    Ok(manages.then_some("/console"))
}

impl MyAccountData {
    async fn load(state: &HttpState, account_holder: &AccountHolder) -> Result<Self, HandlerError> {
        let engine = state.engine();
        let account = profile::show(engine, account_holder).await?;
        let mut events = account_holder::list_latest_events(engine, account_holder, EVENTS_READ).await?;
        events.retain(|entry| activity_text(&entry.event.kind, UiLanguage::English).is_some());
        events.truncate(EVENTS_DISPLAYED);
        let profile: Map<String, Value> = account.profile.parse().map_err(Failure::from)?;
        Ok(Self {
            name: profile.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            picture: stored_picture_path(&engine.settings().issuer, &profile),
            language: account.language,
            contacts: contacts::list(engine, account_holder).await?,
            credentials: credentials::list(engine, account_holder).await?,
            requests: pending_approvals::list(engine, account_holder).await?,
            linked: linked_identities::list(engine, account_holder).await?,
            linkable: linked_identities::list_linkable(engine, account_holder).await?,
            sessions: sinete_engine::sign_in::sessions::list(engine, account_holder.account()).await?,
            access: long_lived_access::list(engine, account_holder.account()).await?,
            applications: authorized_applications::list(engine, account_holder).await?,
            memberships: sinete_engine::accounts::memberships::list(engine, account_holder).await?,
            names: ApplicationNames::load(engine, &events).await?,
            console_path: find_console_path(state, account_holder).await?,
            events,
        })
    }

    /// The usable credentials of one kind.
    fn credentials_of_kind(&self, kind: CredentialKind) -> impl Iterator<Item = &ListedCredential> {
        let in_use = move |overview: &&ListedCredential| {
            overview.credential.kind == kind && overview.credential.confirmed_at.is_some()
        };
        self.credentials.iter().filter(in_use)
    }

    /// The password page.
    fn password_page(
        &self,
        reader: &PageRenderContext<'_>,
        form: PageForm<'_>,
        flash: Option<&FlowFlash>,
        password_min: u32,
    ) -> String {
        let main = self.contacts.iter().filter(|it| it.kind == ContactKind::Email);
        let main = main.max_by_key(|it| it.is_primary).map(|it| it.address.as_str());
        let has_one = self.credentials_of_kind(CredentialKind::Password).next().is_some();
        SetPasswordView {
            form,
            action: "choose_password",
            account_label: main.unwrap_or_default(),
            reason: if has_one { SetPasswordReason::Replace } else { SetPasswordReason::First },
            password_min,
            requires_current_password: has_one,
            // Changing a password while signed in is not an account recovery, so no access is revoked.
            access: &[],
            cancel_url: Some(MY_ACCOUNT_PATH),
            error: flash.and_then(|flash| flash.trouble).map(FormError::from),
        }
        .render(&reader.frame(CHANGE_PASSWORD_PATH))
    }

    fn my_account_page(
        &self,
        reader: &PageRenderContext<'_>,
        account_holder: &AccountHolder,
        form: PageForm<'_>,
        flash: Option<&FlowFlash>,
        not_done: Option<FormError>,
    ) -> String {
        let of_kind = |kind: CredentialKind| self.credentials_of_kind(kind);
        let ids: Vec<String> =
            self.credentials.iter().map(|overview| overview.credential.id.to_string()).collect();
        let id = |overview: &ListedCredential| {
            let position = self.credentials.iter().position(|it| it.credential.id == overview.credential.id);
            position.and_then(|index| ids.get(index)).map(String::as_str).unwrap_or_default()
        };
        let passkeys: Vec<PasskeyItem<'_>> = of_kind(CredentialKind::Passkey)
            .map(|overview| PasskeyItem {
                id: id(overview),
                name: &overview.credential.name,
                added: DisplayTime(overview.credential.created_at.seconds()),
                used: overview.credential.used_at.map(|used| DisplayTime(used.seconds())),
                synced: overview.passkey.as_ref().is_some_and(|passkey| passkey.backed_up),
            })
            .collect();
        let totp = of_kind(CredentialKind::Totp).next();
        let sessions = self.session_items(account_holder, reader.language);
        let (emails, phones) =
            (self.contact_items(ContactKind::Email), self.contact_items(ContactKind::Phone));
        let (applications, memberships) =
            (self.application_items(reader.language), self.membership_items(reader.language));
        let words: Vec<Vec<&str>> =
            applications.iter().map(AuthorizedApplicationText::permission_texts).collect();
        let (agents, applications): (Vec<_>, Vec<_>) =
            applications.iter().zip(&words).partition(|(application_text, _)| application_text.is_agent());
        let (agents, applications) = (application_list(&agents), application_list(&applications));
        let memberships: Vec<MembershipItem<'_>> = memberships.iter().map(MembershipText::to_item).collect();
        let sessions: Vec<SessionItem<'_>> = sessions.iter().map(SessionText::to_item).collect();
        let access: Vec<_> = self.access.iter().map(crate::screens::access_choice).collect();
        let requests: Vec<ApprovalText> = self.requests.iter().map(ApprovalText::from_request).collect();
        let requests: Vec<ApprovalRequestItem<'_>> = requests.iter().map(ApprovalText::to_item).collect();
        let providers = identities::list_providers(&self.linked, &self.linkable);
        let providers: Vec<ProviderItem<'_>> = providers.iter().map(ProviderText::to_item).collect();
        MyAccountView {
            form,
            requests: &requests,
            name: &self.name,
            picture: self.picture.as_deref(),
            locale: self.language.as_deref().and_then(UiLanguage::from_locale_list),
            emails: &contact_list(&emails),
            phones: &contact_list(&phones),
            is_sms_available: reader.state.engine().settings().flows.sms == SmsDelivery::On,
            rejected_contact: flash.and_then(failed_contact_input),
            passkeys: &passkeys,
            password_set: of_kind(CredentialKind::Password)
                .next()
                .map(|overview| DisplayTime(overview.credential.created_at.seconds())),
            totp: totp.map(|overview| TotpItem {
                id: id(overview),
                added: DisplayTime(overview.credential.created_at.seconds()),
            }),
            enrollable_methods: ENROLLABLE_FACTORS,
            recovery_codes_left: of_kind(CredentialKind::RecoveryCodes)
                .next()
                .and_then(|overview| overview.codes_left)
                .map(|count| u32::try_from(count).unwrap_or_default()),
            providers: &providers,
            sessions: &sessions,
            access: &access,
            agents: &agents,
            applications: &applications,
            memberships: &memberships,
            console_path: self.console_path,
            events: &self.event_items(reader.language),
            saved: flash.is_some_and(|flash| flash.trouble.is_none()),
            error: flash.and_then(|flash| flash.trouble).map(FormError::from).or(not_done),
        }
        .render(&reader.frame(MY_ACCOUNT_PATH))
    }

    fn contact_items(&self, kind: ContactKind) -> Vec<(String, &contacts::ContactRow)> {
        let contacts = self.contacts.iter().filter(|contact| contact.kind == kind);
        contacts.map(|contact| (contact.id.to_string(), contact)).collect()
    }

    fn application_items(&self, language: UiLanguage) -> Vec<AuthorizedApplicationText> {
        let organization_name = |granted: &ApplicationGrants| {
            let is_same_organization =
                |it: &&OwnMembership| it.organization.id == granted.application.organization;
            let membership = self.memberships.iter().find(is_same_organization);
            membership.map(|it| it.organization.name.clone()).unwrap_or_default()
        };
        self.applications
            .iter()
            .map(|granted| {
                AuthorizedApplicationText::from_grant(granted, organization_name(granted), language)
            })
            .collect()
    }

    fn event_items(&self, language: UiLanguage) -> Vec<ActivityItem<'_>> {
        let to_item = |entry| -> Option<ActivityItem<'_>> {
            let entry: &SecurityLogEntry = entry;
            let location = entry.personal.as_ref().and_then(|personal| personal.address.as_deref());
            Some(ActivityItem {
                event: activity_text(&entry.event.kind, language)?,
                object: self.names.application_name_in_event(&entry.event, language).unwrap_or_default(),
                at: DisplayTime(entry.event.at.seconds()),
                location: location.unwrap_or_default(),
            })
        };
        self.events.iter().filter_map(to_item).collect()
    }
}

/// The contacts, for display.
fn contact_list<'a>(contact_rows: &'a [(String, &'a contacts::ContactRow)]) -> Vec<ContactItem<'a>> {
    let to_item = |(id, contact): &'a (String, &'a contacts::ContactRow)| ContactItem {
        id,
        value: &contact.address,
        verified: contact.verified_at.is_some(),
        primary: contact.is_primary,
    };
    contact_rows.iter().map(to_item).collect()
}

/// The rejected contact input, if any.
fn failed_contact_input(flash: &FlowFlash) -> Option<(ContactInput, &str)> {
    let kind = match flash.trouble? {
        FlowNotice::BadEmail => ContactInput::Email,
        FlowNotice::BadPhone => ContactInput::Phone,
        _ => return None,
    };
    Some((kind, flash.identifier.as_str()))
}

/// The factors that can be added or replaced on the page.
const ENROLLABLE_FACTORS: &[SignInMethod] =
    &[SignInMethod::Password, SignInMethod::Passkey, SignInMethod::Totp, SignInMethod::RecoveryCode];
