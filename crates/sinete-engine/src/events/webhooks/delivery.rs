//! Webhook delivery: at least once, in log order, by one node at a time.
//!
//! If a node dies, its claim on a webhook expires, and another node continues with the first event that is
//! not recorded as delivered. Order is kept: a failing webhook delays its own later events, and nothing else.

use super::immediate_delivery::is_sent_immediately;
use super::payload::WebhookEvent;
use super::{decrypt_secret, pause_notice};
use crate::ports::OutboundPost;
use crate::{Engine, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::events::webhooks::{
    EventKindFilter, WebhookDeliveryAttempt, WebhookDeliveryDecision, WebhookDeliveryFailures,
    WebhookPauseReason, decide_delivery, should_deliver,
};
use sinete_core::id::AttemptId;
use sinete_core::limits::WEBHOOK_CLAIM;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Timestamp;
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_store::events::webhooks::attempts;
use sinete_store::events::webhooks::attempts::{WebhookAttemptOutcome, WebhookAttemptRow};
use sinete_store::events::webhooks::delivery;
use sinete_store::events::webhooks::delivery::{
    ChainPositionRange, ChainedEvent, DueWebhookDelivery, SCANNED_POSITIONS_MAX, WebhookClaim,
};
use sinete_store::{GuardedStatement, WriteBatch};
use std::time::Duration;
use tokio::task::JoinSet;

/// Maximum concurrent webhooks of one node.
const CONCURRENT_MAX: usize = 32;
/// Maximum events for one webhook before others get a turn.
const EVENTS_PER_RUN_MAX: u32 = 100;
/// Polling interval when nothing is due.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Interval when the database does not respond.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Counts of deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebhookTally {
    /// Delivered events.
    pub delivered: u32,
    /// Events to be retried.
    pub retried: u32,
    /// Paused webhooks.
    pub paused: u32,
}

impl WebhookTally {
    fn add(&mut self, other: Self) {
        self.delivered += other.delivered;
        self.retried += other.retried;
        self.paused += other.paused;
    }
}

/// Delivers continuously until dropped. A slow webhook delays only itself. `count` receives the counts of
/// each turn.
pub async fn run_delivery(engine: &Engine, count: impl Fn(WebhookTally)) {
    let mut telling = JoinSet::new();
    loop {
        while let Some(result) = telling.try_join_next() {
            let Ok(turn) = result else { continue };
            match turn {
                Ok(tally) => count(tally),
                Err(failed) => tracing::warn!(%failed, "events could not be delivered to a webhook"),
            }
        }
        let rest = match start_deliveries(engine, &mut telling).await {
            Ok(()) => POLL_INTERVAL,
            Err(failed) => {
                tracing::warn!(%failed, "the webhooks with pending events could not be read");
                RETRY_INTERVAL
            }
        };
        tokio::time::sleep(rest).await;
    }
}

async fn start_deliveries(
    engine: &Engine,
    telling: &mut JoinSet<Result<WebhookTally, Failure>>,
) -> Result<(), Failure> {
    scan_new_events(engine).await?;
    let free = CONCURRENT_MAX.saturating_sub(telling.len());
    let limit = u32::try_from(free).unwrap_or_default();
    if limit == 0 {
        return Ok(());
    }
    for webhook_delivery in delivery::list_due_webhooks(engine.store(), engine.now(), limit).await? {
        let engine = engine.clone();
        telling.spawn(async move { deliver_to_webhook(&engine, webhook_delivery).await });
    }
    Ok(())
}

/// Delivers everything that is due now.
pub async fn deliver_pending(engine: &Engine) -> Result<WebhookTally, Failure> {
    scan_new_events(engine).await?;
    let mut tally = WebhookTally::default();
    loop {
        let webhook_deliveries =
            delivery::list_due_webhooks(engine.store(), engine.now(), u32::MAX >> 1).await?;
        if webhook_deliveries.is_empty() {
            return Ok(tally);
        }
        let mut telling = JoinSet::new();
        for webhook_delivery in webhook_deliveries {
            let engine = engine.clone();
            telling.spawn(async move { deliver_to_webhook(&engine, webhook_delivery).await });
        }
        while let Some(result) = telling.join_next().await {
            tally.add(result.unwrap_or(Ok(WebhookTally::default()))?);
        }
    }
}

/// Scans new log entries for webhooks that must receive them. Without webhooks, the scan is postponed, so
/// that nothing is written.
pub async fn scan_new_events(engine: &Engine) -> Result<(), Failure> {
    loop {
        let walk = delivery::find_delivery_scan(engine.store()).await?;
        if walk.scanned_position >= walk.head || !walk.has_listeners {
            return Ok(());
        }
        let to = walk.head.min(walk.scanned_position + SCANNED_POSITIONS_MAX);
        // A conflict means that another node scanned the same entries.
        let _ = engine.store().commit(delivery::advance_delivery_scan(walk.scanned_position, to)).await?;
    }
}

/// A webhook claimed by this node.
struct WebhookDelivery<'a> {
    engine: &'a Engine,
    due_delivery: &'a DueWebhookDelivery,
    secrets: Vec<WebhookSecret>,
    kinds: EventKindFilter,
    failures: WebhookDeliveryFailures,
    claim: WebhookClaim,
}

/// Whether delivery continues with the next event.
enum DeliveryContinuation {
    Continue,
    Stop,
}

/// Delivers the next events of one webhook in order, until one fails. Does nothing if another node has
/// claimed it.
async fn deliver_to_webhook(
    engine: &Engine,
    webhook_delivery: DueWebhookDelivery,
) -> Result<WebhookTally, Failure> {
    let mut tally = WebhookTally::default();
    let now = engine.now();
    let claim = WebhookClaim { webhook: webhook_delivery.id, until: now.plus(WEBHOOK_CLAIM) };
    if !engine
        .store()
        .commit(WriteBatch::new().with_statement(delivery::claim_webhook(claim, now)))
        .await?
        .is_committed()
    {
        return Ok(tally);
    }
    let mut telling = WebhookDelivery::new(engine, &webhook_delivery, claim);
    let up_to = webhook_delivery.target_position.min(webhook_delivery.position + SCANNED_POSITIONS_MAX);
    let places = ChainPositionRange { after: webhook_delivery.position, up_to };
    let events = delivery::list_chained_events(
        engine.store(),
        webhook_delivery.organization,
        places,
        EVENTS_PER_RUN_MAX,
    )
    .await?;
    let is_full = events.len() >= usize::try_from(EVENTS_PER_RUN_MAX).unwrap_or(usize::MAX);
    let reached = events.last().filter(|_| is_full).map_or(up_to, |last| last.position);
    for event in &events {
        let is_about_this_one = event.subject_id.as_deref() == Some(&webhook_delivery.id.to_string());
        if !should_deliver(&telling.kinds, &event.kind, is_about_this_one)
            || is_about_this_one && is_sent_immediately(event)
        {
            continue;
        }
        match telling.deliver_event(event, &mut tally).await? {
            DeliveryContinuation::Continue => {}
            DeliveryContinuation::Stop => return Ok(tally),
        }
    }
    let _ = engine
        .store()
        .commit(WriteBatch::new().with_statement(delivery::skip_to_position(telling.claim, reached)))
        .await?;
    Ok(tally)
}

impl<'a> WebhookDelivery<'a> {
    fn new(engine: &'a Engine, webhook_delivery: &'a DueWebhookDelivery, claim: WebhookClaim) -> Self {
        let encrypted_secrets =
            std::iter::once(&webhook_delivery.sealed_secret).chain(&webhook_delivery.sealed_previous_secret);
        Self {
            engine,
            due_delivery: webhook_delivery,
            secrets: encrypted_secrets
                .filter_map(|encrypted_secret| decrypt_secret(engine, webhook_delivery.id, encrypted_secret))
                .collect(),
            kinds: EventKindFilter::from_kinds(
                webhook_delivery.kinds.iter().filter_map(|kind| kind.parse::<EventKind>().ok()),
            ),
            failures: WebhookDeliveryFailures {
                count: webhook_delivery.failures,
                since: webhook_delivery.failing_since,
            },
            claim,
        }
    }

    /// Sends one event, and records the attempt together with the new position.
    async fn deliver_event(
        &mut self,
        event: &ChainedEvent,
        tally: &mut WebhookTally,
    ) -> Result<DeliveryContinuation, Failure> {
        // Nothing was sent if the owner has no free slot: the event is retried when the claim expires.
        let Some(attempt) = self.send_event(event).await? else { return Ok(DeliveryContinuation::Stop) };
        let now = self.engine.now();
        let verdict = decide_delivery(attempt, self.failures, now);
        let batch = match verdict {
            WebhookDeliveryDecision::Delivered => {
                let until = now.plus(WEBHOOK_CLAIM);
                let batch = self.record_attempt(
                    delivery::mark_event_delivered(self.claim, event.position, until),
                    event,
                    attempt,
                    now,
                );
                (self.claim, self.failures) =
                    (WebhookClaim { until, ..self.claim }, WebhookDeliveryFailures::default());
                tally.delivered += 1;
                batch
            }
            WebhookDeliveryDecision::Retry(at) => {
                tally.retried += 1;
                self.record_attempt(delivery::schedule_retry(self.claim, now, at), event, attempt, now)
            }
            WebhookDeliveryDecision::Pause(reason) => {
                tally.paused += 1;
                tracing::warn!(webhook = %self.due_delivery.id, reason = reason.as_str(), "a webhook was paused");
                let batch = self.record_attempt(
                    delivery::pause_failing_webhook(self.claim, now, reason),
                    event,
                    attempt,
                    now,
                );
                self.with_pause_notice(batch, reason).await?
            }
        };
        // A conflict means that the claim was lost or the webhook paused: the event may be delivered again.
        let committed = self.engine.store().commit(batch).await?;
        Ok(if committed.is_committed() && verdict == WebhookDeliveryDecision::Delivered {
            DeliveryContinuation::Continue
        } else {
            DeliveryContinuation::Stop
        })
    }

    async fn send_event(&self, event: &ChainedEvent) -> Result<Option<WebhookDeliveryAttempt>, Failure> {
        if self.secrets.is_empty() {
            tracing::error!(webhook = %self.due_delivery.id, "the secret of a webhook cannot be decrypted");
            return Ok(Some(WebhookDeliveryAttempt::NotReached));
        }
        let (id, second) = (event.id.to_string(), self.engine.now().seconds());
        let body = WebhookEvent::from_event(event)?.to_json()?;
        let signatures: Vec<_> =
            self.secrets.iter().map(|secret| secret.sign_message(&id, second, &body)).collect();
        let headers = [
            ("webhook-id", id),
            ("webhook-timestamp", second.to_string()),
            ("webhook-signature", signatures.join(" ")),
        ];
        let owner =
            self.due_delivery.organization.map_or(OutboundOwner::Instance, OutboundOwner::Organization);
        let target =
            OutboundTarget { purpose: OutboundPurpose::Webhook, owner, url: &self.due_delivery.address };
        let posted = OutboundPost { target, headers: &headers, body: &body };
        Ok(match self.engine.outbound_http().post(&posted).await {
            Ok(status) => Some(WebhookDeliveryAttempt::Responded(status)),
            Err(not_reached) if not_reached.is_busy() => None,
            Err(_) => Some(WebhookDeliveryAttempt::NotReached),
        })
    }

    fn record_attempt(
        &self,
        step: GuardedStatement,
        event: &ChainedEvent,
        attempt: WebhookDeliveryAttempt,
        now: Timestamp,
    ) -> WriteBatch {
        let attempted = WebhookAttemptRow {
            id: AttemptId::mint(now, self.engine.entropy()),
            event: event.id,
            kind: event.kind.clone(),
            status: match attempt {
                WebhookDeliveryAttempt::Responded(status) => Some(status),
                WebhookDeliveryAttempt::NotReached => None,
            },
            outcome: match decide_delivery(attempt, self.failures, now) {
                WebhookDeliveryDecision::Delivered => WebhookAttemptOutcome::Delivered,
                WebhookDeliveryDecision::Retry(_) => WebhookAttemptOutcome::Retrying,
                WebhookDeliveryDecision::Pause(_) => WebhookAttemptOutcome::Paused,
            },
            at: now,
        };
        WriteBatch::new()
            .with_statement(step)
            .with_statement(attempts::record_attempt(self.due_delivery.id, &attempted))
    }

    async fn with_pause_notice(
        &self,
        batch: WriteBatch,
        reason: WebhookPauseReason,
    ) -> Result<WriteBatch, Failure> {
        pause_notice::with_pause_notice(self.engine, batch, self.due_delivery, reason).await
    }
}
