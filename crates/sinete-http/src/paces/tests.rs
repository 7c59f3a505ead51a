//! Who is held to which pace, and who is not.

use super::*;
use crate::route::RouteRateLimits;
use crate::router::ROUTES;
use std::sync::LazyLock;

const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

/// A row that declares what these tests count, for whoever calls it.
fn route(caller: CallerKind) -> RouteEntry {
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
    RouteEntry { caller, rate_limits: RouteRateLimits::Limited { by: declared, log_rows: 0 }, ..ROUTES[0] }
}

static DECLARING: LazyLock<RouteEntry> = LazyLock::new(|| route(CallerKind::Session));

fn from<'a>(counting: &'a RateLimitCounters, paces: &'a RateLimits, client: &str) -> RateLimitedRequest<'a> {
    counting.paced(Some(paces), &DECLARING, client.parse().unwrap(), NOW)
}

fn refusal(code: RefusalCode) -> Refusal {
    Refusal::new(code, "no", "no")
}

#[test]
fn an_address_is_held_to_its_pace_and_its_neighbour_is_not() {
    let (counting, paces) =
        (RateLimitCounters::default(), RateLimits { flows: RateLimit::of(3), ..RateLimits::default() });
    let ask = |client: &str| from(&counting, &paces, client).starting().is_ok();
    assert_eq!([(); 4].map(|()| ask("203.0.113.1")), [true, true, true, false]);
    assert!(ask("203.0.113.2"));
    let later = NOW.plus(Lifetime::from_seconds(20));
    assert!(
        counting.paced(Some(&paces), &DECLARING, "203.0.113.1".parse().unwrap(), later).starting().is_ok()
    );
    // A household of the new kind counts as one, however many addresses it makes up.
    assert_eq!([1, 2, 3, 4].map(|last| ask(&format!("2001:db8:1:1::{last}"))), [true, true, true, false]);
    assert!(ask("2001:db8:1:2::1"));
}

#[test]
fn what_is_wrong_in_a_flow_is_counted_and_then_nothing_more_is_heard() {
    let (counting, paces) =
        (RateLimitCounters::default(), RateLimits { proofs: RateLimit::of(2), ..RateLimits::default() });
    let asked = from(&counting, &paces, "203.0.113.1");
    let wrong = || asked.unproven(refusal(RefusalCode::Unprocessable)).code();
    assert!(asked.saying("password").is_ok());
    assert_eq!([(); 2].map(|()| wrong()), [RefusalCode::Unprocessable; 2]);
    assert_eq!(asked.saying("password").unwrap_err().code(), RefusalCode::TooManyRequests);
    assert_eq!(wrong(), RefusalCode::TooManyRequests);
    // What was refused for another reason proves nothing either way.
    assert_eq!(asked.unproven(refusal(RefusalCode::Gone)).code(), RefusalCode::Gone);
    assert!(from(&counting, &paces, "203.0.113.2").saying("password").is_ok());
}

#[test]
fn messages_are_counted_by_what_makes_us_write() {
    let (counting, paces) =
        (RateLimitCounters::default(), RateLimits { sends: RateLimit::of(1), ..RateLimits::default() });
    let asked = from(&counting, &paces, "203.0.113.1");
    assert!(asked.saying("email").is_ok() && asked.saying("resend").is_err());
    assert!(asked.saying("password").is_ok());
}

#[test]
fn stored_requests_use_up_no_sign_ins_of_their_network() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { stored_requests: RateLimit::of(1), ..RateLimits::default() },
    );
    let asked = from(&counting, &paces, "203.0.113.1");
    assert!(asked.storing_request().is_ok() && asked.storing_request().is_err());
    assert!(asked.starting().is_ok());
}

#[test]
fn flows_that_send_a_message_at_their_start_pay_for_it() {
    let (counting, paces) =
        (RateLimitCounters::default(), RateLimits { sends: RateLimit::of(1), ..RateLimits::default() });
    let walker = FlowActor::default();
    for kind in FlowKind::ALL.iter().copied() {
        let client: IpAddr = [203, 0, 113, kind as u8].into();
        let asked = counting.paced(Some(&paces), &DECLARING, client, NOW);
        let starts = [(); 2].map(|()| asked.starting_as(&walker, kind).is_ok());
        assert_eq!(starts, [true, !kind.sends_at_start()], "{}", kind.name());
    }
}

#[test]
fn wrong_credentials_are_counted_and_right_ones_are_never_held_up() {
    let (counting, paces) =
        (RateLimitCounters::default(), RateLimits { credentials: RateLimit::of(2), ..RateLimits::default() });
    let asked = |route: &RouteEntry, code| {
        let client = "203.0.113.1".parse().unwrap();
        counting.paced(Some(&paces), route, client, NOW).unknown(refusal(code)).code()
    };
    let wrong = |caller| asked(&route(caller), RefusalCode::InvalidToken);
    let codes = [CallerKind::Session, CallerKind::Applicant, CallerKind::Session].map(wrong);
    assert_eq!(codes[..2], [RefusalCode::InvalidToken; 2]);
    assert_eq!(codes[2], RefusalCode::TooManyRequests);
    assert_eq!(wrong(CallerKind::Anyone), RefusalCode::InvalidToken);
    let nonce = asked(&route(CallerKind::Session), RefusalCode::KeyProofNonceNeeded);
    assert_eq!(nonce, RefusalCode::KeyProofNonceNeeded);
    assert_eq!(asked(&route(CallerKind::Session), RefusalCode::NotFound), RefusalCode::NotFound);
}

#[test]
fn accounts_organizations_and_clients_are_counted_apart_from_their_neighbours() {
    let one = RateLimit::of(1);
    let paces = RateLimits {
        flows: one,
        account: one,
        invitations: one,
        registration_changes: one,
        ..RateLimits::default()
    };
    let counting = RateLimitCounters::default();
    let asked = from(&counting, &paces, "203.0.113.1");
    let [ana, bea] = [1, 2].map(|number| AccountId::from_bytes([number; 16]));
    assert!(
        asked.starting_by(ana).is_ok() && asked.starting_by(ana).is_err() && asked.starting_by(bea).is_ok()
    );
    assert!(asked.writing_by(ana).is_ok() && asked.writing_by(ana).is_err() && asked.writing_by(bea).is_ok());
    assert!(asked.starting().is_ok(), "whoever is not signed in is counted by address");
    let [acme, other] = [1, 2].map(|number| OrganizationId::from_bytes([number; 16]));
    assert!(asked.inviting(acme).is_ok() && asked.inviting(acme).is_err() && asked.inviting(other).is_ok());
    let [app, tool] = ["app", "tool"].map(|id| id.parse::<ClientId>().unwrap());
    let again = |client| asked.registering_again(client).is_ok();
    assert!(again(&app) && !again(&app) && again(&tool));
}

#[test]
fn a_limit_that_a_route_does_not_declare_is_our_mistake() {
    let (counting, paces) = (RateLimitCounters::default(), RateLimits::default());
    let bare = RouteEntry { rate_limits: RouteRateLimits::ReadOnly, ..*DECLARING };
    for paces in [None, Some(&paces)] {
        let asked = counting.paced(paces, &bare, "203.0.113.1".parse().unwrap(), NOW);
        assert_eq!(asked.starting().unwrap_err().code(), RefusalCode::ServerError);
        assert_eq!(asked.saying("password").unwrap_err().code(), RefusalCode::ServerError);
    }
}

#[test]
fn whoever_develops_is_not_held_up_at_their_own_machine() {
    let (counting, paces) = (
        RateLimitCounters::default(),
        RateLimits { flows: RateLimit::of(1), near: LoopbackPolicy::Free, ..RateLimits::default() },
    );
    for (client, last) in [("127.0.0.1", true), ("203.0.113.1", false)] {
        let ask = || from(&counting, &paces, client).starting().is_ok();
        assert_eq!((ask(), ask()), (true, last), "{client}");
    }
    let anywhere = counting.paced(None, &DECLARING, "203.0.113.1".parse().unwrap(), NOW);
    assert!(anywhere.starting().is_ok());
}

/// As many addresses as are remembered, each of them at its limit from one run of cleanup to the next.
#[test]
fn cleanup_deletes_more_in_one_run_than_the_rate_limits_admit_between_two() {
    use sinete_core::limits::{CLEANUP_INTERVAL, CLEANUP_PASSES_MAX, CLEANUP_ROWS_MAX};
    let capacity = u64::from(CLEANUP_PASSES_MAX) * u64::from(CLEANUP_ROWS_MAX);
    let minutes = u64::try_from(CLEANUP_INTERVAL.seconds()).unwrap() / 60;
    // A wrong credential leaves nothing that expires.
    for kind in [
        RateLimitKind::FlowsByAddress,
        RateLimitKind::StoredRequestsByAddress,
        RateLimitKind::FailedProofsByAddress,
        RateLimitKind::MessagesByAddress,
    ] {
        let pace = RateLimits::default().of(kind).unwrap();
        let of_one = u64::from(pace.at_once) + u64::from(pace.a_minute) * minutes;
        assert!(of_one * REMEMBERED_MAX as u64 <= capacity, "{kind:?} admits more than is deleted");
    }
}

#[test]
fn addresses_without_end_are_forgotten_rather_than_kept() {
    let (counting, paces) = (RateLimitCounters::default(), RateLimits::default());
    for number in 0..(REMEMBERED_MAX as u32 + 10) {
        counting.paced(Some(&paces), &DECLARING, IpAddr::V4(number.into()), NOW).starting().unwrap();
    }
    assert!(counting.0.lock().unwrap().len() <= REMEMBERED_MAX);
}
