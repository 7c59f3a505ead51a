//! Usage reports as figures and charts, for the pages of usage and the overviews.

use crate::console::operations::values::{items_at, text_at};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, BlockLink, PageBlock, TableBlock, TableRow};
use sinete_screens::console::build_query;
use sinete_screens::console::chart::{ChartBlock, ChartSeries, group_digits};
use sinete_screens::console::figures::{FiguresBlock, SingleFigure, ViewsBlock};
use sinete_screens::locales::LocalePhrases;
use sinete_server::reply::HandlerError;

/// The metric whose values cannot be added up over time.
const ACTIVE_USERS: &str = "active_users";

/// The operation that a page of usage reads.
pub(super) const fn usage_operation(work: &PageContext<'_>) -> &'static str {
    if work.is_of_instance() { "getInstanceUsage" } else { "getOrganizationUsage" }
}

/// The usage of some periods. An invalid period or organization in the URL is left out.
pub(super) async fn load_usage(
    work: &PageContext<'_>,
    period: &str,
    organization: &str,
) -> Result<Value, HandlerError> {
    let call = work.operation(usage_operation(work)).query("period", period);
    Ok(work.send(call.query("organization", organization)).await?.body)
}

/// The period of a URL.
pub(super) fn requested_period(work: &PageContext<'_>) -> &'static str {
    let asked = work.query.get("period").unwrap_or_default();
    ["day", "week", "month"].into_iter().find(|period| *period == asked).unwrap_or("day")
}

/// The links to the same report by day, week and month, and as a file.
pub(super) fn period_views(work: &PageContext<'_>, shown: &str, organization: &str) -> PageBlock {
    let words = work.words();
    let path = |period: &str, format: &str| {
        let query = [("period", period), ("organization", organization), ("format", format)];
        let query = query.into_iter().filter(|(_, value)| !value.is_empty());
        format!("{}?{}", work.path, build_query(query))
    };
    let view = |(period, text): (&str, &str)| {
        (BlockLink { text: text.to_owned(), path: path(period, "") }, period == shown)
    };
    let views = [("day", words.usage.day), ("week", words.usage.week), ("month", words.usage.month)];
    PageBlock::Views(ViewsBlock {
        label: words.usage.period.to_owned(),
        views: views.into_iter().map(view).collect(),
        downloads: vec![BlockLink { text: words.blocks.csv.to_owned(), path: path(shown, "csv") }],
    })
}

/// A chart for each metric.
pub(super) fn usage_charts(words: &'static LocalePhrases, usage: &Value) -> Vec<PageBlock> {
    items_at(usage, "/metrics")
        .iter()
        .map(|metric| PageBlock::Chart(metric_chart(words, usage, metric)))
        .collect()
}

fn metric_chart(words: &'static LocalePhrases, usage: &Value, metric: &Value) -> ChartBlock {
    let name = text_at(metric, "/name");
    let (title, lead) = metric_texts(words, &name);
    let series = items_at(metric, "/series").iter().map(|series| ChartSeries {
        name: series_name(words, &text_at(series, "/name")),
        values: values_of(series),
    });
    ChartBlock {
        id: name.replace('_', "-"),
        title: title.to_owned(),
        lead: lead.to_owned(),
        periods: period_names(usage),
        series: series.filter(|series| series.total() > 0).collect(),
        is_additive: name != ACTIVE_USERS,
        links: Vec::new(),
    }
}

/// The starts of the periods; a month without its day.
fn period_names(usage: &Value) -> Vec<String> {
    let length = if text_at(usage, "/period") == "month" { 7 } else { 10 };
    items_at(usage, "/starts").iter().map(|start| text_at(start, "").chars().take(length).collect()).collect()
}

fn values_of(series: &Value) -> Vec<u64> {
    items_at(series, "/values").iter().map(|value| value.as_u64().unwrap_or_default()).collect()
}

/// The whole report as one table, for a file.
pub(super) fn usage_table(usage: &Value) -> TableBlock {
    let series: Vec<(String, Vec<u64>)> = items_at(usage, "/metrics")
        .iter()
        .flat_map(|metric| {
            let name = text_at(metric, "/name");
            let column = move |it: &Value| (format!("{name}.{}", text_at(it, "/name")), values_of(it));
            items_at(metric, "/series").iter().map(column).collect::<Vec<_>>()
        })
        .collect();
    let number = |values: &[u64], place: usize| {
        BlockCell::text(values.get(place).copied().unwrap_or_default().to_string())
    };
    let rows = items_at(usage, "/starts").iter().enumerate().map(|(place, start)| TableRow {
        cells: std::iter::once(BlockCell::text(text_at(start, "")))
            .chain(series.iter().map(|(_, values)| number(values, place)))
            .collect(),
        button: None,
    });
    TableBlock {
        id: "usage".to_owned(),
        columns: std::iter::once("start".to_owned())
            .chain(series.iter().map(|(name, _)| name.clone()))
            .collect(),
        rows: rows.collect(),
        ..TableBlock::default()
    }
}

/// The figures and the sign-ins of the last thirty days; `None` for users who may not see them.
pub(super) async fn load_overview_blocks(
    work: &PageContext<'_>,
) -> Result<Option<(FiguresBlock, ChartBlock)>, HandlerError> {
    let words = work.words();
    if !work.may_call(usage_operation(work)) {
        return Ok(None);
    }
    let days = load_usage(work, "day", "").await?;
    let months = work.operation(usage_operation(work)).query("period", "month").query("count", "1");
    let months = work.send(months).await?.body;
    let total = |metric: &str| -> u64 {
        find_metric(&days, metric).map(items_of_series).unwrap_or_default().iter().flat_map(values_of).sum()
    };
    let latest = |usage: &Value| -> u64 {
        let users = find_metric(usage, ACTIVE_USERS).map(items_of_series).unwrap_or_default();
        users.iter().filter_map(|series| values_of(series).last().copied()).sum()
    };
    let figure = |name: &str, value: u64, note: &str| SingleFigure {
        name: name.to_owned(),
        value: group_digits(value),
        note: note.to_owned(),
    };
    let figures = FiguresBlock {
        id: "usage".to_owned(),
        title: words.usage.title.to_owned(),
        figures: vec![
            figure(words.usage.active_users, latest(&months), words.usage.this_month),
            figure(words.usage.active_users, latest(&days), words.usage.today),
            figure(words.usage.sign_ins, total("sign_ins"), words.usage.last_days),
            figure(words.usage.sign_in_failures, total("sign_in_failures"), words.usage.last_days),
            figure(words.usage.tokens, total("tokens"), words.usage.last_days),
        ],
        links: Vec::new(),
    };
    let more = BlockLink {
        text: words.usage.more.to_owned(),
        path: format!("{}/usage", work.return_to.organization_path()),
    };
    let sign_ins = find_metric(&days, "sign_ins").cloned().unwrap_or_default();
    let chart = ChartBlock { links: vec![more], ..metric_chart(words, &days, &sign_ins) };
    Ok(Some((figures, chart)))
}

fn find_metric<'v>(usage: &'v Value, name: &str) -> Option<&'v Value> {
    items_at(usage, "/metrics").iter().find(|metric| text_at(metric, "/name") == name)
}

fn items_of_series(metric: &Value) -> &[Value] {
    items_at(metric, "/series")
}

/// The title of a metric, and the sentence below it.
fn metric_texts(words: &'static LocalePhrases, name: &str) -> (&'static str, &'static str) {
    let words = &words.usage;
    match name {
        "sign_ins" => (words.sign_ins, words.sign_ins_lead),
        "sign_in_failures" => (words.sign_in_failures, words.sign_in_failures_lead),
        ACTIVE_USERS => (words.active_users, words.active_users_lead),
        "tokens" => (words.tokens, words.tokens_lead),
        "approvals" => (words.approvals, words.approvals_lead),
        "failures" => (words.failures, words.failures_lead),
        _ => ("", ""),
    }
}

/// The name of a series; one that has none is shown as in the API.
fn series_name(words: &'static LocalePhrases, name: &str) -> String {
    let words = &words.usage;
    let known = match name {
        "users" => words.users,
        "passkey" => words.passkey,
        "password" => words.password,
        "password_mfa" => words.password_mfa,
        "email" => words.email,
        "sms" => words.sms,
        "single_sign_on" => words.single_sign_on,
        "second_factor" => words.second_factor,
        "other" => words.other,
        "authorization_code" => words.authorization_code,
        "refresh_token" => words.refresh_token,
        "client_credentials" => words.client_credentials,
        "token_exchange" => words.token_exchange,
        "device_code" => words.device_code,
        "ciba" => words.ciba,
        "impersonation" => words.impersonation,
        "consent_given" => words.consent_given,
        "consent_denied" => words.consent_denied,
        "device_approved" => words.device_approved,
        "device_denied" => words.device_denied,
        "ciba_approved" => words.ciba_approved,
        "ciba_denied" => words.ciba_denied,
        "client_authentication" => words.client_authentication,
        "replayed" => words.replayed,
        "wrong_client" => words.wrong_client,
        "user_code" => words.user_code,
        "locked_credential" => words.locked_credential,
        "undelivered_message" => words.undelivered_message,
        other => other,
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::events::usage::{UsageCounter, UsageMetric};
    use sinete_screens::language::UiLanguage;

    #[test]
    fn usage_metrics_and_series_have_names_in_every_language() {
        for language in UiLanguage::ALL {
            let words = language.phrases();
            for metric in UsageMetric::ALL {
                let (title, lead) = metric_texts(words, metric.name());
                assert!(!title.is_empty() && !lead.is_empty(), "{metric:?}");
            }
            for counter in UsageCounter::ALL {
                let is_by_period = counter.metric() == UsageMetric::ActiveUsers;
                let name = series_name(words, counter.series());
                assert!(is_by_period || name != counter.series(), "{counter:?} in {language:?}");
            }
        }
    }
}
