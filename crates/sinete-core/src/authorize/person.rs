//! Whether the person who is signed in will do for a request, or has to sign in first.

use super::asked::SignIn;
use super::response::{AuthorizationError, Wrong};
use super::wish::{Ask, Prompt, Wish};
use crate::time::{Lifetime, Timestamp};

/// What is known of whoever is signed in.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    /// When they last proved who they are.
    pub authenticated_at: Timestamp,
    /// Whether they are the one the client expects.
    pub hinted: Hinted,
    /// When they signed in, seen from the request.
    pub sign_in: SignIn,
}

/// Whom an ID token that came as a hint names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hinted {
    /// Nobody: there was none, or none that counts.
    Nobody,
    /// Whoever is signed in.
    Them,
    /// Somebody else.
    SomebodyElse,
}

/// Why somebody has to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nobody is signed in.
    Nobody,
    /// The client wants it.
    AskedFor,
    /// They did so too long ago for this client.
    TooLongAgo,
    /// The client expects somebody else.
    SomebodyElse,
    /// What they signed in with does not count in this organization.
    OtherCredential,
}

/// Whether somebody has to sign in, and why; or what the client is told where nobody may be asked.
pub fn must_sign_in(
    wish: &Wish,
    default_max_age: Option<Lifetime>,
    present: Option<Present>,
    now: Timestamp,
) -> Result<Option<Reason>, Wrong> {
    let reason = match present {
        None => Some(Reason::Nobody),
        Some(present) => unless_they_will_do(wish, default_max_age, present, now)?,
    };
    match (reason, &wish.prompt) {
        (Some(_), Prompt::Silent) => Err((AuthorizationError::LoginRequired, "somebody has to sign in")),
        (reason, _) => Ok(reason),
    }
}

fn unless_they_will_do(
    wish: &Wish,
    default_max_age: Option<Lifetime>,
    present: Present,
    now: Timestamp,
) -> Result<Option<Reason>, Wrong> {
    let asked_anew = wish.prompt.asks(Ask::SignIn);
    let too_long_ago = |most: Lifetime| most == Lifetime::ZERO || now.since(present.authenticated_at) > most;
    match (present.hinted, present.sign_in) {
        // OpenID Connect Core §3.1.2.1: who signed in all the same is not whom the client asked about.
        (Hinted::SomebodyElse, SignIn::Because) => {
            Err((AuthorizationError::LoginRequired, "somebody else signed in"))
        }
        (Hinted::SomebodyElse, SignIn::Before) => Ok(Some(Reason::SomebodyElse)),
        // Whoever signed in because of this request did so recently enough for it.
        (Hinted::Nobody | Hinted::Them, SignIn::Because) => Ok(None),
        (Hinted::Nobody | Hinted::Them, SignIn::Before) if asked_anew => Ok(Some(Reason::AskedFor)),
        (Hinted::Nobody | Hinted::Them, SignIn::Before) => {
            let most = wish.max_age.or(default_max_age);
            Ok(most.is_some_and(too_long_ago).then_some(Reason::TooLongAgo))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::tests::check;
    use super::*;
    use crate::people::SignedIn;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn request(changes: &[(&str, Option<&str>)]) -> Wish {
        check(changes, SignedIn::Yes).unwrap().wish
    }

    fn present(seconds_ago: u32) -> Present {
        let authenticated_at = NOW.minus(Lifetime::from_seconds(seconds_ago));
        Present { authenticated_at, hinted: Hinted::Nobody, sign_in: SignIn::Before }
    }

    #[test]
    fn whoever_is_signed_in_will_do_unless_the_client_says_otherwise() {
        let judged = |changes: &[(&str, Option<&str>)], present: Option<Present>| {
            must_sign_in(&request(changes), None, present, NOW).unwrap()
        };
        assert_eq!(judged(&[], None), Some(Reason::Nobody));
        assert_eq!(judged(&[], Some(present(1_000_000))), None);
        assert_eq!(judged(&[("prompt", Some("login"))], Some(present(1))), Some(Reason::AskedFor));
        assert_eq!(judged(&[("prompt", Some("consent"))], Some(present(1))), None);
        assert_eq!(judged(&[("max_age", Some("60"))], Some(present(61))), Some(Reason::TooLongAgo));
        assert_eq!(judged(&[("max_age", Some("60"))], Some(present(60))), None);
        assert_eq!(judged(&[("max_age", Some("0"))], Some(present(0))), Some(Reason::TooLongAgo));
        let other = Present { hinted: Hinted::SomebodyElse, ..present(1) };
        assert_eq!(judged(&[], Some(other)), Some(Reason::SomebodyElse));
    }

    #[test]
    fn what_the_client_registered_counts_where_the_request_says_nothing() {
        let most = Some(Lifetime::from_seconds(60));
        assert_eq!(must_sign_in(&request(&[]), most, Some(present(61)), NOW), Ok(Some(Reason::TooLongAgo)));
        let patient = request(&[("max_age", Some("600"))]);
        assert_eq!(must_sign_in(&patient, most, Some(present(61)), NOW), Ok(None));
    }

    #[test]
    fn whoever_signed_in_because_of_the_request_is_not_asked_again() {
        let just_now = Present { sign_in: SignIn::Because, ..present(90) };
        for changes in [("prompt", Some("login")), ("max_age", Some("0")), ("max_age", Some("60"))] {
            assert_eq!(must_sign_in(&request(&[changes]), None, Some(just_now), NOW), Ok(None));
        }
        let other = Present { hinted: Hinted::SomebodyElse, ..just_now };
        let refused = must_sign_in(&request(&[]), None, Some(other), NOW).unwrap_err();
        assert_eq!(refused.0, AuthorizationError::LoginRequired);
    }

    #[test]
    fn where_nobody_may_be_asked_the_client_is_told() {
        let silent = |more| request(&[("prompt", Some("none")), more]);
        let login_required = |wish: &Wish, present| {
            must_sign_in(wish, None, present, NOW).unwrap_err().0 == AuthorizationError::LoginRequired
        };
        assert!(login_required(&silent(("max_age", Some("60"))), Some(present(61))));
        assert!(login_required(&silent(("max_age", None)), None));
        let other = Present { hinted: Hinted::SomebodyElse, ..present(1) };
        assert!(login_required(&silent(("max_age", None)), Some(other)));
        let them = Present { hinted: Hinted::Them, ..present(1) };
        assert_eq!(must_sign_in(&silent(("max_age", None)), None, Some(them), NOW), Ok(None));
    }
}
