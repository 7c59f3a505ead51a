//! Handlers of account management by operators.

use crate::accounts::management::account_access::{ACCOUNT_SESSION, KNOWN_DEVICE};
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::id::{AccountId, ContactId, MembershipId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::sign_in::sign_in_methods::SignInMethod;
use sinete_engine::Failure;
use sinete_engine::accounts::management;
use sinete_engine::accounts::management::{AccountFilter, AccountOverview, AccountPage, AccountRow};
use sinete_server::reply::json::{
    JsonTimestamp, json_response, no_content_response, serialize_json, with_etag,
};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_accounts(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let page = management_request.page_request(None)?;
    let (instance_admin, email) =
        (management_request.instance_admin(), management_request.parse_query_param::<EmailAddress>("email")?);
    let filter = match (&email, management_request.query_param("search")) {
        (Some(_), Some(_)) => {
            let text = "`email` and `search` cannot be combined";
            return Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "").into());
        }
        (Some(email), None) => AccountFilter::Email(email),
        (None, Some(search)) => AccountFilter::Search(search),
        (None, None) => AccountFilter::All,
    };
    let (after, limit) = (page.after()?, page.fetch_limit());
    let read = management::list(management_request.engine(), &instance_admin, filter, after, limit).await?;
    let AccountPage { accounts, stopped_at } = read;
    let addresses =
        management::list_primary_addresses(management_request.engine(), &instance_admin, &accounts).await?;
    let listed_accounts =
        accounts.into_iter().zip(addresses).map(|(account, email)| ListedAccount { account, email });
    page.to_response_until(
        management_request.engine(),
        listed_accounts.collect(),
        stopped_at.map(|id| id.to_string()),
    )
}

/// An account of a list, with its primary address.
struct ListedAccount {
    account: AccountRow,
    email: Option<String>,
}

impl ResourceView for ListedAccount {
    fn cursor(&self) -> String {
        self.account.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let view = AccountListView::from_account(&self.account)?;
        Ok(AccountListView { email: self.email.as_deref(), ..view })
    }
}

pub(crate) async fn show_user(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let overview = management::show(
        management_request.engine(),
        &management_request.instance_admin(),
        management_request.path_id("account")?,
    )
    .await?;
    Ok(with_etag(
        json_response(StatusCode::OK, serialize_json(&AccountDetailView::from_account(&overview)?)?),
        overview.account.version,
    ))
}

pub(crate) async fn disable_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    account_response(
        &management::disable(
            management_request.engine(),
            &management_request.instance_admin(),
            management_request.path_id("account")?,
        )
        .await?,
    )
}

pub(crate) async fn enable_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    account_response(
        &management::enable(
            management_request.engine(),
            &management_request.instance_admin(),
            management_request.path_id("account")?,
        )
        .await?,
    )
}

pub(crate) async fn end_account_sessions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    management::end_sessions(
        management_request.engine(),
        &management_request.instance_admin(),
        management_request.path_id("account")?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn start_password_reset(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    management::start_password_reset(
        management_request.engine(),
        &management_request.instance_admin(),
        management_request.path_id("account")?,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn end_all_sessions(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    management::end_all_sessions(management_request.engine(), &management_request.instance_admin()).await?;
    Ok(no_content_response())
}

fn account_response(account: &AccountRow) -> Result<Response, HandlerError> {
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&account.to_view()?)?), account.version))
}

/// An account in a list.
#[derive(Serialize, JsonSchema)]
struct AccountListView<'a> {
    id: AccountId,
    /// The full name in the profile, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The primary e-mail address, in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    #[schemars(extend("enum" = ["enabled", "disabled", "deleted"]))]
    condition: &'static str,
    language: Option<&'a str>,
    created_at: JsonTimestamp,
    #[schemars(range(min = 1))]
    version: i64,
}

impl<'a> AccountListView<'a> {
    fn from_account(account: &'a AccountRow) -> Result<Self, HandlerError> {
        let profile: Value = account.profile.parse().map_err(Failure::from)?;
        Ok(Self {
            id: account.id,
            name: profile.get("name").and_then(Value::as_str).map(str::to_owned),
            email: None,
            condition: condition_name(account.condition),
            language: account.language.as_deref(),
            created_at: JsonTimestamp(account.created_at),
            version: account.version,
        })
    }
}

impl ResourceView for AccountRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        AccountListView::from_account(self)
    }
}

/// An account, as returned.
#[derive(Serialize, JsonSchema)]
struct AccountDetailView<'a> {
    #[serde(flatten)]
    account: AccountListView<'a>,
    contacts: Vec<AccountContactView<'a>>,
    memberships: Vec<AccountMembershipView<'a>>,
    /// The sign-in methods that the user can use now.
    signs_in_with: Vec<&'static str>,
    /// The number of active sessions.
    sessions: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct AccountContactView<'a> {
    id: ContactId,
    #[schemars(extend("enum" = ["email", "phone"]))]
    kind: &'static str,
    address: &'a str,
    is_primary: bool,
    is_verified: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct AccountMembershipView<'a> {
    id: MembershipId,
    organization: OrganizationId,
    organization_name: &'a str,
    #[schemars(extend("enum" = ["enabled", "disabled", "deleted"]))]
    condition: &'static str,
}

impl<'a> AccountDetailView<'a> {
    fn from_account(overview: &'a AccountOverview) -> Result<Self, HandlerError> {
        let contact = |it: &'a management::ContactRow| AccountContactView {
            id: it.id,
            kind: match it.kind {
                management::ContactKind::Email => "email",
                management::ContactKind::Phone => "phone",
            },
            address: &it.address,
            is_primary: it.is_primary,
            is_verified: it.verified_at.is_some(),
        };
        let membership = |(it, name): &'a (management::MembershipRow, String)| AccountMembershipView {
            id: it.id,
            organization: it.organization,
            organization_name: name,
            condition: condition_name(it.condition),
        };
        let method_name = |sign_in_method: &SignInMethod| match sign_in_method {
            SignInMethod::Passkey => "passkey",
            SignInMethod::Password => "password",
            SignInMethod::Totp => "totp",
            SignInMethod::RecoveryCodes => "recovery_codes",
            SignInMethod::Email => "email",
            SignInMethod::Provider => "single_sign_on",
        };
        Ok(Self {
            account: AccountListView::from_account(&overview.account)?,
            contacts: overview.contacts.iter().map(contact).collect(),
            memberships: overview.memberships.iter().map(membership).collect(),
            signs_in_with: overview.sign_in_methods.iter().map(method_name).collect(),
            sessions: overview.sessions,
        })
    }
}

const fn condition_name(condition: LifecycleCondition) -> &'static str {
    match condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "disabled",
        LifecycleCondition::Ended => "deleted",
    }
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[
    QueryParameter {
        name: "email",
        description: "Only the account that verified this address.",
        is_required: false,
        schema: || json!({"type": "string", "format": "email", "minLength": 3, "maxLength": 254}),
    },
    QueryParameter {
        name: "search",
        description: "Only accounts with an address or name that begins with this text, or whose id or external id it is. Case does not matter. A page may be short or empty and continue at `next`.",
        is_required: false,
        schema: || json!({"type": "string", "minLength": 1, "maxLength": 254}),
    },
];

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&ACCOUNT_SUMMARY, &MANAGED_ACCOUNT, &ACCOUNT_SESSION, &KNOWN_DEVICE];

/// The schema of an account in a list.
pub(crate) const ACCOUNT_SUMMARY: NamedSchema =
    NamedSchema::response::<AccountListView<'_>>("AccountSummary");

/// The schema of an account.
pub(crate) const MANAGED_ACCOUNT: NamedSchema =
    NamedSchema::response::<AccountDetailView<'_>>("ManagedAccount");
