//! The Grafana dashboard and the Prometheus alerts query metrics and labels that exist, and the dashboard shows every
//! metric.

use super::source_tree::root;
use super::{expect_complaint, expect_silence};
use sinete_server::telemetry::{METRICS, MetricKind};
use std::collections::BTreeSet;

const DASHBOARD: &str = "deploy/monitoring/grafana-dashboard.json";
const ALERTS: &str = "deploy/monitoring/prometheus-rules.yaml";

/// Labels that Prometheus adds when it scrapes, and the bound of a bucket.
const SCRAPE_LABELS: [&str; 3] = ["job", "instance", "le"];

/// A metric as a query names it, with the labels that its selector compares.
#[derive(Debug, PartialEq, Eq)]
struct MetricSelector<'a> {
    name: &'a str,
    labels: Vec<&'a str>,
}

/// The metrics of Sinete in a text.
fn metric_selectors(text: &str) -> Vec<MetricSelector<'_>> {
    let is_part = |character: char| character.is_ascii_lowercase() || character == '_';
    let mut selectors = Vec::new();
    for (index, _) in text.match_indices("sinete_") {
        if text[..index].ends_with(is_part) {
            continue;
        }
        let rest = &text[index..];
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let inside = after.strip_prefix('{').and_then(selector_contents).unwrap_or_default();
        selectors.push(MetricSelector { name, labels: compared_labels(inside) });
    }
    selectors
}

/// The text between the braces of a selector; values may contain braces themselves.
fn selector_contents(after_brace: &str) -> Option<&str> {
    let mut is_quoted = false;
    let end = after_brace.find(|character| {
        is_quoted ^= character == '"';
        character == '}' && !is_quoted
    })?;
    Some(&after_brace[..end])
}

fn compared_labels(selector: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_ascii_lowercase() || character == '_';
    let outside_quotes = selector.split('"').step_by(2);
    outside_quotes
        .map(|text| text.trim_end_matches(['\\', '=', '~', '!', ' ']))
        .map(|text| &text[text.rfind(|character| !is_part(character)).map_or(0, |index| index + 1)..])
        .filter(|label| !label.is_empty())
        .collect()
}

/// The exported metric that a name in a query belongs to. A histogram is exported as buckets, a sum and a count.
fn exported_as(name: &str) -> Option<(&'static str, &'static [&'static str])> {
    let parts = ["_bucket", "_sum", "_count"];
    METRICS.iter().find_map(|metric| {
        let is_it = match metric.kind {
            MetricKind::Histogram => {
                name.strip_prefix(metric.name).is_some_and(|suffix| parts.contains(&suffix))
            }
            MetricKind::Counter | MetricKind::Gauge => name == metric.name,
        };
        is_it.then_some((metric.name, metric.labels))
    })
}

/// Complaints about metrics and labels that no node exports.
fn unknown_metrics(origin: &str, text: &str) -> Vec<String> {
    let mut complaints = BTreeSet::new();
    for MetricSelector { name, labels } in metric_selectors(text) {
        let Some((_, exported)) = exported_as(name) else {
            complaints.insert(format!("{origin} queries {name}, which no node exports"));
            continue;
        };
        let unknown =
            labels.into_iter().filter(|label| !exported.contains(label) && !SCRAPE_LABELS.contains(label));
        complaints
            .extend(unknown.map(|label| format!("{origin} compares {label} of {name}, which has none")));
    }
    complaints.into_iter().collect()
}

/// Complaints about exported metrics that the dashboard does not show.
fn metrics_not_shown(dashboard: &str) -> Vec<String> {
    let selectors = metric_selectors(dashboard);
    let metric_names: BTreeSet<_> =
        selectors.iter().filter_map(|selector| exported_as(selector.name)).map(|(name, _)| name).collect();
    let missing = METRICS.iter().filter(|metric| !metric_names.contains(metric.name));
    missing.map(|metric| format!("{DASHBOARD} does not show {}", metric.name)).collect()
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The queries of a dashboard, one to a line, with unescaped quotation marks.
fn dashboard_queries(json: &str) -> String {
    let dashboard: serde_json::Value = serde_json::from_str(json).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.map(|target| format!("{}\n", target["expr"].as_str().unwrap())).collect()
}

#[test]
fn dashboard_and_alerts_use_metrics_that_exist() {
    let dashboard = text(DASHBOARD);
    let queries = dashboard_queries(&dashboard);
    assert!(queries.lines().count() > 15, "the queries of {DASHBOARD} were not found");
    let alerts = text(ALERTS);
    assert!(metric_selectors(&alerts).len() > 15, "the queries of {ALERTS} were not found");
    expect_silence(&unknown_metrics(DASHBOARD, &queries));
    expect_silence(&unknown_metrics(ALERTS, &alerts));
    expect_silence(&metrics_not_shown(&queries));
}

#[test]
fn dashboard_check_finds_a_metric_that_is_renamed_or_missing() {
    let fine =
        r#"rate(sinete_http_requests_total{job="sinete",route="/flows/{flow}/{action}",status=~"5.."}[5m])"#;
    expect_silence(&unknown_metrics("x", fine));
    assert_eq!(
        metric_selectors(fine),
        [MetricSelector { name: "sinete_http_requests_total", labels: vec!["job", "route", "status"] }]
    );
    expect_silence(&unknown_metrics("x", "sinete_http_request_duration_seconds_bucket{le=\"1\"}"));
    expect_complaint(&unknown_metrics("x", "sinete_http_request_duration_seconds"), "no node exports");
    expect_complaint(&unknown_metrics("x", "sinete_http_panic_total"), "sinete_http_panic_total");
    expect_complaint(&unknown_metrics("x", "sinete_http_panics_total{route=\"/\"}"), "compares route");
    let all_but_one: String = METRICS
        .iter()
        .skip(1)
        .map(|metric| match metric.kind {
            MetricKind::Histogram => format!("{}_bucket ", metric.name),
            MetricKind::Counter | MetricKind::Gauge => format!("{} ", metric.name),
        })
        .collect();
    expect_complaint(&metrics_not_shown(&all_but_one), METRICS[0].name);
}
