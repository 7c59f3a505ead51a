//! `sinete-bench console`: every page of the console on an instance with many organizations and members. One connection
//! requests each page again and again; the time is measured at the client, on loopback.

use crate::console_instance::{ConsoleFill, ConsoleInstance, OPERATOR_NUMBER, OWNER_NUMBER};
use crate::console_pages::{ConsoleArea, FIRST_VIEW, ListLinks, MeasuredPage, list_pages};
use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::connection::HttpConnection;
use crate::report::{ReportTable, TableCell};
use crate::settings::BenchSettings;
use crate::sign_in::sign_in_once;
use crate::statistics::LatencyStatistics;
use crate::stopwatch::RunningStopwatch;
use crate::throwaway::describe_engine;
use std::net::SocketAddr;
use std::time::Duration;

/// Requests of a page before it is measured.
const WARM_UP_REQUESTS: u32 = 5;
/// The goal for the 99th percentile of a page.
const PAGE_TIME_GOAL: Duration = Duration::from_millis(50);
/// The goal for the size of a page, in bytes.
const PAGE_BYTES_GOAL: usize = 60_000;
/// Maximum pages of a list that are followed to find the last one.
const PAGES_FOLLOWED_MAX: u32 = 5_000;

/// The figures of one page.
struct PageFigures {
    page: MeasuredPage,
    /// The status of the responses, or the first that was not 200.
    status: u16,
    latencies: LatencyStatistics,
    body_bytes: usize,
}

impl PageFigures {
    fn p99(&self) -> Duration {
        self.latencies.percentile(99).unwrap_or_default()
    }
}

/// Measures both engines, PostgreSQL only if configured.
pub async fn measure(
    settings: &BenchSettings,
    fill: ConsoleFill,
    requests: u32,
) -> Result<Vec<ReportTable>, BenchError> {
    let mut engines = vec![("SQLite".to_owned(), None)];
    if let Some(cluster) = &settings.postgres {
        engines.push((describe_engine(cluster).await?, Some(cluster.as_str())));
    }
    let (mut rows, mut goals) = (Vec::new(), Vec::new());
    for (name, cluster) in engines {
        settings.progress(&format!("console: {name} is filled"));
        let instance = ConsoleInstance::start(settings, cluster, fill).await?;
        let filled_in = instance.fill_duration;
        settings.progress(&format!("console: {name} was filled in {} s", filled_in.as_secs()));
        let measured = measure_pages(settings, &instance, requests).await;
        instance.stop().await?;
        let figures = measured?;
        rows.extend(figures.iter().map(|figures| figures_row(&name, figures)));
        goals.extend(goal_rows(&name, &figures));
    }
    Ok(vec![
        ReportTable {
            title: "Console: pages, time at the client on loopback with one connection",
            columns: &["Engine", "Page", "View", "Status", "p50", "p99", "Bytes"],
            rows,
        },
        ReportTable {
            title: "Console: pages beyond a goal",
            columns: &["Engine", "Goal", "Pages", "Beyond it", "Worst: of the goal", "Which"],
            rows: goals,
        },
    ])
}

async fn measure_pages(
    settings: &BenchSettings,
    instance: &ConsoleInstance,
    requests: u32,
) -> Result<Vec<PageFigures>, BenchError> {
    let target = instance.server.address;
    let mut connection = HttpConnection::new(target);
    let operator = sign_in_once(&mut connection, target, OPERATOR_NUMBER).await?;
    let owner = sign_in_once(&mut connection, target, OWNER_NUMBER).await?;
    let only = settings.only.as_deref().unwrap_or_default();
    let mut figures = Vec::new();
    for page in list_pages(&instance.parameters)?.into_iter().filter(|page| page.route.contains(only)) {
        let session = match page.area {
            ConsoleArea::Instance => operator.as_str(),
            ConsoleArea::Organization => owner.as_str(),
        };
        let mut reader = PageReader { connection: HttpConnection::new(target), target, session, requests };
        settings.progress(&format!("console: {} {}", page.route, page.view));
        let views = match page.view {
            FIRST_VIEW => reader.list_views(&page).await?,
            _ => Vec::new(),
        };
        for page in [page].into_iter().chain(views) {
            figures.push(reader.measure(page).await?);
        }
    }
    Ok(figures)
}

/// A signed-in user on one connection.
struct PageReader<'a> {
    connection: HttpConnection,
    target: SocketAddr,
    session: &'a str,
    requests: u32,
}

impl PageReader<'_> {
    /// The second and last page of a list, its largest page size, and the list sorted, if the page is a list with these.
    async fn list_views(&mut self, page: &MeasuredPage) -> Result<Vec<MeasuredPage>, BenchError> {
        let links = ListLinks::find(&self.read(&page.path).await?, &page.path);
        let last = match &links.next {
            Some(next) => Some(self.find_last(links.largest.as_deref().unwrap_or(next)).await?),
            None => None,
        };
        let views = [
            ("second page", links.next),
            ("last page", last),
            ("largest page size", links.largest),
            ("sorted", links.sorted),
        ];
        let views = views.into_iter().filter_map(|(view, path)| Some((view, path?)));
        Ok(views.map(|(view, path)| MeasuredPage { view, path, ..page.clone() }).collect())
    }

    /// Follows a list from this page to the last one.
    async fn find_last(&mut self, first: &str) -> Result<String, BenchError> {
        let mut path = first.to_owned();
        for _ in 0..PAGES_FOLLOWED_MAX {
            let html = self.read(&path).await?;
            match ListLinks::find(&html, &path).next {
                Some(next) => path = next,
                None => break,
            }
        }
        Ok(path)
    }

    /// Requests a page again and again.
    async fn measure(&mut self, page: MeasuredPage) -> Result<PageFigures, BenchError> {
        let request = LoadRequest::get_in_session(&page.path, self.session);
        for _ in 0..WARM_UP_REQUESTS {
            self.exchange(&request).await?;
        }
        let (mut timeouts, mut status, mut body_bytes) = (Vec::new(), 200, 0);
        for _ in 0..self.requests {
            let watch = RunningStopwatch::start();
            let (response_status, body) = self.exchange(&request).await?;
            timeouts.push(watch.elapsed());
            status = if status == 200 { response_status } else { status };
            body_bytes = body_bytes.max(body);
        }
        Ok(PageFigures { page, status, latencies: LatencyStatistics::from_durations(timeouts), body_bytes })
    }

    /// Sends a request and returns the status and the size of the body.
    async fn exchange(&mut self, request: &LoadRequest) -> Result<(u16, usize), BenchError> {
        let target = self.target;
        let answer = self.connection.exchange(request.bytes()).await;
        let answer =
            answer.map_err(|fault| BenchError::Unexpected(format!("{target} did not answer: {fault}")))?;
        Ok((answer.status, answer.body().len()))
    }

    /// The text of a page.
    async fn read(&mut self, path: &str) -> Result<String, BenchError> {
        let request = LoadRequest::get_in_session(path, self.session);
        let answer = self.connection.exchange(request.bytes()).await;
        let answer =
            answer.map_err(|fault| BenchError::Unexpected(format!("{path} was not answered: {fault}")))?;
        Ok(String::from_utf8_lossy(answer.body()).into_owned())
    }
}

fn figures_row(engine: &str, figures: &PageFigures) -> Vec<TableCell> {
    vec![
        TableCell::text(engine),
        TableCell::text(format!("`{}`", figures.page.route)),
        TableCell::text(figures.page.view),
        TableCell::text(figures.status.to_string()),
        TableCell::milliseconds(figures.latencies.percentile(50)),
        TableCell::milliseconds(figures.latencies.percentile(99)),
        TableCell::Count(figures.body_bytes as u64),
    ]
}

/// How many pages are beyond each goal, and which.
fn goal_rows(engine: &str, figures: &[PageFigures]) -> Vec<Vec<TableCell>> {
    let of_time = |it: &PageFigures| it.p99().as_secs_f64() / PAGE_TIME_GOAL.as_secs_f64();
    let of_size = |it: &PageFigures| it.body_bytes as f64 / PAGE_BYTES_GOAL as f64;
    let (time, size) = (PAGE_TIME_GOAL.as_millis(), PAGE_BYTES_GOAL / 1_000);
    vec![
        goal_row(engine, &format!("p99 at most {time} ms"), figures, of_time),
        goal_row(engine, &format!("at most {size} KB"), figures, of_size),
    ]
}

fn goal_row(
    engine: &str,
    goal: &str,
    figures: &[PageFigures],
    ratio: impl Fn(&PageFigures) -> f64,
) -> Vec<TableCell> {
    let beyond: Vec<String> = figures
        .iter()
        .filter(|it| ratio(it) > 1.0)
        .map(|it| format!("`{}` {}", it.page.route, it.page.view))
        .collect();
    let worst = figures.iter().map(&ratio).reduce(f64::max);
    vec![
        TableCell::text(engine),
        TableCell::text(goal),
        TableCell::Count(figures.len() as u64),
        TableCell::Count(beyond.len() as u64),
        TableCell::or_absent(worst, TableCell::Ratio),
        TableCell::text(if beyond.is_empty() { "none".to_owned() } else { beyond.join(", ") }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(route: &'static str, milliseconds: u64, body_bytes: usize) -> PageFigures {
        let path = route.to_owned();
        let page = MeasuredPage { area: ConsoleArea::Instance, route, view: FIRST_VIEW, path };
        let latencies = LatencyStatistics::from_durations(vec![Duration::from_millis(milliseconds)]);
        PageFigures { page, status: 200, latencies, body_bytes }
    }

    #[test]
    fn console_benchmark_names_the_pages_beyond_a_goal() {
        let all = [figures("/instance", 25, 6_000), figures("/instance/users", 75, 60_001)];
        let text = |row: &Vec<TableCell>| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ");
        let rows: Vec<String> = goal_rows("SQLite", &all).iter().map(text).collect();
        assert_eq!(rows[0], "SQLite | p99 at most 50 ms | 2 | 1 | 1.50 | `/instance/users` as opened");
        assert_eq!(rows[1], "SQLite | at most 60 KB | 2 | 1 | 1.00 | `/instance/users` as opened");
        let none = goal_rows("SQLite", &all[..1]);
        assert!(text(&none[0]).ends_with("| 1 | 0 | 0.50 | none"), "{none:?}");
    }
}
