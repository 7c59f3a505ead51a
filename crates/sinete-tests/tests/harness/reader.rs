//! A browser that reads pages and keeps cookies, and runs nothing.

use super::world::World;
use reqwest::header::{LOCATION, SET_COOKIE};
use std::collections::BTreeMap;

/// How many redirects are followed before somebody is going round in circles.
const REDIRECTS_MAX: usize = 5;

/// Somebody who reads pages.
pub struct Reader<'w> {
    /// Where.
    pub world: &'w World,
    /// What the browser says about the languages its owner reads.
    pub languages: &'static str,
    /// What it was told to keep.
    pub cookies: BTreeMap<String, String>,
}

impl World {
    /// Somebody who reads pages in these languages and is nobody yet.
    pub fn reader(&self, languages: &'static str) -> Reader<'_> {
        Reader { world: self, languages, cookies: BTreeMap::new() }
    }
}

impl Reader<'_> {
    /// The same, signed in.
    pub fn holding(mut self, session: &str) -> Self {
        self.cookies.insert("session".to_owned(), session.to_owned());
        self
    }

    /// Opens an address of the service and reads the page it leads to.
    pub async fn reads(&mut self, address: &str) -> String {
        let mut address = self.here(address);
        for _ in 0..REDIRECTS_MAX {
            let cookies: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let request = self.world.http.get(&address).header("accept", "text/html");
            let request = request.header("accept-language", self.languages);
            let answer = request.header("cookie", cookies.join("; ")).send().await.unwrap();
            for line in answer.headers().get_all(SET_COOKIE) {
                let (name, rest) = line.to_str().unwrap().split_once('=').unwrap();
                let value = rest.split(';').next().unwrap();
                if value.is_empty() {
                    self.cookies.remove(name);
                } else {
                    self.cookies.insert(name.to_owned(), value.to_owned());
                }
            }
            match answer.headers().get(LOCATION) {
                Some(location) => address = self.here(location.to_str().unwrap()),
                None => {
                    let status = answer.status();
                    let page = answer.text().await.unwrap();
                    assert_eq!(status, 200, "{address}: {page}");
                    return page;
                }
            }
        }
        panic!("{address} leads round in circles");
    }

    /// An address by the name the service goes by, or a path, as a place to connect to.
    fn here(&self, address: &str) -> String {
        let below = address.strip_prefix(&self.world.origin()).unwrap_or(address);
        if below.starts_with('/') { self.world.public(below) } else { below.to_owned() }
    }
}
