//! The management API through our JavaScript and Rust libraries: what they call is what the OpenAPI document describes.

use super::javascript;
use crate::both_engines;
use crate::harness::world::World;
use sinete_client::management::{CreateRoleRequest, ManagementClient, RolePatch};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// The generated files, by path.
fn made(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for part in ["javascript/src/management", "rust/src/management/generated"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{part}/{}", path.file_name().unwrap().to_str().unwrap());
            files.insert(name, std::fs::read_to_string(path).unwrap());
        }
    }
    let root = "rust/src/management/generated.rs";
    files.insert(root.to_owned(), std::fs::read_to_string(folder.join(root)).unwrap());
    files
}

/// The output of the administration example.
async fn example(world: &World, organization: &str, key: &str) -> String {
    let mut node = Command::new("node");
    node.arg(javascript("examples/admin.js")).args([world.issuer(), organization]).env("API_KEY", key);
    let ended = node.kill_on_drop(true).output().await.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap()
}

both_engines!(
    client_library_calls_match_the_openapi_description,
    client_library_manages_resources_in_javascript_and_rust
);

async fn client_library_calls_match_the_openapi_description(world: &World) {
    let folder = tempfile::tempdir().unwrap();
    let mut node = Command::new("node");
    node.arg(javascript("../generate.mjs")).arg(folder.path()).stdin(Stdio::piped()).kill_on_drop(true);
    let mut maker = node.spawn().unwrap();
    let description = world.openapi().await.to_string();
    maker.stdin.take().unwrap().write_all(description.as_bytes()).await.unwrap();
    assert!(maker.wait().await.unwrap().success());
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("clients");
    let (now, committed_files) = (made(folder.path()), made(&clients));
    assert!(now.len() > 10 && now.values().map(|text| text.lines().count()).sum::<usize>() > 4000);
    let stale: Vec<_> = now.iter().filter(|(path, text)| committed_files.get(*path) != Some(text)).collect();
    let stale: Vec<_> = stale.into_iter().map(|(path, _)| path).collect();
    let gone: Vec<_> = committed_files.keys().filter(|path| !now.contains_key(*path)).collect();
    assert!(stale.is_empty() && gone.is_empty(), "run clients/generate.mjs: {stale:?} {gone:?}");
}

async fn client_library_manages_resources_in_javascript_and_rust(world: &World) {
    let tenant = world.create_organization("acme").await;
    let owner = world.create_owner(&tenant).await;
    let organization = tenant.id.to_string();
    assert_eq!(
        example(world, &organization, &owner.secret).await,
        "\
            created reader once: true\n\
            changed: members:read roles:read\n\
            rejected: 412 version_changed\n\
            roles: admin member owner reader\n\
        removed: 404 not_found\n"
    );

    let management = ManagementClient::with_api_key(world.issuer(), &owner.secret).unwrap();
    let request = CreateRoleRequest {
        name: "reader".to_owned(),
        permissions: Some(vec!["members:read".to_owned()]),
        ..CreateRoleRequest::default()
    };
    let once = management.with_idempotency_key("make-another-reader");
    let created_role = once.create_role(&organization, &request).await.unwrap();
    assert_eq!(once.create_role(&organization, &request).await.unwrap().id, created_role.id);
    let patch = RolePatch { permissions: Some(Some(vec!["roles:read".to_owned()])), ..RolePatch::default() };
    let changed =
        management.update_role(&organization, &created_role.id, created_role.version, &patch).await.unwrap();
    assert_eq!((changed.permissions.len(), changed.version), (1, created_role.version + 1));
    let late = management
        .update_role(&organization, &created_role.id, created_role.version, &patch)
        .await
        .unwrap_err();
    assert_eq!((late.status, late.problem_type.as_str()), (Some(412), "version_changed"));
    let mut names: Vec<_> = management
        .list_roles(&organization)
        .limit(1)
        .collect_all()
        .await
        .unwrap()
        .into_iter()
        .map(|role| role.name)
        .collect();
    names.sort();
    assert_eq!(names, ["admin", "member", "owner", "reader"]);
    management.remove_role(&organization, &created_role.id, changed.version).await.unwrap();
    let gone = management.get_role(&organization, &created_role.id).await.unwrap_err();
    assert_eq!(
        (gone.status, gone.problem_type.as_str(), gone.request_id.is_some()),
        (Some(404), "not_found", true)
    );

    // A validation error names its field, and another organization is not found.
    let wrong = CreateRoleRequest { name: String::new(), ..CreateRoleRequest::default() };
    let wrong = management.create_role(&organization, &wrong).await.unwrap_err();
    assert_eq!(wrong.status, Some(422));
    assert!(wrong.errors.iter().any(|fault| fault.pointer == "/name"), "{wrong:?}");
    let other = world.create_organization("globex").await;
    let elsewhere = management.get_organization(&other.id.to_string()).await.unwrap_err();
    assert_eq!((elsewhere.status, elsewhere.problem_type.as_str()), (Some(404), "not_found"));
    let client = ManagementClient::with_api_key(world.issuer(), "sn_ak_x").unwrap();
    assert_eq!(client.get_organization(&organization).await.unwrap_err().status, Some(401));
}
