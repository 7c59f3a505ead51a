//! A DNS resolver that knows only the records a story publishes.

use sinete_engine::ports::{DnsResolver, OutboundError};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Mutex;

/// The TXT records of each name; `None` for a name whose lookup fails.
#[derive(Default)]
pub struct TestDns(Mutex<HashMap<String, Option<Vec<String>>>>);

impl TestDns {
    /// Adds a TXT record to a name.
    pub fn publish(&self, name: &str, text: &str) {
        let mut records = self.0.lock().unwrap();
        records.entry(name.to_owned()).or_default().get_or_insert_default().push(text.to_owned());
    }

    /// Removes every record of a name.
    pub fn withdraw(&self, name: &str) {
        self.0.lock().unwrap().remove(name);
    }

    /// Lets lookups of this name fail.
    pub fn silence(&self, name: &str) {
        self.0.lock().unwrap().insert(name.to_owned(), None);
    }
}

impl DnsResolver for TestDns {
    fn lookup_txt<'a>(
        &'a self,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>> {
        let txt_records = self.0.lock().unwrap().get(name).cloned().unwrap_or(Some(Vec::new()));
        Box::pin(std::future::ready(txt_records.ok_or_else(|| OutboundError::new("no response"))))
    }
}
