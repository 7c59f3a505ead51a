//! The API explorer: a page for each operation, under the strictest content security policy, and absent without screens.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;

both_engines!(api_explorer_has_a_page_for_each_operation);

async fn api_explorer_has_a_page_for_each_operation(world: &World) {
    let list = world.get("/docs").await;
    assert_eq!(list.status(), 200);
    let policy = list.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("script-src") && !policy.contains("unsafe"), "{policy}");
    let list = list.text().await.unwrap();
    let paths = world.openapi().await["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|methods| methods.as_object().unwrap().values());
    let ids: Vec<_> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert!(ids.len() > 150, "{}", ids.len());
    for id in ids {
        assert!(list.contains(&format!("/docs/{id}\"")), "{id} is not listed");
        let page = world.get(&format!("/docs/{id}")).await;
        assert_eq!(page.status(), 200, "{id}");
        assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"), "{id}");
    }
    for unknown in ["/docs/noSuchOperation", "/docs/createRole/more"] {
        assert_eq!(world.get(unknown).await.status(), 404, "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_explorer_is_not_served_without_screens() {
    let world = World::start_with_config(TestEngine::Sqlite, &[("SINETE_SCREENS_ENABLED", "false")]).await;
    for path in ["/docs", "/docs/createRole", sinete_screens::assets::API_STYLE.path] {
        assert_eq!(world.get(path).await.status(), 404, "{path}");
    }
    assert_eq!(world.get("/openapi.json").await.status(), 200);
    world.stop().await;
}
