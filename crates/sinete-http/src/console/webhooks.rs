//! Webhooks on the console: add, change, pause, test, replay, rotate the secret, delete.

mod form;

use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, parse_page_id,
};
use crate::console::audit_log::day_start;
use crate::console::list_order::{OrderChoice, TIME_OR_NAME_ORDERS};
use crate::console::page_context::FormClaim;
use crate::console::pagination::ConsolePaging;
use crate::console::webhooks::form::{WebhookForm, parse_new_webhook, webhook_error};
use axum::response::Response;
use sinete_core::access_control::built_in_permissions::MANAGE_WEBHOOKS;
use sinete_core::events::webhooks::WebhookPauseReason;
use sinete_core::id::{EventId, WebhookId};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::Error;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::events::webhooks;
use sinete_engine::events::webhooks::{
    SavedWebhook, WebhookAnswer, WebhookAttemptOutcome, WebhookAttemptRow, WebhookBootstrap, WebhookRow,
};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::webhooks::{
    DeliveryAttemptItem, DeliveryOutcome, NewWebhookForm, TestDeliveryAnswer, WebhookDetailView, WebhookItem,
    WebhookListView, WebhookSecretView, WebhookState,
};
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Lists the webhooks, with a form if the user may add one.
pub(super) async fn list_webhooks(context: &PageContext<'_>) -> HandlerResult {
    let (engine, admin_scope) =
        (context.engine(), AdminScope::Organization(context.access.organization_access()));
    let order = OrderChoice::from_query(context, TIME_OR_NAME_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let after = if order.is_sorted_in_memory() { None } else { paging.after()? };
    let mut read = webhooks::list(engine, admin_scope, after, order.read_limit(&paging)).await?;
    let cut = order.cut_page(&paging, &mut read)?;
    let ids: Vec<String> = read.iter().map(|webhook| webhook.id.to_string()).collect();
    let lines: Vec<WebhookItem<'_>> =
        read.iter().zip(&ids).map(|(webhook, id)| webhook_item(webhook, id)).collect();
    let (filled, once) = (WebhookForm::new(context), context.new_form_token());
    let (kinds, others) = filled.event_kind_choices();
    let may_change = context.access.can_change(MANAGE_WEBHOOKS);
    let stands = context.step_up_form_state("add", context.is_recently_authenticated(may_change).await?);
    let add = NewWebhookForm {
        idempotency_key: &once,
        form_state: stands,
        fields: filled.to_fields(&kinds, &others),
    };
    let page = WebhookListView {
        layout: context
            .form_layout(ConsoleSection::Webhooks, FlashVisibility::from_form_presence(may_change)),
        webhooks: &lines,
        pages: order.to_cut_view(&paging, &cut, lines.len()),
        add: may_change.then_some(add),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

fn webhook_item<'a>(webhook: &'a WebhookRow, id: &'a str) -> WebhookItem<'a> {
    let at = |moment: Timestamp| DisplayTime(moment.seconds());
    let state = match (webhook.paused_at, webhook.pause_reason, webhook.failures) {
        (Some(since), Some(WebhookPauseReason::Failing), _) => WebhookState::PausedAfterFailures(at(since)),
        (Some(since), Some(WebhookPauseReason::Gone), _) => WebhookState::PausedByGone(at(since)),
        (Some(since), Some(WebhookPauseReason::Stopped) | None, _) => WebhookState::PausedByUser(at(since)),
        (None, _, 0) => WebhookState::Active,
        (None, _, _) => WebhookState::Failing(at(webhook.failing_since.unwrap_or(webhook.created_at))),
    };
    WebhookItem { id, address: &webhook.address, description: &webhook.description, state }
}

/// Shows a webhook with its delivery attempts.
pub(super) async fn show_webhook(context: &PageContext<'_>, id: &str) -> HandlerResult {
    show_webhook_with_answer(context, id, None).await
}

/// The same, with the answer to an event that was just sent.
async fn show_webhook_with_answer(
    context: &PageContext<'_>,
    id: &str,
    answer: Option<&WebhookAnswer>,
) -> HandlerResult {
    let (engine, admin_scope) =
        (context.engine(), AdminScope::Organization(context.access.organization_access()));
    let id: WebhookId = parse_page_id(id)?;
    let webhook = webhooks::show(engine, admin_scope, id).await?;
    let paging = ConsolePaging::from_query(context)?;
    let mut read =
        webhooks::list_latest_attempts(engine, admin_scope, id, paging.after()?, paging.fetch_limit())
            .await?;
    let next = paging.split_page(&mut read, |attempt| attempt.id.to_string());
    let events: Vec<String> = read.iter().map(|attempt| attempt.event.to_string()).collect();
    let attempts: Vec<DeliveryAttemptItem<'_>> =
        read.iter().zip(&events).map(|(it, event)| attempt_item(it, event)).collect();
    let may_change = context.access.can_change(MANAGE_WEBHOOKS);
    let stands = WebhookForm::from_webhook(&webhook);
    // Unsaved input is shown again if the user may still change the webhook; otherwise the stored values.
    let filled = if may_change { stands.with_submitted_changes(context) } else { stands.clone() };
    let ((kinds, others), (told_of, _)) = (filled.event_kind_choices(), stands.event_kind_choices());
    let (original_values, once, name) =
        (stands.original_values(), context.new_form_token(), webhook.id.to_string());
    let line = webhook_item(&webhook, &name);
    let at = |moment: Timestamp| DisplayTime(moment.seconds());
    let answer = answer.map(|answer| TestDeliveryAnswer {
        kind: &answer.kind,
        status: answer.status,
        milliseconds: u64::try_from(answer.duration.as_millis()).unwrap_or(u64::MAX),
    });
    let is_failing = matches!(line.state, WebhookState::Failing(_));
    let page = WebhookDetailView {
        layout: context
            .form_layout(ConsoleSection::Webhooks, FlashVisibility::from_form_presence(may_change)),
        webhook: line,
        kinds: &told_of,
        next_attempt: is_failing.then_some(at(webhook.next_attempt_at)),
        has_undelivered_events: webhook.lag > 0,
        previous_secret_until: webhook
            .previous_secret_until
            .filter(|until| *until > admin_scope.now())
            .map(at),
        since: at(webhook.created_at),
        version: context
            .flash
            .as_ref()
            .map_or(webhook.version, |flash| flash.form_version("change", webhook.version)),
        form_state: context
            .step_up_form_state("change", context.is_recently_authenticated(may_change).await?),
        fields: filled.to_fields(&kinds, &others),
        original_values: &original_values,
        attempts: &attempts,
        pages: paging.to_view(next.as_deref(), ""),
        // A date field accepts only dates.
        replay_since: context
            .flash
            .as_ref()
            .and_then(|flash| flash.typed_field("since"))
            .filter(|day| day_start(day).is_some())
            .unwrap_or_default(),
        may_change,
        may_replay: may_change && webhooks::require_replay_permission(admin_scope).is_ok(),
        idempotency_key: &once,
        answer,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

fn attempt_item<'a>(attempted: &'a WebhookAttemptRow, event: &'a str) -> DeliveryAttemptItem<'a> {
    DeliveryAttemptItem {
        event,
        kind: &attempted.kind,
        status: attempted.status,
        outcome: match attempted.outcome {
            WebhookAttemptOutcome::Delivered => DeliveryOutcome::Delivered,
            WebhookAttemptOutcome::Retrying => DeliveryOutcome::Retrying,
            WebhookAttemptOutcome::Paused => DeliveryOutcome::Paused,
        },
        at: DisplayTime(attempted.at.seconds()),
    }
}

/// Adds a webhook, and shows its secret.
pub(super) async fn create_webhook(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let engine = context.engine();
    if form.get("action") != Some("add") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    // A webhook receives events beyond the session, so it requires recent authentication. Errors are shown in
    // the form, which is available only afterwards.
    let access = context.access.require_fresh_access(engine).await?;
    let draft = parse_new_webhook(form).map_err(ActionError::ConsoleNotice)?;
    let claim = match context.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(outcome) => return Ok(outcome),
    };
    let access = access.with_claim(Some(claim.clone()));
    let admin_scope = AdminScope::Organization(&access);
    match webhooks::create(engine, admin_scope, &draft, WebhookBootstrap::default()).await {
        // Nothing that could fail happens between creating a secret and showing it.
        Ok(saved_webhook) => Ok(new_secret_page(context, saved_webhook)),
        Err(Error::Refused(refusal)) => match context.find_earlier_result(&claim).await? {
            Some(outcome) => Ok(outcome),
            None => Err(webhook_error(refusal)),
        },
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Handles a form of a webhook.
pub(super) async fn submit_webhook_form(context: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, page, page_path) = (context.engine(), id, context.path.clone());
    let id = parse_page_id::<WebhookId>(id)?;
    let action = form.get("action").unwrap_or_default();
    let result = match action {
        // Sending more events, or changing what authenticates them, requires recent authentication.
        "change" | "rotate" | "resume" | "replay" | "resend" => {
            context.access.require_fresh_access(engine).await
        }
        _ => Ok(context.access.organization_access()),
    };
    let admin_scope = AdminScope::Organization(result?);
    let (result, notice) = match action {
        "change" => return save_webhook(context, id, form).await,
        "rotate" => return rotate_webhook_secret(context, id, form).await,
        "replay" => {
            let Some(since) = form.get("since").and_then(day_start) else {
                return Err(ActionError::ConsoleNotice(ConsoleNotice::BadSince));
            };
            (
                webhooks::replay_events(engine, admin_scope, id, since).await.map(|_| ()),
                ConsoleNotice::WebhookReplayed,
            )
        }
        "resume" => {
            (webhooks::resume(engine, admin_scope, id).await.map(|_| ()), ConsoleNotice::WebhookResumed)
        }
        "pause" => (webhooks::pause(engine, admin_scope, id).await.map(|_| ()), ConsoleNotice::WebhookPaused),
        "test" => {
            return show_answer(context, page, webhooks::send_test_event_now(engine, admin_scope, id).await)
                .await;
        }
        "resend" => {
            let event = parse_page_id::<EventId>(form.get("event").unwrap_or_default())?;
            let delivery_result = webhooks::resend_event(engine, admin_scope, id, event).await;
            return show_answer(context, page, delivery_result).await;
        }
        "remove" => (webhooks::remove(engine, admin_scope, id).await, ConsoleNotice::WebhookDeleted),
        _ => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let to = match notice {
        ConsoleNotice::WebhookDeleted => {
            format!("{}{}", context.return_to.organization_path(), ConsoleSection::Webhooks.path())
        }
        _ => page_path,
    };
    // The only field of these forms is the day of a replay.
    result.map(|()| ActionOutcome::Redirect(CompletedAction { notice, return_path: to })).map_err(|error| {
        ActionError::from_engine(error, |refusal| {
            ActionError::from_fields(refusal, |_| ConsoleNotice::BadSince)
        })
    })
}

/// Shows the answer to an event in the response itself.
async fn show_answer(context: &PageContext<'_>, id: &str, result: Result<WebhookAnswer, Error>) -> Outcome {
    Ok(ActionOutcome::Response(show_webhook_with_answer(context, id, Some(&result?)).await?))
}

/// The displayed version.
fn form_version(form: &FormParams) -> i64 {
    form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Changes a webhook, if its version is the displayed one.
async fn save_webhook(context: &PageContext<'_>, id: WebhookId, form: &FormParams) -> Outcome {
    let (engine, admin_scope) =
        (context.engine(), AdminScope::Organization(context.access.organization_access()));
    let before = webhooks::find_changeable(engine, admin_scope, id, form_version(form)).await?;
    let draft = parse_new_webhook(form).map_err(ActionError::ConsoleNotice)?;
    let result = webhooks::change(engine, admin_scope, &before, &draft).await;
    let result = result.map(|_| {
        ActionOutcome::Redirect(CompletedAction {
            notice: ConsoleNotice::WebhookChanged,
            return_path: context.path.clone(),
        })
    });
    result.map_err(|error| ActionError::from_engine(error, webhook_error))
}

/// Rotates the secret, and shows it.
async fn rotate_webhook_secret(context: &PageContext<'_>, id: WebhookId, form: &FormParams) -> Outcome {
    let engine = context.engine();
    let overlap = form.get("overlap").map(|text| text.parse::<u32>().map(Lifetime::from_seconds));
    let Ok(overlap) = overlap.transpose() else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    let claim = match context.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(outcome) => return Ok(outcome),
    };
    let access = context.access.organization_access().with_claim(Some(claim.clone()));
    let admin_scope = AdminScope::Organization(&access);
    // Without knowing a newer secret, the user would end the previous one during its promised overlap.
    let rotated = match webhooks::find_changeable(engine, admin_scope, id, form_version(form)).await {
        Ok(_) => webhooks::rotate_secret(engine, admin_scope, id, overlap).await,
        Err(outrun) => Err(outrun),
    };
    match rotated {
        Ok(saved_webhook) => Ok(new_secret_page(context, saved_webhook)),
        Err(Error::Failed(failure)) => Err(failure.into()),
        Err(Error::Refused(refusal)) => match context.find_earlier_result(&claim).await? {
            Some(outcome) => Ok(outcome),
            None => Err(ActionError::Refused(refusal)),
        },
    }
}

/// Shows the secret in the response itself, the only place where it appears.
fn new_secret_page(context: &PageContext<'_>, saved_webhook: SavedWebhook) -> ActionOutcome {
    let (id, secret) = (saved_webhook.webhook.id.to_string(), saved_webhook.secret.reveal());
    let (layout, webhook) =
        (context.layout(ConsoleSection::Webhooks), webhook_item(&saved_webhook.webhook, &id));
    let response: Response = context.page_response(
        WebhookSecretView { layout, webhook, secret: &secret }.render(&context.reader.frame("")),
    );
    ActionOutcome::Response(response)
}
