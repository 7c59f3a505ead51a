//! Every write is limited, and what was written for somebody who proved nothing is gone when it has expired.

mod embedded;
mod mail_budget;
mod pushed_requests;
mod step_up;
pub mod token_requests;

use crate::harness::world::World;

/// Runs cleanup once.
async fn clean_up(world: &World) {
    sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
}
