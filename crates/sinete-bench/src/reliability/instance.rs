//! The instance that is tested: clients and a user, set up with the program's own commands and the API only, so that
//! programs of another version can be tested too.

use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::chain::extract_member;
use crate::load::connection::HttpConnection;
use crate::many_people::{HASH, PASSWORD};
use crate::measure_tokens::{CHALLENGE, TOKEN, VERIFIER};
use crate::server::{ChildServer, ServerPlan, free_address, start_sinete_at};
use crate::token_instance::{INSTANCE, INVOICES, run_command};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

const USER_EMAIL: &str = "ana@example.com";

/// An instance in a folder.
#[derive(Clone, Debug)]
pub struct TestedInstance {
    /// Its folder.
    pub folder: PathBuf,
    /// The client authentication of the service, as the beginning of a form.
    pub robot: String,
    /// The client authentication of the application.
    pub app: String,
    variables: Vec<(String, String)>,
}

/// What clients send.
#[derive(Clone, Debug)]
pub struct ClientCredentials {
    /// The client authentication of the service, as the beginning of a form.
    pub robot: String,
    /// The client authentication of the application.
    pub app: String,
    /// The session token of the user.
    pub session: String,
}

/// A server process of the instance, on the same listeners after each start.
#[derive(Debug)]
pub struct ServerNode {
    /// The program.
    pub program: PathBuf,
    /// The public listener.
    pub address: SocketAddr,
    /// The admin listener.
    pub admin: SocketAddr,
    /// Shell commands that set a limit before it starts.
    pub limits: Option<String>,
    folder: PathBuf,
    variables: Vec<(String, String)>,
    server: Option<ChildServer>,
}

impl TestedInstance {
    /// Sets the instance up with a program. The data folder and the database may be elsewhere.
    pub fn prepare(
        program: &Path,
        folder: &Path,
        data: &Path,
        database: Option<&str>,
    ) -> Result<Self, BenchError> {
        let embedded = format!("sqlite://{}", data.join("sinete.db").display());
        // All nodes have the issuer of the first, whose port is not used by anything else.
        let issuer = format!("http://localhost:{}", free_address()?.port());
        let variables = vec![
            ("SINETE_DATA_DIR".to_owned(), data.display().to_string()),
            ("SINETE_DATABASE_URL".to_owned(), database.unwrap_or(&embedded).to_owned()),
            ("SINETE_BASE_URL".to_owned(), issuer),
        ];
        let mut instance =
            Self { folder: folder.to_owned(), robot: String::new(), app: String::new(), variables };
        for client in ["robot", "app"] {
            let secret = instance.run(program, &["admin", "client-secret"])?;
            write_file(&folder.join(format!("{client}.secret")), &secret)?;
            let proof = format!("client_id={client}&client_secret={}", secret.trim());
            if client == "robot" { instance.robot = proof } else { instance.app = proof }
        }
        write_file(&folder.join("instance.toml"), INSTANCE)?;
        instance.run(program, &["apply", "-f", "instance.toml", "--yes"])?;
        instance.run(program, &["keys", "generate", "--algorithm", "EdDSA"])?;
        let user = format!(
            "{{\"email\": \"{USER_EMAIL}\", \"email_verified\": true, \"password_hash\": \"{HASH}\"}}\n"
        );
        write_file(&folder.join("people.jsonl"), &user)?;
        instance.run(
            program,
            &["import", "people.jsonl", "--source", "reliability", "--trust-addresses"]
                .iter()
                .chain(&["--organization", "bench", "--role", "clerk"])
                .copied()
                .collect::<Vec<_>>(),
        )?;
        Ok(instance)
    }

    /// Runs a command of the program against the instance and returns its output.
    pub fn run(&self, program: &Path, arguments: &[&str]) -> Result<String, BenchError> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir(&self.folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        run_command(command, arguments)
    }

    /// The result of `sinete log verify`: a finding, or nothing.
    pub fn verify_log(&self, program: &Path) -> Vec<String> {
        match self.run(program, &["log", "verify"]) {
            Ok(text) if text.starts_with("0 findings") => Vec::new(),
            Ok(text) => vec![format!("log verify found {}", text.trim())],
            Err(error) => vec![error.to_string()],
        }
    }

    /// A node that is not running yet.
    pub fn create_node(&self, program: &Path, name: &str) -> Result<ServerNode, BenchError> {
        let folder = self.folder.join(name);
        std::fs::create_dir(&folder).map_err(|source| BenchError::io("make the folder of a node", source))?;
        Ok(ServerNode {
            program: program.to_owned(),
            address: free_address()?,
            admin: free_address()?,
            limits: None,
            folder,
            variables: self.variables.clone(),
            server: None,
        })
    }

    /// Signs the user in on a node.
    pub async fn sign_in(&self, node: &ServerNode) -> Result<ClientCredentials, BenchError> {
        let mut connection = HttpConnection::new(node.address);
        let begin = LoadRequest::post_json("/flows", "None", r#"{"kind":"sign_in","session":"token"}"#);
        let started = exchange_text(&mut connection, &begin).await?;
        let flow_credentials = extract_member(started.as_bytes(), "id")
            .zip(extract_member(started.as_bytes(), "flow_token"))
            .ok_or_else(|| BenchError::Unexpected(format!("no flow was begun: {started}")))?;
        let body = format!(r#"{{"email":"{USER_EMAIL}","password":"{PASSWORD}"}}"#);
        let path = format!("/flows/{}/password", flow_credentials.0);
        let request = LoadRequest::post_json(&path, &format!("Flow {}", flow_credentials.1), &body);
        let signed_in = exchange_text(&mut connection, &request).await?;
        let session = extract_member(signed_in.as_bytes(), "session_token")
            .ok_or_else(|| BenchError::Unexpected(format!("the user was not signed in: {signed_in}")))?;
        Ok(ClientCredentials { robot: self.robot.clone(), app: self.app.clone(), session })
    }
}

impl ClientCredentials {
    /// The request of an access token for the service.
    pub fn token_request(&self) -> LoadRequest {
        let form = format!("{}&grant_type=client_credentials&resource={INVOICES}", self.robot);
        LoadRequest::post_form(TOKEN, &form)
    }

    /// The authorization request of the signed-in user.
    pub fn authorization_request(&self) -> LoadRequest {
        let path = format!(
            "/connect/authorize?response_type=code&client_id=app&redirect_uri=https://app.example/callback\
             &scope=openid%20offline_access%20invoices:read&resource={INVOICES}&state=s&nonce=n\
             &code_challenge={CHALLENGE}&code_challenge_method=S256"
        );
        LoadRequest::get_authorized(&path, &format!("Session {}", self.session))
    }

    /// The redemption of a code.
    pub fn redemption_request(&self, code: &str) -> LoadRequest {
        let form = format!(
            "{}&grant_type=authorization_code&redirect_uri=https://app.example/callback\
             &code_verifier={VERIFIER}&code={code}",
            self.app
        );
        LoadRequest::post_form(TOKEN, &form)
    }

    /// The rotation of a refresh token.
    pub fn refresh_request(&self, token: &str) -> LoadRequest {
        let form = format!("{}&grant_type=refresh_token&refresh_token={token}", self.app);
        LoadRequest::post_form(TOKEN, &form)
    }

    /// The revocation of an access token of the service.
    pub fn revocation_request(&self, token: &str) -> LoadRequest {
        LoadRequest::post_form("/connect/revoke", &format!("{}&token={token}", self.robot))
    }

    /// The introspection of an access token of the service.
    pub fn introspection_request(&self, token: &str) -> LoadRequest {
        LoadRequest::post_form("/connect/introspect", &format!("{}&token={token}", self.robot))
    }
}

impl ServerNode {
    /// Starts it and waits until it is ready.
    pub async fn start(&mut self) -> Result<(), BenchError> {
        let plan = ServerPlan { address: self.address, admin: self.admin, limits: self.limits.as_deref() };
        self.server = Some(start_sinete_at(&self.program, &self.folder, plan, &self.variables).await?);
        Ok(())
    }

    /// Kills it as `kill -9` does.
    pub async fn kill(&mut self) -> Result<(), BenchError> {
        match self.server.take() {
            Some(server) => server.kill().await,
            None => Ok(()),
        }
    }

    /// Asks it to stop and waits.
    pub async fn stop(&mut self) -> Result<(), BenchError> {
        match self.server.take() {
            Some(server) => server.stop().await,
            None => Ok(()),
        }
    }

    /// The resident memory of its process, in bytes.
    pub fn resident_bytes(&self) -> Result<u64, BenchError> {
        match &self.server {
            Some(server) => server.process.resident_bytes(),
            None => Ok(0),
        }
    }

    /// The status of a path of the admin listener; `None` without an answer.
    pub async fn admin_status(&self, path: &str) -> Option<u16> {
        let mut connection = HttpConnection::new(self.admin);
        let answer = connection.exchange(LoadRequest::get(path).bytes()).await;
        answer.ok().map(|answer| answer.status)
    }
}

async fn exchange_text(connection: &mut HttpConnection, request: &LoadRequest) -> Result<String, BenchError> {
    let answer = connection.exchange(request.bytes()).await;
    let answer = answer.map_err(|fault| BenchError::Unexpected(format!("no answer: {fault}")))?;
    Ok(String::from_utf8_lossy(answer.bytes).into_owned())
}

fn write_file(path: &Path, text: &str) -> Result<(), BenchError> {
    std::fs::write(path, text).map_err(|source| BenchError::io(format!("write {}", path.display()), source))
}
