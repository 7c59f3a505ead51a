//! Tests of GeoIP lookups with a file in MaxMind's format, built byte by byte.

use crate::machine::{Machine, Server, eventually};
use crate::sign_in_on_nodes::{PASSWORD, ask, ask_with, held, mailed_code, thrifty};
use serde_json::{Value, json};
use sinete::outbound::geoip_file::GeoIpFile;
use sinete_core::sign_in::impossible_travel::GeoPoint;
use sinete_engine::ports::GeoIpLookup as _;
use std::path::{Path, PathBuf};

/// A /24 network and its data.
type Network = ([u8; 3], Vec<u8>);

/// A record without a target yet.
const NOWHERE: u32 = u32::MAX;

/// Builds a file of these networks.
fn file(networks: &[Network]) -> Vec<u8> {
    // A node has two records: for 0 and for 1 as the next bit.
    let mut nodes = vec![[NOWHERE; 2]];
    let mut leaves = Vec::new();
    let mut data = Vec::new();
    for (network, city) in networks {
        let bits = u32::from_be_bytes([0, network[0], network[1], network[2]]);
        let mut node = 0;
        for depth in 0..23 {
            let side = (bits >> (23 - depth) & 1) as usize;
            if nodes[node][side] == NOWHERE {
                nodes[node][side] = u32::try_from(nodes.len()).unwrap();
                nodes.push([NOWHERE; 2]);
            }
            node = nodes[node][side] as usize;
        }
        leaves.push((node, (bits & 1) as usize, u32::try_from(data.len()).unwrap()));
        data.extend(city);
    }
    let count = u32::try_from(nodes.len()).unwrap();
    for (node, side, at) in leaves {
        // Sixteen zero bytes separate the tree from the data.
        nodes[node][side] = count + 16 + at;
    }
    let records = nodes.iter().flatten().map(|record| if *record == NOWHERE { count } else { *record });
    let tree: Vec<u8> = records.flat_map(|record| record.to_be_bytes()[1..].to_vec()).collect();
    let metadata = map(&[
        ("binary_format_major_version", uint16(2)),
        ("binary_format_minor_version", uint16(0)),
        ("build_epoch", uint64(1_700_000_000)),
        ("database_type", text("GeoLite2-City")),
        ("description", map(&[])),
        ("ip_version", uint16(4)),
        ("languages", vec![0x00, 0x04]),
        ("node_count", uint32(count)),
        ("record_size", uint16(24)),
    ]);
    [tree, vec![0; 16], data, b"\xab\xcd\xefMaxMind.com".to_vec(), metadata].concat()
}

fn city(name: &str, country: &str, latitude: f64, longitude: f64) -> Vec<u8> {
    let names = |name: &str| map(&[("names", map(&[("en", text(name))]))]);
    let location = map(&[("latitude", double(latitude)), ("longitude", double(longitude))]);
    map(&[("city", names(name)), ("country", names(country)), ("location", location)])
}

fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0xe0 | u8::try_from(entries.len()).unwrap()];
    for (name, value) in entries {
        bytes.extend(text(name));
        bytes.extend(value);
    }
    bytes
}

fn text(text: &str) -> Vec<u8> {
    [&[0x40 | u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat()
}

fn double(number: f64) -> Vec<u8> {
    [&[0x68][..], &number.to_be_bytes()].concat()
}

fn uint16(number: u16) -> Vec<u8> {
    [&[0xa2][..], &number.to_be_bytes()].concat()
}

fn uint32(number: u32) -> Vec<u8> {
    [&[0xc4][..], &number.to_be_bytes()].concat()
}

fn uint64(number: u64) -> Vec<u8> {
    [&[0x08, 0x02][..], &number.to_be_bytes()].concat()
}

/// A file with two cities.
fn two_cities(machine: &Machine) -> PathBuf {
    let recife = ([198, 51, 100], city("Recife", "Brazil", -8.05, -34.9));
    let lisbon = ([203, 0, 113], city("Lisbon", "Portugal", 38.72, -9.14));
    let path = machine.path("city.mmdb");
    std::fs::write(&path, file(&[recife, lisbon])).unwrap();
    path
}

#[test]
fn geoip_lookup_finds_an_address_in_its_network_only() {
    let machine = Machine::new();
    let places = GeoIpFile::open(&two_cities(&machine)).unwrap();
    let geo_location = places.locate("203.0.113.77".parse().unwrap()).unwrap();
    assert_eq!(geo_location.label, "Lisbon, Portugal");
    assert_eq!(geo_location.point, Some(GeoPoint { latitude: 38.72, longitude: -9.14 }));
    assert_eq!(places.locate("::ffff:203.0.113.77".parse().unwrap()), Some(geo_location));
    assert_eq!(places.locate("198.51.100.1".parse().unwrap()).unwrap().label, "Recife, Brazil");
    for elsewhere in ["203.0.114.1", "192.0.2.1", "2001:db8::1"] {
        assert_eq!(places.locate(elsewhere.parse().unwrap()), None, "{elsewhere}");
    }
}

#[test]
fn invalid_geoip_file_is_refused_by_name() {
    let machine = Machine::new();
    let path = machine.path("city.mmdb");
    std::fs::write(&path, b"not a database").unwrap();
    assert!(GeoIpFile::open(&path).err().unwrap().contains("city.mmdb"));
    assert!(GeoIpFile::open(Path::new("/nowhere.mmdb")).is_err());
    machine.with("SINETE_ALERTS_GEOIP_FILE", "city.mmdb").run(&["serve"]).saying("city.mmdb");
}

/// Runs a flow with this client address in the forwarding header, and returns the last response.
fn walks(node: &Server, from: &str, kind: &str, steps: &[(&str, &dyn Fn() -> Value)]) -> Value {
    let proxied = format!("X-Forwarded-For: {from}\r\n");
    let flow_request = json!({"kind": kind, "session": "token"});
    let (status, mut body) = ask_with(node, "POST /flows", &proxied, "", &flow_request);
    assert_eq!(status, 201, "{body}");
    let id = body["id"].as_str().unwrap().to_owned();
    let mut token = String::new();
    for (action, build_body) in steps {
        if let Some(newer) = body["flow_token"].as_str() {
            newer.clone_into(&mut token);
        }
        let request_line = format!("POST /flows/{id}/{action}");
        let (status, next) = ask_with(node, &request_line, &proxied, &format!("Flow {token}"), &build_body());
        assert_eq!(status, 200, "{next}");
        body = next;
    }
    body
}

#[test]
fn impossible_travel_alerts_the_user_and_sessions_show_their_location() {
    let machine = thrifty().with("SINETE_TRUSTED_PROXIES", "127.0.0.0/8");
    two_cities(&machine);
    let machine = machine.with("SINETE_ALERTS_GEOIP_FILE", "city.mmdb");
    let node = machine.serve();
    let details = || json!({"email": "ana@example.com", "password": PASSWORD});
    let code = || json!({"code": mailed_code(&node, "ana@example.com")});
    walks(&node, "198.51.100.7", "sign_up", &[("details", &details), ("code", &code)]);
    let body = walks(&node, "203.0.113.7", "sign_in", &[("password", &details)]);

    let (_, sessions) = ask(&node, "GET /account/sessions", &held(&body), &Value::Null);
    let mut places: Vec<_> =
        sessions["items"].as_array().unwrap().iter().map(|it| it["place"].clone()).collect();
    places.sort_by_key(Value::to_string);
    assert_eq!(places, ["Lisbon, Portugal", "Recife, Brazil"], "{sessions}");
    eventually("the alert arrives", || {
        let (_, mailbox) = ask(&node, "GET /dev/mail", "", &Value::Null);
        let items = mailbox["items"].as_array().cloned().unwrap_or_default();
        items.iter().any(|mail| {
            let (subject, text) = (mail["subject"].as_str().unwrap(), mail["text"].as_str().unwrap());
            subject.contains("Unusual sign-in")
                && text.contains("Lisbon, Portugal")
                && text.contains("203.0.113.7")
        })
    });
}
