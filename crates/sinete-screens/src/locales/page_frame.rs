//! Phrases of the page frame, the landing page and message pages.

super::phrases! {
    /// The frame of every page.
    FrameWords {
        skip_to_content: "Skip to content", "Pular para o conteúdo";
        footer: "Sinete, an identity provider you run yourself.", "Sinete, um serviço de identidade nas suas próprias mãos.";
        shown_by: "Sign-in by {}", "Acesso por {}";
        to_the_first_page: "Go to the first page", "Ir para a página inicial";
        reference: "Reference", "Referência";
        language: "Language", "Idioma";
        working: "One moment…", "Um momento…";
        or: "or", "ou";
        cancel: "Cancel", "Cancelar";
        go_on: "Continue", "Continuar";
        another_way: "Try another way", "Tentar de outro jeito";
        sign_out: "Sign out", "Sair";
        script_needed: "Passkeys need JavaScript, which is switched off in this browser. Everything else works without it.", "As chaves de acesso precisam de JavaScript, que está desligado neste navegador. Todo o resto funciona sem ele.";
    }
}

super::phrases! {
    /// The landing page.
    LandingWords {
        title: "This is where people sign in", "É aqui que as pessoas entram";
        lead: "Sinete keeps accounts, signs people, services and agents in, and tells applications who is asking and what they may do.", "O Sinete guarda contas, autentica pessoas, serviços e agentes, e diz aos aplicativos quem está pedindo e o que pode fazer.";
        account: "Go to my account", "Ir para a minha conta";
        development: "Development instance", "Instância de desenvolvimento";
        development_detail: "Its keys were made on the spot and protect nothing. Keep real accounts out of it.", "As chaves foram criadas na hora e não protegem nada. Não guarde contas reais aqui.";
        issuer: "Issuer", "Emissor";
        links: "Look around", "O que há para ver";
        health: "Health", "Saúde";
        health_detail: "whether this node is alive", "se este nó está vivo";
        keys: "Public keys", "Chaves públicas";
        keys_detail: "what applications check signatures with", "com que os aplicativos conferem assinaturas";
        documentation: "Documentation", "Documentação";
        documentation_detail: "The README and the docs folder came with the program. Every command explains itself:", "O README e a pasta docs vieram com o programa. Cada comando se explica:";
    }
}

super::phrases! {
    /// Message pages.
    MessageWords {
        not_found: "There is no such page", "Esta página não existe";
        not_found_detail: "The address may be mistyped, or the link may be old.", "O endereço pode ter um erro, ou o link pode ser antigo.";
        server_error: "Something went wrong on our side", "Algo deu errado do nosso lado";
        server_error_detail: "It has been recorded. Try again, and quote the reference below if it happens once more.", "O erro foi registrado. Tente novamente e, se acontecer de novo, informe a referência abaixo.";
        unavailable: "We cannot answer right now", "Não conseguimos responder agora";
        too_many: "Too many requests from your network", "Muitos pedidos vindos da sua rede";
        too_many_detail: "Wait a minute and try again. Nothing was lost.", "Espere um minuto e tente de novo. Nada se perdeu.";
        unavailable_detail: "Nothing was lost. Try again in a moment.", "Nada se perdeu. Tente de novo em alguns instantes.";
        flow_over: "This page is no longer valid", "Esta página não vale mais";
        flow_over_detail: "It was open for too long, or it was finished in another tab. Start again: nothing was lost.", "Ela ficou aberta por tempo demais ou foi concluída em outra aba. Comece de novo: nada se perdeu.";
        start_again: "Start again", "Começar de novo";
        refused: "This form was not accepted", "Este formulário não foi aceito";
        refused_detail: "It did not come from the page this browser was shown. Go back, reload the page and try again.", "Ele não veio da página mostrada a este navegador. Volte, recarregue a página e tente de novo.";
        request_refused: "This request cannot be completed", "Não é possível concluir este pedido";
        request_refused_detail: "The application sent something we cannot accept. You did nothing wrong; only its makers can mend it.", "O aplicativo enviou algo que não podemos aceitar. Você não fez nada de errado; só quem o criou pode resolver.";
        client_gone: "This application is not registered here any more", "Este aplicativo não está mais registrado aqui";
        client_gone_detail: "Remove the connection in the application and add it again: it then registers itself anew.", "Remova a conexão no aplicativo e adicione-a de novo: assim ele se registra outra vez.";
        leave: "You are about to leave for {}", "Você está prestes a ir para {}";
        leave_detail: "Nobody here has checked this application. Go on only if you know it and were on your way there.", "Ninguém aqui verificou este aplicativo. Continue apenas se você o conhece e estava indo para lá.";
        leave_button: "Go on to {}", "Continuar para {}";
        what_it_said: "For its makers", "Para quem o criou";
        onward: "Taking you back to {}.", "Levando você de volta para {}.";
        onward_plain: "Taking you back to where you came from.", "Levando você de volta para onde estava.";
        provider_away: "Your organization\u{2019}s sign-in cannot be reached", "O acesso da sua organização não responde";
        provider_away_detail: "Try again in a while, or ask whoever looks after your organization.", "Tente de novo daqui a pouco ou fale com quem cuida da sua organização.";
        invited_only: "Accounts are made by invitation here", "Aqui as contas são criadas por convite";
        invited_only_detail: "Ask whoever runs this service, or your organization, to invite you.", "Peça um convite a quem administra este serviço ou à sua organização.";
        signed_out: "You are signed out", "Você saiu";
        signed_out_detail: "Nobody else at this device can use your account now. Close the window if it is shared.", "Ninguém mais neste dispositivo pode usar a sua conta agora. Feche a janela se ele for compartilhado.";
        sign_in_again: "Sign in again", "Entrar de novo";
        confirm_sign_out: "Sign out?", "Sair?";
        confirm_sign_out_detail: "You will be signed out here, and applications that were signed in through it are told.", "Você sairá daqui, e os aplicativos que entraram por aqui serão avisados.";
        email_verified: "Your address is confirmed", "Seu endereço está confirmado";
        email_verified_detail: "You can close this window, or go on to your account.", "Você pode fechar esta janela ou ir para a sua conta.";
        password_changed: "Your password is changed", "Sua senha foi alterada";
        password_changed_detail: "You were signed out everywhere else. Sign in with the new one from now on.", "Você saiu de todos os outros lugares. A partir de agora, entre com a nova senha.";
        not_me: "Was it not you?", "Não foi você?";
        not_me_detail: "If somebody else signed in to your account, press the button: every session ends, on every device, and you can then set a new password.", "Se outra pessoa entrou na sua conta, aperte o botão: todas as sessões terminam, em todos os dispositivos, e em seguida você pode definir uma nova senha.";
        not_me_button: "It was not me: end every session", "Não fui eu: encerrar todas as sessões";
        keep_access: "What acts for you without you", "O que age em seu nome sem você";
        keep_access_hint: "These applications and API keys lose their access too. Tick only what you recognise and want to keep.", "Estes aplicativos e chaves de API também perdem o acesso. Marque somente o que você reconhece e quer manter.";
        keep_key: "API key", "Chave de API";
        undo_email: "Bring this address back?", "Trazer este endereço de volta?";
        undo_email_detail: "If you did not want your address to change, press the button: it is yours again, every session ends, and you can then set a new password.", "Se você não queria que o seu endereço mudasse, aperte o botão: ele volta a ser seu, todas as sessões terminam, e em seguida você pode definir uma nova senha.";
        undo_email_button: "Bring it back", "Trazer de volta";
        email_restored: "Your address is back", "Seu endereço está de volta";
        email_restored_detail: "Nobody is signed in to your account any more. Set a new password now.", "Ninguém mais está na sua conta. Defina agora uma nova senha.";
        disavowed: "Every session has ended", "Todas as sessões foram encerradas";
        disavowed_detail: "Nobody is signed in to your account any more. Set a new password now, and look at your passkeys when you have signed in.", "Ninguém mais está na sua conta. Defina agora uma nova senha e confira as suas chaves de acesso depois de entrar.";
        set_new_password: "Set a new password", "Definir uma nova senha";
        finished_elsewhere: "Go on where you began", "Continue onde você começou";
        finished_elsewhere_detail: "Open this link in the browser you began in, or type the code of the message there. Nothing has happened yet.", "Abra este link no navegador em que você começou, ou digite lá o código da mensagem. Nada aconteceu ainda.";
        link_spent: "This link does not work any more", "Este link não funciona mais";
        link_spent_detail: "Each link works once and for a short time. Ask for a new one.", "Cada link funciona uma vez e por pouco tempo. Peça um novo.";
    }
}

super::phrases! {
    /// The mailbox of a development instance.
    DevMailWords {
        title: "Development mailbox", "Caixa de mensagens de desenvolvimento";
        lead: "Messages this instance would have sent, newest first. They are kept in memory and seen from this machine only.", "As mensagens que esta instância teria enviado, da mais nova à mais antiga. Ficam na memória e só são vistas nesta máquina.";
        empty: "Nothing has been sent since this instance started.", "Nada foi enviado desde que esta instância começou.";
    }
}

super::phrases! {
    /// The names of the months.
    MonthWords {
        january: "January", "janeiro";
        february: "February", "fevereiro";
        march: "March", "março";
        april: "April", "abril";
        may: "May", "maio";
        june: "June", "junho";
        july: "July", "julho";
        august: "August", "agosto";
        september: "September", "setembro";
        october: "October", "outubro";
        november: "November", "novembro";
        december: "December", "dezembro";
    }
}
