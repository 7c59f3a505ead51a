//! The baseline server as a separate process. `sinete-bench` starts it; started manually, it is useful for
//! profiling.

use clap::Parser;
use sinete_bench::failed::BenchError;
use sinete_bench::floor::{self, BaselineServer, STATIC_BYTES_MAX};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Serves only what cannot be avoided, for comparison.
#[derive(Debug, Parser)]
#[command(name = "floor", version)]
struct BaselineOptions {
    /// Where to listen; loopback only. Port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// An empty folder for its database.
    #[arg(long)]
    data: PathBuf,
    /// Size of the document at /static.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=i64::from(STATIC_BYTES_MAX)))]
    static_bytes: u32,
    /// A PostgreSQL database of its own, in place of SQLite in the folder.
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(BaselineOptions::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            eprintln!("floor: {failed}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: BaselineOptions) -> Result<(), BenchError> {
    if !options.listen.ip().is_loopback() {
        return Err(BenchError::Unexpected(format!(
            "{} is not loopback; the floor protects nothing",
            options.listen
        )));
    }
    let floor =
        BaselineServer::build(&options.data, options.static_bytes, options.postgres.as_deref()).await?;
    let listener = TcpListener::bind(options.listen)
        .await
        .map_err(|source| BenchError::io(format!("listen on {}", options.listen), source))?;
    let address = listener.local_addr().map_err(|source| BenchError::io("read the address", source))?;
    let mut stop =
        signal(SignalKind::terminate()).map_err(|source| BenchError::io("listen for SIGTERM", source))?;
    println!("listening on {address}");
    floor::serve(floor, listener, async move {
        stop.recv().await;
    })
    .await
}
