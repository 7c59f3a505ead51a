//! `sinete-bench postgres`: what token requests cost the server process and the PostgreSQL server together,
//! compared with the baseline server on the same cluster.

use crate::failed::BenchError;
use crate::load::chain::{CodeFlow, RequestChain};
use crate::load::connection::HttpConnection;
use crate::load::{LoadRequest, LoadTally, run_observed_load};
use crate::measure_http::{RoundWork, cpu_milliseconds, plan_round};
use crate::measure_tokens::{
    INTROSPECT, TOKEN, build_code_flow, build_renewals, client_credentials_form, request_access_token,
    token_exchange_form,
};
use crate::postgres_usage::PostgresCost;
use crate::report::{ReportTable, TableCell};
use crate::server::{ChildServer, start_floor, start_sinete_with};
use crate::settings::BenchSettings;
use crate::statistics::{LatencyStatistics, median};
use crate::throwaway::TemporaryDatabase;
use crate::token_instance::{INVOICES, TokenInstance};

const USERINFO: &str = "/connect/userinfo";

/// Measures the workloads on Sinete, and the baseline's counterpart of each.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let Some(cluster) = &settings.postgres else { return Ok(Vec::new()) };
    let (ours, theirs) =
        (TemporaryDatabase::create(cluster).await?, TemporaryDatabase::create(cluster).await?);
    let rows = measure_rows(settings, &ours, &theirs).await;
    ours.remove().await?;
    theirs.remove().await?;
    let columns = &[
        "Workload",
        "Per second",
        "Server CPU",
        "PostgreSQL CPU",
        "Sum",
        "Statements",
        "Plans",
        "Rows",
        "Buffers",
        "WAL bytes",
        "p50",
        "p99",
        "Errors",
    ];
    Ok(vec![ReportTable { title: "PostgreSQL: the cost of one operation", columns, rows: rows? }])
}

async fn measure_rows(
    settings: &BenchSettings,
    ours: &TemporaryDatabase,
    theirs: &TemporaryDatabase,
) -> Result<Vec<Vec<TableCell>>, BenchError> {
    let (sinete_folder, floor_folder) = (settings.temporary_folder()?, settings.temporary_folder()?);
    let instance = TokenInstance::prepare_at(settings, sinete_folder.path(), Some(&ours.url)).await?;
    let variables = [("SINETE_DATABASE_URL", ours.url.as_str())];
    let sinete = start_sinete_with(&settings.sinete, sinete_folder.path(), &variables).await?;
    let floor = start_floor(&settings.floor, floor_folder.path(), 1, Some(&theirs.url)).await?;
    let sinete = MeasuredSide { settings, server: sinete, database: ours };
    let floor = MeasuredSide { settings, server: floor, database: theirs };

    let flow = build_code_flow(&instance);
    let token = request_access_token(&sinete.server, &instance).await?;
    let of_user = request_user_token(&sinete.server, &flow).await?;
    let script = |request: LoadRequest| move |_| RoundWork::Script(vec![request.clone()]);
    let form = |path, form: String| script(LoadRequest::post_form(path, &form));
    let baseline = |paths: &'static [&'static str]| {
        move |_| RoundWork::Script(paths.iter().map(|path| LoadRequest::post_form(path, "")).collect())
    };
    let introspection_form = format!("{}&token={token}", instance.robot);
    let mut rows = Vec::new();
    rows.extend(sinete.measure("introspection", form(INTROSPECT, introspection_form)).await?);
    let of_service = client_credentials_form(&instance, INVOICES);
    rows.extend(sinete.measure("client credentials", form(TOKEN, of_service)).await?);
    rows.extend(floor.measure("client credentials, floor", baseline(&["/credentials"])).await?);
    rows.extend(
        sinete
            .measure(
                "userinfo",
                script(LoadRequest::get_authorized(USERINFO, &format!("Bearer {}", &of_user))),
            )
            .await?,
    );
    rows.extend(sinete.measure("exchange", form(TOKEN, token_exchange_form(&instance, &token))).await?);
    rows.extend(floor.measure("exchange, floor", baseline(&["/exchange"])).await?);
    rows.extend(sinete.measure("refresh", |turn| build_renewals(settings, &instance, turn)).await?);
    rows.extend(floor.measure("refresh, floor", baseline(&["/rotate"])).await?);
    let flows = |_| RoundWork::Chains(vec![RequestChain::CodeFlow(flow.clone()); settings.connections]);
    rows.extend(sinete.measure("code flow", flows).await?);
    rows.extend(floor.measure("code flow, floor", baseline(&["/authorize", "/redeem"])).await?);
    sinete.server.stop().await?;
    floor.server.stop().await?;
    Ok(rows)
}

/// A server with its database.
struct MeasuredSide<'a> {
    settings: &'a BenchSettings,
    server: ChildServer,
    database: &'a TemporaryDatabase,
}

impl MeasuredSide<'_> {
    /// Measures a workload, unless it is excluded by a filter.
    async fn measure(
        &self,
        name: &str,
        round_work: impl Fn(usize) -> RoundWork,
    ) -> Result<Option<Vec<TableCell>>, BenchError> {
        if !self.settings.only.as_deref().is_none_or(|only| name.contains(only)) {
            return Ok(None);
        }
        self.settings.progress(&format!("postgres: {name}"));
        let (mut tallies, mut costs) = (Vec::new(), Vec::new());
        for turn in 0..self.settings.rounds as usize {
            let load = plan_round(self.settings, &self.server, round_work(turn));
            let process = Some(self.server.process);
            let observe = async || self.database.read_usage().await;
            let (tally, [before, after]) = run_observed_load(&load, process, observe).await?;
            tallies.push(tally);
            costs.push(after.since(&before));
        }
        Ok(Some(cost_row(name, &tallies, PostgresCost::sum(&costs))))
    }
}

fn cost_row(name: &str, tallies: &[LoadTally], cost: PostgresCost) -> Vec<TableCell> {
    let operations = tallies.iter().map(LoadTally::operations).sum::<usize>() as f64;
    let each = |count: i64| TableCell::Ratio(count as f64 / operations);
    let server = cpu_milliseconds(tallies);
    let postgres = cost.cpu.map(|cpu| cpu.as_secs_f64() * 1_000.0 / operations);
    let latencies =
        tallies.iter().fold(LatencyStatistics::default(), |all, tally| all.merge(&tally.latencies));
    let errors: Vec<_> = tallies.iter().filter_map(LoadTally::error_summary).collect();
    vec![
        TableCell::text(name),
        TableCell::or_absent(median(tallies.iter().map(LoadTally::rate)), TableCell::PerSecond),
        TableCell::or_absent(server, TableCell::Milliseconds),
        TableCell::or_absent(postgres, TableCell::Milliseconds),
        TableCell::or_absent(
            server.zip(postgres).map(|(server, postgres)| server + postgres),
            TableCell::Milliseconds,
        ),
        TableCell::or_absent(cost.statements, each),
        TableCell::or_absent(cost.plans, each),
        TableCell::or_absent(cost.rows, each),
        TableCell::or_absent(cost.buffers, each),
        TableCell::PerSecond(cost.wal_bytes as f64 / operations),
        TableCell::milliseconds(latencies.percentile(50)),
        TableCell::milliseconds(latencies.percentile(99)),
        TableCell::text(if errors.is_empty() { "none".to_owned() } else { errors.join("; ") }),
    ]
}

/// Requests an access token of the user with a code flow.
async fn request_user_token(server: &ChildServer, flow: &CodeFlow) -> Result<String, BenchError> {
    flow.request_token(&mut HttpConnection::new(server.address))
        .await
        .map_err(|fault| BenchError::Unexpected(format!("could not get a token of the user: {fault}")))
}
