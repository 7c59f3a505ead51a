//! Tests of DPoP with two processes on one PostgreSQL database: a nonce of one node is valid on the other,
//! and a proof used at one is rejected at both.

use crate::machine::{PATIENCE, Server};
use crate::two_nodes::two_machines;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete::os::SystemClock;
use sinete_core::oauth::dpop::compute_ath;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const ISSUER: &str = "https://id.example.com";
const MEMBERS: &str = "/manage/organizations/acme/members";

/// A DPoP proof for a request, with this nonce and this access token.
fn proof(key: &SigningKey, method: &str, path: &str, id: &str, nonce: &str, token: Option<&str>) -> String {
    let header = json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.public_jwk()});
    let mut claims = json!({
        "htm": method, "htu": format!("{ISSUER}{path}"), "iat": SystemClock.now().seconds(), "jti": id, "nonce": nonce,
    });
    if let Some(token) = token {
        claims["ath"] = json!(compute_ath(token));
    }
    let text = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}

/// The response of a node: status, next nonce and body.
fn asked(node: &Server, head: &str, body: &str) -> (u16, String, Value) {
    let mut stream = TcpStream::connect(node.public).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    write!(stream, "{head}Host: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let nonce = head.lines().find_map(|line| line.strip_prefix("dpop-nonce: ")).expect("a nonce").to_owned();
    (status, nonce, serde_json::from_str(body).unwrap_or_default())
}

#[test]
fn dpop_nonce_is_valid_on_both_nodes_and_a_proof_only_once() {
    let (machines, secret) = two_machines();
    let machines = machines.map(|machine| machine.with("SINETE_DPOP__NONCE", "always"));
    let [one, other] = [0, 1].map(|index: usize| machines[index].serve());
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let form =
        format!("grant_type=client_credentials&client_id=robot&client_secret={secret}&scope=members:read");
    let token = |node: &Server, proof: &str| {
        let head = format!(
            "POST /connect/token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nDPoP: {proof}\r\n"
        );
        asked(node, &head, &form)
    };
    let (status, nonce, refused) = token(&one, &proof(&key, "POST", "/connect/token", "a", "none", None));
    assert_eq!((status, &refused["error"]), (400, &json!("use_dpop_nonce")));
    let first_proof = proof(&key, "POST", "/connect/token", "a", &nonce, None);
    let (status, nonce, token_response) = token(&other, &first_proof);
    assert_eq!((status, &token_response["token_type"]), (200, &json!("DPoP")), "{token_response}");
    for node in [&one, &other] {
        let (status, _, refused) = token(node, &first_proof);
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_dpop_proof")));
    }
    let bound = token_response["access_token"].as_str().unwrap();
    let looks = |node: &Server, proof: &str| {
        asked(
            node,
            &format!("GET {MEMBERS} HTTP/1.1\r\nAuthorization: DPoP {bound}\r\nDPoP: {proof}\r\n"),
            "",
        )
        .0
    };
    let first_proof = proof(&key, "GET", MEMBERS, "b", &nonce, Some(bound));
    assert_eq!(
        (looks(&one, &first_proof), looks(&other, &first_proof), looks(&one, &first_proof)),
        (200, 401, 401)
    );
    let thief = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    assert_eq!(looks(&other, &proof(&thief, "GET", MEMBERS, "c", &nonce, Some(bound))), 401);
    for node in [one, other] {
        node.stop().succeeded();
    }
}
