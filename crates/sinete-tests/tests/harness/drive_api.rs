//! An API with folders, documents and teams, for the stories about fine-grained authorization: its relationship model,
//! a service that evaluates access, and the owner who manages the relationships.

use super::api_caller::{ApiCaller, ApiResponse};
use super::grants::{GrantRequest, OAuthResponse, TestClient};
use super::organizations::{OPERATOR_SCOPE, OWNER_SCOPE, TestOrganization};
use super::token_endpoint::TokenFixture;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::client_id::ClientKind;
use sinete_core::id::MembershipId;
use sinete_store::oauth::clients::ClientOrigin;

/// The identifier of the API.
pub const DRIVE: &str = "https://drive.example";

/// An organization that has this API.
pub struct DriveApi<'w> {
    /// The organization. Its owner has every permission on documents.
    pub books: TokenFixture<'w>,
    /// The management path of the API.
    pub api: String,
    /// The service that sends evaluation and search requests.
    pub service: TestClient,
}

/// The object types of the API: their relations and actions.
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

/// The body of the request that adds the API.
pub fn drive_api_definition() -> Value {
    let permissions = json!([
        {"permission": "documents:read", "english": "Read documents"},
        {"permission": "documents:write", "english": "Write documents"},
    ]);
    json!({"identifier": DRIVE, "name": "Drive", "permissions": permissions, "object_types": object_types()})
}

/// Parses `type:id` or `type:id#relation`.
pub fn parse_reference(text: &str) -> Value {
    let (of_type, id) = text.split_once(':').unwrap();
    match id.split_once('#') {
        Some((id, relation)) => json!({"type": of_type, "id": id, "relation": relation}),
        None => json!({"type": of_type, "id": id}),
    }
}

/// Parses `document:plan viewer member:…` into the JSON of a relationship.
pub fn parse_relationship(text: &str) -> Value {
    let parts: Vec<&str> = text.split(' ').collect();
    let [object, relation, subject] = parts[..] else { panic!("{text} is not a relationship") };
    json!({"object": parse_reference(object), "relation": relation, "subject": parse_reference(subject)})
}

pub fn with_member(mut value: Value, name: &str, member_value: &str) -> Value {
    value[name] = json!(member_value);
    value
}

/// A change that adds these relationships.
pub fn additions(relationships: &[&str]) -> Value {
    json!({"changes": relationships.iter().map(|it| with_member(parse_relationship(it), "change", "add")).collect::<Vec<_>>()})
}

/// A change that removes these relationships.
pub fn removals(relationships: &[&str]) -> Value {
    json!({"changes": relationships.iter().map(|it| with_member(parse_relationship(it), "change", "remove")).collect::<Vec<_>>()})
}

/// An AuthZEN evaluation request.
pub fn evaluation_request(subject: &str, action: &str, resource: &str) -> Value {
    let (of_type, id) = subject.split_once(':').unwrap();
    json!({
        "subject": {"type": of_type, "id": id}, "action": {"name": action}, "resource": parse_reference(resource),
    })
}

impl World {
    pub async fn create_drive_api(&self) -> DriveApi<'_> {
        let mut books = self.create_token_fixture().await;
        let response = books.owner.create_api(drive_api_definition()).await.assert_status(201);
        let api = books.tenant.path(&format!("/apis/{}", response.text_member("id")));
        let everything = format!("{OWNER_SCOPE} invoices:* files:* documents:*");
        books.owner = self.create_api_key_caller(&books.tenant, books.owner.membership, &everything).await;
        let role = json!({"name": "reader", "permissions": ["documents:read", "documents:write"]});
        books.owner.post(&books.tenant.path("/roles"), role).await.assert_status(201);
        let service = self.create_service_client(ClientOrigin::Organization(books.tenant.id)).await;
        DriveApi { books, api, service }
    }

    /// A service with a client secret.
    pub async fn create_service_client(&self, origin: ClientOrigin) -> TestClient {
        self.create_client(ClientKind::Service, origin, json!({"client_name": "An API"})).await
    }

    /// Adds the API to the instance, for every organization. Returns an operator and the management path.
    pub async fn create_instance_drive_api(&self) -> (ApiCaller<'_>, String) {
        let house = self.find_organization("operator").await;
        let membership = self.create_member(&house, &["owner", "operator"]).await;
        let operator =
            self.create_api_key_caller(&house, membership, &format!("{OWNER_SCOPE} {OPERATOR_SCOPE}")).await;
        let mut api = drive_api_definition();
        api["offered_to_all"] = json!(true);
        let response = operator.post("/manage/apis", api).await.assert_status(201);
        (operator, format!("/manage/apis/{}", response.text_member("id")))
    }

    /// Sends a request to an AuthZEN endpoint, authenticated as a service.
    pub async fn post_authzen(&self, app: &TestClient, path: &str, body: &Value) -> OAuthResponse {
        let request = self.http.post(self.public_url(path)).basic_auth(&app.id, app.secret.as_ref());
        let request = request.header("content-type", "application/json").body(body.to_string());
        OAuthResponse::of(request.send().await.unwrap()).await
    }

    /// The decision about an evaluation request.
    pub async fn evaluate(&self, app: &TestClient, question: &Value) -> bool {
        let response = self.post_authzen(app, "/access/v1/evaluation", question).await.is(200);
        response.body["decision"].as_bool().unwrap()
    }
}

impl DriveApi<'_> {
    pub fn relationships_path(&self) -> String {
        format!("{}/relationships", self.api)
    }

    /// Sends a change of relationships as the owner.
    pub async fn change_relationships(&self, body: Value) -> ApiResponse {
        self.books.owner.post(&self.relationships_path(), body).await
    }

    pub async fn add_relationships(&self, relationships: &[&str]) {
        self.change_relationships(additions(relationships)).await.assert_status(200);
    }

    /// Whether the evaluation endpoint allows the action.
    pub async fn is_allowed(&self, subject: &str, action: &str, resource: &str) -> bool {
        self.books.world.evaluate(&self.service, &evaluation_request(subject, action, resource)).await
    }

    /// A member with the role `reader`.
    pub async fn create_member(&self) -> MembershipId {
        self.books.world.create_member(&self.books.tenant, &["reader"]).await
    }

    /// An access token for the API with this scope, granted by a member to a new application.
    pub async fn issue_token(&self, membership: MembershipId, scope: &str) -> String {
        let world = self.books.world;
        let app = world.create_confidential_client().await;
        let request = GrantRequest { audience: Some(DRIVE), ..GrantRequest::for_scope(scope) };
        world.create_grant(&self.books.tenant, membership, &app.id, request).await.issue_access_token().await
    }

    pub const fn tenant(&self) -> &TestOrganization {
        &self.books.tenant
    }
}
