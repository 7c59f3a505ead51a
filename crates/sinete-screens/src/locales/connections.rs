//! Phrases for identity provider connections on the console.

super::phrases! {
    /// Connections on the console.
    ConnectionWords {
        title: "Providers", "Provedores";
        lead: "Where members sign in at a provider of the organization’s own.", "Onde os membros entram por um provedor da própria organização.";
        none: "No provider is connected yet.", "Nenhum provedor está conectado ainda.";
        back: "All providers", "Todos os provedores";
        open_id: "OpenID Connect provider", "Provedor OpenID Connect";
        saml: "SAML 2.0 provider", "Provedor SAML 2.0";

        connect_open_id: "Connect over OpenID Connect", "Conectar por OpenID Connect";
        connect_saml: "Connect over SAML 2.0", "Conectar por SAML 2.0";
        connect_now: "Connect", "Conectar";
        connect_hint: "It is switched off at first. The page that follows says what to register there.", "Começa desativado. A página seguinte diz o que registrar lá.";
        name: "What people read", "O que as pessoas leem";
        name_hint: "It stands on the button for signing in.", "Fica no botão de entrada.";
        issuer_hint: "Its issuer, exactly as it writes it. It cannot be changed later.", "O issuer, exatamente como ele o escreve. Não pode ser alterado depois.";
        client_id_hint: "The name by which the provider knows this service.", "O nome pelo qual o provedor conhece este serviço.";
        secret: "Client secret", "Segredo de cliente";
        secret_hint: "As the provider shows it. It is never shown here.", "Como o provedor o mostra. Nunca aparece aqui.";
        secret_kept: "There is one, which is never shown. Left empty, it stays.", "Há um, que nunca aparece. Deixado vazio, ele fica.";
        secret_again: "You typed one, and a secret is not kept. Type it again.", "Você digitou um, e um segredo não é guardado. Digite-o de novo.";
        scopes_hint: "Scopes, separated by spaces.", "Escopos, separados por espaços.";
        metadata: "What the provider says about itself", "O que o provedor diz de si";
        metadata_hint: "Its metadata, as XML of at most 48 KiB: who it is, where people are sent and what it signs with.", "Seus metadados, em XML de até 48 KiB: quem é, para onde as pessoas são levadas e com que assina.";
        metadata_kept: "Left empty, its address and its certificates stay.", "Deixado vazio, o endereço e os certificados ficam.";
        metadata_again: "You pasted something, and it is not kept. Paste it again.", "Você colou algo, e isto não é guardado. Cole de novo.";
        subject_hint: "NameID, where it is a persistent one, or an attribute that stays theirs.", "NameID, quando persistente, ou um atributo que continue sendo da pessoa.";
        email_hint: "Or NameID. Without one nobody joins on the fly.", "Ou NameID. Sem ele ninguém passa a fazer parte ao entrar.";
        full_name: "Attribute with the name", "Atributo com o nome";
        full_name_hint: "What somebody is called there.", "Como a pessoa se chama lá.";
        domains_hint: "Domains of the organization, one to a line. They lead there while they are proven.", "Domínios da organização, um por linha. Levam até lá enquanto comprovados.";
        owners: "Only owners can connect an identity provider or change its trust settings. You can change its name, replace its secret and take domains away.", "Só proprietários podem conectar um provedor de identidade ou alterar as configurações de confiança dele. Você pode alterar o nome, substituir o segredo e retirar domínios.";
        settings: "Change it", "Alterar";
        save: "Save", "Salvar";

        issuer: "Who the provider is", "Quem é o provedor";
        client_id: "Client ID there", "ID de cliente lá";
        authentication: "How this service proves itself there", "Como este serviço prova quem é lá";
        by_secret: "With a secret the provider gave", "Com um segredo que o provedor deu";
        by_key: "With a signature of its own", "Com uma assinatura própria";
        scopes: "What is asked for there", "O que é pedido lá";
        sso_url: "Where people are sent", "Para onde as pessoas são levadas";
        certificates: "Certificates (SHA-256)", "Certificados (SHA-256)";
        ends_on: "ends on {}", "termina em {}";
        subject: "What somebody is known by", "Pelo que alguém é conhecido";
        email: "Attribute with the address", "Atributo com o endereço";
        domains: "Domains that lead there", "Domínios que levam até lá";
        no_domains: "none", "nenhum";
        more: "More is set about it over the management API, and stays as it is.", "Há mais definido a respeito pela API de gestão, e fica como está.";

        register: "To register at the provider", "A registrar no provedor";
        register_lead: "Copy this into the provider, exactly as it is written.", "Copie isto para o provedor, exatamente como está escrito.";
        callback: "Address people come back to", "Endereço para onde as pessoas voltam";
        entity_id: "Entity ID and metadata", "Entity ID e metadados";
        keys: "Keys that verify its signature", "Chaves que conferem a assinatura";

        access: "Signing in there", "Entrada por lá";
        test: "Try it", "Testar";
        test_lead: "Looks whether what is set works. Nobody signs in.", "Verifica se o que está definido funciona. Ninguém entra.";
        switch_on: "Switch on", "Ativar";
        on_lead: "People whose domain leads there are sent there to sign in.", "Quem tem um domínio que leva até lá passa a entrar por lá.";
        off_lead: "Nobody is sent there any more, and whoever is on the way is turned away.", "Ninguém mais é levado até lá, e quem está a caminho é recusado.";
        delete: "Delete", "Excluir";
        delete_lead: "Nobody signs in there any more. The people it knew stay known, for a connection to the same provider.", "Ninguém mais entra por lá. As pessoas que ele conhecia continuam conhecidas, para uma conexão ao mesmo provedor.";
        delete_now: "Delete now", "Excluir agora";
    }
}
