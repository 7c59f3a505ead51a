//! The sealer: gives committed events their places in the chain and signs the new head.
//!
//! Every node runs one. The head's position is the guard of what it commits, so of two that seal the same
//! events one finds the head moved and leaves it at that. A sealer goes on only after a head it trusts: it
//! would otherwise sign a rewritten log and make it good.

use super::head::{self, SignedLogHead};
use super::{SecurityLog, SecurityLogError};
use sinete_core::id::EventId;
use sinete_core::limits::{
    LOG_HEAD_NOTED_INTERVAL, LOG_SEALED_AT_ONCE_MAX, LOG_SEALING_GLANCE, LOG_SEALING_GLANCE_INTERVAL,
    LOG_SEALING_INTERVAL, LOG_SEALING_REACH, LOG_SEALING_WINDOW, LOG_SEALING_WINDOW_INTERVAL,
};
use sinete_core::security::chain::{LogChainAnchor, LogChainHead, LogDefect, LogFinding, LoggedEvent};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::log_chain::{self, LogChainPosition, StoredChainHead};
use sinete_store::{StoreFailure, WriteBatch};
use std::future::Future;
use tokio::task::JoinHandle;

/// Most acts in one turn, so that a turn ends even if events come faster than they are sealed.
const ACTS_IN_A_TURN_MAX: u32 = 100;
/// The longest wait between two attempts while sealing fails.
const PATIENCE_MAX: Lifetime = Lifetime::from_seconds(30);

/// A sealer and what it remembers from turn to turn.
#[derive(Debug)]
pub struct LogSealer {
    log: SecurityLog,
    /// The furthest head this sealer has seen. The head never goes back.
    furthest: Option<LogChainAnchor>,
    /// The latest event it gave a place to. It may look back before that one, and finds nothing there nearly always.
    latest: Option<EventId>,
    glanced_at: Option<Timestamp>,
    looked_back_at: Option<Timestamp>,
    /// The head that was last written to the ordinary log, and when.
    noted: Option<(LogChainAnchor, Timestamp)>,
}

/// What one turn came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealingTurn {
    /// How many events this sealer gave their places.
    pub sealed: u64,
    /// Whether another sealer was faster, so that there may be more to do.
    pub overtaken: bool,
}

impl LogSealer {
    /// A sealer that has done nothing yet.
    pub const fn new(log: SecurityLog) -> Self {
        Self { log, furthest: None, latest: None, glanced_at: None, looked_back_at: None, noted: None }
    }

    /// Seals what waits.
    pub async fn turn(&mut self, now: Timestamp) -> Result<SealingTurn, SecurityLogError> {
        let (mut sealed, mut last) = (0, None);
        let window = self.window(now);
        for _ in 0..ACTS_IN_A_TURN_MAX {
            let stored = self.trusted_head().await?;
            // Looking back is done once in a turn: what is older than the last one sealed in it had no place to be given.
            let floor = match last {
                Some(last) => last,
                None => self.floor(&stored, now, window).await?,
            };
            let events = log_chain::waiting(&self.log.store, floor, LOG_SEALED_AT_ONCE_MAX).await?;
            if events.is_empty() {
                self.looked(now, window);
                self.note(&stored, now);
                return Ok(SealingTurn { sealed, overtaken: false });
            }
            let Some(to) = self.seal(&stored.head, &events, now).await? else {
                return Ok(SealingTurn { sealed, overtaken: true });
            };
            self.furthest = Some(to.anchor());
            sealed += events.len() as u64;
            last = events.last().map(|event| event.id);
            self.latest = self.latest.max(last);
        }
        Ok(SealingTurn { sealed, overtaken: false })
    }

    /// Where to look for events from on. If all up to the latest one have their places, those are not looked at one by one.
    async fn floor(
        &self,
        stored: &StoredChainHead,
        now: Timestamp,
        window: Lifetime,
    ) -> Result<EventId, SecurityLogError> {
        let floor = stored.head.sealing_floor(stored.last.map(|(event, _)| event), now, window);
        Ok(match self.latest {
            Some(latest)
                if latest > floor && log_chain::all_are_placed(&self.log.store, floor, latest).await? =>
            {
                latest
            }
            _ => floor,
        })
    }

    /// Gives the events their places after the head. Nothing if somebody else moved it meanwhile.
    async fn seal(
        &self,
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
        let signature = head::sign(keys, self.log.instance, &to)?;
        // The head comes first: whoever is late waits for its row and then changes nothing.
        let advance = log_chain::advance(from, &to, keys.newest()?.kid(), &signature);
        let act = WriteBatch::new().with(advance).with_all(log_chain::place(&places));
        Ok(self.log.store.commit(act).await?.ok().map(|_| to))
    }

    /// The head, if it is ours, fits the chain and is not behind what was seen before.
    async fn trusted_head(&mut self) -> Result<StoredChainHead, SecurityLogError> {
        let tampered = |wrong| SecurityLogError::Tampered(Box::new(LogFinding::whole(wrong)));
        let stored = match log_chain::head(&self.log.store).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Err(tampered(LogDefect::HeadMissing)),
            Err(StoreFailure::Damaged(what)) => return Err(tampered(LogDefect::HeadUnreadable(what))),
            Err(failed) => return Err(failed.into()),
        };
        if let Some(finding) = head::obstacle(&self.log.keys, self.log.instance, &stored) {
            return Err(SecurityLogError::Tampered(Box::new(finding)));
        }
        match self.furthest {
            Some(seen) if stored.head.position < seen.position => {
                Err(tampered(LogDefect::AnchorMissing(seen)))
            }
            Some(seen) if stored.head.position == seen.position && stored.head.hash != seen.hash => {
                Err(tampered(LogDefect::AnchorDiffers(seen)))
            }
            _ => {
                self.furthest = Some(stored.head.anchor());
                Ok(stored)
            }
        }
    }

    /// How far to look back this time. Events commit within moments, so a second is nearly always enough; looking back
    /// further every time would read each event over and over.
    fn window(&self, now: Timestamp) -> Lifetime {
        let recently =
            |at: Option<Timestamp>, interval| at.is_some_and(|at| at <= now && now.since(at) < interval);
        if !recently(self.looked_back_at, LOG_SEALING_WINDOW_INTERVAL) {
            LOG_SEALING_WINDOW
        } else if !recently(self.glanced_at, LOG_SEALING_GLANCE_INTERVAL) {
            LOG_SEALING_GLANCE
        } else {
            LOG_SEALING_REACH
        }
    }

    fn looked(&mut self, now: Timestamp, window: Lifetime) {
        if window >= LOG_SEALING_GLANCE {
            self.glanced_at = Some(now);
        }
        if window >= LOG_SEALING_WINDOW {
            self.looked_back_at = Some(now);
        }
    }

    /// Has the next turn write the head to the ordinary log, however recently another was written.
    fn note_soon(&mut self) {
        if let Some((_, at)) = &mut self.noted {
            *at = Timestamp::EPOCH;
        }
    }

    /// Writes the head to the ordinary log now and then, for whoever keeps that log elsewhere.
    fn note(&mut self, stored: &StoredChainHead, now: Timestamp) {
        let anchor = stored.head.anchor();
        let not_yet = |(noted, at): (LogChainAnchor, Timestamp)| {
            noted == anchor || (at <= now && now.since(at) < LOG_HEAD_NOTED_INTERVAL)
        };
        if self.noted.is_some_and(not_yet) {
            return;
        }
        let Some(key) = self.log.keys.public(&stored.kid) else { return };
        self.noted = Some((anchor, now));
        let signed = SignedLogHead::of(self.log.instance, stored, key);
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

/// Runs a sealer until told to stop, and once more then. Whatever fails is said and tried again.
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
                sealer.note_soon();
            }
            match sealer.turn(now).await {
                Ok(_) => {
                    complaints.settled();
                    wait = LOG_SEALING_INTERVAL;
                }
                Err(failed) => {
                    complaints.say(&failed, now);
                    wait = wait.plus(wait).min(PATIENCE_MAX);
                }
            }
            if stopping {
                return;
            }
        }
    })
}

/// What was said about failing, so that the same is not said every second.
#[derive(Default)]
struct RepeatedErrorFilter {
    last: Option<(String, Timestamp)>,
}

impl RepeatedErrorFilter {
    fn say(&mut self, failed: &SecurityLogError, now: Timestamp) {
        let text = failed.to_string();
        let said =
            |(last, at): &(String, Timestamp)| *last == text && now.since(*at) < LOG_HEAD_NOTED_INTERVAL;
        if self.last.as_ref().is_some_and(said) {
            return;
        }
        match failed {
            SecurityLogError::Tampered(_) | SecurityLogError::Store(StoreFailure::Damaged(_)) => {
                tracing::error!("the security log is not sealed any more: {text}; run `sinete log verify`");
            }
            _ => tracing::warn!("the security log could not be sealed and is tried again: {text}"),
        }
        self.last = Some((text, now));
    }

    fn settled(&mut self) {
        if self.last.take().is_some() {
            tracing::info!("the security log is sealed again");
        }
    }
}
