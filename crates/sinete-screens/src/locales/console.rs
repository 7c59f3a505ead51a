//! Phrases of the console.

super::phrases! {
    /// The console.
    ConsoleWords {
        title: "Console", "Console de gestão";
        open: "Open the console", "Abrir o console";
        choose: "Your organizations", "Suas organizações";
        choose_lead: "Choose the organization you want to work in.", "Escolha a organização em que você quer trabalhar.";
        choose_none: "There is no organization in which you manage anything.", "Não há organização em que você gerencie algo.";
        other: "Other organizations", "Outras organizações";
        sections: "Parts of the console", "Partes do console";
        suspended: "Suspended", "Suspensa";
        suspended_title: "This organization is suspended", "Esta organização está suspensa";
        suspended_lead: "You can look at everything. Nothing can be changed until it is restored.", "Você pode ver tudo. Nada pode ser alterado até que ela seja restaurada.";

        overview: "Overview", "Visão geral";
        short_name: "Short name", "Nome curto";
        condition: "Condition", "Situação";
        enabled: "Enabled", "Ativa";
        since: "Since", "Desde";
        your_roles: "Your roles", "Seus papéis";
        what_you_may: "What you may do here", "O que você pode fazer aqui";

        members: "Members", "Membros";
        members_lead: "People, services and agents that belong here.", "Pessoas, serviços e agentes que fazem parte.";
        members_none: "There is nobody here.", "Não há ninguém aqui.";
        search: "Find a member", "Encontrar um membro";
        search_hint: "The beginning of a name or of an address. More words find fewer.", "O começo de um nome ou de um endereço. Mais palavras encontram menos.";
        search_now: "Search", "Procurar";
        found: "Found: {}", "Encontrados: {}";
        found_more: "More than {} were found. They go on on the next page.", "Mais de {} foram encontrados. Continuam na próxima página.";
        found_nobody: "Nobody was found.", "Ninguém foi encontrado.";
        found_early: "Not everybody here can be found yet: many were added or changed just now. Try again in a minute.", "Nem todos aqui podem ser encontrados ainda: muitos foram adicionados ou alterados há pouco. Tente de novo em um minuto.";
        found_no_further: "Nobody further was found.", "Ninguém mais foi encontrado.";
        found_so_far: "Found on this page: {}. Many begin like this, and not all of them have been looked at yet.", "Encontrados nesta página: {}. Muitos começam assim, e nem todos foram examinados ainda.";
        found_nobody_yet: "Nobody was found so far. Many begin like this, and not all of them have been looked at yet.", "Ninguém foi encontrado até aqui. Muitos começam assim, e nem todos foram examinados ainda.";
        look_further: "Look further", "Procurar mais adiante";
        everybody: "Show everybody", "Mostrar todos";
        nameless: "No name yet", "Ainda sem nome";
        you: "you", "você";
        machine: "service or agent", "serviço ou agente";
        unclaimed: "waits to be claimed", "aguarda aceite";
        switched_off: "switched off", "desativado";
        next: "Next page", "Próxima página";
        first: "First page", "Primeira página";
        pages: "Pages", "Páginas";

        back_to_members: "All members", "Todos os membros";
        kind: "Kind", "Tipo";
        person: "person", "pessoa";
        state: "State", "Situação atual";
        state_on: "switched on", "ativado";
        address: "Invited at", "Convidado em";
        work_email: "Work e-mail", "E-mail de trabalho";
        job: "Title", "Cargo";
        department: "Department", "Departamento";
        external: "Name in the directory", "Nome no diretório";
        identifier: "Identifier", "Identificador";
        roles: "Roles", "Papéis";
        roles_hint: "Whoever carries a role may do what it allows. You can give what you hold yourself.", "Quem tem um papel pode fazer o que ele permite. Você pode dar o que você mesmo tem.";
        save_roles: "Save the roles", "Salvar os papéis";
        access: "Access", "Acesso";
        switch_off: "Switch off", "Desativar";
        switch_off_lead: "Nothing of theirs counts here from that moment on. Nothing is lost, and they can be switched on again.", "A partir desse momento, nada do que é deste membro vale aqui. Nada se perde, e o acesso pode ser reativado.";
        switch_on: "Switch on again", "Reativar";
        switch_on_lead: "They hold again what they held before.", "Volta a ter o que tinha antes.";
        remove: "Remove for good", "Remover de vez";
        remove_lead: "They lose everything they hold here. To come back they have to be invited again.", "Perde tudo o que tem aqui. Para voltar, precisa ser convidado de novo.";
        leave: "Leave the organization", "Sair da organização";
        leave_lead: "You lose everything you hold here. To come back you have to be invited again.", "Você perde tudo o que tem aqui. Para voltar, precisa ser convidado de novo.";
        leave_now: "Leave now", "Sair agora";
        remove_now: "Remove now", "Remover agora";

        invitations: "Invitations", "Convites";
        invitations_lead: "Each is sent to one address and works once.", "Cada um vai para um endereço e funciona uma vez.";
        invitations_none: "Nobody has been invited yet.", "Ninguém foi convidado ainda.";
        invite: "Invite somebody", "Convidar alguém";
        email: "E-mail address", "Endereço de e-mail";
        language: "Language of the message", "Idioma da mensagem";
        language_usual: "As the organization has it", "O da organização";
        lifetime: "Works for", "Vale por";
        one_day: "1 day", "1 dia";
        three_days: "3 days", "3 dias";
        seven_days: "7 days", "7 dias";
        send: "Send the invitation", "Enviar o convite";
        waits_until: "Waits until {}", "Aguarda até {}";
        accepted_on: "Accepted on {}", "Aceito em {}";
        withdrawn_on: "Withdrawn on {}", "Retirado em {}";
        expired_on: "Expired on {}", "Expirou em {}";
        withdraw: "Withdraw", "Retirar";
        forgotten_address: "an address that was forgotten", "um endereço que foi esquecido";

        before_form: "You prove who you are before the form is shown.", "Você confirma quem é antes que o formulário apareça.";
        lost: "What you typed was too much to be kept, so the form shows how things are. Send less at once, or use the management API.", "O que você digitou era demais para ser guardado, por isso o formulário mostra como as coisas estão. Envie menos de cada vez, ou use a API de gestão.";
        changed_only: "Somebody changed this in the meantime, so nothing was done. This is how it stands now.", "Alguém alterou isto nesse meio-tempo, por isso nada foi feito. É assim que está agora.";

        prove_title: "Prove it once more", "Confirme sua identidade";
        prove_lead: "{} asks everybody who manages it for a stronger proof of who they are.", "{} pede a quem gerencia uma prova mais forte de identidade.";
        set_up_lead: "{} asks everybody who manages it for a second factor. Set up a passkey or an authenticator app in your account first.", "{} pede um segundo fator a quem gerencia. Configure antes uma chave de acesso ou um aplicativo autenticador na sua conta.";
        prove: "Go on", "Seguir";
        otherwise_title: "Sign in another way", "Entre de outra forma";
        otherwise_lead: "{} does not accept the way you signed in. Sign out and sign in the way it asks for.", "{} não aceita a forma como você entrou. Saia e entre da forma que ela pede.";
    }
}

super::phrases! {
    /// The results of console forms.
    OutcomeWords {
        roles_changed: "The roles are changed.", "Os papéis foram alterados.";
        switched_off: "The member is switched off.", "O membro foi desativado.";
        switched_on: "The member is switched on again.", "O membro foi reativado.";
        removed: "The member is removed.", "O membro foi removido.";
        invited: "The invitation is on its way.", "O convite está a caminho.";
        withdrawn: "The invitation is withdrawn.", "O convite foi retirado.";
        key_revoked: "The key is revoked. It works nowhere any more.", "A chave foi revogada. Não vale mais em lugar nenhum.";
        key_shown: "That key was made and shown already. It is not shown again; if you lost it, revoke it and make another.", "Essa chave já foi criada e mostrada. Ela não aparece de novo; se você a perdeu, revogue-a e crie outra.";

        role_made: "The role is made.", "O papel foi criado.";
        role_changed: "The role is changed.", "O papel foi alterado.";
        role_deleted: "The role is deleted.", "O papel foi excluído.";
        bad_role_name: "A role is called by 1 to 64 lower-case letters, digits, - and _.", "O nome de um papel tem de 1 a 64 letras minúsculas, dígitos, - e _.";
        name_taken: "The organization has a role of that name.", "A organização já tem um papel com esse nome.";
        bad_permissions: "Something that was ticked does not exist here, or not any more. Look at what is ticked and send it again.", "Algo que foi marcado não existe aqui, ou não mais. Confira o que está marcado e envie de novo.";
        domain_claimed: "The domain is claimed. Publish its record, then check it.", "O domínio foi reivindicado. Publique o registro e depois verifique.";
        domain_proven: "The domain is proven.", "O domínio está comprovado.";
        domain_released: "The domain is released.", "O domínio foi liberado.";
        bad_domain: "This is no domain that can be claimed by an organization.", "Este não é um domínio que uma organização possa reivindicar.";
        domain_taken: "The organization has this domain already, or as many as it may: 50.", "A organização já tem este domínio, ou tantos quantos pode: 50.";
        not_proven: "We did not find the record, the DNS did not answer, or another organization has proven this domain. Publish it exactly as it is shown, wait until it can be seen, and check again.", "Não encontramos o registro, o DNS não respondeu, ou outra organização comprovou este domínio. Publique-o exatamente como aparece, espere até que possa ser visto e verifique de novo.";
        registered: "The application is registered.", "O aplicativo foi registrado.";
        application_changed: "The application is changed.", "O aplicativo foi alterado.";
        application_off: "The application is switched off.", "O aplicativo foi desativado.";
        application_on: "The application is switched on again.", "O aplicativo foi reativado.";
        application_deleted: "The application is deleted.", "O aplicativo foi excluído.";
        secret_revoked: "The secret is revoked. It works nowhere any more.", "O segredo foi revogado. Não vale mais em lugar nenhum.";
        made_before: "That form was sent before, and what it makes was made then. A secret is not shown again; if you lost it, make another.", "Esse formulário já foi enviado, e o que ele cria já foi criado. Um segredo não aparece de novo; se você o perdeu, crie outro.";
        provider_connected: "The provider is connected, and switched off. Register there what stands below, try it, then switch it on.", "O provedor está conectado e desativado. Registre lá o que está abaixo, teste e depois ative.";
        connection_changed: "The connection is changed.", "A conexão foi alterada.";
        no_more_connections: "An organization is connected to at most 10 providers. Delete one first.", "Uma organização se conecta a até 10 provedores. Exclua um antes.";
        owners_decide: "Only owners can connect an identity provider or change its trust settings.", "Só proprietários podem conectar um provedor de identidade ou alterar as configurações de confiança dele.";
        bad_issuer: "Give the https address by which the provider names itself, without ? and #.", "Informe o endereço https pelo qual o provedor se nomeia, sem ? e sem #.";
        bad_client_id: "Give the name by which the provider knows this service, in 1 to 256 visible characters.", "Informe o nome pelo qual o provedor conhece este serviço, em 1 a 256 caracteres visíveis.";
        bad_client_secret: "Give the secret as the provider shows it, in at most 1024 characters. With a signature there is none.", "Informe o segredo como o provedor o mostra, em até 1024 caracteres. Com assinatura não há nenhum.";
        bad_scopes: "Give 1 to 20 scopes, separated by spaces, openid among them.", "Informe de 1 a 20 escopos, separados por espaços, openid entre eles.";
        bad_metadata: "This is not what a SAML provider says about itself now, or it describes another provider, lacks an address by HTTP-Redirect or a certificate that can be used, or is longer than 48 KiB.", "Isto não é o que um provedor SAML diz de si agora, ou descreve outro provedor, não traz um endereço por HTTP-Redirect ou um certificado utilizável, ou passa de 48 KiB.";
        provider_taken: "The organization is connected to this provider already, or it names itself in a way that cannot be used. Change the connection there is, or delete it first.", "A organização já está conectada a este provedor, ou ele se nomeia de um modo que não pode ser usado. Altere a conexão que há, ou exclua-a antes.";
        bad_subject: "Give NameID, or the name of an attribute in 1 to 256 visible characters.", "Informe NameID, ou o nome de um atributo em 1 a 256 caracteres visíveis.";
        bad_attribute: "Give the name of an attribute in at most 256 visible characters, or NameID.", "Informe o nome de um atributo em até 256 caracteres visíveis, ou NameID.";
        bad_name_attribute: "Give the name of an attribute in at most 256 visible characters.", "Informe o nome de um atributo em até 256 caracteres visíveis.";
        bad_domains: "Give domains that the organization has, one to a line and each once, at most 50. Claim them first.", "Informe domínios que a organização tem, um por linha e cada um uma vez, até 50. Reivindique-os antes.";
        connection_on: "People are sent there from now on.", "A partir de agora as pessoas são levadas até lá.";
        connection_off: "Nobody is sent there any more.", "Ninguém mais é levado até lá.";
        change_it_first: "Something that is set about it can be used no more, so it stays as it was. Change that first.", "Algo do que está definido não pode mais ser usado, por isso fica como estava. Altere isso antes.";
        connection_deleted: "The connection is deleted.", "A conexão foi excluída.";
        connection_works: "Everything that is set works.", "Tudo o que está definido funciona.";
        no_description: "What the provider says about itself could not be read, or does not fit.", "O que o provedor diz de si não pôde ser lido, ou não serve.";
        no_provider_keys: "The keys that the provider publishes could not be read, or are of no use.", "As chaves que o provedor publica não puderam ser lidas, ou não servem.";
        not_taken: "The provider did not take what this service shows to prove itself.", "O provedor não aceitou o que este serviço mostra para provar quem é.";
        bad_certificates: "There is no certificate of the provider that can be used now.", "Não há certificado do provedor que possa ser usado agora.";
        webhook_changed: "The webhook is changed.", "O webhook foi alterado.";
        webhook_paused: "The webhook is paused.", "O webhook foi pausado.";
        webhook_resumed: "The webhook is told of things again.", "O webhook voltou a ser avisado.";
        webhook_tested: "The trial is on its way. What came of it stands among the deliveries.", "O teste está a caminho. O resultado aparece entre as entregas.";
        webhook_replayed: "Everything since that day is on its way once more.", "Tudo desde esse dia está a caminho mais uma vez.";
        webhook_deleted: "The webhook is deleted.", "O webhook foi excluído.";
        bad_address: "Give an address that begins with https, without a password and without #.", "Informe um endereço que comece com https, sem senha e sem #.";
        no_kinds: "Choose at least one thing it is told of, or everything.", "Escolha pelo menos uma coisa de que é avisado, ou tudo.";
        no_more_webhooks: "There are as many addresses as there may be: 20. Delete one first.", "Já há tantos endereços quanto pode haver: 20. Exclua um antes.";
        is_paused: "It is paused. Let it go on first.", "Está pausado. Retome-o antes.";
        bad_since: "Choose a day that has begun, written like 2026-11-16.", "Escolha um dia que já começou, escrito como 2026-11-16.";
        bad_description: "This is longer than 200 characters, or not all of them can be seen.", "Isto tem mais de 200 caracteres, ou nem todos são visíveis.";
        no_purpose: "Say what it is for, in at most 200 characters, all of which can be seen.", "Diga para que serve, em até 200 caracteres, todos visíveis.";
        bad_redirects: "Signing in with a browser takes one to twenty addresses, one to a line and each once: https, http on localhost, or a scheme of its own with a dot, without # and without *.", "Entrar por um navegador exige de um a vinte endereços, um por linha e cada um uma vez: https, http em localhost, ou um esquema próprio com ponto, sem # e sem *.";
        must_prove: "What acts for itself, or asks for approval, has to prove itself; under the profile fapi2, with keys of its own or a certificate.", "O que age por si, ou pede aprovação, precisa provar quem é; no perfil fapi2, com chaves próprias ou um certificado.";
        over_the_api: "This does not go with something about it that is set over the management API. Change it there.", "Isto não combina com algo dele que se define pela API de gestão. Altere por lá.";
        bad_public_keys: "Give the https address at which its public keys are published.", "Informe o endereço https em que suas chaves públicas são publicadas.";
        bad_grants: "Choose at least one way; renewing goes with a way in which people take part.", "Escolha pelo menos uma forma; renovar acompanha uma forma em que pessoas participam.";
        bad_scope: "These are no scopes, or some that only an application may ask for that an operator vouches for.", "Estes não são escopos válidos, ou são alguns que só um aplicativo atestado por um operador pode pedir.";
        needs_role: "What acts for itself carries at least one role.", "O que age por si tem pelo menos um papel.";
        no_more_secrets: "It has as many secrets as it may, or proves itself without one.", "Ele já tem tantos segredos quanto pode, ou prova quem é sem segredo.";
        last_secret: "This is the secret it uses. Make a new one first, or switch it off.", "Este é o segredo em uso. Crie um novo antes, ou desative o aplicativo.";

        changed: "Somebody changed this in the meantime. This is how it stands now; look at what you chose and save again.", "Alguém alterou isto nesse meio-tempo. É assim que está agora; confira o que você escolheu e salve de novo.";
        not_yours: "Nobody gives what they do not hold, and only owners decide about owners.", "Ninguém dá o que não tem, e só proprietários decidem sobre proprietários.";
        last_owner: "An organization keeps at least one owner.", "Uma organização mantém pelo menos um proprietário.";
        no_roles: "Choose at least one role.", "Escolha pelo menos um papel.";
        no_name: "Give it a name of at most 200 characters, all of which can be seen.", "Dê um nome de até 200 caracteres, todos visíveis.";
        no_scope: "Choose at least one thing it may be used for.", "Escolha pelo menos um uso permitido.";
        bad_email: "This is no e-mail address.", "Isto não é um endereço de e-mail.";
        already_invited: "An invitation to this address waits already. Withdraw it first.", "Já há um convite aguardando neste endereço. Retire-o antes.";
        too_many: "This address has been invited often enough for now. Try again tomorrow.", "Este endereço já foi convidado vezes demais por ora. Tente amanhã.";
        suspended: "The organization is suspended and accepts no change.", "A organização está suspensa e não aceita alterações.";
        gone: "What this was about is not there any more.", "Aquilo de que se tratava não existe mais.";
        role_gone: "One of the roles you chose does not exist here any more. Look at what is ticked and send it again.", "Um dos papéis que você escolheu não existe mais aqui. Confira o que está marcado e envie de novo.";
        bad_days: "An invitation works for one to seven days.", "Um convite vale de um a sete dias.";
        bad_key_days: "A key works for one to 365 days.", "Uma chave vale de um a 365 dias.";
        too_much: "That is more than one form can hold. Tick or type less, or use the management API.", "Isso é mais do que cabe num formulário. Marque ou digite menos, ou use a API de gestão.";
        accepted: "The invitation has been accepted already.", "O convite já foi aceito.";
        not_allowed: "You may not do this here.", "Você não pode fazer isto aqui.";
        not_possible: "That cannot be done now.", "Isso não pode ser feito agora.";
        busy: "There is too much to do right now. Try again in a moment.", "Há muito a fazer neste momento. Tente de novo em instantes.";
        proven: "You have proven who you are. For five minutes the form takes no further proof.", "Você confirmou quem é. Por cinco minutos o formulário não pede outra prova.";
        type_again: "You have proven who you are, and nothing is done yet: one field is never kept meanwhile. Fill it in again and send the form.", "Você confirmou quem é, e nada foi feito ainda: um campo nunca é guardado nesse meio-tempo. Preencha-o de novo e envie o formulário.";
        not_kept: "You have proven who you are, and nothing is done yet. Fill in the form again: it takes no further proof for five minutes.", "Você confirmou quem é, e nada foi feito ainda. Preencha o formulário de novo: por cinco minutos ele não pede outra prova.";
        not_done: "You have proven who you are, but what you asked for did not come back with you and was not done. Do it again now: it takes no further proof.", "Você confirmou quem é, mas o que pediu não voltou com você e não foi feito. Faça de novo agora: não é preciso confirmar outra vez.";
        bad_kind: "There is no such kind of event.", "Não existe esse tipo de evento.";
        too_many_words: "These are too many words: type eight at most.", "São palavras demais: digite no máximo oito.";
        bad_search: "That cannot be looked for: type one to eight words, 256 characters at most.", "Isso não pode ser procurado: digite de uma a oito palavras, com no máximo 256 caracteres.";
        bad_day: "A day is written like 2026-11-16.", "Um dia se escreve como 2026-11-16.";
        sign_in_again: "This takes a fresh proof. Sign out, sign in again and do it then.", "Isto exige uma prova recente. Saia, entre de novo e então repita.";
    }
}
