//! The labels of the event types.

use crate::EventKindPhrases;

impl EventKindPhrases {
    /// The label of an event type such as `role.created`; `None` if the type is unknown.
    pub fn label(&self, kind: &str) -> Option<&'static str> {
        self.find(&kind.replacen('.', "-", 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn event_kind_labels_are_found_by_the_event_type() {
        let labels = &Language::English.phrases().event_kind;
        assert_eq!(labels.label("role.created"), Some("Role created"));
        assert_eq!(labels.label("client.registrations_expired"), Some("Unused applications removed"));
        assert_eq!(labels.label("role.forgotten"), None);
    }

    #[test]
    fn event_kind_labels_differ_within_a_language() {
        for language in Language::ALL {
            let mut labels: Vec<_> = EventKindPhrases::NAMES
                .iter()
                .filter_map(|name| language.phrases().event_kind.find(name))
                .collect();
            labels.sort_unstable();
            let count = labels.len();
            labels.dedup();
            assert_eq!((count, labels.len()), (EventKindPhrases::NAMES.len(), count), "{language:?}");
        }
    }
}
