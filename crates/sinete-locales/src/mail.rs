//! The phrases of an e-mail, with arguments by name: which there are depends on the kind of message.

/// The phrases of one e-mail message.
#[derive(Debug)]
pub struct MailTemplate {
    /// The subject.
    pub subject: MailText,
    /// What happened or was requested.
    pub lead: MailText,
    /// The text before a link.
    pub link_lead: MailText,
    /// The label of the button.
    pub link_label: MailText,
    /// The text before a code.
    pub code_lead: MailText,
    /// The closing text.
    pub closing: MailText,
}

/// A text with arguments by name.
#[derive(Clone, Copy, Debug)]
pub struct MailText(pub(crate) &'static [MailPart]);

/// A part of a text.
#[derive(Debug)]
pub enum MailPart {
    /// Text.
    Text(&'static str),
    /// The argument of this name.
    Argument(&'static str),
}

impl MailText {
    /// Fills in the arguments. A value is never searched for arguments, and one that is not given is left out.
    pub fn fill(self, values: &[(&str, String)]) -> String {
        let part = |part: &'static MailPart| match part {
            MailPart::Text(text) => *text,
            MailPart::Argument(name) => {
                values.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
            }
        };
        let mut text = String::new();
        for piece in self.0 {
            text.push_str(part(piece));
        }
        text
    }

    /// The names of the arguments.
    pub fn argument_names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter_map(|part| match part {
            MailPart::Text(_) => None,
            MailPart::Argument(name) => Some(*name),
        })
    }
}
