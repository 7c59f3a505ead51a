//! Phrases for sign-in, sent codes, second factors and step-up.

super::phrases! {
    /// Sign-in, step-up and second factors.
    SignInWords {
        title: "Sign in", "Entrar";
        to_continue: "to continue to {}", "para continuar em {}";
        lead: "Good to see you.", "Entre na sua conta.";
        with_passkey: "Sign in with a passkey", "Entrar com chave de acesso";
        email: "E-mail", "Endereço de e-mail";
        password: "Password", "Senha";
        submit: "Sign in", "Entrar";
        forgot: "Forgot it?", "Esqueceu?";
        no_password: "Without a password", "Sem senha";
        send_code: "E-mail a code", "Código por e-mail";
        text_code: "Text a code", "Código por SMS";
        with_provider: "Use my organization\u{2019}s sign-in", "Usar o acesso da minha organização";
        with_this_provider: "Sign in with {}", "Entrar com {}";
        provider_hint: "You go to your organization\u{2019}s own sign-in, and come back here.", "Você irá para o acesso da sua organização e voltará para cá.";
        use_provider: "Use your organization\u{2019}s sign-in", "Usar o acesso da sua organização";
        to_provider: "Taking you to your organization\u{2019}s sign-in", "Levando você ao acesso da sua organização";
        new_here: "New here?", "Primeira vez aqui?";
        create_account: "Create an account", "Criar uma conta";
        show_password: "Show the password", "Mostrar a senha";
        hide_password: "Hide the password", "Esconder a senha";
        show: "Show", "Mostrar";
        hide: "Hide", "Esconder";

        open_mail: "Nothing there? Look among the unwanted mail.", "Nada ainda? Veja também no lixo eletrônico.";

        code_title: "Enter the code", "Digite o código";
        code_by_email: "If there is an account for {}, we have e-mailed it a code and a link. Either works for ten minutes.", "Se houver uma conta para {}, enviamos um código e um link por e-mail. Qualquer um dos dois vale por dez minutos.";
        code_to_phone: "If there is an account for {}, we have texted it a code. It works for five minutes.", "Se houver uma conta para {}, enviamos um código por mensagem de texto. Ele vale por cinco minutos.";
        code_by_sms: "We have sent a text message with a code to {}. It works for five minutes.", "Enviamos uma mensagem de texto com um código para {}. Ele vale por cinco minutos.";
        code: "Code", "Código";
        wait_for_text: "Nothing there? A text message can take a minute.", "Nada ainda? Uma mensagem de texto pode levar um minuto.";

        phone_title: "Sign in by text message", "Entrar por mensagem de texto";
        phone_lead: "We will text a code to a number you have confirmed here.", "Enviaremos um código para um número que você já confirmou aqui.";
        phone: "Telephone number", "Número de telefone";
        phone_hint: "With its country, such as +55 81 99999-0000", "Com o país, como +55 81 99999-0000";
        phone_submit: "Text me a code", "Receber um código";
        phone_weak: "A passkey or a password is safer: numbers can be taken over.", "Uma chave de acesso ou uma senha é mais segura: números podem ser sequestrados.";
        resend: "Send it again", "Enviar de novo";
        resend_when: "If no message arrives, you can ask for another in {} min.", "Se a mensagem não chegar, você pode pedir outra em {} min.";
        resend_in: "Send it again in {} s", "Enviar de novo em {} s";

        second_title: "One more step", "Mais uma etapa";
        second_lead: "Your account asks for a second proof that it is you.", "Sua conta pede uma segunda prova de que é você.";
        totp: "Code from your authenticator app", "Código do seu aplicativo autenticador";
        totp_hint: "Six digits that change every 30 seconds", "Seis dígitos que mudam a cada 30 segundos";
        recovery: "Recovery code", "Código de recuperação";
        recovery_hint: "One of the ten you kept when you set this up. It works once.", "Um dos dez que você guardou ao configurar. Funciona uma única vez.";
        sms_send: "Send a text message", "Enviar uma mensagem de texto";
        sms_hint: "A text message is the weakest of these: numbers can be taken over.", "A mensagem de texto é a mais fraca destas opções: números podem ser sequestrados.";
        verify: "Verify", "Verificar";
        use_passkey: "Use a passkey", "Usar uma chave de acesso";
        use_totp: "Use the authenticator app", "Usar o aplicativo autenticador";
        use_recovery: "Use a recovery code", "Usar um código de recuperação";
        use_sms: "Get a text message", "Receber uma mensagem de texto";
        use_password: "Use the password", "Usar a senha";
        use_code: "Get a code by e-mail", "Receber um código por e-mail";

        again_title: "Is it still you?", "Ainda é você?";
        again_lead: "What comes next is sensitive, so please prove it once more.", "O que vem a seguir é delicado, então confirme mais uma vez.";
        again_for: "{} asks for a fresh proof that it is you.", "{} pede uma prova recente de que é você.";
        signed_in_as: "Signed in as", "Sessão de";

        landing_title: "Sign in here?", "Entrar aqui?";
        landing_lead: "You opened the link we sent to {}.", "Você abriu o link que enviamos para {}.";
        landing_plain: "You opened the link from our mail.", "Você abriu o link do nosso e-mail.";
        landing_button: "Yes, sign me in", "Sim, quero entrar";
        landing_warning: "If you did not ask for it, close this window: nothing has happened yet.", "Se você não pediu, feche esta janela: nada aconteceu ainda.";

        organization_title: "Which organization?", "Qual organização?";
        organization_lead: "You belong to several. {} will see only the one you choose.", "Você participa de várias. {} verá apenas a que você escolher.";
        organization_plain: "You belong to several. Choose the one to go on with.", "Você participa de várias. Escolha com qual continuar.";
        organization_none: "You belong to no organization that can be used here.", "Você não participa de nenhuma organização que possa ser usada aqui.";
    }
}
