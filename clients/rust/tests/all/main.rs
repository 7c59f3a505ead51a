//! Tests of this library with a mock issuer.

#[cfg(test)]
mod access_token_verifier;
#[cfg(test)]
mod management_client;
#[cfg(test)]
mod mock_issuer;
#[cfg(test)]
mod token_client;
#[cfg(test)]
mod vectors;
