//! Phrases for domains on the console.

super::phrases! {
    /// Domains on the console.
    DomainWords {
        title: "Domains", "Domínios";
        lead: "While a domain is proven, the organization vouches for the addresses in it.", "Enquanto um domínio está comprovado, a organização responde pelos endereços nele.";
        none: "There is no domain yet.", "Ainda não há domínios.";
        claim: "Claim a domain", "Reivindicar um domínio";
        name: "Domain", "Nome do domínio";
        name_hint: "Such as example.org. Then you are shown a record to publish in its DNS.", "Como example.org. Em seguida aparece um registro a publicar no DNS dele.";
        claim_now: "Claim it", "Reivindicar";
        waits: "waits for its record", "aguarda o registro";
        proven: "proven", "comprovado";
        missing: "record missing", "registro ausente";
        since: "Claimed on {}", "Reivindicado em {}";
        proven_on: "Proven on {}", "Comprovado em {}";
        missing_since: "Its record has not been seen since {}. Unless it comes back, the domain is lost.", "O registro não é visto desde {}. Se não voltar, o domínio se perde.";
        record: "Publish this record in the DNS of the domain, exactly as it is written:", "Publique este registro no DNS do domínio, exatamente como está escrito:";
        record_name: "Record", "Registro";
        record_kind: "Type", "Tipo do registro";
        record_value: "Value", "Valor";
        check: "Check now", "Verificar agora";
        release: "Release", "Liberar";
        release_lead: "From that moment on the organization vouches for nobody in it.", "A partir desse momento a organização não responde por ninguém nele.";
        release_now: "Release now", "Liberar agora";
    }
}
