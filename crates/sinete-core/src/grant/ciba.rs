//! A client asks whether the person has answered (OpenID CIBA §10.1, §11). It is judged as a device is; only the words
//! differ.

use super::device_code::DeviceRefused;
use super::no_grant;
use crate::refusal::{Refusal, RefusalCode};

/// What a client is told whose request was refused like this.
pub fn refusal(refused: DeviceRefused) -> Refusal {
    let (code, public) = match refused {
        DeviceRefused::AnothersCode | DeviceRefused::Replayed => return no_grant(refused.to_string()),
        DeviceRefused::Denied => (RefusalCode::AccessDenied, "the person denied the request"),
        DeviceRefused::Expired => (RefusalCode::ExpiredToken, "auth_req_id has expired: ask again"),
        DeviceRefused::Pending => {
            (RefusalCode::AuthorizationPending, "the person has not answered yet: ask later")
        }
        DeviceRefused::TooSoon { .. } => {
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
    fn each_has_the_word_that_clients_wait_for() {
        for (refused, word) in [
            (DeviceRefused::AnothersCode, "invalid_grant"),
            (DeviceRefused::Replayed, "invalid_grant"),
            (DeviceRefused::Denied, "access_denied"),
            (DeviceRefused::Expired, "expired_token"),
            (DeviceRefused::Pending, "authorization_pending"),
            (DeviceRefused::TooSoon { wait: Lifetime::ZERO }, "slow_down"),
        ] {
            let code = refusal(refused).code();
            assert_eq!((code.name(), code.status()), (word, 400));
        }
    }
}
