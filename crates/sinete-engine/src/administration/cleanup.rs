//! Deletes expired rows, so that tables do not grow and personal data is not kept without reason. Validity
//! never depends on cleanup.

use crate::oauth::token;
use crate::scim::request_log;
use crate::{Engine, Failure};
use sinete_core::limits::CLEANUP_PASSES_MAX;
use sinete_store::administration::cleanup::{EXPIRING, expiring_usage_counts};

/// Deletes all rows that have been expired for the retention time of their kind. A run continues until
/// nothing is left: a transaction deletes hundreds of rows and no request writes as many, so cleanup keeps up
/// with all admitted requests. A run is bounded nevertheless, and the rest is left to the next one.
pub async fn delete_expired(engine: &Engine) -> Result<(), Failure> {
    token::evict_expired_codes(engine);
    token::evict_expired_refresh_tokens(engine);
    // Rows that wait in memory expire with the others.
    request_log::write_waiting(engine).await;
    let usage = expiring_usage_counts(engine.settings().usage_retention);
    for rows in EXPIRING.iter().chain([&usage]) {
        for _ in 0..CLEANUP_PASSES_MAX {
            let before = engine.now().minus(rows.retention);
            if !rows.has_expired_rows(engine.store(), before).await? {
                break;
            }
            // This batch cannot conflict.
            let _ = engine.store().commit(rows.delete_expired(before)).await?;
        }
    }
    Ok(())
}
