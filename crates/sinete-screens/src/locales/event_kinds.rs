//! Labels of the event kinds: one line for each kind.

use crate::language::UiLanguage;

/// The label of an event kind in both languages.
#[derive(Clone, Copy, Debug)]
pub struct EventKindLabel {
    /// The name of the kind.
    pub kind: &'static str,
    english: &'static str,
    portuguese: &'static str,
}

impl EventKindLabel {
    /// The label in this language.
    pub const fn text(&self, language: UiLanguage) -> &'static str {
        match language {
            UiLanguage::English => self.english,
            UiLanguage::Portuguese => self.portuguese,
        }
    }
}

/// Finds the label of an event kind; `None` if the kind is unknown.
pub fn find_event_kind(kind: &str) -> Option<&'static EventKindLabel> {
    EVENT_KINDS.iter().find(|known| known.kind == kind)
}

const fn event_kind(kind: &'static str, english: &'static str, portuguese: &'static str) -> EventKindLabel {
    EventKindLabel { kind, english, portuguese }
}

/// The labels of all event kinds.
pub static EVENT_KINDS: &[EventKindLabel] = &[
    event_kind("instance.created", "The instance was set up", "A instância foi criada"),
    event_kind("server.started", "A node began to serve", "Um nó entrou em serviço"),
    event_kind("server.stopped", "A node stopped serving", "Um nó saiu de serviço"),
    event_kind("signing_key.generated", "A signing key was generated", "Uma chave de assinatura foi gerada"),
    event_kind(
        "signing_key.imported",
        "A signing key was brought in",
        "Uma chave de assinatura foi importada",
    ),
    event_kind("signing_key.rotated", "A signing key was replaced", "Uma chave de assinatura foi trocada"),
    event_kind("signing_key.revoked", "A signing key was withdrawn", "Uma chave de assinatura foi revogada"),
    event_kind("instance_key.rotated", "The instance key was replaced", "A chave da instância foi trocada"),
    event_kind("backup.taken", "A backup was taken", "Um backup foi feito"),
    event_kind("backup.restored", "A backup was restored", "Um backup foi restaurado"),
    event_kind("log.exported", "The security log was exported", "O registro de segurança foi exportado"),
    event_kind(
        "log.personal_erased",
        "Network addresses were erased from the security log",
        "Endereços de rede foram apagados do registro de segurança",
    ),
    event_kind("organization.created", "The organization was made", "A organização foi criada"),
    event_kind("organization.changed", "The organization was changed", "A organização foi alterada"),
    event_kind("organization.suspended", "The organization was suspended", "A organização foi suspensa"),
    event_kind("organization.restored", "The organization was restored", "A organização foi restaurada"),
    event_kind(
        "organization.deletion_asked",
        "Deleting the organization was asked for",
        "A exclusão da organização foi pedida",
    ),
    event_kind(
        "organization.deletion_withdrawn",
        "The organization is not to be deleted any more",
        "A exclusão da organização foi cancelada",
    ),
    event_kind(
        "organization.administered",
        "An operator looked at or changed something",
        "Um operador viu ou alterou algo",
    ),
    event_kind("membership.created", "A member was added", "Um membro foi adicionado"),
    event_kind(
        "membership.roles_changed",
        "A member’s roles were changed",
        "Os papéis de um membro foram alterados",
    ),
    event_kind("membership.changed", "A member’s profile was changed", "O perfil de um membro foi alterado"),
    event_kind(
        "membership.claimed",
        "A member signed in for the first time",
        "Um membro entrou pela primeira vez",
    ),
    event_kind(
        "scim.attributes_ignored",
        "Unknown attributes of a directory were ignored",
        "Atributos desconhecidos de um diretório foram ignorados",
    ),
    event_kind("membership.disabled", "A member was switched off", "Um membro foi desativado"),
    event_kind("membership.enabled", "A member was switched on again", "Um membro foi reativado"),
    event_kind("membership.ended", "A member left or was removed", "Um membro saiu ou foi removido"),
    event_kind(
        "operator.invited",
        "A link for a first operator was made",
        "Um link para um primeiro operador foi criado",
    ),
    event_kind("invitation.sent", "Somebody was invited", "Alguém foi convidado"),
    event_kind("invitation.accepted", "An invitation was accepted", "Um convite foi aceito"),
    event_kind("invitation.revoked", "An invitation was withdrawn", "Um convite foi retirado"),
    event_kind("message.given_up", "A message could not be delivered", "Uma mensagem não pôde ser entregue"),
    event_kind("role.created", "A role was made", "Um papel foi criado"),
    event_kind("role.changed", "A role was changed", "Um papel foi alterado"),
    event_kind("role.removed", "A role was deleted", "Um papel foi excluído"),
    event_kind("api.created", "An API was added", "Uma API foi adicionada"),
    event_kind("api.changed", "An API was changed", "Uma API foi alterada"),
    event_kind("api.removed", "An API was removed", "Uma API foi removida"),
    event_kind(
        "relationships.changed",
        "Relationships at an API were changed",
        "Relações em uma API foram alteradas",
    ),
    event_kind("client.created", "An application was added", "Um aplicativo foi adicionado"),
    event_kind("client.changed", "An application was changed", "Um aplicativo foi alterado"),
    event_kind("client.disabled", "An application was switched off", "Um aplicativo foi desativado"),
    event_kind("client.enabled", "An application was switched on again", "Um aplicativo foi reativado"),
    event_kind("client.removed", "An application was deleted", "Um aplicativo foi excluído"),
    event_kind(
        "client.verified",
        "An operator vouched for an application, or withdrew it",
        "Um operador atestou um aplicativo, ou voltou atrás",
    ),
    event_kind(
        "client.proof_failed",
        "An application failed to prove who it is",
        "Um aplicativo não conseguiu provar quem é",
    ),
    event_kind(
        "client.registrations_expired",
        "Applications that nobody used were removed",
        "Aplicativos que ninguém usava foram removidos",
    ),
    event_kind(
        "client_secret.added",
        "An application was given a secret",
        "Um aplicativo recebeu um segredo",
    ),
    event_kind(
        "client_secret.revoked",
        "An application’s secret was revoked",
        "O segredo de um aplicativo foi revogado",
    ),
    event_kind("assignment.made", "An operator was assigned", "Um operador foi designado"),
    event_kind(
        "assignment.ended",
        "An operator’s assignment was ended",
        "A designação de um operador foi encerrada",
    ),
    event_kind("membership.impersonated", "An operator acted as a member", "Um operador agiu como um membro"),
    event_kind("api_key.issued", "An API key was made", "Uma chave de API foi criada"),
    event_kind("api_key.revoked", "An API key was revoked", "Uma chave de API foi revogada"),
    event_kind("consent.given", "An application was allowed", "Um aplicativo foi permitido"),
    event_kind("consent.denied", "An application was turned away", "Um aplicativo foi recusado"),
    event_kind("grant.given", "An application was given access", "Um aplicativo recebeu acesso"),
    event_kind("code.redeemed", "A code was redeemed", "Um código foi trocado"),
    event_kind("code.replayed", "A code was presented twice", "Um código foi apresentado duas vezes"),
    event_kind(
        "code.misdirected",
        "A code was presented by another application",
        "Um código foi apresentado por outro aplicativo",
    ),
    event_kind("device.requested", "A device asked for access", "Um dispositivo pediu acesso"),
    event_kind("device.recognised", "A device’s code was typed", "O código de um dispositivo foi digitado"),
    event_kind(
        "device.user_code_failed",
        "A wrong device code was typed",
        "Um código de dispositivo errado foi digitado",
    ),
    event_kind("device.allowed", "A device was allowed", "Um dispositivo foi permitido"),
    event_kind("device.denied", "A device was turned away", "Um dispositivo foi recusado"),
    event_kind(
        "device_code.redeemed",
        "A device was handed its tokens",
        "Um dispositivo recebeu seus tokens",
    ),
    event_kind(
        "device_code.replayed",
        "A device code was presented twice",
        "Um código de dispositivo foi apresentado duas vezes",
    ),
    event_kind(
        "device_code.misdirected",
        "A device code was presented by another application",
        "Um código de dispositivo foi apresentado por outro aplicativo",
    ),
    event_kind("approval.requested", "An application asked for approval", "Um aplicativo pediu aprovação"),
    event_kind("approval.given", "A request was approved", "Um pedido foi aprovado"),
    event_kind("approval.denied", "A request was denied", "Um pedido foi negado"),
    event_kind("approval.redeemed", "An approved request was carried out", "Um pedido aprovado foi cumprido"),
    event_kind(
        "approval.replayed",
        "An approval was presented twice",
        "Uma aprovação foi apresentada duas vezes",
    ),
    event_kind(
        "approval.misdirected",
        "An approval was presented by another application",
        "Uma aprovação foi apresentada por outro aplicativo",
    ),
    event_kind(
        "approval.notice_given_up",
        "An application could not be told of an answer",
        "Um aplicativo não pôde ser avisado de uma resposta",
    ),
    event_kind("refresh_token.rotated", "A refresh token was renewed", "Um token de renovação foi trocado"),
    event_kind("refresh_token.used", "A refresh token was used", "Um token de renovação foi usado"),
    event_kind(
        "refresh_token.reused",
        "A refresh token was used a second time",
        "Um token de renovação foi usado uma segunda vez",
    ),
    event_kind(
        "refresh_token.misdirected",
        "A refresh token was presented by another application",
        "Um token de renovação foi apresentado por outro aplicativo",
    ),
    event_kind("token.issued", "A service was given a token", "Um serviço recebeu um token"),
    event_kind("token.exchanged", "A token was exchanged", "Um token foi trocado"),
    event_kind("access_token.revoked", "An access token was revoked", "Um token de acesso foi revogado"),
    event_kind(
        "grant.revoked",
        "An application’s access was revoked",
        "O acesso de um aplicativo foi revogado",
    ),
    event_kind("account.created", "An account was made", "Uma conta foi criada"),
    event_kind("account.imported", "An account was brought over", "Uma conta foi importada"),
    event_kind("import.finished", "An import was finished", "Uma importação terminou"),
    event_kind(
        "contact.verified",
        "An address or number was confirmed",
        "Um endereço ou número foi confirmado",
    ),
    event_kind("password.set", "A password was set", "Uma senha foi definida"),
    event_kind("credential.disabled", "A way to sign in was closed", "Uma forma de entrar foi bloqueada"),
    event_kind("session.started", "Somebody signed in", "Alguém entrou"),
    event_kind(
        "sign_in.new_device",
        "Somebody signed in on a new device",
        "Alguém entrou em um novo dispositivo",
    ),
    event_kind(
        "sign_in.impossible_travel",
        "Somebody signed in unusually far away",
        "Alguém entrou de um lugar distante demais",
    ),
    event_kind("sign_in.disavowed", "Somebody answered “that was not me”", "Alguém respondeu “não fui eu”"),
    event_kind("session.renewed", "Somebody proved again who they are", "Alguém confirmou de novo quem é"),
    event_kind(
        "logout.not_delivered",
        "An application could not be told that somebody signed out",
        "Um aplicativo não pôde ser avisado de uma saída",
    ),
    event_kind("session.ended", "Somebody signed out", "Alguém saiu"),
    event_kind("credential.failed", "Somebody failed to sign in", "Uma tentativa de entrada falhou"),
    event_kind("credential.added", "A way to sign in was added", "Uma forma de entrar foi adicionada"),
    event_kind("credential.renamed", "A way to sign in was renamed", "Uma forma de entrar foi renomeada"),
    event_kind("credential.removed", "A way to sign in was removed", "Uma forma de entrar foi removida"),
    event_kind("contact.added", "An address or number was added", "Um endereço ou número foi adicionado"),
    event_kind(
        "contact.made_primary",
        "Another address became the main one",
        "Outro endereço passou a ser o principal",
    ),
    event_kind("email.changed", "An e-mail address was changed", "Um endereço de e-mail foi trocado"),
    event_kind(
        "email.restored",
        "A former e-mail address was brought back",
        "Um endereço de e-mail anterior foi restaurado",
    ),
    event_kind("contact.removed", "An address or number was removed", "Um endereço ou número foi removido"),
    event_kind("account.changed", "An account’s profile was changed", "O perfil de uma conta foi alterado"),
    event_kind(
        "account.exported",
        "An account’s data was exported",
        "Os dados de uma conta foram exportados",
    ),
    event_kind("account.disabled", "An account was switched off", "Uma conta foi desativada"),
    event_kind("account.enabled", "An account was switched on again", "Uma conta foi reativada"),
    event_kind(
        "account.sessions_ended",
        "A person was signed out everywhere",
        "Todas as sessões de uma pessoa foram encerradas",
    ),
    event_kind("instance.sessions_ended", "Everybody was signed out", "Todas as sessões foram encerradas"),
    event_kind("account.reset_started", "A new password was asked for", "Uma nova senha foi pedida"),
    event_kind("account.deleted", "A member deleted their account", "Um membro excluiu a própria conta"),
    event_kind("application.removed", "A permission was taken back", "Uma permissão foi revogada"),
    event_kind("webhook.created", "A webhook was added", "Um webhook foi adicionado"),
    event_kind("webhook.changed", "A webhook was changed", "Um webhook foi alterado"),
    event_kind("webhook.removed", "A webhook was removed", "Um webhook foi removido"),
    event_kind(
        "webhook.secret_rotated",
        "A webhook was given a new secret",
        "Um webhook recebeu um novo segredo",
    ),
    event_kind("webhook.paused", "A webhook was paused", "Um webhook foi pausado"),
    event_kind("webhook.resumed", "A webhook was resumed", "Um webhook foi retomado"),
    event_kind(
        "webhook.replayed",
        "Events were sent to a webhook again",
        "Eventos foram reenviados a um webhook",
    ),
    event_kind("webhook.tested", "A webhook was tried out", "Um webhook foi testado"),
    event_kind("domain.added", "A domain was claimed", "Um domínio foi reivindicado"),
    event_kind("domain.verified", "A domain was proven", "Um domínio foi comprovado"),
    event_kind(
        "domain.missing",
        "The record that proves a domain is gone",
        "O registro que comprova um domínio sumiu",
    ),
    event_kind("domain.lost", "A domain is proven no longer", "Um domínio deixou de estar comprovado"),
    event_kind("domain.removed", "A domain was released", "Um domínio foi liberado"),
    event_kind(
        "connection.created",
        "A connection to a provider was made",
        "Uma conexão com um provedor foi criada",
    ),
    event_kind(
        "connection.changed",
        "A connection to a provider was changed",
        "Uma conexão com um provedor foi alterada",
    ),
    event_kind(
        "connection.tested",
        "A connection to a provider was tried",
        "Uma conexão com um provedor foi testada",
    ),
    event_kind(
        "identity.linked",
        "A member was linked to a provider",
        "Um membro foi vinculado a um provedor",
    ),
    event_kind(
        "identity.unlinked",
        "A member was unlinked from a provider",
        "Um membro foi desvinculado de um provedor",
    ),
    event_kind(
        "connection.removed",
        "A connection to a provider was deleted",
        "Uma conexão com um provedor foi excluída",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_descriptions_exist_once_per_kind_and_language() {
        for (place, one) in EVENT_KINDS.iter().enumerate() {
            assert!(!one.english.is_empty() && !one.portuguese.is_empty() && one.english != one.portuguese);
            assert!(!one.english.contains('\'') && !one.portuguese.contains('\''), "{}", one.kind);
            for other in &EVENT_KINDS[..place] {
                assert_ne!(one.kind, other.kind);
                assert_ne!(one.english, other.english);
                assert_ne!(one.portuguese, other.portuguese);
            }
        }
        assert!(find_event_kind("role.created").is_some() && find_event_kind("role.forgotten").is_none());
    }
}
