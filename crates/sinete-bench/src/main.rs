//! The benchmark program: `sinete-bench http | tokens | postgres | flood | store | start | size | console | all`, and the
//! tries of promises: `sinete-bench reliability | upgrade | failover`.

use clap::{Args, Parser, Subcommand};
use sinete_bench::console_instance::ConsoleFill;
use sinete_bench::failed::BenchError;
use sinete_bench::load::{CONNECTIONS, CONNECTIONS_MAX};
use sinete_bench::machine::{self, BackgroundLoad};
use sinete_bench::reliability::failover::try_failover;
use sinete_bench::reliability::promise::{PromiseRow, promise_table};
use sinete_bench::reliability::upgrade::{ProgramVersions, try_upgrade};
use sinete_bench::report::BenchReport;
use sinete_bench::settings::BenchSettings;
use sinete_bench::{
    measure_console, measure_flood, measure_http, measure_postgres, measure_size, measure_start,
    measure_store, measure_tokens, reliability, store_worker,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Measures Sinete beside a floor: the same stack with only the work that cannot be avoided.
///
/// Figures go to standard output as Markdown. Everything stays on loopback, in temporary folders and in child
/// processes that are ended again. Build it optimised: cargo build --profile bench-ci -p sinete -p sinete-bench
#[derive(Debug, Parser)]
#[command(name = "sinete-bench", version, arg_required_else_help = true)]
struct BenchOptions {
    #[command(subcommand)]
    command: BenchCommand,
    #[command(flatten)]
    run: RunOptions,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// Requests per second, latency, processor time and memory of `sinete serve`, beside the floor server
    Http,
    /// Tokens per second: services for themselves, exchanges, refreshes and code flows, beside the floor server
    Tokens,
    /// What token requests cost a PostgreSQL server: processor time, statements, rows, buffers and WAL
    Postgres,
    /// Tokens and introspection while passwords are guessed at ten times the rate they are checked at
    Flood,
    /// Commits per second with 1, 16 and 64 writers on both engines, beside plain SQL on the same disk
    Store,
    /// From start to ready, on nothing and on an existing database, and idle memory
    Start,
    /// Start, memory, sign-ins and tokens with few accounts and with many, on both engines
    Size {
        /// How many are few
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
        few: u64,
        /// How many are many
        #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
        many: u64,
    },
    /// Every page of the console with many members and organizations: time at the client, and size
    Console {
        /// The members of the large organization
        #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
        members: u64,
        /// The other organizations
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
        organizations: u64,
        /// How often each page is requested
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=10_000))]
        requests: u32,
    },
    /// All of them but size and console, which take long
    All,
    /// Tries what operators are promised, on both engines: kills, races, faults of database and disk, floods
    Reliability {
        /// How long the whole run takes; the soaks take what is left
        #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..=120))]
        minutes: u64,
    },
    /// Tries two versions of the program side by side on one PostgreSQL database, replaced node by node under load
    Upgrade {
        /// The program of the previous version
        #[arg(long, value_name = "PATH")]
        old: PathBuf,
        /// The program of the new version
        #[arg(long, value_name = "PATH")]
        new: PathBuf,
    },
    /// Tries the promotion of a synchronous standby of PostgreSQL under load
    Failover,
    #[command(hide = true)]
    Worker(store_worker::WorkerTask),
}

#[derive(Debug, Args)]
struct RunOptions {
    /// The program measured [default: `sinete` beside this program]
    #[arg(long, global = true, value_name = "PATH")]
    sinete: Option<PathBuf>,
    /// The floor server [default: `floor` beside this program]
    #[arg(long, global = true, value_name = "PATH")]
    floor: Option<PathBuf>,
    /// Where temporary folders are made; it should be on the kind of disk you mean to use
    #[arg(long, global = true, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Length of one round
    #[arg(long, global = true, value_name = "MILLISECONDS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(100..=10_000))]
    round: u64,
    /// Rounds per side; the floor's and ours alternate
    #[arg(long, global = true, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    rounds: u32,
    /// Keep-alive connections that send load
    #[arg(long, global = true, default_value_t = CONNECTIONS as u64, value_parser = clap::value_parser!(u64).range(1..=CONNECTIONS_MAX as u64))]
    connections: u64,
    /// How often the program is started
    #[arg(long, global = true, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    starts: u32,
    /// A superuser of a PostgreSQL cluster that can be thrown away; without one PostgreSQL is not measured
    #[arg(long, global = true, value_name = "URL", env = "SINETE_TEST_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,
    /// Count real fsyncs too, with strace
    #[arg(long, global = true)]
    strace: bool,
    /// Of tokens, only the workloads whose name contains this; of console, only the pages whose path does; of
    /// reliability, only these, separated by commas
    #[arg(long, global = true, value_name = "WORDS")]
    only: Option<String>,
    /// Write the figures to this file as well, as JSON
    #[arg(long, global = true, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Give up when the whole run takes longer
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    at_most: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = BenchOptions::parse();
    let limit = Duration::from_secs(match options.command {
        // Long enough for what cannot be shortened, and still bounded.
        BenchCommand::Reliability { minutes } => minutes * 60 + 600,
        _ => options.run.at_most,
    });
    // Whatever ends the wait drops the measurement, and with it its child processes and folders.
    let outcome = tokio::select! {
        outcome = run(&options) => outcome,
        () = tokio::time::sleep(limit) => {
            Err(BenchError::Unexpected(format!("the run was given up after {} s", limit.as_secs())))
        }
        _ = tokio::signal::ctrl_c() => Err(BenchError::Unexpected("interrupted".to_owned())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            eprintln!("sinete-bench: {failed}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &BenchOptions) -> Result<(), BenchError> {
    if let BenchCommand::Worker(task) = &options.command {
        println!("{}", store_worker::run_task(task).await?.to_json_line()?);
        return Ok(());
    }
    let settings = options.run.to_settings()?;
    let neighbours = BackgroundLoad::start()?;
    let mut report =
        BenchReport { circumstances: machine::describe_machine(&settings.folder), tables: Vec::new() };
    if matches!(options.command, BenchCommand::Http | BenchCommand::All) {
        report.tables.extend(measure_http::measure(&settings).await?);
    }
    if matches!(options.command, BenchCommand::Tokens | BenchCommand::All) {
        report.tables.extend(measure_tokens::measure(&settings).await?);
    }
    if matches!(options.command, BenchCommand::Postgres) && settings.postgres.is_none() {
        return Err(BenchError::Unexpected("postgres needs a cluster: name it with --postgres".to_owned()));
    }
    if matches!(options.command, BenchCommand::Postgres | BenchCommand::All) {
        report.tables.extend(measure_postgres::measure(&settings).await?);
    }
    if matches!(options.command, BenchCommand::Flood | BenchCommand::All) {
        report.tables.extend(measure_flood::measure(&settings).await?);
    }
    if matches!(options.command, BenchCommand::Store | BenchCommand::All) {
        report.tables.extend(measure_store::measure(&settings).await?);
    }
    if matches!(options.command, BenchCommand::Start | BenchCommand::All) {
        report.tables.extend(measure_start::measure(&settings).await?);
    }
    if let BenchCommand::Size { few, many } = options.command {
        report.tables.extend(measure_size::measure(&settings, [few, many]).await?);
    }
    if let BenchCommand::Console { members, organizations, requests } = options.command {
        let fill = ConsoleFill { members, organizations };
        report.tables.extend(measure_console::measure(&settings, fill, requests).await?);
    }
    let rows = try_promises(&options.command, &settings).await?;
    if !rows.is_empty() {
        report.tables.push(promise_table("Reliability", &rows));
    }
    report.circumstances.push(neighbours.summary()?);
    print!("{}", report.to_markdown());
    if let Some(file) = &options.run.json {
        let text = format!("{:#}\n", report.to_json());
        std::fs::write(file, text)
            .map_err(|source| BenchError::io(format!("write {}", file.display()), source))?;
    }
    match rows.iter().filter(|row| row.is_broken()).count() {
        0 => Ok(()),
        broken => Err(BenchError::Unexpected(format!("{broken} promises were broken"))),
    }
}

/// The rows of the tries, if the command is one.
async fn try_promises(
    bench_command: &BenchCommand,
    settings: &BenchSettings,
) -> Result<Vec<PromiseRow>, BenchError> {
    match bench_command {
        BenchCommand::Reliability { minutes } => reliability::try_promises(settings, *minutes).await,
        BenchCommand::Upgrade { old, new } => {
            let versions = ProgramVersions { old: to_absolute(old.clone())?, new: to_absolute(new.clone())? };
            try_upgrade(settings, &versions).await
        }
        BenchCommand::Failover => try_failover(settings).await,
        _ => Ok(Vec::new()),
    }
}

impl RunOptions {
    fn to_settings(&self) -> Result<BenchSettings, BenchError> {
        let bench = std::env::current_exe()
            .map_err(|source| BenchError::io("find this program's own file", source))?;
        let sibling = |name: &str| bench.parent().unwrap_or(Path::new(".")).join(name);
        Ok(BenchSettings {
            sinete: to_absolute(self.sinete.clone().unwrap_or_else(|| sibling("sinete")))?,
            floor: to_absolute(self.floor.clone().unwrap_or_else(|| sibling("floor")))?,
            folder: to_absolute(self.folder.clone().unwrap_or_else(std::env::temp_dir))?,
            bench,
            round: Duration::from_millis(self.round),
            rounds: self.rounds,
            connections: usize::try_from(self.connections).unwrap_or(CONNECTIONS_MAX),
            starts: self.starts,
            postgres: self.postgres.clone().filter(|url| !url.is_empty()),
            strace: self.strace,
            only: self.only.clone(),
        })
    }
}

/// Makes a path absolute, because child processes run in other folders.
fn to_absolute(path: PathBuf) -> Result<PathBuf, BenchError> {
    std::path::absolute(&path).map_err(|source| BenchError::io(format!("find {}", path.display()), source))
}
