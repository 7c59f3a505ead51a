//! An instance that issues tokens: an organization, an API for each algorithm, a service with roles, and a
//! user with a grant. It is set up before the server starts.

use crate::failed::BenchError;
use crate::many_people::{MemberDetail, TargetOrganization};
use crate::settings::BenchSettings;
use serde_json::json;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use sinete_core::client_id::ClientId;
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId, RoleId, SessionId};
use sinete_core::oauth::authorize::stored_grant_params::{GrantAuthentication, GrantedScopes};
use sinete_core::secret::{RefreshTokenSecret, Secret, SessionToken};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::oauth::grants;
use sinete_store::oauth::grants::{GrantLifespan, NewGrant, StoredGrantKind};
use sinete_store::oauth::refresh_tokens;
use sinete_store::oauth::refresh_tokens::NewRefreshFamily;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::sign_in::sessions;
use sinete_store::sign_in::sessions::NewSession;
use sinete_store::{
    DatabaseAddress, GuardedStatement, JsonDocument, Store, StoreAccess, StoreOptions, WriteBatch, accounts,
    organizations,
};
use std::path::Path;
use std::process::Command;

/// The API whose tokens are signed with ES256.
pub const INVOICES: &str = "https://invoices.example";
/// The API whose tokens are signed with EdDSA.
pub const LEDGERS: &str = "https://ledgers.example";
/// The API whose tokens are signed with RS256.
pub const ARCHIVES: &str = "https://archives.example";

/// The declarative configuration of the instance.
pub(crate) const INSTANCE: &str = r#"
[organizations.bench]
name = "Bench"

[organizations.bench.roles.clerk]
permissions = ["invoices:read", "ledgers:read", "archives:read"]

[apis.invoices.definition]
identifier = "https://invoices.example"
name = "Invoices"
permissions = [{ permission = "invoices:read", english = "Read invoices" }]

[apis.ledgers.definition]
identifier = "https://ledgers.example"
name = "Ledgers"
algorithm = "EdDSA"
permissions = [{ permission = "ledgers:read", english = "Read ledgers" }]

[apis.archives.definition]
identifier = "https://archives.example"
name = "Archives"
algorithm = "RS256"
permissions = [{ permission = "archives:read", english = "Read archives" }]

[clients.robot]
kind = "service"
organization = "bench"
roles = ["clerk"]
secret = { file = "robot.secret" }
[clients.robot.metadata]
client_name = "Robot"
grant_types = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]
token_endpoint_auth_method = "client_secret_post"
scope = "invoices:read ledgers:read archives:read"

[clients.app]
kind = "application"
organization = "bench"
secret = { file = "app.secret" }
[clients.app.metadata]
client_name = "App"
redirect_uris = ["https://app.example/callback"]
token_endpoint_auth_method = "client_secret_post"
scope = "openid offline_access invoices:read"
consent = "implied"
id_token_signed_response_alg = "ES256"
"#;

/// The set-up instance.
#[derive(Debug)]
pub struct TokenInstance {
    /// The client authentication of the service, as the beginning of a form.
    pub robot: String,
    /// The client authentication of the application.
    pub app: String,
    /// The session token of the user.
    pub session: String,
    /// A refresh token for each connection of each round.
    pub refresh_tokens: Vec<String>,
    /// The organization.
    pub organization: OrganizationId,
    /// The role of all members.
    pub role: RoleId,
    /// When it was set up.
    pub now: Timestamp,
    address: DatabaseAddress,
}

impl TokenInstance {
    /// Sets the instance up in a folder, for a server that is started there.
    pub async fn prepare(settings: &BenchSettings, folder: &Path) -> Result<Self, BenchError> {
        Self::prepare_at(settings, folder, None).await
    }

    /// The same, with the database elsewhere.
    pub async fn prepare_at(
        settings: &BenchSettings,
        folder: &Path,
        database: Option<&str>,
    ) -> Result<Self, BenchError> {
        let data = folder.join("sinete-data");
        let embedded = format!("sqlite://{}", data.join("sinete.db").display());
        let address = database.unwrap_or(&embedded);
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&settings.sinete);
            command.args(arguments).env_clear().env("SINETE_DATA_DIR", &data).current_dir(folder);
            command.env("SINETE_DATABASE_URL", address);
            run_command(command, arguments)
        };
        let mut proofs = Vec::new();
        for client in ["robot", "app"] {
            let secret = run(&["admin", "client-secret"])?;
            let file = folder.join(format!("{client}.secret"));
            std::fs::write(&file, &secret).map_err(|source| BenchError::io("keep a secret", source))?;
            proofs.push(format!("client_id={client}&client_secret={}", secret.trim()));
        }
        let document = folder.join("instance.toml");
        std::fs::write(&document, INSTANCE).map_err(|source| BenchError::io("write a document", source))?;
        run(&["apply", "-f", "instance.toml", "--yes"])?;
        run(&["keys", "generate", "--algorithm", "EdDSA"])?;
        let address: DatabaseAddress =
            address.parse().map_err(|_| BenchError::Unexpected(format!("{address} is no address")))?;
        let store =
            Store::open(&address, &StoreOptions::new(StoreAccess::Serve)).await.map_err(preparation_error)?;
        let granted = seed_grants(&store, settings).await;
        store.close().await;
        let (robot, app) = (proofs.remove(0), proofs.remove(0));
        let SeededGrants { session, refresh_tokens, organization, role, now } = granted?;
        Ok(Self { robot, app, session, refresh_tokens, organization, role, now, address })
    }

    /// The organization, as one that accounts join.
    pub const fn target_organization(&self, detail: MemberDetail) -> TargetOrganization {
        TargetOrganization { organization: self.organization, role: self.role, now: self.now, detail }
    }

    /// Opens its database while no server uses it, with long timeouts for bulk writes.
    pub async fn open_store(&self) -> Result<Store, BenchError> {
        let patient =
            StoreOptions { answer_max: Lifetime::from_minutes(5), ..StoreOptions::new(StoreAccess::Serve) };
        Store::open(&self.address, &patient).await.map_err(preparation_error)
    }
}

/// The seeded data.
struct SeededGrants {
    session: String,
    refresh_tokens: Vec<String>,
    organization: OrganizationId,
    role: RoleId,
    now: Timestamp,
}

/// Runs a command and returns its output.
pub(crate) fn run_command(mut command: Command, arguments: &[&str]) -> Result<String, BenchError> {
    let action = format!("run sinete {}", arguments.join(" "));
    let output = command.output().map_err(|source| BenchError::io(action.clone(), source))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(BenchError::Unexpected(format!("could not {action}: {stderr}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn preparation_error(failed: impl std::fmt::Display) -> BenchError {
    BenchError::Unexpected(format!("the instance could not be prepared: {failed}"))
}

/// Creates a user with a grant and a refresh token for every connection of every round.
async fn seed_grants(store: &Store, settings: &BenchSettings) -> Result<SeededGrants, BenchError> {
    let (now, entropy) = (current_time()?, DangerouslySeededEntropy::new(7));
    let slug = "bench".parse().map_err(preparation_error)?;
    let organization_row =
        organizations::find_organization_by_slug(store, &slug, now).await.map_err(preparation_error)?;
    let organization = organization_row.ok_or_else(|| preparation_error("no organization"))?.id;
    let roles = roles::list_roles(store, organization).await.map_err(preparation_error)?;
    let role =
        roles.iter().find(|role| role.role.name() == "clerk").ok_or_else(|| preparation_error("no role"))?.id;
    let (account, membership) = (AccountId::mint(now, &entropy), MembershipId::mint(now, &entropy));
    let (holder, nothing) = (MembershipHolder::User(account), to_document(&json!({}))?);
    let member = NewMembership {
        id: membership,
        organization,
        holder: &holder,
        profile: &nothing,
        external_id: None,
        created_at: now,
    };
    let secret = Secret::<SessionToken>::mint(&entropy);
    let session = NewSession {
        id: SessionId::mint(now, &entropy),
        digest: &secret.digest(),
        account,
        account_epoch: 0,
        evidence: &to_document(&password_evidence(now))?,
        device: None,
        description: &nothing,
        created_at: now,
        idle_expires_at: now.plus(Lifetime::from_days(7)),
        expires_at: now.plus(Lifetime::from_days(30)),
    };
    let steps = [
        accounts::create_account(account, None, &nothing, now),
        memberships::create_membership(&member),
        memberships::add_role(membership, role, now),
        sessions::start_session(&session),
    ];
    commit_statements(store, steps).await?;
    let mut tokens = Vec::new();
    for _ in 0..settings.connections * settings.rounds as usize {
        let token = RefreshTokenSecret::mint_first(GrantId::mint(now, &entropy), &entropy);
        let steps = grant_statements(&token, membership, session.id, now)?;
        commit_statements(store, steps).await?;
        tokens.push(token.reveal());
    }
    let session = secret.reveal();
    Ok(SeededGrants { session, refresh_tokens: tokens, organization, role, now })
}

/// The evidence of a sign-in with a password, as a session stores it.
fn password_evidence(now: Timestamp) -> AuthenticationEvidence {
    AuthenticationEvidence::from_proof(AuthenticationProof::Password).date_undated_proofs(now)
}

/// The statements of a grant with its first refresh token.
fn grant_statements(
    token: &RefreshTokenSecret,
    membership: MembershipId,
    session: SessionId,
    now: Timestamp,
) -> Result<[GuardedStatement; 2], BenchError> {
    let client: ClientId = "app".parse().map_err(preparation_error)?;
    let scope: ScopeSet = "offline_access invoices:read".parse().map_err(preparation_error)?;
    let granted_scopes =
        GrantedScopes::for_single_audience(INVOICES.parse().map_err(preparation_error)?, scope.clone());
    let authentication = GrantAuthentication {
        at: now,
        evidence: password_evidence(now),
        assurance: AssuranceLevel::One,
        session,
    };
    let expires_at = now.plus(Lifetime::from_days(30));
    let opened = grants::open_grant(&NewGrant {
        id: token.grant(),
        kind: StoredGrantKind::Code,
        membership,
        account_epoch: 0,
        client: &client,
        session,
        lifespan: GrantLifespan::Expiry,
        scopes: &to_document(&granted_scopes)?,
        details: &to_document(&json!([]))?,
        authentication: &to_document(&authentication)?,
        created_at: now,
        expires_at,
    });
    let family = NewRefreshFamily {
        first: token.digests(),
        audience: INVOICES.to_owned(),
        scope,
        confirmation: None,
        idle_expires_at: now.plus(Lifetime::from_days(7)),
        expires_at,
    };
    Ok([opened, refresh_tokens::start_refresh_family(&family, &client, now)])
}

async fn commit_statements(
    store: &Store,
    steps: impl IntoIterator<Item = GuardedStatement>,
) -> Result<(), BenchError> {
    let outcome = store.commit(WriteBatch::new().with_statements(steps)).await.map_err(preparation_error)?;
    outcome.into_result().map(drop).map_err(preparation_error)
}

fn to_document(value: &impl serde::Serialize) -> Result<JsonDocument, BenchError> {
    JsonDocument::from_value(value).map_err(preparation_error)
}

#[expect(clippy::disallowed_methods, reason = "the server that is measured goes by the same clock")]
fn current_time() -> Result<Timestamp, BenchError> {
    let since =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_err(preparation_error)?;
    Ok(Timestamp::from_micros(i64::try_from(since.as_micros()).map_err(preparation_error)?))
}
