//! What an invitation says, in both languages. Its link leads to the configured address and nowhere else.

use crate::ports::Message;
use sinete_core::people::address::EmailAddress;
use sinete_core::people::language::Language;
use sinete_core::secret::{InvitationToken, Secret};
use sinete_core::time::Lifetime;

/// Where the link of an invitation leads, below the issuer.
const PATH: &str = "/accept-invitation";

/// An invitation to be written down.
pub(super) struct Letter<'a> {
    pub(super) organization: &'a str,
    pub(super) issuer: &'a str,
    pub(super) language: Language,
    pub(super) lifetime: Lifetime,
}

impl Letter<'_> {
    /// The letter to this address. The token is in it and nowhere else any more.
    pub(super) fn write(&self, address: &EmailAddress, token: Secret<InvitationToken>) -> Message {
        let Self { organization, issuer, .. } = self;
        let (link, time) = (format!("{issuer}{PATH}?token={}", token.reveal()), self.time());
        let (subject, text) = match self.language {
            Language::English => (
                format!("You are invited to {organization}"),
                format!(
                    "Hello,\n\nyou are invited to {organization} at {issuer}.\n\n\
                     To accept, open this link within {time}:\n\n{link}\n\n\
                     It works once, and only for this address. If you do not know what this is about, do \
                     nothing: the invitation ends by itself.\n"
                ),
            ),
            Language::Portuguese => (
                format!("Convite para {organization}"),
                format!(
                    "Olá,\n\nvocê recebeu um convite para {organization} em {issuer}.\n\n\
                     Para aceitar, abra este link em até {time}:\n\n{link}\n\n\
                     Ele funciona uma única vez e só para este endereço. Se você não sabe do que se trata, \
                     não faça nada: o convite expira sozinho.\n"
                ),
            ),
        };
        Message { to: address.recipient(), subject, text }
    }

    /// How long the link works, in whole hours or minutes, never more than it does.
    fn time(&self) -> String {
        let minutes = self.lifetime.seconds() / 60;
        let (number, one, many) = match (self.language, minutes % 60 == 0 || minutes >= 120) {
            (Language::English, true) => (minutes / 60, "hour", "hours"),
            (Language::English, false) => (minutes, "minute", "minutes"),
            (Language::Portuguese, true) => (minutes / 60, "hora", "horas"),
            (Language::Portuguese, false) => (minutes, "minuto", "minutos"),
        };
        format!("{number} {}", if number == 1 { one } else { many })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeeded;

    fn written(language: Language, lifetime: Lifetime) -> (Message, String) {
        let token = || Secret::<InvitationToken>::mint(&DangerouslySeeded::new(4));
        let letter = Letter { organization: "Padaria", issuer: "https://id.example", language, lifetime };
        (letter.write(&"Ana@Exemplo.com".parse().unwrap(), token()), token().reveal())
    }

    #[test]
    fn a_letter_goes_to_one_address_with_one_link_to_the_issuer() {
        for language in [Language::English, Language::Portuguese] {
            let (message, token) = written(language, Lifetime::from_hours(24));
            assert_eq!(message.to, "Ana@exemplo.com");
            let link = format!("https://id.example/accept-invitation?token={token}");
            assert_eq!(message.text.matches(&link).count(), 1, "{}", message.text);
            assert_eq!(message.text.matches("://").count(), 2, "{}", message.text);
            assert!(message.text.contains("24 ho") && message.subject.contains("Padaria"));
            assert!(!message.subject.contains(&token));
        }
        let [english, portuguese] =
            [Language::English, Language::Portuguese].map(|it| written(it, Lifetime::from_hours(1)).0);
        assert_ne!(english.subject, portuguese.subject);
        assert!(english.text.contains("within 1 hour:") && portuguese.text.contains("em até 1 hora:"));
        assert!(written(Language::English, Lifetime::from_minutes(90)).0.text.contains("90 minutes"));
    }
}
