//! Mutations of a request.

use super::drawn;
use super::seeds::{Body, Seed};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::entropy::Entropy;

/// Values that often break parsers.
const NASTY: &[&str] = &[
    "",
    " ",
    "\0",
    "\r\nX: y",
    "%00",
    "%",
    "%zz",
    "../../etc/passwd",
    "' OR 1=1 --",
    "<script>",
    "${7*7}",
    "null",
    "-1",
    "0",
    "1e400",
    "9223372036854775808",
    "true",
    "[]",
    "{}",
    "*:*",
    "openid openid",
    "invoices:*",
    "é\u{202e}",
    "𝒳",
    "\u{feff}",
    "a:b:c",
    "https://evil.example",
    "javascript:alert(1)",
    "http://127.0.0.1@evil.example",
    "sn_rt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "eyJhbGciOiJub25lIn0.e30.",
    "a.b.c",
    "urn:x",
    "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
    "{\"a\":{\"a\":{\"a\":1}}}",
];

struct Dice<'a>(&'a dyn Entropy);

impl Dice<'_> {
    fn below(&self, bound: usize) -> usize {
        usize::try_from(drawn(self.0) >> 1).unwrap_or_default() % bound.max(1)
    }

    fn nasty(&self, before: &str) -> String {
        match self.below(6) {
            0 => "x".repeat(self.below(9_000)),
            1 => before.chars().rev().collect(),
            2 => before.chars().take(self.below(before.chars().count() + 1)).collect(),
            3 => self.flipped(before),
            _ => NASTY[self.below(NASTY.len())].to_owned(),
        }
    }

    fn flipped(&self, before: &str) -> String {
        let mut characters: Vec<char> = before.chars().collect();
        if !characters.is_empty() {
            let index = self.below(characters.len());
            characters[index] = char::from_u32(u32::try_from(self.below(0x250)).unwrap()).unwrap_or('?');
        }
        characters.into_iter().collect()
    }

    fn spoil_pairs(&self, pairs: &mut Vec<(String, String)>) {
        if pairs.is_empty() {
            return pairs.push((self.nasty("x"), self.nasty("y")));
        }
        let index = self.below(pairs.len());
        match self.below(6) {
            0 => drop(pairs.remove(index)),
            1 => pairs.push(pairs[index].clone()),
            2 => pairs[index].0 = self.nasty(&pairs[index].0.clone()),
            3 => pairs.push((self.nasty("x"), self.nasty("y"))),
            _ => pairs[index].1 = self.nasty(&pairs[index].1.clone()),
        }
    }

    fn spoil_json(&self, value: &mut Value) {
        let other = match self.below(7) {
            0 => Value::Null,
            1 => json!(i64::MIN),
            2 => json!([[[[]]]]),
            3 => json!({"a": {}}),
            4 => json!(true),
            _ => json!(self.nasty("text")),
        };
        match value {
            Value::Object(members) if !members.is_empty() && self.below(5) > 0 => {
                let name = members.keys().nth(self.below(members.len())).unwrap().clone();
                match self.below(4) {
                    0 => drop(members.remove(&name)),
                    1 => drop(members.insert(self.nasty(&name), other)),
                    _ => self.spoil_json(members.get_mut(&name).unwrap()),
                }
            }
            Value::Array(elements) if !elements.is_empty() && self.below(4) > 0 => {
                let index = self.below(elements.len());
                self.spoil_json(&mut elements[index]);
            }
            _ => *value = other,
        }
    }
}

/// The seed with one to three mutations, rarely with none.
pub fn spoiled(world: &World, seed: &Seed, entropy: &dyn Entropy) -> reqwest::RequestBuilder {
    let dice = Dice(entropy);
    let mut seed = seed.clone();
    let mut raw = None;
    for _ in 0..dice.below(4) {
        match dice.below(10) {
            0 => {
                seed.path =
                    format!("{}{}", seed.path, dice.nasty("/x").replace(['\0', '\r', '\n', ' '], "%20"))
            }
            1 if !seed.proves && !seed.headers.is_empty() => {
                let index = dice.below(seed.headers.len());
                seed.headers[index].1 = dice.nasty(&seed.headers[index].1.clone());
            }
            2 => dice.spoil_pairs(&mut seed.query),
            3 if dice.below(4) == 0 => raw = Some(dice.nasty("grant_type=client_credentials&a=%E2%28")),
            _ => match &mut seed.body {
                Body::Form(pairs) => dice.spoil_pairs(pairs),
                Body::Json(value) => dice.spoil_json(value),
                Body::Nothing => dice.spoil_pairs(&mut seed.query),
            },
        }
    }
    let path = seed.path.trim_start_matches('/').replace(['?', '#'], "%3f");
    let address = world.public_url(&format!("/{path}"));
    let mut address: url::Url = address.parse().unwrap_or_else(|_| world.public_url("/").parse().unwrap());
    if !seed.query.is_empty() {
        address.query_pairs_mut().extend_pairs(&seed.query);
    }
    let mut request = world.http.request(seed.method.clone(), address);
    for (name, value) in &seed.headers {
        request = request.header(*name, value);
    }
    match (seed.body, raw) {
        (Body::Form(_), Some(raw)) => {
            request.header("content-type", "application/x-www-form-urlencoded").body(raw)
        }
        (Body::Json(_), Some(raw)) => request.header("content-type", "application/json").body(raw),
        (Body::Form(pairs), None) => request.form(&pairs),
        (Body::Json(value), None) => request.json(&value),
        (Body::Nothing, _) => request,
    }
}
