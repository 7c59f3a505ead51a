//! Phrases of the consent page.

super::phrases! {
    /// The consent page.
    ConsentWords {
        title: "Allow {}?", "Permitir {}?";
        lead: "It asks to act for you.", "Ele pede para agir em seu nome.";
        agent_lead: "It is an agent: a program that acts by itself.", "É um agente: um programa que age sozinho.";
        verified: "Checked by whoever runs this service", "Verificado por quem administra este serviço";
        own: "Belongs to {}", "Pertence a {}";
        unverified: "Nobody has checked this application", "Ninguém verificou este aplicativo";
        unverified_detail: "It registered itself and could be anyone’s. Allow it only if you started this yourself and know where it leads.", "Ele se registrou sozinho e pode ser de qualquer pessoa. Permita apenas se foi você que começou isto e sabe para onde leva.";
        you: "You", "Você";
        organization: "Organization", "Organização";
        leads_to: "Leads to", "Leva para";
        this_device: "a program on this device", "um programa neste dispositivo";
        will: "What it may do", "O que ele poderá fazer";
        will_know: "What it may learn about you", "O que ele poderá saber sobre você";
        new_mark: "new", "novo";
        new_detail: "You allowed this application before. What is marked is new.", "Você já permitiu este aplicativo. O que está marcado é novo.";
        irreversible: "cannot be undone", "não pode ser desfeito";
        details: "In detail", "Em detalhe";
        allow: "Allow", "Permitir";
        deny: "Deny", "Negar";
        revoke_hint: "You can take this back at any time in your account.", "Você pode desfazer isto quando quiser na sua conta.";
        policy: "Privacy policy", "Política de privacidade";
        terms: "Terms of use", "Termos de uso";
    }
}
