//! Tests of which parties are limited.

use super::*;
use crate::route::RouteRateLimits;
use sinete_core::refusal::RefusalReason;
use std::sync::LazyLock;

const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

/// A route that declares the limits under test, for this kind of caller.
fn route(caller: CallerKind) -> RateLimitedRoute {
    let declared: &[RateLimitKind] = &[
        RateLimitKind::FlowsByAddress,
        RateLimitKind::StoredRequestsByAddress,
        RateLimitKind::FlowsByAccount,
        RateLimitKind::WritesByAccount,
        RateLimitKind::FailedProofsByAddress,
        RateLimitKind::MessagesByAddress,
        RateLimitKind::RegistrationChangesByClient,
        RateLimitKind::InvitationsByOrganization,
    ];
    RateLimitedRoute {
        method: "GET",
        path: "/sample",
        caller,
        rate_limits: RouteRateLimits::Limited { kinds: declared, log_rows: 0 },
    }
}

static DECLARING: LazyLock<RateLimitedRoute> = LazyLock::new(|| route(CallerKind::Session));

fn from<'a>(counting: &'a RateLimitCounters, paces: &'a RateLimits, client: &str) -> RateLimitedRequest<'a> {
    counting.for_request(Some(paces), *DECLARING, client.parse().unwrap(), NOW)
}

fn refusal(code: RefusalCode) -> Refusal {
    let reason = RefusalReason::all().find(|reason| reason.code() == code).unwrap();
    Refusal::because(reason, "no")
}

#[test]
fn rate_limit_is_per_address() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { flows: RateLimit::per_minute(3), ..RateLimits::default() },
    );
    let ask = |client: &str| from(&counting, &paces, client).check_flow_start_by_address().is_ok();
    assert_eq!([(); 4].map(|()| ask("203.0.113.1")), [true, true, true, false]);
    assert!(ask("203.0.113.2"));
    let later = NOW.plus(Lifetime::from_seconds(20));
    assert!(
        counting
            .for_request(Some(&paces), *DECLARING, "203.0.113.1".parse().unwrap(), later)
            .check_flow_start_by_address()
            .is_ok()
    );
    // An IPv6 /64 network counts as one party.
    assert_eq!([1, 2, 3, 4].map(|last| ask(&format!("2001:db8:1:1::{last}"))), [true, true, true, false]);
    assert!(ask("2001:db8:1:2::1"));
}

#[test]
fn rate_limit_of_failed_credentials_blocks_the_flow_endpoints() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { proofs: RateLimit::per_minute(2), ..RateLimits::default() },
    );
    let request = from(&counting, &paces, "203.0.113.1");
    let wrong = || request.count_failed_proof(refusal(RefusalCode::Unprocessable)).code();
    assert!(request.check_flow_action("password").is_ok());
    assert_eq!([(); 2].map(|()| wrong()), [RefusalCode::Unprocessable; 2]);
    assert_eq!(request.check_flow_action("password").unwrap_err().code(), RefusalCode::TooManyRequests);
    assert_eq!(wrong(), RefusalCode::TooManyRequests);
    // Other refusals are not failed proofs.
    assert_eq!(request.count_failed_proof(refusal(RefusalCode::Gone)).code(), RefusalCode::Gone);
    assert!(from(&counting, &paces, "203.0.113.2").check_flow_action("password").is_ok());
}

#[test]
fn rate_limit_of_messages_counts_actions_that_send_one() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { messages: RateLimit::per_minute(1), ..RateLimits::default() },
    );
    let request = from(&counting, &paces, "203.0.113.1");
    assert!(request.check_flow_action("email").is_ok() && request.check_flow_action("resend").is_err());
    assert!(request.check_flow_action("password").is_ok());
}

#[test]
fn pushed_requests_do_not_consume_the_sign_in_rate_limit() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { stored_requests: RateLimit::per_minute(1), ..RateLimits::default() },
    );
    let request = from(&counting, &paces, "203.0.113.1");
    assert!(request.count_stored_request().is_ok() && request.count_stored_request().is_err());
    assert!(request.check_flow_start_by_address().is_ok());
}

#[test]
fn rate_limit_of_messages_includes_flows_that_send_one_at_their_start() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { messages: RateLimit::per_minute(1), ..RateLimits::default() },
    );
    let actor = FlowActor::default();
    for kind in FlowKind::ALL.iter().copied() {
        let client: IpAddr = [203, 0, 113, kind as u8].into();
        let request = counting.for_request(Some(&paces), *DECLARING, client, NOW);
        let starts = [(); 2].map(|()| request.check_flow_start(&actor, kind).is_ok());
        assert_eq!(starts, [true, !kind.sends_at_start()], "{}", kind.name());
    }
}

#[test]
fn rate_limit_of_credentials_counts_failures_only() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { credentials: RateLimit::per_minute(2), ..RateLimits::default() },
    );
    let count_failure = |route: &RateLimitedRoute, code| {
        let client = "203.0.113.1".parse().unwrap();
        counting.for_request(Some(&paces), *route, client, NOW).count_failed_credential(refusal(code)).code()
    };
    let wrong = |caller| count_failure(&route(caller), RefusalCode::InvalidToken);
    let codes = [CallerKind::Session, CallerKind::Registrant, CallerKind::Session].map(wrong);
    assert_eq!(codes[..2], [RefusalCode::InvalidToken; 2]);
    assert_eq!(codes[2], RefusalCode::TooManyRequests);
    assert_eq!(wrong(CallerKind::Anyone), RefusalCode::InvalidToken);
    let nonce = count_failure(&route(CallerKind::Session), RefusalCode::KeyProofNonceNeeded);
    assert_eq!(nonce, RefusalCode::KeyProofNonceNeeded);
    assert_eq!(count_failure(&route(CallerKind::Session), RefusalCode::NotFound), RefusalCode::NotFound);
}

#[test]
fn rate_limits_of_accounts_organizations_and_clients_are_separate() {
    let one = RateLimit::per_minute(1);
    let paces = RateLimits {
        flows: one,
        account_writes: one,
        invitations: one,
        registration_changes: one,
        ..RateLimits::default()
    };
    let counting = RateLimitCounters::default();
    let request = from(&counting, &paces, "203.0.113.1");
    let [ana, bea] = [1, 2].map(|number| AccountId::from_bytes([number; 16]));
    assert!(
        request.check_flow_start_by_account(ana).is_ok()
            && request.check_flow_start_by_account(ana).is_err()
            && request.check_flow_start_by_account(bea).is_ok()
    );
    assert!(
        request.check_account_write(ana).is_ok()
            && request.check_account_write(ana).is_err()
            && request.check_account_write(bea).is_ok()
    );
    assert!(
        request.check_flow_start_by_address().is_ok(),
        "users who are not signed in are counted by address"
    );
    let [acme, other] = [1, 2].map(|number| OrganizationId::from_bytes([number; 16]));
    assert!(
        request.check_invitation(acme).is_ok()
            && request.check_invitation(acme).is_err()
            && request.check_invitation(other).is_ok()
    );
    let [app, tool] = ["app", "tool"].map(|id| id.parse::<ClientId>().unwrap());
    let is_change_allowed = |client| request.check_registration_change(client).is_ok();
    assert!(is_change_allowed(&app) && !is_change_allowed(&app) && is_change_allowed(&tool));
}

#[test]
fn rate_limit_that_a_route_does_not_declare_is_a_server_error() {
    let (counting, paces) = (RateLimitCounters::default(), RateLimits::default());
    let bare = RateLimitedRoute { rate_limits: RouteRateLimits::ReadOnly, ..*DECLARING };
    for paces in [None, Some(&paces)] {
        let request = counting.for_request(paces, bare, "203.0.113.1".parse().unwrap(), NOW);
        assert_eq!(request.check_flow_start_by_address().unwrap_err().code(), RefusalCode::ServerError);
        assert_eq!(request.check_flow_action("password").unwrap_err().code(), RefusalCode::ServerError);
    }
}

#[test]
fn rate_limit_exempts_the_local_machine_in_development() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits {
            flows: RateLimit::per_minute(1),
            loopback: LoopbackPolicy::Exempt,
            ..RateLimits::default()
        },
    );
    for (client, last) in [("127.0.0.1", true), ("203.0.113.1", false)] {
        let ask = || from(&counting, &paces, client).check_flow_start_by_address().is_ok();
        assert_eq!((ask(), ask()), (true, last), "{client}");
    }
    let anywhere = counting.for_request(None, *DECLARING, "203.0.113.1".parse().unwrap(), NOW);
    assert!(anywhere.check_flow_start_by_address().is_ok());
}

/// All tracked addresses, each at its limit between two runs of cleanup.
#[test]
fn cleanup_deletes_more_per_run_than_rate_limits_admit_between_runs() {
    use sinete_core::limits::{CLEANUP_INTERVAL, CLEANUP_PASSES_MAX, CLEANUP_ROWS_MAX};
    let capacity = u64::from(CLEANUP_PASSES_MAX) * u64::from(CLEANUP_ROWS_MAX);
    let minutes = u64::try_from(CLEANUP_INTERVAL.seconds()).unwrap() / 60;
    // A failed authentication leaves no rows that expire.
    for kind in [
        RateLimitKind::FlowsByAddress,
        RateLimitKind::StoredRequestsByAddress,
        RateLimitKind::FailedProofsByAddress,
        RateLimitKind::MessagesByAddress,
    ] {
        let rate_limit = RateLimits::default().bucket_rate(kind).unwrap();
        let of_one = u64::from(rate_limit.burst) + u64::from(rate_limit.rate_per_minute) * minutes;
        assert!(of_one * TRACKED_PARTIES_MAX as u64 <= capacity, "{kind:?} admits more than is deleted");
    }
}

#[test]
fn rate_limit_addresses_are_evicted_beyond_a_bound() {
    let (counting, paces) = (RateLimitCounters::default(), RateLimits::default());
    for number in 0..(TRACKED_PARTIES_MAX as u32 + 10) {
        counting
            .for_request(Some(&paces), *DECLARING, IpAddr::V4(number.into()), NOW)
            .check_flow_start_by_address()
            .unwrap();
    }
    assert!(counting.0.lock().unwrap().len() <= TRACKED_PARTIES_MAX);
}
