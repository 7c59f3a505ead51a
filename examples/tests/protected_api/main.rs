//! Tests of the examples.

#[cfg(test)]
mod dpop_key;
#[cfg(test)]
mod end_to_end;
#[cfg(test)]
mod mocked_issuer;
