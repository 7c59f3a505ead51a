//! Phrases for sign-up, invitations, the first operator and e-mail verification.

super::phrases! {
    /// Sign-up, invitations and the first operator.
    SignUpWords {
        title: "Create your account", "Crie a sua conta";
        lead: "One account for everything that signs in here.", "Uma conta para tudo o que entra por aqui.";
        name: "Name", "Nome";
        name_hint: "As others should see it", "Como os outros devem ver";
        email: "E-mail", "Endereço de e-mail";
        optional: "optional", "opcional";
        password: "Password", "Senha";
        with_passkey: "Create it with a passkey", "Criar com chave de acesso";
        with_password: "or with a password", "ou com uma senha";
        submit: "Create the account", "Criar a conta";
        have_account: "Already have an account?", "Já tem uma conta?";
        sign_in: "Sign in", "Entrar";

        verify_title: "Confirm your address", "Confirme o seu endereço";
        verify_lead: "We have sent a code to {}. Enter it here to show that the address is yours.", "Enviamos um código para {}. Digite-o aqui para mostrar que o endereço é seu.";
        verify_number_title: "Confirm your number", "Confirme o seu número";
        verify_number_lead: "We have texted a code to {}. Enter it here to show that the number is yours.", "Enviamos um código por mensagem de texto para {}. Digite-o aqui para mostrar que o número é seu.";
        verify_landing: "Confirm that {} is yours?", "Confirmar que {} é seu?";
        verify_landing_plain: "Confirm that this address is yours?", "Confirmar que este endereço é seu?";
        verify_landing_detail: "You opened the link from our mail. One press and it is done.", "Você abriu o link do nosso e-mail. Um toque e está feito.";
        verify_button: "Confirm the address", "Confirmar o endereço";
        verify_ask: "Which address do you want to confirm?", "Qual endereço você quer confirmar?";

        invitation_title: "You are invited to {}", "Convite para {}";
        invitation_lead: "Create an account to join. It is yours, whatever becomes of the membership.", "Crie uma conta para participar. Ela é sua, aconteça o que acontecer com a participação.";
        invitation_role: "Your role: {}", "Sua função: {}";
        invitation_accept: "Accept the invitation", "Aceitar o convite";

        operator_title: "Welcome to your Sinete", "Boas-vindas ao seu Sinete";
        operator_lead: "You are the first. This account runs the whole instance, so give it a passkey or a long password.", "Você é a primeira pessoa. Esta conta administra toda a instância: dê a ela uma chave de acesso ou uma senha longa.";
        operator_submit: "Create the operator’s account", "Criar a conta de operador";
    }
}
