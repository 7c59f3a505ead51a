//! Phrases for device authorization.

super::phrases! {
    /// Device authorization.
    DeviceWords {
        code_title: "Connect a device", "Conectar um dispositivo";
        code_lead: "Type the code that your device shows. Go on only if the device is in front of you.", "Digite o código que o seu dispositivo mostra. Continue apenas se ele estiver na sua frente.";
        compare_lead: "Compare: does your device show exactly this code? If nobody near you has such a device, close this page.", "Compare: o seu dispositivo mostra exatamente este código? Se não há um dispositivo assim perto de você, feche esta página.";
        code: "Code on the device", "Código no dispositivo";
        code_hint: "Eight letters. Capitals, spaces and hyphens make no difference.", "Oito letras. Maiúsculas, espaços e hifens não fazem diferença.";
        signed_in_as: "You are signed in as {}.", "Você entrou como {}.";
        title: "Allow {} on another device?", "Permitir {} em outro dispositivo?";
        lead: "Another device asks to act for you. Look at it before you answer.", "Outro dispositivo pede para agir em seu nome. Confira antes de responder.";
        started: "Did you start this yourself, just now?", "Foi você que começou isto, agora há pouco?";
        started_detail: "If somebody sent you this code or this address, on the telephone, by mail or in a chat, deny: they would be let into your account. Nobody who helps you needs it.", "Se alguém lhe passou este código ou este endereço, por telefone, e-mail ou mensagem, negue: essa pessoa entraria na sua conta. Ninguém que ajuda você precisa disso.";
        device: "Device", "Dispositivo";
        unknown: "says nothing about itself", "não diz nada sobre si";
        from: "Asked from", "Pedido vindo de";
        asked: "Asked at", "Pedido feito em";
        allowed: "Your device is connected", "Seu dispositivo está conectado";
        allowed_detail: "Go back to it: it goes on by itself. You can take this back at any time in your account.", "Volte para ele: ele continua sozinho. Você pode desfazer isto quando quiser na sua conta.";
        denied: "The device gets nothing", "O dispositivo não recebe nada";
        denied_detail: "It is told that you said no. If you did not start this, nothing else needs to be done.", "Ele é avisado de que você disse não. Se não foi você que começou isto, não é preciso fazer mais nada.";
        refused: "This cannot be allowed with your account", "Não é possível permitir isto com a sua conta";
        refused_detail: "What the device asks for is not yours to give, or your organization does not allow it. The device is told.", "O que o dispositivo pede não cabe a você conceder, ou a sua organização não permite. O dispositivo é avisado.";
        another: "Type another code", "Digitar outro código";
        wrong_code: "No device shows this code now. Look at it again: codes work for ten minutes.", "Nenhum dispositivo mostra este código agora. Confira de novo: os códigos valem por dez minutos.";
    }
}
