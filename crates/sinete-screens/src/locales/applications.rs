//! Phrases for applications on the console.

super::phrases! {
    /// Applications, services and agents on the console.
    ApplicationWords {
        title: "Applications", "Aplicativos";
        lead: "Applications, services and agents of this organization that get tokens here.", "Aplicativos, serviços e agentes desta organização que obtêm tokens aqui.";
        none: "There is no application yet.", "Ainda não há aplicativos.";
        back: "All applications", "Todos os aplicativos";
        register: "Register an application", "Registrar um aplicativo";
        register_now: "Register", "Registrar";
        save: "Save the changes", "Salvar as alterações";
        settings: "Settings", "Configurações";
        vouched: "vouched for", "atestado";

        kind: "What it is", "O que é";
        application: "Application", "Aplicativo";
        application_about: "Something people use", "Algo que pessoas usam";
        service: "Service", "Serviço";
        service_about: "A program that acts for itself", "Um programa que age por si";
        agent: "Agent", "Agente";
        agent_about: "A program that acts with judgement; you answer for it", "Um programa que age com discernimento; você responde por ele";
        name: "What it is called", "Como se chama";
        name_hint: "People read this name when they are asked to allow it.", "As pessoas leem este nome quando são perguntadas se o permitem.";
        purpose: "What it is for", "Para que serve";
        purpose_hint: "In a sentence. An agent needs one.", "Em uma frase. Um agente precisa de uma.";
        redirects: "Redirect addresses", "Endereços de retorno";
        redirects_hint: "Where people are sent back to after signing in: one to a line, exactly as the application asks for it. https, or http on localhost.", "Para onde as pessoas voltam depois de entrar: um por linha, exatamente como o aplicativo pede. https, ou http em localhost.";
        proof: "How it proves itself", "Como prova quem é";
        proof_hint: "Whatever runs in a browser or on a telephone cannot keep a secret.", "O que roda em um navegador ou telefone não consegue guardar um segredo.";
        by_nothing: "It does not: a browser or mobile application", "Não prova: aplicativo de navegador ou celular";
        by_basic: "With a secret in the header (the usual way)", "Com um segredo no cabeçalho (o usual)";
        by_post: "With a secret in the body", "Com um segredo no corpo";
        by_keys: "With signatures of its own keys", "Com assinaturas de suas próprias chaves";
        by_other: "In another way, set over the management API", "De outra forma, definida pela API de gestão";
        keys: "Address of its public keys", "Endereço de suas chaves públicas";
        keys_hint: "Only where it signs: where its JSON Web Key Set is published.", "Só quando assina: onde seu JSON Web Key Set é publicado.";
        grants: "How it gets tokens", "Como obtém tokens";
        code: "People sign in with a browser", "Pessoas entram por um navegador";
        refresh: "It stays signed in and renews its tokens", "Permanece conectado e renova seus tokens";
        own: "It acts for itself, with the roles below", "Age por si, com os papéis abaixo";
        exchange: "It exchanges tokens to act for somebody", "Troca tokens para agir por alguém";
        device: "People type a code that a device shows", "Pessoas digitam um código que um dispositivo mostra";
        approval: "It asks a person elsewhere for approval", "Pede a aprovação de uma pessoa em outro lugar";
        scope: "The most it may ask for", "O máximo que pode pedir";
        scope_hint: "Scopes with spaces between, such as openid profile email or permissions of your APIs. It confers nothing. Left empty, it may ask for nothing.", "Escopos separados por espaços, como openid profile email ou permissões de suas APIs. Não confere nada. Vazio, não pode pedir nada.";
        scope_nothing: "Nothing", "Nada";
        scope_unlimited: "No limit was set, so it may ask for everything about a person.", "Nenhum limite foi definido, então pode pedir tudo sobre uma pessoa.";
        roles_hint: "Only where it acts for itself. You can give what you hold yourself.", "Só quando age por si. Você pode dar o que você mesmo tem.";
        client_id: "Client id", "Identificador do cliente";
        owner: "Who answers for it", "Quem responde por ele";

        secrets: "Secrets", "Segredos";
        secrets_lead: "Each was shown once. While a new one takes its place, earlier ones work on for a while.", "Cada um foi mostrado uma vez. Enquanto um novo assume, os anteriores ainda funcionam por um tempo.";
        secret_since: "Since {}", "Desde {}";
        secret_until: "works until {}", "vale até {}";
        secret_stays: "stays", "permanece";
        new_secret: "New secret", "Novo segredo";
        overlap: "Earlier secrets", "Segredos anteriores";
        overlap_none: "Stop working at once", "Param de funcionar já";
        overlap_hour: "Work for one more hour", "Funcionam por mais uma hora";
        overlap_day: "Work for one more day", "Funcionam por mais um dia";
        overlap_week: "Work for one more week", "Funcionam por mais uma semana";
        add_secret: "Make a new secret", "Criar um novo segredo";
        revoke: "Revoke", "Revogar";
        shown: "Its secret", "O segredo";
        shown_lead: "Copy it now. It is shown this once and nowhere else.", "Copie agora. Ele é mostrado só desta vez e em nenhum outro lugar.";

        off_lead: "Nothing it holds counts from that moment on. Nothing is lost, and it can be switched on again.", "A partir desse momento, nada do que tem vale. Nada se perde, e ele pode ser reativado.";
        on_lead: "Everything counts again as it did.", "Tudo volta a valer como antes.";
        delete: "Delete for good", "Excluir de vez";
        delete_lead: "Everything it was granted ends. Whoever uses it has to be let in by another one.", "Tudo o que lhe foi concedido acaba. Quem o usa precisa entrar por outro.";
        delete_now: "Delete now", "Excluir agora";
    }
}
