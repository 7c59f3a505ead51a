//! Phrases for setting up and replacing passwords, passkeys and authenticator apps.

super::phrases! {
    /// Passwords, passkeys and authenticator apps.
    CredentialWords {
        reset_title: "Reset your password", "Redefina a sua senha";
        reset_lead: "Tell us your address and we will e-mail you what you need.", "Diga o seu endereço e enviaremos por e-mail o que você precisa.";
        reset_submit: "Send it", "Enviar";
        reset_sent_detail: "If there is an account for {}, a message with the next step is on its way.", "Se houver uma conta para {}, uma mensagem com o próximo passo está a caminho.";
        reset_back: "Back to sign-in", "Voltar para a entrada";
        reset_landing: "Choose a new password?", "Escolher uma nova senha?";
        reset_landing_button: "Choose a new password", "Escolher uma nova senha";

        set_title: "Choose a new password", "Escolha uma nova senha";
        set_lead: "Everyone else who is signed in as you will be signed out.", "Quem mais estiver conectado como você será desconectado.";
        set_first_title: "Add a password", "Adicione uma senha";
        set_first_lead: "You can go without one: a passkey is quicker and cannot be phished.", "Você pode ficar sem: a chave de acesso é mais rápida e não pode ser roubada por golpe.";
        current_password: "Current password", "Senha atual";
        new_password: "New password", "Nova senha";
        password_rule: "At least {} characters. Anything goes: spaces, words, any language.", "Pelo menos {} caracteres. Vale tudo: espaços, palavras, qualquer idioma.";
        set_submit: "Save the password", "Salvar a senha";

        passkey_title: "Sign in faster next time", "Entre mais rápido da próxima vez";
        passkey_lead: "A passkey uses your fingerprint, face or screen lock. Nothing to remember, nothing to type, nothing to steal.", "A chave de acesso usa sua digital, seu rosto ou o bloqueio da tela. Nada para lembrar, nada para digitar, nada para roubar.";
        passkey_first: "Quick: one touch instead of a password", "Rápida: um toque em vez de uma senha";
        passkey_second: "Safe: works only on this site, so it cannot be phished", "Segura: só funciona neste site, então não cai em golpes";
        passkey_third: "Private: your fingerprint never leaves your device", "Privada: sua digital nunca sai do seu dispositivo";
        passkey_create: "Create a passkey", "Criar uma chave de acesso";
        passkey_skip: "Not now", "Agora não";
        passkey_name: "Name of this passkey", "Nome desta chave de acesso";
        passkey_add_title: "Add a passkey", "Adicionar uma chave de acesso";

        totp_title: "Set up your authenticator app", "Configure o aplicativo autenticador";
        totp_first: "Scan this with the app", "Leia isto com o aplicativo";
        totp_picture: "QR code that holds the key written below it", "Código QR com a chave escrita abaixo";
        totp_text: "Cannot scan? Type this key instead", "Não consegue ler? Digite esta chave";
        totp_second: "Enter the six digits it shows", "Digite os seis dígitos que ele mostrar";
        totp_submit: "Switch it on", "Ativar";

        recovery_make: "Make recovery codes?", "Gerar códigos de recuperação?";
        recovery_make_detail: "Ten codes for the day your phone is gone. Codes you had before stop working.", "Dez códigos para o dia em que o celular sumir. Os códigos anteriores deixam de funcionar.";
        recovery_make_button: "Make ten codes", "Gerar dez códigos";
        recovery_title: "Keep these codes safe", "Guarde bem estes códigos";
        recovery_lead: "Each signs you in once if you lose your phone. They are shown now and never again.", "Cada um permite entrar uma vez se você perder o celular. Eles aparecem agora e nunca mais.";
        recovery_list: "Recovery codes", "Códigos de recuperação";
        recovery_copy: "Copy", "Copiar";
        recovery_copied: "Copied", "Copiado";
        recovery_print: "Print", "Imprimir";
        recovery_done: "I have kept them", "Já guardei";
    }
}
