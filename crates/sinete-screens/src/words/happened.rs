//! What happened in an organization, in words for people: one line for each kind of event that is ever recorded.

use crate::language::UiLanguage;

/// A kind of event, and what it is called in both languages.
#[derive(Clone, Copy, Debug)]
pub struct EventKindLabel {
    /// The kind, as the trail has it.
    pub kind: &'static str,
    english: &'static str,
    portuguese: &'static str,
}

impl EventKindLabel {
    /// What it is called in that language.
    pub const fn text(&self, language: UiLanguage) -> &'static str {
        match language {
            UiLanguage::English => self.english,
            UiLanguage::Portuguese => self.portuguese,
        }
    }
}

/// What happened, by its kind; nothing for a kind that we do not know.
pub fn happened(kind: &str) -> Option<&'static EventKindLabel> {
    ALL.iter().find(|known| known.kind == kind)
}

const fn of(kind: &'static str, english: &'static str, portuguese: &'static str) -> EventKindLabel {
    EventKindLabel { kind, english, portuguese }
}

/// Everything that is ever recorded.
pub static ALL: &[EventKindLabel] = &[
    of("instance.created", "The instance was set up", "A instância foi criada"),
    of("server.started", "A node began to serve", "Um nó entrou em serviço"),
    of("server.stopped", "A node stopped serving", "Um nó saiu de serviço"),
    of("signing_key.generated", "A signing key was generated", "Uma chave de assinatura foi gerada"),
    of("signing_key.imported", "A signing key was brought in", "Uma chave de assinatura foi importada"),
    of("signing_key.rotated", "A signing key was replaced", "Uma chave de assinatura foi trocada"),
    of("signing_key.revoked", "A signing key was withdrawn", "Uma chave de assinatura foi revogada"),
    of("instance_key.rotated", "The instance key was replaced", "A chave da instância foi trocada"),
    of("backup.taken", "A backup was taken", "Um backup foi feito"),
    of("backup.restored", "A backup was restored", "Um backup foi restaurado"),
    of("log.exported", "The security log was exported", "O registro de segurança foi exportado"),
    of(
        "log.personal_erased",
        "Network addresses were erased from the security log",
        "Endereços de rede foram apagados do registro de segurança",
    ),
    of("organization.created", "The organization was made", "A organização foi criada"),
    of("organization.changed", "The organization was changed", "A organização foi alterada"),
    of("organization.suspended", "The organization was suspended", "A organização foi suspensa"),
    of("organization.restored", "The organization was restored", "A organização foi restaurada"),
    of(
        "organization.deletion_asked",
        "Deleting the organization was asked for",
        "A exclusão da organização foi pedida",
    ),
    of(
        "organization.deletion_withdrawn",
        "The organization is not to be deleted any more",
        "A exclusão da organização foi cancelada",
    ),
    of(
        "organization.administered",
        "An operator looked at or changed something",
        "Um operador viu ou alterou algo",
    ),
    of("membership.created", "A member was added", "Um membro foi adicionado"),
    of("membership.roles_changed", "A member’s roles were changed", "Os papéis de um membro foram alterados"),
    of("membership.changed", "A member’s profile was changed", "O perfil de um membro foi alterado"),
    of("membership.claimed", "A member signed in for the first time", "Um membro entrou pela primeira vez"),
    of("membership.disabled", "A member was switched off", "Um membro foi desativado"),
    of("membership.enabled", "A member was switched on again", "Um membro foi reativado"),
    of("membership.ended", "A member left or was removed", "Um membro saiu ou foi removido"),
    of(
        "operator.invited",
        "A link for a first operator was made",
        "Um link para um primeiro operador foi criado",
    ),
    of("invitation.sent", "Somebody was invited", "Alguém foi convidado"),
    of("invitation.accepted", "An invitation was accepted", "Um convite foi aceito"),
    of("invitation.revoked", "An invitation was withdrawn", "Um convite foi retirado"),
    of("message.given_up", "A message could not be delivered", "Uma mensagem não pôde ser entregue"),
    of("role.created", "A role was made", "Um papel foi criado"),
    of("role.changed", "A role was changed", "Um papel foi alterado"),
    of("role.removed", "A role was deleted", "Um papel foi excluído"),
    of("api.created", "An API was added", "Uma API foi adicionada"),
    of("api.changed", "An API was changed", "Uma API foi alterada"),
    of("api.removed", "An API was removed", "Uma API foi removida"),
    of(
        "relationships.changed",
        "Relationships at an API were changed",
        "Relações em uma API foram alteradas",
    ),
    of("client.created", "An application was added", "Um aplicativo foi adicionado"),
    of("client.changed", "An application was changed", "Um aplicativo foi alterado"),
    of("client.disabled", "An application was switched off", "Um aplicativo foi desativado"),
    of("client.enabled", "An application was switched on again", "Um aplicativo foi reativado"),
    of("client.removed", "An application was deleted", "Um aplicativo foi excluído"),
    of(
        "client.verified",
        "An operator vouched for an application, or withdrew it",
        "Um operador atestou um aplicativo, ou voltou atrás",
    ),
    of(
        "client.proof_failed",
        "An application failed to prove who it is",
        "Um aplicativo não conseguiu provar quem é",
    ),
    of(
        "client.registrations_expired",
        "Applications that nobody used were removed",
        "Aplicativos que ninguém usava foram removidos",
    ),
    of("client_secret.added", "An application was given a secret", "Um aplicativo recebeu um segredo"),
    of(
        "client_secret.revoked",
        "An application’s secret was revoked",
        "O segredo de um aplicativo foi revogado",
    ),
    of("assignment.made", "An operator was assigned", "Um operador foi designado"),
    of("assignment.ended", "An operator’s assignment was ended", "A designação de um operador foi encerrada"),
    of("membership.impersonated", "An operator acted as a member", "Um operador agiu como um membro"),
    of("api_key.issued", "An API key was made", "Uma chave de API foi criada"),
    of("api_key.revoked", "An API key was revoked", "Uma chave de API foi revogada"),
    of("consent.given", "An application was allowed", "Um aplicativo foi permitido"),
    of("consent.denied", "An application was turned away", "Um aplicativo foi recusado"),
    of("grant.given", "An application was given access", "Um aplicativo recebeu acesso"),
    of("code.redeemed", "A code was redeemed", "Um código foi trocado"),
    of("code.replayed", "A code was presented twice", "Um código foi apresentado duas vezes"),
    of(
        "code.misdirected",
        "A code was presented by another application",
        "Um código foi apresentado por outro aplicativo",
    ),
    of("device.requested", "A device asked for access", "Um dispositivo pediu acesso"),
    of("device.recognised", "A device’s code was typed", "O código de um dispositivo foi digitado"),
    of(
        "device.user_code_failed",
        "A wrong device code was typed",
        "Um código de dispositivo errado foi digitado",
    ),
    of("device.allowed", "A device was allowed", "Um dispositivo foi permitido"),
    of("device.denied", "A device was turned away", "Um dispositivo foi recusado"),
    of("device_code.redeemed", "A device was handed its tokens", "Um dispositivo recebeu seus tokens"),
    of(
        "device_code.replayed",
        "A device code was presented twice",
        "Um código de dispositivo foi apresentado duas vezes",
    ),
    of(
        "device_code.misdirected",
        "A device code was presented by another application",
        "Um código de dispositivo foi apresentado por outro aplicativo",
    ),
    of("approval.requested", "An application asked for approval", "Um aplicativo pediu aprovação"),
    of("approval.given", "A request was approved", "Um pedido foi aprovado"),
    of("approval.denied", "A request was denied", "Um pedido foi negado"),
    of("approval.redeemed", "An approved request was carried out", "Um pedido aprovado foi cumprido"),
    of("approval.replayed", "An approval was presented twice", "Uma aprovação foi apresentada duas vezes"),
    of(
        "approval.misdirected",
        "An approval was presented by another application",
        "Uma aprovação foi apresentada por outro aplicativo",
    ),
    of(
        "approval.notice_given_up",
        "An application could not be told of an answer",
        "Um aplicativo não pôde ser avisado de uma resposta",
    ),
    of("refresh_token.rotated", "A refresh token was renewed", "Um token de renovação foi trocado"),
    of("refresh_token.used", "A refresh token was used", "Um token de renovação foi usado"),
    of(
        "refresh_token.reused",
        "A refresh token was used a second time",
        "Um token de renovação foi usado uma segunda vez",
    ),
    of(
        "refresh_token.misdirected",
        "A refresh token was presented by another application",
        "Um token de renovação foi apresentado por outro aplicativo",
    ),
    of("token.issued", "A service was given a token", "Um serviço recebeu um token"),
    of("token.exchanged", "A token was exchanged", "Um token foi trocado"),
    of("access_token.revoked", "An access token was revoked", "Um token de acesso foi revogado"),
    of("grant.revoked", "An application’s access was revoked", "O acesso de um aplicativo foi revogado"),
    of("account.created", "An account was made", "Uma conta foi criada"),
    of("account.imported", "An account was brought over", "Uma conta foi importada"),
    of("import.finished", "An import was finished", "Uma importação terminou"),
    of("contact.verified", "An address or number was confirmed", "Um endereço ou número foi confirmado"),
    of("password.set", "A password was set", "Uma senha foi definida"),
    of("credential.disabled", "A way to sign in was closed", "Uma forma de entrar foi bloqueada"),
    of("session.started", "Somebody signed in", "Alguém entrou"),
    of("sign_in.new_device", "Somebody signed in on a new device", "Alguém entrou em um novo dispositivo"),
    of(
        "sign_in.impossible_travel",
        "Somebody signed in unusually far away",
        "Alguém entrou de um lugar distante demais",
    ),
    of("sign_in.disavowed", "Somebody answered “that was not me”", "Alguém respondeu “não fui eu”"),
    of("session.renewed", "Somebody proved again who they are", "Alguém confirmou de novo quem é"),
    of(
        "logout.not_delivered",
        "An application could not be told that somebody signed out",
        "Um aplicativo não pôde ser avisado de uma saída",
    ),
    of("session.ended", "Somebody signed out", "Alguém saiu"),
    of("credential.failed", "Somebody failed to sign in", "Uma tentativa de entrada falhou"),
    of("credential.added", "A way to sign in was added", "Uma forma de entrar foi adicionada"),
    of("credential.renamed", "A way to sign in was renamed", "Uma forma de entrar foi renomeada"),
    of("credential.removed", "A way to sign in was removed", "Uma forma de entrar foi removida"),
    of("contact.added", "An address or number was added", "Um endereço ou número foi adicionado"),
    of(
        "contact.made_primary",
        "Another address became the main one",
        "Outro endereço passou a ser o principal",
    ),
    of("email.changed", "An e-mail address was changed", "Um endereço de e-mail foi trocado"),
    of(
        "email.restored",
        "A former e-mail address was brought back",
        "Um endereço de e-mail anterior foi restaurado",
    ),
    of("contact.removed", "An address or number was removed", "Um endereço ou número foi removido"),
    of("account.changed", "An account’s profile was changed", "O perfil de uma conta foi alterado"),
    of("account.exported", "An account’s data was exported", "Os dados de uma conta foram exportados"),
    of("account.disabled", "An account was switched off", "Uma conta foi desativada"),
    of("account.enabled", "An account was switched on again", "Uma conta foi reativada"),
    of(
        "account.sessions_ended",
        "A person was signed out everywhere",
        "Todas as sessões de uma pessoa foram encerradas",
    ),
    of("instance.sessions_ended", "Everybody was signed out", "Todas as sessões foram encerradas"),
    of("account.reset_started", "A new password was asked for", "Uma nova senha foi pedida"),
    of("account.deleted", "A member deleted their account", "Um membro excluiu a própria conta"),
    of("application.removed", "A permission was taken back", "Uma permissão foi revogada"),
    of("webhook.created", "A webhook was added", "Um webhook foi adicionado"),
    of("webhook.changed", "A webhook was changed", "Um webhook foi alterado"),
    of("webhook.removed", "A webhook was removed", "Um webhook foi removido"),
    of("webhook.secret_rotated", "A webhook was given a new secret", "Um webhook recebeu um novo segredo"),
    of("webhook.paused", "A webhook was paused", "Um webhook foi pausado"),
    of("webhook.resumed", "A webhook was resumed", "Um webhook foi retomado"),
    of("webhook.replayed", "Events were sent to a webhook again", "Eventos foram reenviados a um webhook"),
    of("webhook.tested", "A webhook was tried out", "Um webhook foi testado"),
    of("domain.added", "A domain was claimed", "Um domínio foi reivindicado"),
    of("domain.verified", "A domain was proven", "Um domínio foi comprovado"),
    of(
        "domain.missing",
        "The record that proves a domain is gone",
        "O registro que comprova um domínio sumiu",
    ),
    of("domain.lost", "A domain is proven no longer", "Um domínio deixou de estar comprovado"),
    of("domain.removed", "A domain was released", "Um domínio foi liberado"),
    of("connection.created", "A connection to a provider was made", "Uma conexão com um provedor foi criada"),
    of(
        "connection.changed",
        "A connection to a provider was changed",
        "Uma conexão com um provedor foi alterada",
    ),
    of(
        "connection.tested",
        "A connection to a provider was tried",
        "Uma conexão com um provedor foi testada",
    ),
    of("identity.linked", "A member was linked to a provider", "Um membro foi vinculado a um provedor"),
    of(
        "identity.unlinked",
        "A member was unlinked from a provider",
        "Um membro foi desvinculado de um provedor",
    ),
    of(
        "connection.removed",
        "A connection to a provider was deleted",
        "Uma conexão com um provedor foi excluída",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_line_with_words_of_its_own_in_each_language() {
        for (place, one) in ALL.iter().enumerate() {
            assert!(!one.english.is_empty() && !one.portuguese.is_empty() && one.english != one.portuguese);
            assert!(!one.english.contains('\'') && !one.portuguese.contains('\''), "{}", one.kind);
            for other in &ALL[..place] {
                assert_ne!(one.kind, other.kind);
                assert_ne!(one.english, other.english);
                assert_ne!(one.portuguese, other.portuguese);
            }
        }
        assert!(happened("role.created").is_some() && happened("role.forgotten").is_none());
    }
}
