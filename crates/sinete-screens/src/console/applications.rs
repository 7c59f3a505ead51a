//! The applications, services and agents of an organization: list, registration and details.

use super::application_types::ApplicationTypeChoice;
use super::client_secrets::ClientSecretItem;
use super::notices::{ConsoleField, ConsoleNotice};
use super::quickstarts::QuickstartSettings;
use super::role_choices::RoleChoice;
use super::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The applications on this page.
    pub applications: &'a [ApplicationItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The registration form, if the user may register applications.
    pub registration_form: Option<RegisterApplicationForm<'a>>,
}

/// An application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationItem<'a> {
    /// The `client_id`.
    pub id: &'a str,
    /// The display name.
    pub name: &'a str,
    /// The purpose.
    pub purpose: &'a str,
    /// The kind.
    pub kind: ApplicationKind,
    /// Whether it is disabled.
    pub is_disabled: bool,
    /// Whether an operator verified it.
    pub is_verified: bool,
}

/// The kind of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationKind {
    /// An application that users sign in to.
    Application,
    /// A service.
    Service,
    /// An AI agent.
    Agent,
}

/// The registration form.
#[derive(Clone, Copy, Debug)]
pub struct RegisterApplicationForm<'a> {
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// Whether the form is open.
    pub open: bool,
    /// What the user may register.
    pub types: &'a [ApplicationTypeChoice],
    /// The selected type.
    pub chosen_type: ApplicationTypeChoice,
    /// The kinds that the user may register.
    pub kinds: &'a [ApplicationKind],
    /// The selected kind.
    pub kind: ApplicationKind,
    /// The form fields.
    pub fields: ApplicationFields<'a>,
}

/// The editable fields of an application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationFields<'a> {
    /// The display name.
    pub name: &'a str,
    /// The purpose.
    pub purpose: &'a str,
    /// The redirect URIs, one per line.
    pub redirect_uris: &'a str,
    /// The client authentication method, as in client metadata.
    pub auth_method: &'a str,
    /// The `jwks_uri`.
    pub jwks_uri: &'a str,
    /// The selected grant types, by their names in the form.
    pub grant_types: &'a [&'a str],
    /// The allowed scopes.
    pub scope: &'a str,
    /// Whether the allowed scopes are not set, so that all identity scopes are allowed.
    pub is_unlimited: bool,
    /// Whether ID tokens contain the claims of granted scopes: `id_token`, or empty.
    pub claims: &'a str,
    /// The arrays of role names in every token, one of [`ROLE_CLAIMS`].
    pub role_claims: &'a str,
    /// The organization's roles, if the user may see them.
    pub roles: &'a [RoleChoice<'a>],
}

/// A grant type: its name in the form, its metadata value, and its label.
#[derive(Clone, Copy, Debug)]
pub struct GrantTypeChoice {
    /// The name in the form.
    pub name: &'static str,
    /// The value in client metadata.
    pub grant_type: &'static str,
    text: fn(&LocalePhrases) -> &'static str,
}

/// All grant types.
pub const GRANT_TYPES: [GrantTypeChoice; 6] = [
    GrantTypeChoice {
        name: "code",
        grant_type: "authorization_code",
        text: |phrases| phrases.applications.code,
    },
    GrantTypeChoice {
        name: "refresh",
        grant_type: "refresh_token",
        text: |phrases| phrases.applications.refresh,
    },
    GrantTypeChoice {
        name: "own",
        grant_type: "client_credentials",
        text: |phrases| phrases.applications.own,
    },
    GrantTypeChoice {
        name: "exchange",
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        text: |phrases| phrases.applications.exchange,
    },
    GrantTypeChoice {
        name: "device",
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        text: |phrases| phrases.applications.device,
    },
    GrantTypeChoice {
        name: "approval",
        grant_type: "urn:openid:params:grant-type:ciba",
        text: |phrases| phrases.applications.approval,
    },
];

/// The selectable client authentication methods, as in client metadata.
pub const AUTH_METHODS: [&str; 4] = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"];

/// The value with which ID tokens contain the claims of granted scopes.
pub const CLAIMS_IN_ID_TOKEN: &str = "id_token";

/// The selectable claims in ID tokens.
pub const ID_TOKEN_CLAIMS: [&str; 2] = ["", CLAIMS_IN_ID_TOKEN];

/// The selectable arrays of role names in every token.
pub const ROLE_CLAIMS: [&str; 4] = ["", "groups", "roles", "groups roles"];

/// The details of an application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationDetailView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The application.
    pub application: ApplicationItem<'a>,
    /// Its roles in the organization; empty if it has none.
    pub roles: &'a str,
    /// The owner of an agent, by id and name.
    pub owner: Option<(&'a str, &'a str)>,
    /// When it was created.
    pub since: DisplayTime,
    /// The version that was read, which a change submits.
    pub version: i64,
    /// The stored values.
    pub stored_fields: ApplicationFields<'a>,
    /// The values in the form: the stored ones, with the user's changes if they were not saved.
    pub fields: ApplicationFields<'a>,
    /// The stored values that the form submits, to detect what the user changed.
    pub original_values: &'a str,
    /// Its active secrets; `None` if it needs none.
    pub secrets: Option<&'a [ClientSecretItem<'a>]>,
    /// What it is configured with, if users sign in to it.
    pub quickstart: Option<QuickstartSettings<'a>>,
    /// Its last refused authorization requests, latest first.
    pub refused_requests: &'a [super::refused_requests::RefusedRequestItem<'a>],
    /// Whether the user may change it.
    pub may_change: bool,
    /// Whether the user may test it.
    pub may_test: bool,
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
}

#[derive(Template)]
#[template(path = "console/applications.html")]
struct ApplicationListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ApplicationListView<'a>,
}

#[derive(Template)]
#[template(path = "console/application.html")]
struct ApplicationDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ApplicationDetailView<'a>,
}

impl ApplicationListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ApplicationListPage {
            frame,
            phrases,
            title: phrases.applications.title,
            layout: &self.layout,
            view: self,
        })
    }
}

impl ApplicationDetailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ApplicationDetailPage {
            frame,
            phrases,
            title: self.application.name,
            layout: &self.layout,
            view: self,
        })
    }
}

impl ApplicationDetailView<'_> {
    /// Whether the page offers a test sign-in: users sign in to the application, and it is enabled.
    pub(crate) fn can_test(&self) -> bool {
        let signs_in = self.quickstart.is_some() && self.stored_fields.grant_types.contains(&"code");
        self.may_test && signs_in && !self.application.is_disabled
    }

    /// Whether the page shows the stored values next to the form: the user may only read, or another user
    /// saved first.
    pub(crate) fn shows_current_settings(&self) -> bool {
        !self.may_change || self.layout.notice == Some(ConsoleNotice::Changed)
    }
}

impl ConsoleLayout<'_> {
    /// The URL of an application's page.
    pub(crate) fn application_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Applications.path()))
    }
}

impl ApplicationKind {
    /// The name in the form.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Service => "service",
            Self::Agent => "agent",
        }
    }

    pub(crate) const fn text(&self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Application => phrases.applications.application,
            Self::Service => phrases.applications.service,
            Self::Agent => phrases.applications.agent,
        }
    }

    pub(crate) const fn description(&self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Application => phrases.applications.application_about,
            Self::Service => phrases.applications.service_about,
            Self::Agent => phrases.applications.agent_about,
        }
    }
}

impl RegisterApplicationForm<'_> {
    pub(crate) fn is_chosen_type(&self, choice: &ApplicationTypeChoice) -> bool {
        self.chosen_type == *choice
    }

    pub(crate) fn is_chosen(&self, kind: &ApplicationKind) -> bool {
        self.kind == *kind
    }
}

impl GrantTypeChoice {
    pub(crate) fn text(&self, phrases: &LocalePhrases) -> &'static str {
        (self.text)(phrases)
    }
}

impl ApplicationFields<'_> {
    pub(crate) fn has_grant(&self, grant: &GrantTypeChoice) -> bool {
        self.grant_types.contains(&grant.name)
    }

    pub(crate) fn has_auth_method(&self, proof: &str) -> bool {
        self.auth_method == proof
    }

    pub(crate) fn has_claims(&self, claims: &str) -> bool {
        self.claims == claims
    }

    pub(crate) fn has_role_claims(&self, claims: &str) -> bool {
        self.role_claims == claims
    }

    /// Whether the client authentication method is not among the selectable ones.
    pub(crate) fn has_other_auth_method(&self) -> bool {
        !AUTH_METHODS.contains(&self.auth_method)
    }
}

/// The display text of the claims in ID tokens.
pub(crate) fn claims_text(claims: &str, phrases: &LocalePhrases) -> &'static str {
    if claims == CLAIMS_IN_ID_TOKEN {
        phrases.applications.claims_id_token
    } else {
        phrases.applications.claims_userinfo
    }
}

/// The display text of a selection of role claims: the names themselves.
pub(crate) fn role_claims_text<'a>(claims: &'a str, phrases: &LocalePhrases) -> &'a str {
    if claims.is_empty() { phrases.applications.role_claims_none } else { claims }
}

/// The display text of a client authentication method.
pub(crate) fn auth_method_text(proof: &str, phrases: &LocalePhrases) -> &'static str {
    match proof {
        "none" => phrases.applications.by_nothing,
        "client_secret_basic" => phrases.applications.by_basic,
        "client_secret_post" => phrases.applications.by_post,
        "private_key_jwt" => phrases.applications.by_keys,
        _ => phrases.applications.by_other,
    }
}
