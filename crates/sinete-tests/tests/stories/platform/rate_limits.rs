//! Every write has a rate limit, and what an unauthenticated caller stored is deleted after it expires.

mod email_budget;
mod embedded_requests;
pub(in crate::stories) mod failed_credentials;
mod pushed_requests;
mod step_up;
pub(crate) mod token_requests;

use crate::harness::world::World;

async fn clean_up(world: &World) {
    sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
}
