//! `sinete import`: imports accounts, each completely or not at all; it can be repeated.

mod entries;

use crate::cli::import::ImportArgs;
use crate::commands::{build_runtime, open_engine, to_command_error};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::startup::engine::DatabaseIntent;
use crate::terminal::{ProgressReporter, Terminal};
use entries::{ImportEntries, ImportEntry};
use sinete_core::administration::import::{AccountImportFormat, ImportedAccount};
use sinete_core::limits::IMPORT_CONCURRENT_MAX;
use sinete_crypto::sign_in::credentials::foreign_password::FirebaseProject;
use sinete_engine::access_control::organization_access;
use sinete_engine::administration::import;
use sinete_engine::administration::import::{
    ImportOptions, ImportOutcome, ImportRun, ImportTally, ImportedEmailTrust,
};
use sinete_engine::organizations;
use sinete_engine::organizations::roles;
use sinete_engine::{Engine, Error, Failure, UseCaseResult};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Maximum roles that are loaded from an organization.
const ROLES_MAX: u32 = 10_000;
/// Maximum attempts while the database is busy, and the first waiting time.
const ATTEMPTS_MAX: u32 = 8;
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Imports all valid accounts and reports the others.
pub fn run(
    args: &ImportArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    let firebase = args.firebase_parameters.as_deref().map(read_firebase_parameters).transpose()?;
    let intent = if args.dry_run { DatabaseIntent::Use } else { DatabaseIntent::Add };
    build_runtime()?.block_on(async {
        let entries = ImportEntries::open(&args.file, AccountImportFormat::from(args.from).layout())?;
        let engine = open_engine(&config, intent).await?;
        let result = run_import(args, &engine, firebase, entries, terminal).await;
        engine.store().close().await;
        result
    })
}

fn read_firebase_parameters(path: &Path) -> Result<FirebaseProject, CommandError> {
    let unusable = |reason: &dyn std::fmt::Display| {
        CommandError::invalid_usage(format!("{} cannot be used: {reason}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
    FirebaseProject::parse(&text).map_err(|_| {
        unusable(
            &"it must name base64_signer_key, base64_salt_separator, rounds and mem_cost, within our limits",
        )
    })
}

#[expect(clippy::disallowed_methods, reason = "how long it took is reported, and decides nothing")]
async fn run_import(
    args: &ImportArgs,
    engine: &Engine,
    firebase: Option<FirebaseProject>,
    entries: ImportEntries,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let run = Arc::new(prepare_run(args, engine, firebase).await?);
    let started = Instant::now();
    let mut import_progress = ImportProgress {
        engine,
        run: Arc::clone(&run),
        exporter: args.from.into(),
        is_dry_run: args.dry_run,
        bar: terminal.progress("importing", entries.length()),
        terminal,
        seen_identifiers: HashSet::new(),
        tasks: JoinSet::new(),
        tally: ImportTally::default(),
    };
    let read = import_progress.import_entries(entries).await;
    let tally = import_progress.tally;
    drop(import_progress);
    if !args.dry_run && tally.imported > 0 {
        run.record_summary(engine, tally).await?;
    }
    print_summary(args, tally, started.elapsed(), terminal)?;
    read?;
    match tally.refused {
        0 => Ok(CommandExit::Done),
        refused => Err(CommandError::failed(format!("{refused} were refused, for the reasons above"))),
    }
}

async fn prepare_run(
    args: &ImportArgs,
    engine: &Engine,
    firebase: Option<FirebaseProject>,
) -> Result<ImportRun, CommandError> {
    let caller = organizations::load_command_line_caller(engine).await?;
    let slug = &args.organization;
    let inside = organization_access::authorize_in_organization(engine, &caller, slug.as_str()).await;
    let no_such = || CommandError::invalid_usage(format!("the organization {slug} does not exist"));
    let inside = inside.unless_refused()?.ok_or_else(no_such)?;
    let roles = roles::list(engine, &inside, None, ROLES_MAX).await?;
    let mut role_ids = Vec::new();
    for name in &args.role {
        let role = roles.iter().find(|role| role.role.name() == name);
        role_ids
            .push(role.ok_or_else(|| CommandError::invalid_usage(format!("{slug} has no role {name}")))?.id);
    }
    let addresses =
        if args.trust_addresses { ImportedEmailTrust::TrustSource } else { ImportedEmailTrust::VerifyHere };
    let import_options = ImportOptions { source: args.source.clone(), roles: role_ids, addresses, firebase };
    Ok(import::prepare_import(engine, &inside, import_options).await?)
}

/// Prints the summary and the average time per account.
fn print_summary(
    args: &ImportArgs,
    tally: ImportTally,
    took: Duration,
    terminal: &Terminal,
) -> Result<(), CommandError> {
    let ImportTally { imported, already_imported: existing, refused } = tally;
    let all = imported + existing + refused;
    let each = took.as_micros() / u128::from(all.max(1));
    let verb = if args.dry_run { "would be imported" } else { "imported" };
    terminal.print(&format!(
        "{imported} {verb}, {existing} were here already, {refused} refused. {:.1} s, {each} µs each.\n",
        took.as_secs_f64()
    ))
}

/// The outcome for one account.
enum ImportAttempt {
    Done(ImportOutcome),
    /// It was refused, for the reason in one line.
    Refused(String),
}

/// A running import.
struct ImportProgress<'a> {
    engine: &'a Engine,
    run: Arc<ImportRun>,
    exporter: AccountImportFormat,
    is_dry_run: bool,
    bar: ProgressReporter,
    terminal: &'a Terminal,
    /// The addresses and ids in this export, to reject duplicates.
    seen_identifiers: HashSet<String>,
    tasks: JoinSet<(u64, Result<ImportAttempt, Failure>)>,
    tally: ImportTally,
}

impl ImportProgress<'_> {
    /// Imports the entries. If reading fails, accounts imported so far are kept.
    async fn import_entries(&mut self, mut entries: ImportEntries) -> Result<(), CommandError> {
        let mut went = Ok(());
        while went.is_ok()
            && let Some(entry) = entries.next().await
        {
            self.bar.set_position(entry.bytes, entries.length());
            match self.parse_entry(&entry) {
                Ok(account) => self.spawn_import(entry.number, account),
                Err(reason) => self.reject_entry(entry.number, &reason),
            }
            while went.is_ok() && self.tasks.len() >= IMPORT_CONCURRENT_MAX {
                went = self.join_next_import().await;
            }
        }
        // Imports in progress are completed, even after a failure.
        while !self.tasks.is_empty() {
            let ended = self.join_next_import().await;
            went = went.and(ended);
        }
        went?;
        entries.finish().map_err(|reason| {
            CommandError::failed(format!(
                "the export ends early: {reason}; the accounts before that are imported: fix it and run the command again"
            ))
        })
    }

    fn parse_entry(&mut self, entry: &ImportEntry) -> Result<ImportedAccount, String> {
        let raw = entry.raw.as_ref().map_err(Clone::clone)?;
        let account = self.exporter.parse_account(raw).map_err(|misfit| misfit.to_string())?;
        if !self.seen_identifiers.insert(format!("a {}", account.address.lookup_key())) {
            return Err("the address is in the export twice".to_owned());
        }
        if !self.seen_identifiers.insert(format!("i {}", account.id)) {
            return Err("its id is in the export twice".to_owned());
        }
        Ok(account)
    }

    fn spawn_import(&mut self, number: u64, account: ImportedAccount) {
        let (engine, run, is_dry) = (self.engine.clone(), Arc::clone(&self.run), self.is_dry_run);
        self.tasks.spawn(async move { (number, import_with_retry(&engine, &run, &account, is_dry).await) });
    }

    async fn join_next_import(&mut self) -> Result<(), CommandError> {
        let Some(ended) = self.tasks.join_next().await else { return Ok(()) };
        let (number, outcome) =
            ended.map_err(|error| CommandError::failed(format!("a task ended early: {error}")))?;
        match outcome? {
            ImportAttempt::Done(ImportOutcome::Imported) => self.tally.imported += 1,
            ImportAttempt::Done(ImportOutcome::AlreadyImported) => self.tally.already_imported += 1,
            ImportAttempt::Refused(reason) => self.reject_entry(number, &reason),
        }
        Ok(())
    }

    fn reject_entry(&mut self, number: u64, reason: &str) {
        self.tally.refused += 1;
        let unit = match self.exporter.layout() {
            sinete_core::administration::import::ImportFileLayout::JsonLines => "line",
            sinete_core::administration::import::ImportFileLayout::Users => "user",
        };
        self.bar.suspend(|| self.terminal.print_error(&format!("{unit} {number}: {reason}")));
    }
}

/// Retries for a while if the database is busy.
async fn import_with_retry(
    engine: &Engine,
    run: &ImportRun,
    account: &ImportedAccount,
    is_dry: bool,
) -> Result<ImportAttempt, Failure> {
    let mut pause = FIRST_RETRY_DELAY;
    for _ in 0..ATTEMPTS_MAX {
        let tried = if is_dry {
            run.preview_account(engine, account).await
        } else {
            run.import_account(engine, account).await
        };
        match tried {
            Ok(outcome) => return Ok(ImportAttempt::Done(outcome)),
            Err(Error::Refused(refused)) => {
                let reason = single_line_reason(&to_command_error(&refused).message);
                return Ok(ImportAttempt::Refused(reason));
            }
            Err(Error::Failed(failed)) if failed.is_temporary() => tokio::time::sleep(pause).await,
            Err(Error::Failed(failed)) => return Err(failed),
        }
        pause *= 2;
    }
    Err(Failure::Contended)
}

/// Formats a refusal in one line.
fn single_line_reason(message: &str) -> String {
    match message.split_once("\n  ") {
        Some((_, fault)) => fault.split_once(": ").map_or(fault, |(_, text)| text).to_owned(),
        None => message.to_owned(),
    }
}
