//! Phrases of form errors.

super::phrases! {
    /// Form errors.
    TroubleWords {
        wrong_proof: "That did not match. Check it and try again.", "Não confere. Verifique e tente de novo.";
        wrong_code: "That code did not match, or it is too old. Check it, or ask for a new one.", "O código não confere ou já passou do prazo. Verifique ou peça um novo.";
        missing: "Fill in what is marked, then go on.", "Preencha o que está marcado e continue.";
        bad_email: "That does not look like an e-mail address.", "Isso não parece um endereço de e-mail.";
        bad_phone: "That does not look like a telephone number. Begin with a plus and the country.", "Isso não parece um número de telefone. Comece com o sinal de mais e o código do país.";
        taken_by_you: "That is among your addresses and numbers already.", "Isso já está entre os seus endereços e números.";
        password_short: "Use at least {} characters. A few words in a row are easy to remember.", "Use pelo menos {} caracteres. Algumas palavras seguidas são fáceis de lembrar.";
        password_long: "Use at most {} characters.", "Use no máximo {} caracteres.";
        password_refused: "Many people use that password, or it holds a name that is easy to guess. Choose another.", "Muita gente usa essa senha, ou ela contém um nome fácil de adivinhar. Escolha outra.";
        too_many: "That was tried too often. Wait {} and try again.", "Foram tentativas demais. Espere {} e tente de novo.";
        second: "a second", "um segundo";
        seconds: "{} seconds", "{} segundos";
        minute: "a minute", "um minuto";
        minutes: "{} minutes", "{} minutos";
        out_of_turn: "This step was already done, perhaps in another tab. Here is where you are.", "Esta etapa já foi feita, talvez em outra aba. Você está aqui.";
        passkey: "The passkey was not used: it was cancelled, took too long, or belongs to another site.", "A chave de acesso não foi usada: foi cancelada, demorou demais ou pertence a outro site.";
        passkey_unsupported: "This browser cannot use passkeys.", "Este navegador não consegue usar chaves de acesso.";
        no_provider: "No organization signs its people in for this address. Check the address, or sign in another way.", "Nenhuma organização autentica pessoas com este endereço. Confira o endereço ou entre de outra forma.";
        provider: "Your organization\u{2019}s provider did not confirm who you are, or nobody here knows you. Try again, or ask whoever looks after your organization.", "O provedor da sua organização não confirmou quem você é, ou ninguém aqui conhece você. Tente de novo ou fale com quem cuida da sua organização.";
        not_possible: "That cannot be done right now.", "Não é possível fazer isso agora.";
        sign_in_again: "Sign out and in again first: nothing else is set up here to prove it with.", "Saia e entre de novo antes: não há mais nada configurado aqui com que confirmar.";
        busy: "We are very busy. Nothing was lost: try again in a moment.", "Estamos com muito movimento. Nada se perdeu: tente de novo em instantes.";
    }
}
