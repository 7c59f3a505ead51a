//! Evaluation: decisions follow from the current relationships, and only services of the API's owner may request them.

use crate::both_engines;
use crate::harness::drive_api::{DRIVE, additions, drive_api_definition, evaluation_request, removals};
use crate::harness::grants::OAuthResponse;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::client_id::ClientKind;
use sinete_store::oauth::clients::ClientOrigin;

const EVALUATION: &str = "/access/v1/evaluation";

both_engines!(
    authzen_evaluation_follows_relationships,
    authzen_evaluation_excludes_removed_disabled_and_suspended_subjects_at_once,
    authzen_evaluation_is_limited_to_services_of_the_apis_owner,
    authzen_evaluation_never_mixes_organizations_of_an_instance_api,
    authzen_request_malformed_is_refused_and_an_unknown_object_is_denied,
    authzen_evaluation_beyond_its_bounds_is_an_error,
    authzen_metadata_is_published_and_x_request_id_is_echoed,
    authzen_evaluation_must_name_the_api_where_several_have_objects
);

async fn authzen_evaluation_follows_relationships(world: &World) {
    let drive = world.create_drive_api().await;
    let (ana, ben, eva) =
        (drive.create_member().await, drive.create_member().await, drive.create_member().await);
    let robot = drive.books.create_service("reader", "documents:read").await;
    let roles = drive.books.owner.get(&drive.tenant().path("/roles")).await.assert_status(200);
    let reader =
        roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "reader").unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned();
    drive
        .add_relationships(&[
            "folder:plans parent folder:root",
            "document:plan folder folder:plans",
            &format!("folder:root owner member:{ana}"),
            "folder:plans editor team:design#member",
            "team:design member team:chiefs#member",
            &format!("team:chiefs member member:{ben}"),
            &format!("folder:plans viewer client:{}", robot.id),
        ])
        .await;
    let may = async |subject: &str, action: &str| drive.is_allowed(subject, action, "document:plan").await;
    let (ana, ben, eva) = (format!("member:{ana}"), format!("member:{ben}"), format!("member:{eva}"));
    let robot = format!("client:{}", robot.id);
    // Ana has access through the folder's parent, Ben through a nested team, and the client may only read.
    for (subject, reads, writes) in
        [(&ana, true, true), (&ben, true, true), (&robot, true, false), (&eva, false, false)]
    {
        assert_eq!((may(subject, "read").await, may(subject, "write").await), (reads, writes), "{subject}");
    }
    drive.add_relationships(&[&format!("document:plan viewer role:{reader}")]).await;
    assert!(may(&eva, "read").await && !may(&eva, "write").await, "a member with the role may read");
    drive.change_relationships(removals(&["team:design member team:chiefs#member"])).await.assert_status(200);
    assert!(
        may(&ben, "read").await && !may(&ben, "write").await,
        "the nested team ends at once, and the role is left"
    );
    drive
        .add_relationships(&["folder:root parent folder:plans", "team:chiefs member team:design#member"])
        .await;
    assert!(may(&ana, "write").await && !may(&ben, "write").await, "a cycle gives no access");
}

async fn authzen_evaluation_excludes_removed_disabled_and_suspended_subjects_at_once(world: &World) {
    let drive = world.create_drive_api().await;
    let (ana, owner, tenant) = (drive.create_member().await, &drive.books.owner, drive.tenant());
    let robot = drive.books.create_service("reader", "documents:read").await;
    drive
        .add_relationships(&[
            &format!("document:plan editor member:{ana}"),
            &format!("document:plan editor client:{}", robot.id),
        ])
        .await;
    let (member_subject, machine) = (format!("member:{ana}"), format!("client:{}", robot.id));
    let may = async |subject: &str| drive.is_allowed(subject, "write", "document:plan").await;
    assert!(may(&member_subject).await && may(&machine).await);
    let members = owner.get(&tenant.path("/members?limit=200")).await.assert_status(200);
    for member in members.body["items"].as_array().unwrap().iter().filter(|it| it["id"] != json!(ana)) {
        assert!(
            !may(&format!("member:{}", member["id"].as_str().unwrap())).await,
            "the membership of a service is no member subject"
        );
    }
    let member = tenant.path(&format!("/members/{ana}"));
    owner.post(&format!("{member}/disable"), Value::Null).await.assert_status(200);
    assert!(!may(&member_subject).await);
    owner.post(&format!("{member}/enable"), Value::Null).await.assert_status(200);
    assert!(may(&member_subject).await, "an enabled member has access again");
    let client = tenant.path(&format!("/clients/{}", robot.id));
    owner.post(&format!("{client}/disable"), Value::Null).await.assert_status(200);
    assert!(!may(&machine).await);
    owner.post(&format!("{client}/enable"), Value::Null).await.assert_status(200);
    assert!(may(&machine).await);

    let account = world.account_of_member(tenant, ana).await;
    let version = owner.get(&member).await.assert_status(200).version();
    owner.delete(&member, Some(version)).await.assert_status(204);
    assert!(!may(&member_subject).await);
    world.add_member(tenant, account).await;
    assert!(!may(&member_subject).await, "a member who returns is a new subject");
    let members = owner.get(&tenant.path("/members?limit=200")).await.assert_status(200);
    for current_member in members.body["items"].as_array().unwrap() {
        assert!(!may(&format!("member:{}", current_member["id"].as_str().unwrap())).await);
    }
    drive
        .change_relationships(additions(&[&format!("document:plan viewer member:{ana}")]))
        .await
        .assert_problem(422, "unprocessable");
    assert_eq!(
        drive
            .change_relationships(removals(&[&format!("document:plan editor member:{ana}")]))
            .await
            .assert_status(200)
            .body["removed"],
        1
    );

    let operator = world.create_operator().await;
    world.create_assignment(&operator, tenant, "it pays late").await;
    operator.post(&tenant.path("/suspend"), json!({"reason": "late"})).await.assert_status(200);
    let response = world
        .post_authzen(&drive.service, EVALUATION, &evaluation_request(&machine, "write", "document:plan"))
        .await;
    // The service belongs to the suspended organization, so it cannot authenticate.
    assert!(response.body["decision"] != true, "{}", response.text);
}

async fn authzen_evaluation_is_limited_to_services_of_the_apis_owner(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    drive.add_relationships(&[&format!("document:plan editor member:{ana}")]).await;
    let request = evaluation_request(&format!("member:{ana}"), "write", "document:plan");
    assert!(world.evaluate(&drive.service, &request).await);
    let elsewhere = world.create_organization("elsewhere").await;
    let theirs = world.create_service_client(ClientOrigin::Organization(elsewhere.id)).await;
    let mut api_request = request.clone();
    api_request["context"] = json!({"api": DRIVE});
    for (service, body) in [
        (&theirs, &request),
        (&theirs, &api_request),
        (&world.create_service_client(ClientOrigin::Operator).await, &api_request),
    ] {
        problem(&world.post_authzen(service, EVALUATION, body).await, 400, "invalid_request");
    }
    api_request["context"]["api"] = json!("https://nobody.example");
    let unknown = world.post_authzen(&drive.service, EVALUATION, &api_request).await;
    api_request["context"]["api"] = json!("https://invoices.example");
    api_request["context"]["organization"] = json!(drive.tenant().id);
    assert!(
        !world.evaluate(&drive.service, &api_request).await,
        "an API without objects has none of this type"
    );
    api_request["context"]["api"] = json!(DRIVE);
    let of_others = world.post_authzen(&theirs, EVALUATION, &api_request).await;
    assert_eq!(
        (unknown.status, &unknown.body["detail"]),
        (of_others.status, &of_others.body["detail"]),
        "the API of another owner is answered like an unknown one"
    );
    let application = world
        .create_client(
            ClientKind::Application,
            ClientOrigin::Organization(drive.tenant().id),
            json!({"client_name": "Portal"}),
        )
        .await;
    let itself = world.create_service_client(ClientOrigin::DynamicRegistration).await;
    for client in [&application, &itself, &world.create_confidential_client().await] {
        problem(&world.post_authzen(client, EVALUATION, &request).await, 403, "forbidden");
    }
    let mut wrong = drive.service.clone();
    wrong.secret = Some("sn_cs_wrong".to_owned());
    let refused = world.post_authzen(&wrong, EVALUATION, &request).await;
    problem(&refused, 401, "invalid_client");
    assert!(refused.headers["www-authenticate"].to_str().unwrap().starts_with("Basic "));
}

async fn authzen_evaluation_never_mixes_organizations_of_an_instance_api(world: &World) {
    let (operator, api) = world.create_instance_drive_api().await;
    let (acme, rival) = (world.create_organization("acme").await, world.create_organization("rival").await);
    let (ana, rita) =
        (world.create_owner(&acme).await.membership, world.create_owner(&rival).await.membership);
    let service = world.create_service_client(ClientOrigin::Operator).await;
    for (tenant, membership) in [(&acme, ana), (&rival, rita)] {
        let body = additions(&[&format!("document:plan editor member:{membership}")]);
        operator
            .post(&format!("{api}/organizations/{}/relationships", tenant.id), body)
            .await
            .assert_status(200);
    }
    let ask = async |subject: String, organization: &str| {
        let mut request = evaluation_request(&subject, "write", "document:plan");
        request["context"] = json!({"organization": organization});
        world.evaluate(&service, &request).await
    };
    let of = |it: sinete_core::id::MembershipId| format!("member:{it}");
    assert!(
        ask(of(ana), "acme").await
            && ask(of(ana), &acme.id.to_string()).await
            && ask(of(rita), "rival").await
    );
    assert!(
        !ask(of(ana), "rival").await && !ask(of(rita), "acme").await,
        "the same object id in another organization"
    );
    assert!(!ask(of(ana), "nobody").await, "an unknown organization is denied like any other");
    problem(
        &world
            .post_authzen(&service, EVALUATION, &evaluation_request(&of(ana), "write", "document:plan"))
            .await,
        400,
        "invalid_request",
    );
    // Once the API is no longer offered to an organization, its relationships allow nothing.
    let version = operator.get(&api).await.assert_status(200).version();
    operator.patch(&api, version, json!({"offered_to_all": false})).await.assert_status(200);
    assert!(!ask(of(ana), "acme").await);
    operator
        .send_request(
            reqwest::Method::PUT,
            &format!("{api}/offers/acme"),
            crate::harness::api_caller::ApiRequest::default(),
        )
        .await
        .assert_status(204);
    assert!(ask(of(ana), "acme").await && !ask(of(rita), "rival").await);
    let their_own = world.create_service_client(ClientOrigin::Organization(acme.id)).await;
    problem(
        &world
            .post_authzen(&their_own, EVALUATION, &evaluation_request(&of(ana), "write", "document:plan"))
            .await,
        400,
        "invalid_request",
    );
}

async fn authzen_request_malformed_is_refused_and_an_unknown_object_is_denied(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = format!("member:{}", drive.create_member().await);
    let fine = evaluation_request(&ana, "read", "document:plan");
    for (pointer, value) in [
        ("/subject", Value::Null),
        ("/subject/type", json!("user")),
        ("/subject/id", json!(7)),
        ("/action", json!({})),
        ("/action/name", json!(1)),
        ("/resource", json!("x")),
        ("/resource/id", json!("")),
        ("/resource/id", json!("a b")),
        ("/resource/type", json!("Document")),
        ("/context", json!("x")),
        ("/context", json!({"api": 1})),
    ] {
        let mut request = fine.clone();
        let (at, name) = pointer.rsplit_once('/').unwrap();
        request.pointer_mut(at).unwrap()[name] = value;
        problem(&world.post_authzen(&drive.service, EVALUATION, &request).await, 400, "invalid_request");
    }
    problem(&world.post_authzen(&drive.service, EVALUATION, &json!([])).await, 400, "invalid_request");
    // Unknown members are ignored, as AuthZEN requires.
    let mut extended_request = fine.clone();
    extended_request["subject"]["properties"] = json!({"department": "Sales"});
    extended_request["surprise"] = json!([1]);
    let response = world.post_authzen(&drive.service, EVALUATION, &extended_request).await.is(200);
    assert_eq!(response.body, json!({"decision": false}));
    // An unknown subject or resource is denied without a reason; an unknown action or type is denied with one.
    for (subject, action, resource) in [
        ("member:nobody", "read", "document:plan"),
        ("client:nobody", "read", "document:plan"),
        (ana.as_str(), "read", "document:no-such"),
    ] {
        let response = world
            .post_authzen(&drive.service, EVALUATION, &evaluation_request(subject, action, resource))
            .await
            .is(200);
        assert_eq!(response.body, json!({"decision": false}));
    }
    for (action, resource) in [("burn", "document:plan"), ("read", "letter:plan")] {
        let response = world
            .post_authzen(&drive.service, EVALUATION, &evaluation_request(&ana, action, resource))
            .await
            .is(200);
        assert_eq!(response.body["decision"], false);
        assert!(response.body["context"]["reason"].is_string());
    }
}

async fn authzen_evaluation_beyond_its_bounds_is_an_error(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let chain: Vec<String> = (0..27).map(|n| format!("folder:f{n} parent folder:f{}", n + 1)).collect();
    drive.add_relationships(&chain.iter().map(String::as_str).collect::<Vec<_>>()).await;
    drive.add_relationships(&[&format!("folder:f27 owner member:{ana}")]).await;
    let subject = format!("member:{ana}");
    assert!(drive.is_allowed(&subject, "list", "folder:f2").await, "twenty-five steps are followed");
    for _ in 0..2 {
        let refused = world
            .post_authzen(&drive.service, EVALUATION, &evaluation_request(&subject, "list", "folder:f1"))
            .await;
        problem(&refused, 422, "unprocessable");
    }
    drive.add_relationships(&[&format!("folder:f9 viewer member:{ana}")]).await;
    assert!(drive.is_allowed(&subject, "list", "folder:f1").await, "a relationship within the limit decides");
    let wide: Vec<String> = (0..1_000).map(|n| format!("folder:wide viewer team:t{n}#member")).collect();
    for some in wide.chunks(100) {
        drive.add_relationships(&some.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    problem(
        &world
            .post_authzen(&drive.service, EVALUATION, &evaluation_request(&subject, "list", "folder:wide"))
            .await,
        422,
        "unprocessable",
    );
}

async fn authzen_metadata_is_published_and_x_request_id_is_echoed(world: &World) {
    let drive = world.create_drive_api().await;
    let published: Value = world.get("/.well-known/authzen-configuration").await.json().await.unwrap();
    assert_eq!(published["policy_decision_point"], world.issuer());
    assert_eq!(published["access_evaluation_endpoint"], format!("{}/access/v1/evaluation", world.issuer()));
    assert_eq!(published["access_evaluations_endpoint"], format!("{}/access/v1/evaluations", world.issuer()));
    for search_kind in ["subject", "resource", "action"] {
        assert_eq!(
            published[format!("search_{search_kind}_endpoint")],
            format!("{}/access/v1/search/{search_kind}", world.issuer())
        );
    }
    assert_eq!(world.get("/.well-known/authzen-configuration/elsewhere").await.status(), 404);
    let ask = async |path: &str, id: &str| {
        let request = world
            .http
            .post(world.public_url(path))
            .basic_auth(&drive.service.id, drive.service.secret.as_ref());
        let request = request.header("x-request-id", id).header("content-type", "application/json");
        let answer = request
            .body(evaluation_request("member:x", "read", "document:x").to_string())
            .send()
            .await
            .unwrap();
        answer.headers()["x-request-id"].to_str().unwrap().to_owned()
    };
    for path in [EVALUATION, "/access/v1/evaluations"] {
        assert_eq!(ask(path, "bfe9eb29-ab87").await, "bfe9eb29-ab87");
        assert_ne!(ask(path, &"x".repeat(200)).await, "x".repeat(200));
    }
    assert_ne!(ask("/connect/introspect", "bfe9eb29-ab87").await, "bfe9eb29-ab87");
}

async fn authzen_evaluation_must_name_the_api_where_several_have_objects(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let other = drive_named("https://attic.example", "boxes");
    drive.books.owner.create_api(other).await.assert_status(201);
    drive.add_relationships(&[&format!("document:plan editor member:{ana}")]).await;
    let mut request = evaluation_request(&format!("member:{ana}"), "share", "document:plan");
    problem(&world.post_authzen(&drive.service, EVALUATION, &request).await, 400, "invalid_request");
    request["context"] = json!({"api": DRIVE});
    assert!(world.evaluate(&drive.service, &request).await);
    request["context"] = json!({"api": "https://attic.example"});
    assert!(!world.evaluate(&drive.service, &request).await, "another API has objects of its own");
}

fn drive_named(identifier: &str, resource: &str) -> Value {
    let text = drive_api_definition()
        .to_string()
        .replace(DRIVE, identifier)
        .replace("documents:", &format!("{resource}:"));
    serde_json::from_str(&text).unwrap()
}

#[track_caller]
fn problem(response: &OAuthResponse, status: u16, code: &str) {
    assert_eq!(response.status, status, "{}", response.text);
    assert_eq!(response.body["code"], code, "{}", response.text);
}
