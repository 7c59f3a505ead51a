//! The sealer: adds committed events to the chain and signs the new head.
//!
//! Every node runs one. Commits are guarded by the head's position, so of two sealers that seal the same
//! events, one fails and stops. A sealer continues only after a head it trusts; otherwise it would sign a
//! rewritten log and make it look genuine.

use super::signed_head;
use super::signed_head::SignedLogHead;
use super::usage_tally::{UsageCache, UsageTally};
use super::{SecurityLog, SecurityLogError};
use sinete_core::events::log_chain::{LogChainAnchor, LogChainHead, LogDefect, LogFinding, LoggedEvent};
use sinete_core::id::EventId;
use sinete_core::limits::{
    LOG_HEAD_LOG_INTERVAL, LOG_SEALING_BATCH_MAX, LOG_SEALING_INTERVAL, LOG_SEALING_LONG_LOOKBACK,
    LOG_SEALING_LONG_LOOKBACK_INTERVAL, LOG_SEALING_LOOKBACK, LOG_SEALING_WINDOW,
    LOG_SEALING_WINDOW_INTERVAL,
};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::events::log_chain;
use sinete_store::events::log_chain::{LogChainPosition, StoredChainHead};
use sinete_store::{StoreFailure, WriteBatch};
use std::future::Future;
use tokio::task::JoinHandle;

/// Maximum batches in one turn, so that a turn ends even if events arrive faster than they are sealed.
const BATCHES_PER_RUN_MAX: u32 = 100;
/// Maximum interval between attempts while sealing fails.
const RETRY_INTERVAL_MAX: Lifetime = Lifetime::from_seconds(30);

/// A sealer with its state between turns.
#[derive(Debug)]
pub struct LogSealer {
    log: SecurityLog,
    /// The furthest head that this sealer has seen. The head never moves back.
    furthest_head: Option<LogChainAnchor>,
    /// The latest sealed event. Looking back before it almost never finds unsealed events.
    latest: Option<EventId>,
    long_lookback_at: Option<Timestamp>,
    full_lookback_at: Option<Timestamp>,
    /// The head last written to the application log, and when.
    logged_head: Option<(LogChainAnchor, Timestamp)>,
    usage: UsageCache,
}

/// The result of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealingTurn {
    /// The number of events sealed by this sealer.
    pub sealed_events: u64,
    /// Whether another sealer was faster, so that there may be more to do.
    pub lost_race: bool,
}

impl LogSealer {
    /// Creates a sealer.
    pub fn new(log: SecurityLog) -> Self {
        Self {
            log,
            furthest_head: None,
            latest: None,
            long_lookback_at: None,
            full_lookback_at: None,
            logged_head: None,
            usage: UsageCache::default(),
        }
    }

    /// Seals the waiting events.
    pub async fn seal_pending(&mut self, now: Timestamp) -> Result<SealingTurn, SecurityLogError> {
        let (mut sealed_count, mut last) = (0, None);
        let window = self.lookback(now);
        for _ in 0..BATCHES_PER_RUN_MAX {
            let stored = self.load_trusted_head().await?;
            // Looking back happens once per turn: later batches start at the last sealed event.
            let floor = match last {
                Some(last) => last,
                None => self.lowest_unsealed_id(&stored, now, window).await?,
            };
            let events =
                log_chain::list_unsealed_events(&self.log.store, floor, LOG_SEALING_BATCH_MAX).await?;
            if events.is_empty() {
                self.record_lookback(now, window);
                self.log_head(&stored, now);
                return Ok(SealingTurn { sealed_events: sealed_count, lost_race: false });
            }
            let Some(to) = self.seal_events(&stored.head, &events, now).await? else {
                return Ok(SealingTurn { sealed_events: sealed_count, lost_race: true });
            };
            self.furthest_head = Some(to.anchor());
            sealed_count += events.len() as u64;
            last = events.last().map(|event| event.id);
            self.latest = self.latest.max(last);
        }
        Ok(SealingTurn { sealed_events: sealed_count, lost_race: false })
    }

    /// The lowest id to search for unsealed events. Skips ids up to the latest sealed event if all of them
    /// are sealed.
    async fn lowest_unsealed_id(
        &self,
        stored: &StoredChainHead,
        now: Timestamp,
        window: Lifetime,
    ) -> Result<EventId, SecurityLogError> {
        let floor = stored.head.sealing_floor(stored.last.map(|(event, _)| event), now, window);
        Ok(match self.latest {
            Some(latest)
                if latest > floor && log_chain::are_all_sealed(&self.log.store, floor, latest).await? =>
            {
                latest
            }
            _ => floor,
        })
    }

    /// Seals the events after the head and counts them. `None` if another sealer moved the head.
    async fn seal_events(
        &mut self,
        from: &LogChainHead,
        events: &[LoggedEvent],
        now: Timestamp,
    ) -> Result<Option<LogChainHead>, SecurityLogError> {
        let mut to = LogChainHead { sealed_at: now, ..*from };
        let mut places = Vec::with_capacity(events.len());
        for event in events {
            to.position += 1;
            to.hash = event.hash_after(to.hash);
            places.push(LogChainPosition { position: to.position, event: event.id, hash: to.hash });
        }
        let keys = &self.log.keys;
        let signature = signed_head::sign_head(keys, self.log.instance, &to)?;
        // The head comes first: a slower sealer waits for its row lock and then changes nothing.
        let advance = log_chain::advance_chain_head(from, &to, keys.signing_key()?.kid(), &signature);
        let usage = UsageTally::count_events(&self.log.store, &self.usage, events).await?;
        let batch = WriteBatch::new()
            .with_statement(advance)
            .with_statements(log_chain::seal_events(&places))
            .with_statements(usage.statements());
        if !self.log.store.commit(batch).await?.is_committed() {
            return Ok(None);
        }
        self.usage.add_tally(usage);
        Ok(Some(to))
    }

    /// Loads the head, if its signature is ours, it matches the chain and is not behind an earlier one.
    async fn load_trusted_head(&mut self) -> Result<StoredChainHead, SecurityLogError> {
        let tampered = |wrong| SecurityLogError::Tampered(Box::new(LogFinding::for_log(wrong)));
        let stored = match log_chain::find_chain_head(&self.log.store).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Err(tampered(LogDefect::HeadMissing)),
            Err(StoreFailure::Damaged(reason)) => return Err(tampered(LogDefect::HeadUnreadable(reason))),
            Err(failed) => return Err(failed.into()),
        };
        if let Some(finding) = signed_head::find_sealing_obstacle(&self.log.keys, self.log.instance, &stored)
        {
            return Err(SecurityLogError::Tampered(Box::new(finding)));
        }
        match self.furthest_head {
            Some(chain_anchor) if stored.head.position < chain_anchor.position => {
                Err(tampered(LogDefect::AnchorMissing(chain_anchor)))
            }
            Some(chain_anchor)
                if stored.head.position == chain_anchor.position && stored.head.hash != chain_anchor.hash =>
            {
                Err(tampered(LogDefect::AnchorDiffers(chain_anchor)))
            }
            _ => {
                self.furthest_head = Some(stored.head.anchor());
                Ok(stored)
            }
        }
    }

    /// How far to look back in this turn. Events usually commit within a second; looking back further every
    /// time would read each event repeatedly.
    fn lookback(&self, now: Timestamp) -> Lifetime {
        let recently =
            |at: Option<Timestamp>, interval| at.is_some_and(|at| at <= now && now.since(at) < interval);
        if !recently(self.full_lookback_at, LOG_SEALING_WINDOW_INTERVAL) {
            LOG_SEALING_WINDOW
        } else if !recently(self.long_lookback_at, LOG_SEALING_LONG_LOOKBACK_INTERVAL) {
            LOG_SEALING_LONG_LOOKBACK
        } else {
            LOG_SEALING_LOOKBACK
        }
    }

    fn record_lookback(&mut self, now: Timestamp, window: Lifetime) {
        if window >= LOG_SEALING_LONG_LOOKBACK {
            self.long_lookback_at = Some(now);
        }
        if window >= LOG_SEALING_WINDOW {
            self.full_lookback_at = Some(now);
        }
    }

    /// Requests that the next turn logs the head, regardless of the interval.
    fn request_head_log(&mut self) {
        if let Some((_, at)) = &mut self.logged_head {
            *at = Timestamp::EPOCH;
        }
    }

    /// Logs the head periodically, for systems that store the application log elsewhere.
    fn log_head(&mut self, stored: &StoredChainHead, now: Timestamp) {
        let anchor = stored.head.anchor();
        let not_yet = |(noted, at): (LogChainAnchor, Timestamp)| {
            noted == anchor || (at <= now && now.since(at) < LOG_HEAD_LOG_INTERVAL)
        };
        if self.logged_head.is_some_and(not_yet) {
            return;
        }
        let Some(key) = self.log.keys.find_public_key(&stored.kid) else { return };
        self.logged_head = Some((anchor, now));
        let signed = SignedLogHead::from_stored(self.log.instance, stored, key);
        tracing::info!(
            instance = %signed.instance,
            position = signed.position,
            hash = %signed.hash,
            sealed_at = %signed.sealed_at.0,
            kid = signed.kid,
            signature = %signed.signature,
            "head of the security log",
        );
    }
}

/// Runs a sealer until stopped, with a final turn. Errors are logged and retried.
pub fn spawn_sealer(
    log: SecurityLog,
    clock: impl Fn() -> Timestamp + Send + 'static,
    stop: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut sealer = LogSealer::new(log);
        let mut complaints = RepeatedErrorFilter::default();
        let mut wait = LOG_SEALING_INTERVAL;
        tokio::pin!(stop);
        loop {
            let stopping = tokio::select! {
                () = &mut stop => true,
                () = tokio::time::sleep(wait.as_duration()) => false,
            };
            let now = clock();
            if stopping {
                sealer.request_head_log();
            }
            match sealer.seal_pending(now).await {
                Ok(_) => {
                    complaints.reset();
                    wait = LOG_SEALING_INTERVAL;
                }
                Err(failed) => {
                    complaints.report_error(&failed, now);
                    wait = wait.plus(wait).min(RETRY_INTERVAL_MAX);
                }
            }
            if stopping {
                return;
            }
        }
    })
}

/// Suppresses repeated log messages of the same error.
#[derive(Default)]
struct RepeatedErrorFilter {
    last: Option<(String, Timestamp)>,
}

impl RepeatedErrorFilter {
    fn report_error(&mut self, failed: &SecurityLogError, now: Timestamp) {
        let text = failed.to_string();
        let was_reported =
            |(last, at): &(String, Timestamp)| *last == text && now.since(*at) < LOG_HEAD_LOG_INTERVAL;
        if self.last.as_ref().is_some_and(was_reported) {
            return;
        }
        match failed {
            SecurityLogError::Tampered(_) | SecurityLogError::Store(StoreFailure::Damaged(_)) => {
                tracing::error!("the security log is no longer sealed: {text}; run `sinete log verify`");
            }
            _ => tracing::warn!("the security log could not be sealed, which is retried: {text}"),
        }
        self.last = Some((text, now));
    }

    fn reset(&mut self) {
        if self.last.take().is_some() {
            tracing::info!("the security log is sealed again");
        }
    }
}
