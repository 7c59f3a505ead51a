//! An instance that issues tokens: an organization, an API for each algorithm, a service with roles, and a person
//! who granted an application something. It is set up before the server starts.

use crate::failed::Failed;
use crate::settings::Settings;
use serde_json::json;
use sinete_core::assurance::{Assurance, Evidence, Proof};
use sinete_core::authority::scope::Scopes;
use sinete_core::authorize::agreed::{AgreedScopes, Authenticated};
use sinete_core::client::ClientId;
use sinete_core::entropy::DangerouslySeeded;
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId, RoleId, SessionId};
use sinete_core::secret::{FamilyToken, Secret, SessionToken};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::families::{self, NewFamily};
use sinete_store::grants::{self, Kind, Lifespan, NewGrant};
use sinete_store::memberships::{self, Holder, NewMembership};
use sinete_store::sessions::{self, NewSession};
use sinete_store::{Access, Act, Address, Document, Options, Step, Store, accounts, organizations, roles};
use std::path::Path;
use std::process::Command;

/// The API whose tokens are signed with ES256.
pub const INVOICES: &str = "https://invoices.example";
/// The API whose tokens are signed with EdDSA.
pub const LEDGERS: &str = "https://ledgers.example";
/// The API whose tokens are signed with RS256.
pub const ARCHIVES: &str = "https://archives.example";

const INSTANCE: &str = r#"
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

/// What is known about such an instance.
#[derive(Debug)]
pub struct TokenInstance {
    /// How the service proves itself, as the beginning of a form.
    pub robot: String,
    /// How the application proves itself.
    pub app: String,
    /// The session of the person, as a browser shows it.
    pub session: String,
    /// A refresh token for each connection of each round.
    pub refresh_tokens: Vec<String>,
    /// The organization that everybody is in.
    pub organization: OrganizationId,
    /// The role that everybody carries there.
    pub role: RoleId,
    /// When it was set up.
    pub now: Timestamp,
    address: Address,
}

impl TokenInstance {
    /// Sets the instance up in a folder, for the server that is started there.
    pub async fn prepare(settings: &Settings, folder: &Path) -> Result<Self, Failed> {
        Self::prepare_at(settings, folder, None).await
    }

    /// The same, with its database elsewhere.
    pub async fn prepare_at(
        settings: &Settings,
        folder: &Path,
        database: Option<&str>,
    ) -> Result<Self, Failed> {
        let data = folder.join("sinete-data");
        let embedded = format!("sqlite://{}", data.join("sinete.db").display());
        let address = database.unwrap_or(&embedded);
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&settings.sinete);
            command.args(arguments).env_clear().env("SINETE_DATA_DIR", &data).current_dir(folder);
            command.env("SINETE_DATABASE_URL", address);
            finished(command, arguments)
        };
        let mut proofs = Vec::new();
        for client in ["robot", "app"] {
            let secret = run(&["admin", "client-secret"])?;
            let file = folder.join(format!("{client}.secret"));
            std::fs::write(&file, &secret).map_err(|source| Failed::io("keep a secret", source))?;
            proofs.push(format!("client_id={client}&client_secret={}", secret.trim()));
        }
        let document = folder.join("instance.toml");
        std::fs::write(&document, INSTANCE).map_err(|source| Failed::io("write a document", source))?;
        run(&["apply", "-f", "instance.toml", "--yes"])?;
        run(&["keys", "generate", "--algorithm", "EdDSA"])?;
        let address: Address =
            address.parse().map_err(|_| Failed::Unexpected(format!("{address} is no address")))?;
        let store = Store::open(&address, &Options::new(Access::Serve)).await.map_err(not_prepared)?;
        let granted = granted(&store, settings).await;
        store.close().await;
        let (robot, app) = (proofs.remove(0), proofs.remove(0));
        let Granted { session, refresh_tokens, organization, role, now } = granted?;
        Ok(Self { robot, app, session, refresh_tokens, organization, role, now, address })
    }

    /// Its database, while no server has it, for somebody who writes so much that waiting is no sign of anything.
    pub async fn open(&self) -> Result<Store, Failed> {
        let patient = Options { answer_max: Lifetime::from_minutes(5), ..Options::new(Access::Serve) };
        Store::open(&self.address, &patient).await.map_err(not_prepared)
    }
}

/// What was put into the database.
struct Granted {
    session: String,
    refresh_tokens: Vec<String>,
    organization: OrganizationId,
    role: RoleId,
    now: Timestamp,
}

/// What a command printed.
fn finished(mut command: Command, arguments: &[&str]) -> Result<String, Failed> {
    let what = format!("run sinete {}", arguments.join(" "));
    let output = command.output().map_err(|source| Failed::io(what.clone(), source))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failed::Unexpected(format!("could not {what}: {said}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn not_prepared(failed: impl std::fmt::Display) -> Failed {
    Failed::Unexpected(format!("the instance could not be prepared: {failed}"))
}

/// A person with a grant and a refresh token for every connection of every round.
async fn granted(store: &Store, settings: &Settings) -> Result<Granted, Failed> {
    let (now, entropy) = (now()?, DangerouslySeeded::new(7));
    let slug = "bench".parse().map_err(not_prepared)?;
    let found = organizations::find_by_slug(store, &slug, now).await.map_err(not_prepared)?;
    let organization = found.ok_or_else(|| not_prepared("no organization"))?.id;
    let known = roles::of_organization(store, organization).await.map_err(not_prepared)?;
    let role =
        known.iter().find(|role| role.role.name() == "clerk").ok_or_else(|| not_prepared("no role"))?.id;
    let (account, membership) = (AccountId::mint(now, &entropy), MembershipId::mint(now, &entropy));
    let (holder, nothing) = (Holder::Person(account), document(&json!({}))?);
    let member = NewMembership {
        id: membership,
        organization,
        holder: &holder,
        profile: &nothing,
        external_id: None,
        created_at: now,
    };
    let shown = Secret::<SessionToken>::mint(&entropy);
    let session = NewSession {
        id: SessionId::mint(now, &entropy),
        digest: &shown.digest(),
        account,
        account_epoch: 0,
        evidence: &document(&Evidence::of(Proof::Password))?,
        device: None,
        description: &nothing,
        created_at: now,
        idle_expires_at: now.plus(Lifetime::from_days(7)),
        expires_at: now.plus(Lifetime::from_days(30)),
    };
    let steps = [
        accounts::create(account, None, &nothing, now),
        memberships::create(&member),
        memberships::give_role(membership, role, now),
        sessions::start(&session),
    ];
    happens(store, steps).await?;
    let mut tokens = Vec::new();
    for _ in 0..settings.connections * settings.rounds as usize {
        let token = FamilyToken::first(GrantId::mint(now, &entropy), &entropy);
        let steps = line(&token, membership, session.id, now)?;
        happens(store, steps).await?;
        tokens.push(token.reveal());
    }
    let session = shown.reveal();
    Ok(Granted { session, refresh_tokens: tokens, organization, role, now })
}

/// A grant with its first refresh token.
fn line(
    token: &FamilyToken,
    membership: MembershipId,
    session: SessionId,
    now: Timestamp,
) -> Result<[Step; 2], Failed> {
    let client: ClientId = "app".parse().map_err(not_prepared)?;
    let scope: Scopes = "offline_access invoices:read".parse().map_err(not_prepared)?;
    let agreed = AgreedScopes::of(INVOICES.parse().map_err(not_prepared)?, scope.clone());
    let authentication = Authenticated {
        at: now,
        evidence: Evidence::of(Proof::Password),
        assurance: Assurance::One,
        session,
    };
    let expires_at = now.plus(Lifetime::from_days(30));
    let opened = grants::open(&NewGrant {
        id: token.grant(),
        kind: Kind::Code,
        membership,
        account_epoch: 0,
        client: &client,
        session,
        lifespan: Lifespan::Own,
        scopes: &document(&agreed)?,
        details: &document(&json!([]))?,
        authentication: &document(&authentication)?,
        created_at: now,
        expires_at,
    });
    let family = NewFamily {
        first: token.digests(),
        audience: INVOICES.to_owned(),
        scope,
        confirmation: None,
        idle_expires_at: now.plus(Lifetime::from_days(7)),
        expires_at,
    };
    Ok([opened, families::begin(&family, &client, now)])
}

async fn happens(store: &Store, steps: impl IntoIterator<Item = Step>) -> Result<(), Failed> {
    let done = store.commit(Act::new().with_all(steps)).await.map_err(not_prepared)?;
    done.map(drop).map_err(not_prepared)
}

fn document(value: &impl serde::Serialize) -> Result<Document, Failed> {
    Document::of(value).map_err(not_prepared)
}

#[expect(clippy::disallowed_methods, reason = "the server that is measured goes by the same clock")]
fn now() -> Result<Timestamp, Failed> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_err(not_prepared)?;
    Ok(Timestamp::from_micros(i64::try_from(since.as_micros()).map_err(not_prepared)?))
}
