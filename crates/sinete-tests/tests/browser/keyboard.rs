//! A keyboard, and nothing else.

use super::chromium::Browser;
use serde_json::json;

/// A key that writes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// On to what comes next.
    Tab,
    /// Sends a form, follows a link.
    Enter,
    /// Presses a button.
    Space,
}

impl Key {
    /// What WebDriver calls it.
    const fn code(self) -> &'static str {
        match self {
            Self::Tab => "\u{e004}",
            Self::Enter => "\u{e007}",
            Self::Space => " ",
        }
    }
}

/// Nobody looks further than this for what they want.
const STOPS_MAX: usize = 30;

impl Browser {
    /// Presses a key.
    pub async fn presses(&self, key: Key) {
        self.strike(&[key.code()]).await;
    }

    /// Types where the focus is.
    pub async fn types(&self, text: &str) {
        let letters: Vec<String> = text.chars().map(String::from).collect();
        self.strike(&letters.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }

    /// What has the focus: its id, or else what it is.
    pub async fn focused(&self) -> String {
        let script = "const it = document.activeElement;
            return it.id || [it.localName, ...it.classList].join('.')";
        self.run(script, json!([])).await.as_str().unwrap().to_owned()
    }

    /// Waits until what has this id has the focus: a page gives it away when it is first drawn.
    pub async fn focuses(&self, id: &str) {
        let about = format!("{id} has no focus");
        self.patiently(&about, async || (self.focused().await == id).then_some(())).await;
    }

    /// Goes on with the tabulator until something of this id has the focus, and tells everything that had it on the
    /// way. Wherever the focus is, it can be seen.
    pub async fn tabs_to(&self, id: &str) -> Vec<String> {
        let mut stops = Vec::new();
        while stops.last().is_none_or(|it| it != id) {
            assert!(stops.len() < STOPS_MAX, "{id} cannot be reached: {stops:?}");
            self.presses(Key::Tab).await;
            stops.push(self.focused().await);
            let script = "const it = document.activeElement, style = getComputedStyle(it), box = it.getBoundingClientRect();
                return it.matches(':focus-visible') && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
                    && box.width > 0 && box.bottom > 0 && box.top < innerHeight";
            assert_eq!(self.run(script, json!([])).await, true, "the focus cannot be seen on {stops:?}");
        }
        stops
    }

    async fn strike(&self, keys: &[&str]) {
        let kinds = ["keyDown", "keyUp"];
        let struck = keys.iter().flat_map(|key| kinds.map(|kind| json!({ "type": kind, "value": key })));
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": struck.collect::<Vec<_>>() });
        self.done("POST", "/actions", json!({ "actions": [keyboard] })).await;
    }
}
