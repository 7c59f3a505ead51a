//! CIBA token requests (OpenID CIBA §10.1, §11). The checks are those of the device grant; only the texts
//! differ.

use super::device_authorization::DeferredGrantRejection;
use super::invalid_grant;
use crate::refusal::Refusal;
use crate::refusal::oauth::OAuthRefusal;

/// Maps a rejection to the CIBA error response.
pub fn ciba_refusal(refused: DeferredGrantRejection) -> Refusal {
    let reason = match refused {
        DeferredGrantRejection::AnothersCode | DeferredGrantRejection::Replayed => {
            return invalid_grant(refused.to_string());
        }
        DeferredGrantRejection::Denied => OAuthRefusal::AccessDenied,
        DeferredGrantRejection::Expired => OAuthRefusal::AuthReqIdExpired,
        DeferredGrantRejection::Pending => OAuthRefusal::AuthorizationPending,
        DeferredGrantRejection::TooSoon { .. } => OAuthRefusal::SlowDown,
    };
    Refusal::because(reason, refused.to_string())
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
