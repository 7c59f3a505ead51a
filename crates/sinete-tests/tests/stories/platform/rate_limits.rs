//! Every write is limited, and what was written for somebody who proved nothing is gone when it has expired.

mod email_budget;
mod embedded_requests;
pub(in crate::stories) mod failed_credentials;
mod pushed_requests;
mod step_up;
pub(crate) mod token_requests;

use crate::harness::world::World;

/// Runs cleanup once.
async fn clean_up(world: &World) {
    sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
}
