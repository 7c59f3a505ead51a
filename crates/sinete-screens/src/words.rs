//! Every phrase of every screen. A language that lacks one does not compile.

/// The phrases of one language, each named after where it is read.
#[derive(Debug)]
pub struct Words {
    /// The way past the header, for those who do not see it.
    pub skip_to_content: &'static str,
    /// What the service is, below every page.
    pub footer: &'static str,
    /// The link back to the first page.
    pub to_the_first_page: &'static str,
    /// Before a request id, so that a person can quote it.
    pub reference: &'static str,

    /// The first page's heading.
    pub landing_title: &'static str,
    /// What stands below it.
    pub landing_lead: &'static str,
    /// Said only by a development instance.
    pub landing_development: &'static str,
    /// What that means.
    pub landing_development_detail: &'static str,
    /// Before the issuer's address.
    pub landing_issuer: &'static str,
    /// Above the links.
    pub landing_links: &'static str,
    /// The link to the health answer.
    pub landing_health: &'static str,
    /// What it is for.
    pub landing_health_detail: &'static str,
    /// The link to the public keys.
    pub landing_keys: &'static str,
    /// What they are for.
    pub landing_keys_detail: &'static str,
    /// Above the last paragraph.
    pub landing_documentation: &'static str,
    /// Where the documentation is; the command that follows is the same in every language.
    pub landing_documentation_detail: &'static str,

    /// No such page.
    pub not_found_title: &'static str,
    /// What to do about it.
    pub not_found_detail: &'static str,

    /// Our own fault.
    pub server_error_title: &'static str,
    /// What to do about it.
    pub server_error_detail: &'static str,

    /// Not now.
    pub unavailable_title: &'static str,
    /// What to do about it.
    pub unavailable_detail: &'static str,
}

/// English.
pub const ENGLISH: Words = Words {
    skip_to_content: "Skip to content",
    footer: "Sinete, an identity provider you run yourself.",
    to_the_first_page: "Go to the first page",
    reference: "Reference",

    landing_title: "This is where people sign in",
    landing_lead: "Sinete keeps accounts, signs people, services and agents in, and tells applications who is asking and what they may do.",
    landing_development: "Development instance",
    landing_development_detail: "Its keys were made on the spot and protect nothing. Keep real accounts out of it.",
    landing_issuer: "Issuer",
    landing_links: "Look around",
    landing_health: "Health",
    landing_health_detail: "whether this node is alive",
    landing_keys: "Public keys",
    landing_keys_detail: "what applications check signatures with",
    landing_documentation: "Documentation",
    landing_documentation_detail: "The README and the docs folder came with the program. Every command explains itself:",

    not_found_title: "There is no such page",
    not_found_detail: "The address may be mistyped, or the link may be old.",

    server_error_title: "Something went wrong on our side",
    server_error_detail: "It has been recorded. Try again, and quote the reference below if it happens once more.",

    unavailable_title: "We cannot answer right now",
    unavailable_detail: "Nothing was lost. Try again in a moment.",
};

/// Portuguese.
pub const PORTUGUESE: Words = Words {
    skip_to_content: "Pular para o conteúdo",
    footer: "Sinete, um serviço de identidade nas suas próprias mãos.",
    to_the_first_page: "Ir para a página inicial",
    reference: "Referência",

    landing_title: "É aqui que as pessoas entram",
    landing_lead: "O Sinete guarda contas, autentica pessoas, serviços e agentes, e diz aos aplicativos quem está pedindo e o que pode fazer.",
    landing_development: "Instância de desenvolvimento",
    landing_development_detail: "As chaves foram criadas na hora e não protegem nada. Não guarde contas reais aqui.",
    landing_issuer: "Emissor",
    landing_links: "O que há para ver",
    landing_health: "Saúde",
    landing_health_detail: "se este nó está vivo",
    landing_keys: "Chaves públicas",
    landing_keys_detail: "com que os aplicativos conferem assinaturas",
    landing_documentation: "Documentação",
    landing_documentation_detail: "O README e a pasta docs vieram com o programa. Cada comando se explica:",

    not_found_title: "Esta página não existe",
    not_found_detail: "O endereço pode ter um erro, ou o link pode ser antigo.",

    server_error_title: "Algo deu errado do nosso lado",
    server_error_detail: "O erro foi registrado. Tente novamente e, se acontecer de novo, informe a referência abaixo.",

    unavailable_title: "Não conseguimos responder agora",
    unavailable_detail: "Nada se perdeu. Tente de novo em alguns instantes.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phrase_is_empty_and_none_was_left_untranslated() {
        let of = |words: &Words| format!("{words:?}");
        let (english, portuguese) = (of(&ENGLISH), of(&PORTUGUESE));
        assert!(!english.contains("\"\"") && !portuguese.contains("\"\""));
        let phrases = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        for (one, other) in phrases(&english).iter().zip(&phrases(&portuguese)) {
            assert_ne!(one, other);
        }
    }
}
