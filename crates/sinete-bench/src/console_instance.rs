//! An instance with many organizations, one of which has many members, and something for every page of the console
//! to show. Members are written through the store, everything else by the management API.

use crate::console_pages::{ConsoleArea, PageParameters};
use crate::failed::BenchError;
use crate::management_api::{ManagementClient, text_at};
use crate::many_people::{self, MemberDetail, account_email};
use crate::server::{ChildServer, start_sinete_with};
use crate::settings::BenchSettings;
use crate::stopwatch::RunningStopwatch;
use crate::throwaway::TemporaryDatabase;
use crate::token_instance::{TokenInstance, run_command};
use serde_json::json;
use sinete_core::access_control::built_in_permissions::{READ_MEMBERS, READ_ORGANIZATION};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::id::{AccountId, MembershipId, OrganizationId, RoleId};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::{memberships, roles};
use sinete_store::{JsonDocument, Store, WriteBatch, organizations};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The number of the account that is the operator.
pub const OPERATOR_NUMBER: u64 = 0;
/// The number of the account that owns the large organization.
pub const OWNER_NUMBER: u64 = 1;
/// The number of the member whose pages are measured: neither of the two.
const MEMBER_NUMBER: u64 = 2;

const ORGANIZATION_PATH: &str = "/manage/organizations/bench";
const OPERATOR_SCOPE: &str = "instance:read instance:operate accounts:manage clients:verify keys:rotate \
    organizations:create organizations:administer";
const OWNER_SCOPE: &str = "organization:read organization:update organization:delete members:read members:manage \
    roles:read roles:manage clients:read clients:create clients:manage agents:manage apis:read apis:manage \
    api_keys:manage audit:read webhooks:manage sso:manage domains:manage";

const ROLES: u64 = 200;
const APPLICATIONS: u64 = 200;
const INVITATIONS: u64 = 300;
const API_KEYS: u64 = 100;
const INSTANCE_APPLICATIONS: u64 = 200;
const APIS: u64 = 50;
/// How many of the APIs are offered to all organizations.
const APIS_OFFERED_TO_ALL: u64 = 5;

/// Between two looks whether the background tasks are done, and how long they may take.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
const BACKGROUND_TASKS_TIMEOUT: Duration = Duration::from_secs(900);

/// How much an instance is filled with.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleFill {
    /// The members of the large organization.
    pub members: u64,
    /// The other organizations.
    pub organizations: u64,
}

/// A filled instance with its server.
pub struct ConsoleInstance {
    /// The server.
    pub server: ChildServer,
    /// The values of path parameters and of filters.
    pub parameters: PageParameters,
    /// How long filling took, background tasks included.
    pub fill_duration: Duration,
    database: Option<TemporaryDatabase>,
    // Removed on drop, after the server.
    _folder: TempDir,
}

/// Who administers the instance: an operator and an owner.
struct ConsoleAdministrators {
    operator: MembershipId,
    owner: MembershipId,
    account: AccountId,
    member: MembershipId,
    organization: OrganizationId,
    /// The day on which members joined, as a filter takes it.
    day: String,
}

impl ConsoleInstance {
    /// Creates, fills and starts an instance.
    pub async fn start(
        settings: &BenchSettings,
        cluster: Option<&str>,
        fill: ConsoleFill,
    ) -> Result<Self, BenchError> {
        let watch = RunningStopwatch::start();
        let folder = settings.temporary_folder()?;
        let database = match cluster {
            Some(cluster) => Some(TemporaryDatabase::create(cluster).await?),
            None => None,
        };
        let url = database.as_ref().map(|database| database.url.clone());
        let instance = TokenInstance::prepare_at(settings, folder.path(), url.as_deref()).await?;
        settings.progress(&format!("console: {} members are created", fill.members));
        let store = instance.open_store().await?;
        let filled = create_members(settings, &store, &instance, fill.members).await;
        store.close().await;
        let people = filled?;
        let keys = issue_api_keys(settings, &folder, url.as_deref(), &people)?;
        let mut variables =
            vec![("SINETE_RATE_LIMITS_ENABLED", "false"), ("SINETE_DELIVERY_ENABLED", "false")];
        variables.extend(url.as_deref().map(|url| ("SINETE_DATABASE_URL", url)));
        let server = start_sinete_with(&settings.sinete, folder.path(), &variables).await?;
        let mut operator = ManagementClient::new(server.address, &keys.operator);
        let mut owner = ManagementClient::new(server.address, &keys.owner);
        settings.progress(&format!("console: {} organizations are created", fill.organizations));
        let mut parameters = PageParameters::default();
        fill_instance(&mut operator, fill.organizations, &mut parameters).await?;
        fill_organization(&mut owner, &people, &mut parameters).await?;
        settings.progress("console: members are indexed and the security log is sealed");
        wait_for_background_tasks(&mut operator, &mut owner).await?;
        if let Some(database) = &database {
            database.run_maintenance().await?;
        }
        Ok(Self { server, parameters, fill_duration: watch.elapsed(), database, _folder: folder })
    }

    /// Stops the server and removes the database.
    pub async fn stop(self) -> Result<(), BenchError> {
        self.server.stop().await?;
        match self.database {
            Some(database) => database.remove().await,
            None => Ok(()),
        }
    }
}

async fn create_members(
    settings: &BenchSettings,
    store: &Store,
    instance: &TokenInstance,
    members: u64,
) -> Result<ConsoleAdministrators, BenchError> {
    let target_organization = instance.target_organization(MemberDetail::ProfileAndLog);
    many_people::create_accounts(settings, store, target_organization, members).await?;
    let (organization, now) = (instance.organization, instance.now);
    let (account, _) = find_member(store, organization, OPERATOR_NUMBER).await?;
    let (_, owner) = find_member(store, organization, OWNER_NUMBER).await?;
    let (member_account, member) = find_member(store, organization, MEMBER_NUMBER).await?;
    let slug = "operator".parse().map_err(|_| BenchError::Unexpected("no slug".to_owned()))?;
    let operators = organizations::find_organization_by_slug(store, &slug, now).await?;
    let missing = || BenchError::Unexpected("there is no organization of operators".to_owned());
    let operators = operators.ok_or_else(missing)?.id;
    let operator = MembershipId::mint(now, &DangerouslySeededEntropy::new(11));
    let joined = memberships::create_membership(&NewMembership {
        id: operator,
        organization: operators,
        holder: &MembershipHolder::User(account),
        profile: &JsonDocument::from_value(&json!({}))?,
        external_id: None,
        created_at: now,
    });
    let statements = [
        joined,
        memberships::add_role(operator, find_role(store, operators, "operator").await?, now),
        memberships::add_role(owner, find_role(store, organization, "owner").await?, now),
    ];
    let result = store.commit(WriteBatch::new().with_statements(statements)).await?.into_result();
    result.map(drop).map_err(|conflict| BenchError::Unexpected(format!("no administrators: {conflict}")))?;
    let day = now.to_string().chars().take(10).collect();
    Ok(ConsoleAdministrators { operator, owner, account: member_account, member, organization, day })
}

/// The account of this number, and its membership.
async fn find_member(
    store: &Store,
    organization: OrganizationId,
    number: u64,
) -> Result<(AccountId, MembershipId), BenchError> {
    let missing = || BenchError::Unexpected(format!("there is no account {number}"));
    let contact = contacts::find_verified_contact(store, ContactKind::Email, &account_email(number)).await?;
    let account = contact.ok_or_else(missing)?.account;
    let joined = memberships::list_account_memberships(store, account).await?;
    let membership = joined.iter().find(|membership| membership.organization == organization);
    Ok((account, membership.ok_or_else(missing)?.id))
}

async fn find_role(store: &Store, organization: OrganizationId, name: &str) -> Result<RoleId, BenchError> {
    let roles = roles::list_roles(store, organization).await?;
    let role = roles.iter().find(|role| role.role.name() == name);
    role.map(|role| role.id).ok_or_else(|| BenchError::Unexpected(format!("there is no role {name}")))
}

struct IssuedApiKeys {
    operator: String,
    owner: String,
}

/// Issues an API key for each administrator with the program's own command.
fn issue_api_keys(
    settings: &BenchSettings,
    folder: &TempDir,
    database: Option<&str>,
    people: &ConsoleAdministrators,
) -> Result<IssuedApiKeys, BenchError> {
    let data = folder.path().join("sinete-data");
    let embedded = format!("sqlite://{}", data.join("sinete.db").display());
    let issue = |organization: &str, member: MembershipId, scope: &str| {
        let member = member.to_string();
        let arguments =
            ["admin", "api-key", "--organization", organization, "--member", &member, "--scope", scope];
        let mut command = Command::new(&settings.sinete);
        command.args(arguments).env_clear().env("SINETE_DATA_DIR", &data).current_dir(folder.path());
        command.env("SINETE_DATABASE_URL", database.unwrap_or(&embedded));
        run_command(command, &arguments)
    };
    Ok(IssuedApiKeys {
        operator: issue("operator", people.operator, OPERATOR_SCOPE)?,
        owner: issue("bench", people.owner, OWNER_SCOPE)?,
    })
}

/// Creates what pages of the instance show.
async fn fill_instance(
    operator: &mut ManagementClient,
    organizations: u64,
    parameters: &mut PageParameters,
) -> Result<(), BenchError> {
    for number in 0..organizations {
        let body = json!({"slug": format!("tenant-{number}"), "name": format!("Tenant {number}")});
        let created = operator.create("/manage/organizations", &body).await?;
        if number == organizations / 2 {
            parameters.set(ConsoleArea::Instance, "organization", text_at(&created, "/id")?);
        }
    }
    for number in 0..INSTANCE_APPLICATIONS {
        let body = application_json(&format!("Instance application {number}"));
        let created = operator.create("/manage/clients", &body).await?;
        parameters.set(ConsoleArea::Instance, "client", text_at(&created, "/id")?);
    }
    for number in 0..APIS {
        let created = operator
            .create(
                "/manage/apis",
                &json!({
                    "name": format!("API {number}"),
                    "identifier": format!("https://api-{number}.example"),
                    "offered_to_all": number < APIS_OFFERED_TO_ALL,
                    "permissions": [{"permission": format!("api-{number}:read"), "english": "Read it"}],
                }),
            )
            .await?;
        if number < APIS_OFFERED_TO_ALL {
            for area in [ConsoleArea::Instance, ConsoleArea::Organization] {
                parameters.set(area, "api", text_at(&created, "/id")?);
            }
        }
    }
    let webhook = create_paused_webhook(operator, "/manage").await?;
    parameters.set(ConsoleArea::Instance, "webhook", webhook);
    let events = operator.read("/manage/events?limit=1").await?;
    parameters.set(ConsoleArea::Instance, "event", text_at(&events, "/items/0/id")?);
    Ok(())
}

/// Creates what pages of the large organization show.
async fn fill_organization(
    owner: &mut ManagementClient,
    people: &ConsoleAdministrators,
    parameters: &mut PageParameters,
) -> Result<(), BenchError> {
    let path = |below: &str| format!("{ORGANIZATION_PATH}{below}");
    let mut role = String::new();
    for number in 0..ROLES {
        let body = json!({"name": format!("role-{number}"), "permissions": [READ_MEMBERS]});
        role = text_at(&owner.create(&path("/roles"), &body).await?, "/id")?;
    }
    for number in 0..INVITATIONS {
        let body = json!({"email": format!("guest{number}@example.org"), "roles": [role]});
        owner.create(&path("/invitations"), &body).await?;
    }
    let mut application_id = String::new();
    for number in 0..APPLICATIONS {
        let created =
            owner.create(&path("/clients"), &application_json(&format!("Application {number}"))).await?;
        application_id = text_at(&created, "/id")?;
    }
    for number in 0..API_KEYS {
        let name = format!("Key {number}");
        let body = json!({"membership": people.owner, "name": name, "scope": READ_ORGANIZATION});
        owner.create(&path("/api-keys"), &body).await?;
    }
    owner.create(&path("/domains"), &json!({"domain": "bench.example"})).await?;
    let provider =
        json!({"name": "Bench", "issuer": "https://idp.example", "client_id": "x", "client_secret": "y"});
    let connection = owner.create(&path("/connections"), &provider).await?;
    let setup_link = owner.create(&path("/setup-links"), &json!({})).await?;
    let webhook = create_paused_webhook(owner, ORGANIZATION_PATH).await?;
    let entries = owner.read(&path("/audit?limit=1")).await?;
    for (name, value) in [
        ("organization", "bench".to_owned()),
        ("member", people.member.to_string()),
        ("role", role),
        ("client", application_id),
        ("connection", text_at(&connection, "/id")?),
        ("provider", "okta".to_owned()),
        ("setup_link", text_at(&setup_link, "/id")?),
        ("webhook", webhook),
        ("message", "invitation".to_owned()),
        ("event", text_at(&entries, "/items/0/id")?),
    ] {
        parameters.set(ConsoleArea::Organization, name, value);
    }
    parameters.set(ConsoleArea::Instance, "account", people.account.to_string());
    parameters.set(ConsoleArea::Instance, "large_organization", people.organization.to_string());
    for area in [ConsoleArea::Instance, ConsoleArea::Organization] {
        parameters.set(area, "day", people.day.clone());
    }
    Ok(())
}

fn application_json(name: &str) -> serde_json::Value {
    json!({"kind": "application", "metadata": {
        "client_name": name, "redirect_uris": ["https://application.example/callback"],
    }})
}

/// A webhook that is paused, so that nothing is sent while pages are measured.
async fn create_paused_webhook(client: &mut ManagementClient, below: &str) -> Result<String, BenchError> {
    let path = format!("{below}/webhooks");
    let created = client.create(&path, &json!({"address": "https://hooks.example/events"})).await?;
    let id = text_at(&created, "/webhook/id")?;
    client.call(&format!("{path}/{id}/pause")).await?;
    Ok(id)
}

/// Waits until every member can be found by its words and every event has its place in the chain.
async fn wait_for_background_tasks(
    operator: &mut ManagementClient,
    owner: &mut ManagementClient,
) -> Result<(), BenchError> {
    let watch = RunningStopwatch::start();
    while watch.elapsed() < BACKGROUND_TASKS_TIMEOUT {
        let search = owner.get(&format!("{ORGANIZATION_PATH}/members?search=maria&limit=1")).await?;
        let log = operator.read("/manage/security-log").await?;
        let unsealed = log.pointer("/unsealed").and_then(serde_json::Value::as_u64);
        if search.status == 200 && unsealed == Some(0) {
            return Ok(());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Err(BenchError::Unexpected("members are not indexed, or the security log is not sealed".to_owned()))
}
