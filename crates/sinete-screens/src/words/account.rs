//! What is read on the person's own page.

super::phrases! {
    /// The person's own page.
    AccountWords {
        title: "My account", "Minha conta";
        lead: "Who you are here, how you sign in, and who acts for you.", "Quem você é aqui, como você entra e quem age em seu nome.";
        sections: "Parts of this page", "Partes desta página";

        profile: "Profile", "Perfil";
        name: "Name", "Nome";
        language: "Language", "Idioma";
        language_automatic: "As the browser says", "Como o navegador indicar";
        save: "Save", "Salvar";
        saved: "Saved.", "Salvo.";
        contacts: "Where we reach you", "Onde encontramos você";
        emails: "E-mail addresses", "Endereços de e-mail";
        phones: "Telephone numbers", "Números de telefone";
        primary: "main", "principal";
        confirmed: "confirmed", "confirmado";
        unconfirmed: "not confirmed", "não confirmado";
        confirm: "Confirm", "Confirmar";
        none: "None yet.", "Ainda não há.";
        make_main: "Make it the main one", "Tornar principal";
        new_email: "New e-mail address", "Novo endereço de e-mail";
        new_email_hint: "We write to the new address first. The old one is told, and can take it back for seven days.", "Primeiro escrevemos para o novo endereço. O antigo é avisado e pode desfazer a troca por sete dias.";
        change_email: "Change the address", "Trocar o endereço";
        new_phone: "New telephone number", "Novo número de telefone";
        add_phone: "Add a number", "Adicionar um número";
        phones_none: "None. A number can receive codes, but a passkey is safer.", "Não há. Um número pode receber códigos, mas a chave de acesso é mais segura.";

        credentials: "How you sign in", "Como você entra";
        passkeys: "Passkeys", "Chaves de acesso";
        passkeys_none: "None yet. A passkey is the quickest and safest way in.", "Ainda não há. A chave de acesso é o jeito mais rápido e seguro de entrar.";
        add_passkey: "Add a passkey", "Adicionar uma chave de acesso";
        synced: "synced between your devices", "sincronizada entre seus dispositivos";
        on_device: "on one device", "em um dispositivo";
        password: "Password", "Senha";
        password_set: "Set on {}", "Definida em {}";
        password_none: "None, and none is needed.", "Não há, e não é necessária.";
        change: "Change", "Alterar";
        add: "Add", "Adicionar";
        remove: "Remove", "Remover";
        totp: "Authenticator app", "Aplicativo autenticador";
        totp_on: "On since {}", "Ativo desde {}";
        totp_off: "Off. Switch it on as a second step after the password.", "Desligado. Ative como segunda etapa depois da senha.";
        recovery: "Recovery codes", "Códigos de recuperação";
        recovery_one: "One left.", "Resta um.";
        recovery_many: "{} left.", "Restam {}.";
        recovery_none: "None left. Make new ones.", "Não resta nenhum. Gere novos.";
        recovery_new: "Make new ones", "Gerar novos";
        added: "Added on {}", "Adicionada em {}";
        last_used: "last used on {}", "usada pela última vez em {}";
        never_used: "never used", "nunca usada";

        sessions: "Where you are signed in", "Suas sessões abertas";
        this_session: "this browser", "este navegador";
        last_seen: "last seen on {}", "vista pela última vez em {}";
        end: "Sign out", "Encerrar";
        end_others: "Sign out everywhere else", "Encerrar todas as outras";
        unknown_device: "Unknown device", "Dispositivo desconhecido";

        applications: "Applications", "Aplicativos";
        applications_none: "No application acts for you.", "Nenhum aplicativo age em seu nome.";
        may: "May: {}", "Pode: {}";
        since: "since {}", "desde {}";
        take_back: "Take back", "Revogar";

        memberships: "Organizations", "Organizações";
        memberships_none: "You belong to no organization.", "Você não participa de nenhuma organização.";
        suspended: "suspended", "suspensa";
        disabled: "switched off", "desativada";

        events: "Recent activity", "Atividade recente";
        events_detail: "Something you do not recognise? Change your password and sign out everywhere else.", "Algo que você não reconhece? Altere a senha e encerre todas as outras sessões.";
        events_none: "Nothing has happened yet.", "Nada aconteceu ainda.";
    }
}

super::phrases! {
    /// What happened, as its owner reads it.
    EventWords {
        session_started: "Signed in", "Entrada na conta";
        session_renewed: "Proved it again", "Nova confirmação de identidade";
        session_ended: "Signed out", "Saída da conta";
        credential_failed: "Somebody failed to sign in", "Tentativa de entrada sem sucesso";
        credential_added: "A way to sign in was added", "Uma forma de entrar foi adicionada";
        credential_renamed: "A way to sign in was renamed", "Uma forma de entrar foi renomeada";
        credential_removed: "A way to sign in was removed", "Uma forma de entrar foi removida";
        contact_added: "An address or number was added", "Um endereço ou número foi adicionado";
        contact_made_primary: "Another address became the main one", "Outro endereço passou a ser o principal";
        contact_removed: "An address or number was removed", "Um endereço ou número foi removido";
        account_changed: "The profile was changed", "O perfil foi alterado";
        account_exported: "The data was exported", "Os dados foram exportados";
        consent_denied: "An application was turned away", "Um aplicativo foi recusado";
        consent_given: "An application was allowed", "Um aplicativo foi permitido";
        consent_revoked: "An application’s permission was taken back", "A permissão de um aplicativo foi desfeita";
        application_removed: "An application was removed", "Um aplicativo foi removido";
        invitation_accepted: "An invitation was accepted", "Um convite foi aceito";
        membership_ended: "A membership ended", "Uma participação terminou";
    }
}
