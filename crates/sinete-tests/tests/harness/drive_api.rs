//! An API with folders, documents and teams, the service that asks for it, and whoever keeps its relationships.

use super::api_caller::{ApiCaller, ApiResponse};
use super::grants::{GrantRequest, OAuthResponse, TestClient};
use super::organizations::{OPERATOR_SCOPE, OWNER_SCOPE, TestOrganization};
use super::token_endpoint::TokenFixture;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::client_id::ClientKind;
use sinete_core::id::MembershipId;
use sinete_store::oauth::clients::ClientOrigin;

/// The API of the stories about relationships.
pub const DRIVE: &str = "https://drive.example";

/// An organization with such an API of its own.
pub struct DriveApi<'w> {
    /// The organization, whose owner may do everything with documents.
    pub books: TokenFixture<'w>,
    /// The address of the API.
    pub api: String,
    /// The service that asks for it.
    pub service: TestClient,
}

/// What the API says of its objects.
pub fn object_types() -> Value {
    let through =
        |relation: &str, holders_of: &str| json!([{"relation": relation, "holders_of": holders_of}]);
    json!({
        "team": {"relations": {"member": {"subjects": ["member", "client", "team#member"]}}},
        "folder": {
            "relations": {
                "parent": {"subjects": ["folder"]},
                "owner": {"subjects": ["member"]},
                "editor": {"subjects": ["member", "team#member"], "includes": ["owner"], "through": through("parent", "editor")},
                "viewer": {"subjects": ["member", "client", "role", "team#member"], "includes": ["editor"], "through": through("parent", "viewer")},
            },
            "actions": {"list": {"relations": ["viewer"], "scope": "documents:read"}},
        },
        "document": {
            "relations": {
                "folder": {"subjects": ["folder"]},
                "editor": {"subjects": ["member", "client"], "through": through("folder", "editor")},
                "viewer": {"subjects": ["member", "role"], "includes": ["editor"], "through": through("folder", "viewer")},
            },
            "actions": {
                "read": {"relations": ["viewer"], "scope": "documents:read"},
                "write": {"relations": ["editor"], "scope": "documents:write"},
                "share": {"relations": ["editor"]},
            },
        },
    })
}

/// The API, as it is added.
pub fn drive_api_definition() -> Value {
    let permissions = json!([
        {"permission": "documents:read", "english": "Read documents"},
        {"permission": "documents:write", "english": "Write documents"},
    ]);
    json!({"identifier": DRIVE, "name": "Drive", "permissions": permissions, "object_types": object_types()})
}

/// Something that is written `type:id`, or `type:id#relation`.
pub fn parse_reference(text: &str) -> Value {
    let (of_type, id) = text.split_once(':').unwrap();
    match id.split_once('#') {
        Some((id, relation)) => json!({"type": of_type, "id": id, "relation": relation}),
        None => json!({"type": of_type, "id": id}),
    }
}

/// A relationship, written `document:plan viewer member:…`, as it is sent.
pub fn parse_relationship(text: &str) -> Value {
    let parts: Vec<&str> = text.split(' ').collect();
    let [object, relation, subject] = parts[..] else { panic!("{text} is no relationship") };
    json!({"object": parse_reference(object), "relation": relation, "subject": parse_reference(subject)})
}

/// The same with one more member.
pub fn with_member(mut value: Value, name: &str, more: &str) -> Value {
    value[name] = json!(more);
    value
}

/// These added.
pub fn additions(relationships: &[&str]) -> Value {
    json!({"changes": relationships.iter().map(|it| with_member(parse_relationship(it), "change", "add")).collect::<Vec<_>>()})
}

/// These removed.
pub fn removals(relationships: &[&str]) -> Value {
    json!({"changes": relationships.iter().map(|it| with_member(parse_relationship(it), "change", "remove")).collect::<Vec<_>>()})
}

/// A question.
pub fn evaluation_request(subject: &str, action: &str, resource: &str) -> Value {
    let (of_type, id) = subject.split_once(':').unwrap();
    json!({
        "subject": {"type": of_type, "id": id}, "action": {"name": action}, "resource": parse_reference(resource),
    })
}

impl World {
    /// An organization with such an API of its own.
    pub async fn create_drive_api(&self) -> DriveApi<'_> {
        let mut books = self.create_token_fixture().await;
        let made = books.owner.create_api(drive_api_definition()).await.assert_status(201);
        let api = books.tenant.path(&format!("/apis/{}", made.text_member("id")));
        let everything = format!("{OWNER_SCOPE} invoices:* files:* documents:*");
        books.owner = self.create_api_key_caller(&books.tenant, books.owner.membership, &everything).await;
        let role = json!({"name": "reader", "permissions": ["documents:read", "documents:write"]});
        books.owner.post(&books.tenant.path("/roles"), role).await.assert_status(201);
        let service = self.create_service_client(ClientOrigin::Organization(books.tenant.id)).await;
        DriveApi { books, api, service }
    }

    /// A service that keeps a secret.
    pub async fn create_service_client(&self, origin: ClientOrigin) -> TestClient {
        self.create_client(ClientKind::Service, origin, json!({"client_name": "An API"})).await
    }

    /// Such an API of the instance's, offered to everybody, and its address.
    pub async fn create_instance_drive_api(&self) -> (ApiCaller<'_>, String) {
        let house = self.find_organization("operator").await;
        let membership = self.create_member(&house, &["owner", "operator"]).await;
        let operator =
            self.create_api_key_caller(&house, membership, &format!("{OWNER_SCOPE} {OPERATOR_SCOPE}")).await;
        let mut api = drive_api_definition();
        api["offered_to_all"] = json!(true);
        let made = operator.post("/manage/apis", api).await.assert_status(201);
        (operator, format!("/manage/apis/{}", made.text_member("id")))
    }

    /// Asks a question at one of the endpoints, as a service.
    pub async fn post_authzen(&self, app: &TestClient, path: &str, body: &Value) -> OAuthResponse {
        let request = self.http.post(self.public_url(path)).basic_auth(&app.id, app.secret.as_ref());
        let request = request.header("content-type", "application/json").body(body.to_string());
        OAuthResponse::of(request.send().await.unwrap()).await
    }

    /// Whether the answer to a question is yes.
    pub async fn evaluate(&self, app: &TestClient, question: &Value) -> bool {
        let answered = self.post_authzen(app, "/access/v1/evaluation", question).await.is(200);
        answered.body["decision"].as_bool().unwrap()
    }
}

impl DriveApi<'_> {
    /// Where its relationships are.
    pub fn relationships_path(&self) -> String {
        format!("{}/relationships", self.api)
    }

    /// Changes relationships as the owner.
    pub async fn change_relationships(&self, body: Value) -> ApiResponse {
        self.books.owner.post(&self.relationships_path(), body).await
    }

    /// Adds these.
    pub async fn add_relationships(&self, relationships: &[&str]) {
        self.change_relationships(additions(relationships)).await.assert_status(200);
    }

    /// Whether somebody may do something.
    pub async fn is_allowed(&self, subject: &str, action: &str, resource: &str) -> bool {
        self.books.world.evaluate(&self.service, &evaluation_request(subject, action, resource)).await
    }

    /// An ordinary member.
    pub async fn create_member(&self) -> MembershipId {
        self.books.world.create_member(&self.books.tenant, &["reader"]).await
    }

    /// A token of a member's for this scope at the API, given to some application.
    pub async fn issue_token(&self, membership: MembershipId, scope: &str) -> String {
        let world = self.books.world;
        let app = world.create_confidential_client().await;
        let wanted = GrantRequest { audience: Some(DRIVE), ..GrantRequest::for_scope(scope) };
        world.create_grant(&self.books.tenant, membership, &app.id, wanted).await.issue_access_token().await
    }

    /// Where.
    pub const fn tenant(&self) -> &TestOrganization {
        &self.books.tenant
    }
}
