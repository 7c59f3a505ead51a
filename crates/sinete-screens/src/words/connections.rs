//! What is read where an organization is connected to its providers.

super::phrases! {
    /// Connections on the console.
    ConnectionWords {
        title: "Providers", "Provedores";
        lead: "Where members sign in at a provider of the organization’s own. One more is connected over the management API.", "Onde os membros entram por um provedor da própria organização. Mais um é conectado pela API de gestão.";
        none: "No provider is connected yet.", "Nenhum provedor está conectado ainda.";
        back: "All providers", "Todos os provedores";
        open_id: "OpenID Connect provider", "Provedor OpenID Connect";
        saml: "SAML 2.0 provider", "Provedor SAML 2.0";

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
        more: "The management API shows more that is set about it.", "A API de gestão mostra mais do que está definido a respeito.";

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
