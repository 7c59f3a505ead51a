//! Phrases of the account page.

super::phrases! {
    /// The account page.
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

        requests: "Waiting for your answer", "Aguardando sua resposta";
        look_at_request: "Look at it", "Ver pedido";

        providers: "Single sign-on", "Login único";
        linked_since: "Knows you since {}", "Conhece você desde {}";
        not_linked: "does not know you yet", "ainda não conhece você";
        provider_off: "switched off", "desativado";
        link: "Link", "Vincular";
        unlink: "Unlink", "Desvincular";

        sessions: "Where you are signed in", "Suas sessões abertas";
        this_session: "this browser", "este navegador";
        last_seen: "last seen on {}", "vista pela última vez em {}";
        end: "Sign out", "Encerrar";
        end_others: "Sign out everywhere else", "Encerrar todas as outras";
        unknown_device: "Unknown device", "Dispositivo desconhecido";

        applications: "Applications", "Aplicativos";
        applications_none: "No application acts for you.", "Nenhum aplicativo age em seu nome.";
        may: "What it may do", "O que pode fazer";
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
    /// Account activity, as shown to the account holder.
    EventWords {
        account_created: "The account was made", "A conta foi criada";
        session_started: "Signed in", "Entrada na conta";
        session_renewed: "Proved it again", "Nova confirmação de identidade";
        session_ended: "Signed out", "Saída da conta";
        new_device: "Signed in on a new device", "Entrada em um novo dispositivo";
        impossible_travel: "Signed in unusually far away", "Entrada de um lugar distante demais";
        disavowed: "“That was not me” was answered", "Foi respondido “não fui eu”";
        credential_failed: "Somebody failed to sign in", "Tentativa de entrada sem sucesso";
        credential_added: "A way to sign in was added", "Uma forma de entrar foi adicionada";
        credential_renamed: "A way to sign in was renamed", "Uma forma de entrar foi renomeada";
        credential_removed: "A way to sign in was removed", "Uma forma de entrar foi removida";
        credential_disabled: "A way to sign in was closed", "Uma forma de entrar foi bloqueada";
        password_set: "The password was set", "A senha foi definida";
        contact_added: "An address or number was added", "Um endereço ou número foi adicionado";
        contact_verified: "An address or number was confirmed", "Um endereço ou número foi confirmado";
        contact_made_primary: "Another address became the main one", "Outro endereço passou a ser o principal";
        contact_removed: "An address or number was removed", "Um endereço ou número foi removido";
        email_changed: "The e-mail address was changed", "O endereço de e-mail foi trocado";
        email_restored: "The former e-mail address was brought back", "O endereço de e-mail anterior foi restaurado";
        account_changed: "The profile was changed", "O perfil foi alterado";
        account_exported: "The data was exported", "Os dados foram exportados";
        account_disabled: "The account was switched off", "A conta foi desativada";
        account_enabled: "The account was switched on again", "A conta foi reativada";
        account_sessions_ended: "An administrator signed you out everywhere", "Um administrador encerrou todas as sessões";
        account_reset_started: "An administrator asked for a new password", "Um administrador pediu uma nova senha";
        consent_denied: "Application turned away", "Aplicativo recusado";
        consent_given: "Application allowed", "Aplicativo permitido";
        device_allowed: "Application allowed on another device", "Aplicativo permitido em outro dispositivo";
        device_denied: "Application turned away on another device", "Aplicativo recusado em outro dispositivo";
        approval_given: "Request of an application approved", "Pedido de um aplicativo aprovado";
        approval_denied: "Request of an application denied", "Pedido de um aplicativo negado";
        application_removed: "Permission taken back", "Permissão revogada";
        invitation_accepted: "An invitation was accepted", "Um convite foi aceito";
        membership_ended: "A membership ended", "Uma participação terminou";
    }
}
