//! Phrases for API keys on the console.

super::phrases! {
    /// API keys on the console.
    KeyWords {
        title: "API keys", "Chaves de API";
        lead: "Each speaks for one member, and may do at most what it was made for.", "Cada uma fala por um membro e pode no máximo o que lhe foi dado.";
        none: "There are no keys yet.", "Ainda não há chaves.";
        make: "Make a key of your own", "Criar uma chave sua";
        name: "What it is called", "Como se chama";
        name_hint: "Say what will use it, so that you know it again.", "Diga o que vai usá-la, para reconhecê-la depois.";
        scope: "What it may be used for", "Para que pode ser usada";
        thirty_days: "30 days", "30 dias";
        ninety_days: "90 days", "90 dias";
        one_year: "1 year", "1 ano";
        make_now: "Make the key", "Criar a chave";
        made: "Your new key", "Sua nova chave";
        made_lead: "Copy it now. It is shown this once and nowhere else.", "Copie agora. Ela é mostrada só desta vez e em nenhum outro lugar.";
        kept: "I have kept it", "Já guardei";
        works_until: "Works until {}", "Vale até {}";
        revoked_on: "Revoked on {}", "Revogada em {}";
        expired_on: "Expired on {}", "Expirou em {}";
        used_on: "last used on {}", "usada pela última vez em {}";
        never_used: "never used", "nunca usada";
        revoke: "Revoke", "Revogar";
    }
}
