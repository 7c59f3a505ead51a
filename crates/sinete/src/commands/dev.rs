//! `sinete dev`: a development instance with demo data, and everything that is needed to sign in.
//!
//! The passwords of the demo are public, so it must never be written to an instance that other machines can reach.

mod people;

use crate::cli::dev::DevArgs;
use crate::commands::apply::{apply_document, document};
use crate::commands::{build_runtime, open_engine, serve};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::values::{BaseUrl, ConfiguredMode, is_loopback_host};
use crate::exit::{CommandError, CommandExit};
use crate::os::OsEntropy;
use crate::private_file;
use crate::startup::engine::DatabaseIntent;
use crate::terminal::{Terminal, TextTone};
use people::DEMO_USERS;
use sinete_core::secret::{ClientSecret, Secret};
use std::fmt::Write as _;
use std::path::Path;
use url::Url;

/// The organizations, clients and APIs, as a declarative configuration.
const DEMO_DOCUMENT: &str = include_str!("dev/demo.toml");
/// The clients that have a secret.
const WEB_CLIENT: &str = "demo-web";
const SERVICE_CLIENT: &str = "demo-service";

/// Writes the demo data and starts the server, unless only the data is requested. Existing data stays.
pub fn run(
    args: &DevArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    require_private_development(&config)?;
    let secrets = DemoSecrets::load_or_create(&config.data_dir)?;
    build_runtime()?.block_on(prepare_demo(&config, environment))?;
    if args.prepare {
        let text = render_demo(&config.issuer(config.listen), &secrets, terminal);
        return terminal.print(&text).map(|()| CommandExit::Done);
    }
    serve::run_config(config, environment, terminal, |issuer| render_demo(issuer, &secrets, terminal))
}

/// Refuses instances that are, or could become, reachable from other machines.
fn require_private_development(config: &Config) -> Result<(), CommandError> {
    if config.mode == ConfiguredMode::Production {
        return Err(CommandError::refused(
            "demo data has public passwords and is not for production: nothing was changed",
        ));
    }
    let issuer = config.issuer(config.listen);
    let host = Url::parse(issuer.as_str()).ok().and_then(|url| url.host_str().map(is_loopback_host));
    if !config.listen.ip().is_loopback() || host != Some(true) {
        return Err(CommandError::refused(format!(
            "demo data has public passwords, and other machines could reach {issuer} on {}: set listen and base_url to \
             addresses of this machine; nothing was changed",
            config.listen
        )));
    }
    Ok(())
}

/// The secrets of the demo's clients, in files of the data folder, so that they stay the same.
struct DemoSecrets {
    web: String,
    service: String,
}

impl DemoSecrets {
    fn load_or_create(folder: &Path) -> Result<Self, CommandError> {
        let failed = |error| CommandError::failed(format!("{} cannot be used: {error}", folder.display()));
        private_file::create_folder(folder).map_err(failed)?;
        let load = |client: &str| load_or_create_secret(&folder.join(format!("{client}.secret")));
        Ok(Self { web: load(WEB_CLIENT)?, service: load(SERVICE_CLIENT)? })
    }
}

fn load_or_create_secret(path: &Path) -> Result<String, CommandError> {
    let failed = |error| CommandError::failed(format!("{} cannot be used: {error}", path.display()));
    if !path.exists() {
        let secret = Secret::<ClientSecret>::mint(&OsEntropy).reveal();
        private_file::create(path, format!("{secret}\n").as_bytes()).map_err(failed)?;
    }
    Ok(private_file::read(path).map_err(failed)?.trim().to_owned())
}

/// Applies the demo document and imports the demo users.
async fn prepare_demo(config: &Config, environment: &Environment) -> Result<(), CommandError> {
    // The file need not exist: the paths of the secrets are relative to it.
    let path = config.data_dir.join("demo.toml");
    let (declarative_config, secrets) = document::parse_text(&path, DEMO_DOCUMENT, environment)?;
    let engine = open_engine(config, DatabaseIntent::Add).await?;
    let prepared = async {
        apply_document(&engine, &path, &declarative_config, &secrets).await?;
        people::import_demo_users(&engine).await
    }
    .await;
    engine.store().close().await;
    prepared
}

/// The instructions to sign in, and the values that an application needs.
fn render_demo(issuer: &BaseUrl, secrets: &DemoSecrets, terminal: &Terminal) -> String {
    let heading = |text: &str| terminal.paint(TextTone::Strong, text);
    let mut text = format!("\n{} {issuer}/sign-in, console at {issuer}/console\n", heading("Sign in at"));
    for demo_person in &DEMO_USERS {
        let _ = writeln!(
            text,
            "  {:20} {:22} {}",
            demo_person.email, demo_person.password, demo_person.demo_role
        );
    }
    let DemoSecrets { web, service } = secrets;
    let _ = write!(
        text,
        "\n{}\n  client_id      {WEB_CLIENT}\n  client_secret  {web}\n  \
         redirect_uri   http://localhost:3000/callback\n\
         \n{}\n  client_id      demo-spa\n  redirect_uri   http://localhost:5173/callback\n\
         \n{}\n  client_id      {SERVICE_CLIENT}\n  client_secret  {service}\n\
         \n{} https://api.demo.example, permissions notes:read and notes:write\n  \
         curl -u {SERVICE_CLIENT}:{service} -d grant_type=client_credentials \\\n    \
         -d resource=https://api.demo.example -d scope=notes:read {issuer}/connect/token\n\n\
         Discovery is at {issuer}/.well-known/openid-configuration, and mail at {issuer}/dev/mail.\n",
        heading("Web application"),
        heading("Single-page application"),
        heading("Service"),
        heading("API"),
    );
    text
}
