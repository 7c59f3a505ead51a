//! The link that makes the first operator: given while nobody runs the instance, and never afterwards.

use crate::stories;
use sinete_core::limits::BOOTSTRAP_LIFETIME;
use sinete_engine::bootstrap::{at_first_start, has_operator};
use sinete_store::bootstrap_links;

stories! {
    async fn a_link_for_the_first_operator_is_given_until_there_is_one(world: &World) {
        let engine = world.server.engine();
        assert!(!has_operator(engine).await.unwrap());
        let link = at_first_start(engine).await.unwrap().unwrap();
        assert_eq!(link.expires_at, engine.now().plus(BOOTSTRAP_LIFETIME));
        let (_, token) = link.address.split_once("token=").unwrap();
        let digest = sinete_core::secret::Secret::parse(token).unwrap().digest();
        let kept = bootstrap_links::find(engine.store(), &digest).await.unwrap().unwrap();
        assert_eq!((kept.expires_at, kept.spent_at), (link.expires_at, None));
        // Somebody who owns the operators' organization and carries no operator's role does not run the instance.
        let house = world.tenant_of("operator").await;
        world.member(&house, &["owner"]).await;
        assert!(at_first_start(engine).await.unwrap().is_some());
        world.operator().await;
        assert!(has_operator(engine).await.unwrap());
        assert!(at_first_start(engine).await.unwrap().is_none());
    }
}
