//! Using the pages with a keyboard only.

use super::chromium::Browser;
use serde_json::json;

/// A key that types no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Moves the focus.
    Tab,
    /// Submits a form or follows a link.
    Enter,
    /// Activates a button.
    Space,
}

impl Key {
    /// The WebDriver code of the key.
    const fn code(self) -> &'static str {
        match self {
            Self::Tab => "\u{e004}",
            Self::Enter => "\u{e007}",
            Self::Space => " ",
        }
    }
}

/// How many focus stops a test tries.
const STOPS_MAX: usize = 30;

impl Browser {
    pub async fn presses(&self, key: Key) {
        self.strike(&[key.code()]).await;
    }

    /// Types into the focused element.
    pub async fn types(&self, text: &str) {
        let characters: Vec<String> = text.chars().map(String::from).collect();
        self.strike(&characters.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }

    /// The id of the focused element, or its tag name and classes.
    pub async fn focused(&self) -> String {
        let script = "const it = document.activeElement;
            return it.id || [it.localName, ...it.classList].join('.')";
        self.run(script, json!([])).await.as_str().unwrap().to_owned()
    }

    /// Waits until the element with this id has the focus: a page sets it when it is first drawn.
    pub async fn focuses(&self, id: &str) {
        let failure_message = format!("{id} has no focus");
        self.patiently(&failure_message, async || (self.focused().await == id).then_some(())).await;
    }

    /// Presses Tab until the element with this id has the focus. Returns every element that had it on the way, and
    /// asserts that each focus is visible.
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
