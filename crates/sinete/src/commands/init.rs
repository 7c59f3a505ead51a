//! `sinete init`: writes a production configuration with its keys, and prints the remaining steps.

mod answers;

use crate::cli::DoctorArgs;
use crate::cli::init::InitArgs;
use crate::commands::{doctor, keys as key_commands};
use crate::config::environment::Environment;
use crate::config::raw_value::RawValue;
use crate::config::{DEFAULT_FILE, keys, template};
use crate::exit::{CommandError, CommandExit};
use crate::os::OsEntropy;
use crate::private_file;
use crate::terminal::Terminal;
use answers::{InitAnswers, InitQuestionnaire, TlsTermination};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::encryption::InstanceKey;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Writes the configuration and the keys, then checks them like `doctor`. No file is ever replaced.
pub fn run(
    args: &InitArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let configured_path =
        file.map(Path::to_owned).or_else(|| environment.get("SINETE_CONFIG").map(PathBuf::from));
    let path = configured_path.unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
    require_absent(&path)?;
    let answers = InitQuestionnaire::new(args, terminal).collect()?;
    let files = InitFiles::new(path, &answers);
    files.write(&answers)?;
    terminal.print(&files.describe())?;
    let doctor_args = DoctorArgs { production: true, json: false };
    doctor::run(&doctor_args, Some(&files.config), environment, terminal)?;
    terminal.print(&render_next_steps(&answers, &files)).map(|()| CommandExit::Done)
}

/// The files that are written.
struct InitFiles {
    config: PathBuf,
    instance_key: PathBuf,
    signing_keys: Vec<PathBuf>,
    /// Not written by this command: it contains the password of the mail server.
    mail_password: PathBuf,
}

impl InitFiles {
    fn new(config: PathBuf, answers: &InitAnswers) -> Self {
        let folder = &answers.keys_folder;
        let signing_keys =
            SigningAlgorithm::REQUIRED.map(|algorithm| key_commands::key_file(folder, algorithm));
        Self {
            config,
            instance_key: folder.join("instance.key"),
            signing_keys: signing_keys.to_vec(),
            mail_password: folder.join("mail.password"),
        }
    }

    /// Writes the keys first: a configuration without its keys would not start.
    fn write(&self, answers: &InitAnswers) -> Result<(), CommandError> {
        require_absent(&self.instance_key)?;
        self.signing_keys.iter().try_for_each(|path| require_absent(path))?;
        let text = template::render_file(&self.settings(answers));
        key_commands::generate_key_files(&SigningAlgorithm::REQUIRED, &answers.keys_folder)?;
        let instance_key = InstanceKey::mint(&OsEntropy);
        create(&self.instance_key, format!("{}\n", *instance_key).as_bytes())?;
        create(&self.config, text.as_bytes())
    }

    fn settings(&self, answers: &InitAnswers) -> Vec<(&'static str, RawValue)> {
        let path = |path: &Path| RawValue::Text(path.display().to_string());
        let text = |text: &str| RawValue::Text(text.to_owned());
        let mut settings = vec![
            (keys::MODE.entry.name, text("production")),
            (keys::BASE_URL.entry.name, text(answers.issuer.as_str())),
            (keys::LISTEN.entry.name, text(&answers.listen.to_string())),
            (keys::DATABASE_URL.entry.name, text(&answers.database_url)),
            (keys::INSTANCE_KEY_FILE.entry.name, path(&self.instance_key)),
        ];
        let signing_keys = self.signing_keys.iter().map(|path| path.display().to_string());
        settings.push((keys::SIGNING_KEYS.entry.name, RawValue::List(signing_keys.collect())));
        #[cfg(feature = "screens")]
        settings.push((keys::SCREENS_NAME.entry.name, text(&answers.name)));
        match &answers.tls {
            TlsTermination::Proxy(proxies) => {
                settings.push((keys::TRUSTED_PROXIES.entry.name, RawValue::List(proxies.clone())));
            }
            TlsTermination::Certificate(certificate, key) => {
                settings.push((keys::TLS_CERTIFICATE.entry.name, path(certificate)));
                settings.push((keys::TLS_KEY.entry.name, path(key)));
            }
        }
        if let Some(mail) = &answers.mail {
            settings.push((keys::MAIL_SERVER.entry.name, text(&mail.server)));
            settings.push((keys::MAIL_FROM.entry.name, text(&mail.from)));
            if let Some(user) = &mail.user {
                settings.push((keys::MAIL_USER.entry.name, text(user)));
                settings.push((keys::MAIL_PASSWORD_FILE.entry.name, path(&self.mail_password)));
            }
        }
        settings
    }

    fn describe(&self) -> String {
        let mut text = "Written, readable by you only:\n".to_owned();
        let keys = std::iter::once(&self.instance_key).chain(&self.signing_keys);
        for path in std::iter::once(&self.config).chain(keys) {
            let _ = writeln!(text, "  {}", path.display());
        }
        text.push_str("\nWhat `sinete doctor` finds:\n");
        text
    }
}

fn require_absent(path: &Path) -> Result<(), CommandError> {
    // A dangling symbolic link counts as a file: nothing is written through it.
    match std::fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(_) => Err(CommandError::invalid_usage(format!(
            "{} exists and is not replaced; nothing was written",
            path.display()
        ))),
    }
}

fn create(path: &Path, contents: &[u8]) -> Result<(), CommandError> {
    private_file::create(path, contents)
        .map_err(|error| CommandError::failed(format!("{} cannot be written: {error}", path.display())))
}

/// The remaining steps, which only the operator can do.
fn render_next_steps(answers: &InitAnswers, files: &InitFiles) -> String {
    let (issuer, listen, config) = (&answers.issuer, answers.listen, files.config.display());
    let mut steps = Vec::new();
    steps.push(format!(
        "Keep a copy of {} away from the database: without it, nothing that it encrypted can be read.",
        files.instance_key.display()
    ));
    if answers.mail.as_ref().is_some_and(|mail| mail.user.is_some()) {
        let path = files.mail_password.display();
        steps.push(format!("Write the password at the mail server to {path}, with mode 0600."));
    }
    if answers.mail.is_none() {
        steps.push(
            "Set mail.server and mail.from: without mail, users cannot sign up or recover an account."
                .to_owned(),
        );
    }
    steps.push(match &answers.tls {
        TlsTermination::Proxy(_) => format!(
            "Let the proxy forward {issuer} to http://{listen} and send {}; docs/operate/proxy-nginx.md and \
             docs/operate/proxy-caddy.md show how.",
            "X-Forwarded-For"
        ),
        TlsTermination::Certificate(..) => {
            format!("Let {issuer} lead to this machine, where Sinete listens on {listen}.")
        }
    });
    steps.push(format!("Start it: sinete --config {config} serve"));
    steps.push(format!("Become the first operator: sinete --config {config} admin invite"));
    let mut text = "\nLeft to do:\n".to_owned();
    for (index, step) in steps.iter().enumerate() {
        let _ = writeln!(text, "  {}. {step}", index + 1);
    }
    text
}
