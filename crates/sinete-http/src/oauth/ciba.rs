//! Client-initiated backchannel authentication (OpenID CIBA Core §7).

pub(crate) mod handlers;
