//! A request reads its session and its flow once.

use super::console_path;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::query_recorder::RequestWork;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::secret::{Secret, SessionToken};

both_engines!(
    console_request_reads_its_session_once,
    flow_input_reads_its_flow_once,
    sign_in_page_reads_an_ended_session_once
);

fn count_statements(request_work: &RequestWork, name: &str) -> usize {
    request_work.statements.iter().filter(|statement| **statement == name).count()
}

async fn console_request_reads_its_session_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let query_recorder = world.record_queries();
    for below in ["", "/members", "/roles", "/applications", "/settings", "/audit-log"] {
        let path = console_path(&acme, below);
        let (_, request_work) = query_recorder.measure(world, ana.reader.open_page(&path)).await;
        assert_eq!(
            count_statements(&request_work, "sessions.find"),
            1,
            "{path}: {:?}",
            request_work.statements
        );
        assert_eq!(
            count_statements(&request_work, "sessions.find_by_id"),
            0,
            "{path}: {:?}",
            request_work.statements
        );
    }
    let form = ana.reader.open_page(&console_path(&acme, "/roles")).await;
    let fields = [("action", "make"), ("name", "clerk"), ("permission.members:read", "on")];
    let (response, request_work) =
        query_recorder.measure(world, ana.reader.submit_form(&form, "id=\"make-now\"", &fields)).await;
    assert!(response.1.contains("Role created."), "{}", response.1);
    // The form, and the page that it leads to.
    assert_eq!(count_statements(&request_work, "sessions.find"), 2, "{:?}", request_work.statements);
    // A path that no route has is not looked for a second time: nothing is read at all.
    let (answer, request_work) =
        query_recorder.measure(world, ana.reader.open_url(&console_path(&acme, "/secrets"))).await;
    assert_eq!(
        (answer.0, count_statements(&request_work, "sessions.find")),
        (404, 0),
        "{:?}",
        request_work.statements
    );
}

async fn flow_input_reads_its_flow_once(world: &World) {
    world.create_user("ana@example.com").await;
    let query_recorder = world.record_queries();
    // Over the API.
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let wrong = json!({"email": "ana@example.com", "password": "a wrong password indeed"});
    let (answer, request_work) = query_recorder.measure(world, walk.try_submit("password", wrong)).await;
    answer.assert_status(422);
    assert_eq!(count_statements(&request_work, "flows.find"), 1, "{:?}", request_work.statements);
    let credentials = json!({"email": "ana@example.com", "password": PASSWORD});
    let (answer, request_work) = query_recorder.measure(world, walk.submit("password", credentials)).await;
    answer.assert_status(200);
    assert_eq!(count_statements(&request_work, "flows.find"), 1, "{:?}", request_work.statements);
    // On a page: the form, and the page that it leads to.
    let mut browser = world.create_page_browser("en");
    let form = browser.open_page("/sign-in").await;
    let fields =
        [("action", "password"), ("identifier", "ana@example.com"), ("password", "nonsense, really")];
    let ((status, page), request_work) =
        query_recorder.measure(world, browser.submit_first_form(&form, &fields)).await;
    assert_eq!(status, 200, "{page}");
    assert_eq!(count_statements(&request_work, "flows.find"), 2, "{:?}", request_work.statements);
}

async fn sign_in_page_reads_an_ended_session_once(world: &World) {
    let ended = Secret::<SessionToken>::mint(world.server.engine().entropy()).reveal();
    let mut browser = world.create_page_browser("en").with_session(&ended);
    let query_recorder = world.record_queries();
    let (page, request_work) = query_recorder.measure(world, browser.open_page("/sign-in")).await;
    assert!(page.contains("id=\"sign-in-submit\""), "{page}");
    // The page that starts a flow; the page of the flow reads no session.
    assert_eq!(count_statements(&request_work, "sessions.find"), 1, "{:?}", request_work.statements);
}
