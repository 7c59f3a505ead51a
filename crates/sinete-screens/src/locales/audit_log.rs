//! Phrases for the audit log on the console.

super::phrases! {
    /// The audit log on the console.
    TrailWords {
        title: "Audit trail", "Trilha de auditoria";
        lead: "Who did what here, the latest first. Nothing in it can be changed.", "Quem fez o quê aqui, do mais recente ao mais antigo. Nada nela pode ser alterado.";
        none: "Nothing has happened yet.", "Nada aconteceu ainda.";
        none_such: "Nothing of this kind happened in that time.", "Nada desse tipo aconteceu nesse período.";
        filter: "What is shown", "O que é mostrado";
        kind: "What happened", "O que aconteceu";
        any_kind: "Anything", "Qualquer coisa";
        from: "From", "De";
        to: "Until", "Até";
        days_hint: "Days begin at midnight UTC.", "Os dias começam à meia-noite UTC.";
        show: "Show", "Mostrar";
        everything: "Show everything", "Mostrar tudo";
        only: "Only what {} did", "Só o que {} fez";
        back: "The whole trail", "A trilha inteira";
        name: "Name of the kind", "Nome do tipo";
        when: "When", "Quando";
        who: "Who", "Quem";
        whom: "What it was done to", "A que se refere";
        reason: "Reason", "Motivo";
        facts: "Facts about it", "Fatos a respeito";
        no_facts: "There is nothing more to it.", "Não há mais nada a dizer.";
        of_actor: "Everything they did", "Tudo o que fez";
        of_kind: "Everything of this kind", "Tudo deste tipo";
        of_member: "What they did", "O que fez aqui";

        you: "you", "você mesmo";
        former: "somebody who is no member any more", "alguém que não é mais membro";
        member: "a member", "um membro";
        operator: "an operator of the service", "um operador do serviço";
        person: "somebody with an account", "alguém com uma conta";
        unknown: "somebody unknown", "alguém desconhecido";
        system: "the service itself", "o próprio serviço";
        client: "an application or service", "um aplicativo ou serviço";
        key: "an API key", "uma chave de API";
        role: "a role", "um papel";
        invitation: "an invitation", "um convite";
        secret: "a secret", "um segredo";
        api: "an API", "uma API";
        domain: "a domain", "um domínio";
        connection: "a connection", "uma conexão";
        webhook: "a webhook", "um webhook";
        assignment: "an assignment", "uma designação";
        grant: "an application’s access", "o acesso de um aplicativo";

        organization: "Organization", "Organização";
        members: "People and members", "Pessoas e membros";
        roles: "Roles and access", "Papéis e acesso";
        clients: "Applications and APIs", "Aplicativos e APIs";
        operators: "Operators", "Operadores";
        sign_on: "Domains and providers", "Domínios e provedores";
        webhooks: "Webhook addresses", "Endereços de webhook";
    }
}
