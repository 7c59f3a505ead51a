//! CIBA token requests (OpenID CIBA §10.1, §11). The checks are those of the device grant; only the texts
//! differ.

use super::device_authorization::DeferredGrantRejection;
use super::invalid_grant;
use crate::refusal::{Refusal, RefusalCode};

/// Maps a rejection to the CIBA error response.
pub fn ciba_refusal(refused: DeferredGrantRejection) -> Refusal {
    let (code, public) = match refused {
        DeferredGrantRejection::AnothersCode | DeferredGrantRejection::Replayed => {
            return invalid_grant(refused.to_string());
        }
        DeferredGrantRejection::Denied => (RefusalCode::AccessDenied, "the person denied the request"),
        DeferredGrantRejection::Expired => (RefusalCode::ExpiredToken, "auth_req_id has expired: ask again"),
        DeferredGrantRejection::Pending => {
            (RefusalCode::AuthorizationPending, "the person has not answered yet: ask later")
        }
        DeferredGrantRejection::TooSoon { .. } => {
            (RefusalCode::SlowDown, "this is asked too often: wait five seconds longer between requests")
        }
    };
    Refusal::new(code, public, refused.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;

    #[test]
    fn ciba_poll_errors_use_the_standard_codes() {
        for (refused, word) in [
            (DeferredGrantRejection::AnothersCode, "invalid_grant"),
            (DeferredGrantRejection::Replayed, "invalid_grant"),
            (DeferredGrantRejection::Denied, "access_denied"),
            (DeferredGrantRejection::Expired, "expired_token"),
            (DeferredGrantRejection::Pending, "authorization_pending"),
            (DeferredGrantRejection::TooSoon { wait: Lifetime::ZERO }, "slow_down"),
        ] {
            let code = ciba_refusal(refused).code();
            assert_eq!((code.name(), code.status()), (word, 400));
        }
    }
}
