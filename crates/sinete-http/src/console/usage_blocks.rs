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
pub(super) const fn usage_operation(context: &PageContext<'_>) -> &'static str {
    if context.is_of_instance() { "getInstanceUsage" } else { "getOrganizationUsage" }
}

/// The usage of some periods. An invalid period or organization in the URL is left out.
pub(super) async fn load_usage(
    context: &PageContext<'_>,
    period: &str,
    organization: &str,
) -> Result<Value, HandlerError> {
    let operation_call = context.operation(usage_operation(context)).query("period", period);
    Ok(context.send(operation_call.query("organization", organization)).await?.body)
}

/// The period of a URL.
pub(super) fn requested_period(context: &PageContext<'_>) -> &'static str {
    let period_name = context.query.get("period").unwrap_or_default();
    ["day", "week", "month"].into_iter().find(|period| *period == period_name).unwrap_or("day")
}

/// The links to the same report by day, week and month, and as a file.
pub(super) fn period_views(context: &PageContext<'_>, current_period: &str, organization: &str) -> PageBlock {
    let phrases = context.phrases();
    let path = |period: &str, format: &str| {
        let query = [("period", period), ("organization", organization), ("format", format)];
        let query = query.into_iter().filter(|(_, value)| !value.is_empty());
        format!("{}?{}", context.path, build_query(query))
    };
    let view = |(period, text): (&str, &str)| {
        (BlockLink { text: text.to_owned(), path: path(period, "") }, period == current_period)
    };
    let views = [("day", phrases.usage.day), ("week", phrases.usage.week), ("month", phrases.usage.month)];
    PageBlock::Views(ViewsBlock {
        label: phrases.usage.period.to_owned(),
        views: views.into_iter().map(view).collect(),
        downloads: vec![BlockLink { text: phrases.blocks.csv.to_owned(), path: path(current_period, "csv") }],
    })
}

/// A chart for each metric.
pub(super) fn usage_charts(phrases: &'static LocalePhrases, usage: &Value) -> Vec<PageBlock> {
    items_at(usage, "/metrics")
        .iter()
        .map(|metric| PageBlock::Chart(metric_chart(phrases, usage, metric)))
        .collect()
}

fn metric_chart(phrases: &'static LocalePhrases, usage: &Value, metric: &Value) -> ChartBlock {
    let name = text_at(metric, "/name");
    let (title, introduction) = metric_texts(phrases, &name);
    let series = items_at(metric, "/series").iter().map(|series| ChartSeries {
        name: series_name(phrases, &text_at(series, "/name")),
        values: series_values(series),
    });
    ChartBlock {
        id: name.replace('_', "-"),
        title: title.to_owned(),
        introduction: introduction.to_owned(),
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

fn series_values(series: &Value) -> Vec<u64> {
    items_at(series, "/values").iter().map(|value| value.as_u64().unwrap_or_default()).collect()
}

/// The whole report as one table, for a file.
pub(super) fn usage_table(usage: &Value) -> TableBlock {
    let series: Vec<(String, Vec<u64>)> = items_at(usage, "/metrics")
        .iter()
        .flat_map(|metric| {
            let name = text_at(metric, "/name");
            let column = move |it: &Value| (format!("{name}.{}", text_at(it, "/name")), series_values(it));
            items_at(metric, "/series").iter().map(column).collect::<Vec<_>>()
        })
        .collect();
    let number = |values: &[u64], index: usize| {
        BlockCell::text(values.get(index).copied().unwrap_or_default().to_string())
    };
    let rows = items_at(usage, "/starts").iter().enumerate().map(|(index, start)| TableRow {
        cells: std::iter::once(BlockCell::text(text_at(start, "")))
            .chain(series.iter().map(|(_, values)| number(values, index)))
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
    context: &PageContext<'_>,
) -> Result<Option<(FiguresBlock, ChartBlock)>, HandlerError> {
    let phrases = context.phrases();
    if !context.can_call(usage_operation(context)) {
        return Ok(None);
    }
    let days = load_usage(context, "day", "").await?;
    let months = context.operation(usage_operation(context)).query("period", "month").query("count", "1");
    let months = context.send(months).await?.body;
    let total = |metric: &str| -> u64 {
        find_metric(&days, metric)
            .map(items_of_series)
            .unwrap_or_default()
            .iter()
            .flat_map(series_values)
            .sum()
    };
    let latest = |usage: &Value| -> u64 {
        let users = find_metric(usage, ACTIVE_USERS).map(items_of_series).unwrap_or_default();
        users.iter().filter_map(|series| series_values(series).last().copied()).sum()
    };
    let figure = |name: &str, value: u64, note: &str| SingleFigure {
        name: name.to_owned(),
        value: group_digits(value),
        note: note.to_owned(),
    };
    let figures = FiguresBlock {
        id: "usage".to_owned(),
        title: phrases.usage.title.to_owned(),
        figures: vec![
            figure(phrases.usage.active_users, latest(&months), phrases.usage.this_month),
            figure(phrases.usage.active_users, latest(&days), phrases.usage.today),
            figure(phrases.usage.sign_ins, total("sign_ins"), phrases.usage.last_days),
            figure(phrases.usage.sign_in_failures, total("sign_in_failures"), phrases.usage.last_days),
            figure(phrases.usage.tokens, total("tokens"), phrases.usage.last_days),
        ],
        links: Vec::new(),
    };
    let link = BlockLink {
        text: phrases.usage.more.to_owned(),
        path: format!("{}/usage", context.return_to.organization_path()),
    };
    let sign_ins = find_metric(&days, "sign_ins").cloned().unwrap_or_default();
    let chart = ChartBlock { links: vec![link], ..metric_chart(phrases, &days, &sign_ins) };
    Ok(Some((figures, chart)))
}

fn find_metric<'v>(usage: &'v Value, name: &str) -> Option<&'v Value> {
    items_at(usage, "/metrics").iter().find(|metric| text_at(metric, "/name") == name)
}

fn items_of_series(metric: &Value) -> &[Value] {
    items_at(metric, "/series")
}

/// The title of a metric, and the sentence below it.
fn metric_texts(phrases: &'static LocalePhrases, name: &str) -> (&'static str, &'static str) {
    let phrases = &phrases.usage;
    match name {
        "sign_ins" => (phrases.sign_ins, phrases.sign_ins_lead),
        "sign_in_failures" => (phrases.sign_in_failures, phrases.sign_in_failures_lead),
        ACTIVE_USERS => (phrases.active_users, phrases.active_users_lead),
        "tokens" => (phrases.tokens, phrases.tokens_lead),
        "approvals" => (phrases.approvals, phrases.approvals_lead),
        "failures" => (phrases.failures, phrases.failures_lead),
        _ => ("", ""),
    }
}

/// The name of a series; one that has none is shown as in the API.
fn series_name(phrases: &'static LocalePhrases, name: &str) -> String {
    let phrases = &phrases.usage;
    let label = match name {
        "users" => phrases.users,
        "passkey" => phrases.passkey,
        "password" => phrases.password,
        "password_mfa" => phrases.password_mfa,
        "email" => phrases.email,
        "sms" => phrases.sms,
        "single_sign_on" => phrases.single_sign_on,
        "second_factor" => phrases.second_factor,
        "other" => phrases.other,
        "authorization_code" => phrases.authorization_code,
        "refresh_token" => phrases.refresh_token,
        "client_credentials" => phrases.client_credentials,
        "token_exchange" => phrases.token_exchange,
        "device_code" => phrases.device_code,
        "ciba" => phrases.ciba,
        "impersonation" => phrases.impersonation,
        "consent_given" => phrases.consent_given,
        "consent_denied" => phrases.consent_denied,
        "device_approved" => phrases.device_approved,
        "device_denied" => phrases.device_denied,
        "ciba_approved" => phrases.ciba_approved,
        "ciba_denied" => phrases.ciba_denied,
        "client_authentication" => phrases.client_authentication,
        "replayed" => phrases.replayed,
        "wrong_client" => phrases.wrong_client,
        "user_code" => phrases.user_code,
        "locked_credential" => phrases.locked_credential,
        "undelivered_message" => phrases.undelivered_message,
        other => other,
    };
    label.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::events::usage::{UsageCounter, UsageMetric};
    use sinete_screens::language::UiLanguage;

    #[test]
    fn usage_metrics_and_series_have_names_in_every_language() {
        for language in UiLanguage::ALL {
            let phrases = language.phrases();
            for metric in UsageMetric::ALL {
                let (title, description) = metric_texts(phrases, metric.name());
                assert!(!title.is_empty() && !description.is_empty(), "{metric:?}");
            }
            for counter in UsageCounter::ALL {
                let is_by_period = counter.metric() == UsageMetric::ActiveUsers;
                let name = series_name(phrases, counter.series());
                assert!(is_by_period || name != counter.series(), "{counter:?} in {language:?}");
            }
        }
    }
}
