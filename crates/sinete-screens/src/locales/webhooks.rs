//! Phrases for webhooks on the console.

super::phrases! {
    /// Webhooks on the console.
    WebhookWords {
        title: "Webhooks", "Avisos por webhook";
        lead: "Addresses of yours that are told of what happens here, signed and in order.", "Endereços seus que são avisados do que acontece aqui, em ordem e com assinatura.";
        none: "No address is told of anything yet.", "Nenhum endereço é avisado ainda.";
        back: "All webhooks", "Todos os avisos por webhook";
        add: "Add an address", "Adicionar um endereço";
        add_now: "Add the address", "Adicionar";
        address: "Address", "Endereço";
        address_hint: "Such as https://example.org/events. It is told of what happens from now on.", "Como https://example.org/events. É avisado do que acontecer de agora em diante.";
        about: "What it is for", "Para que serve";
        about_hint: "So that you know it again.", "Para você reconhecê-lo depois.";
        told_of: "What it is told of", "De que é avisado";
        everything: "Everything that stands in the trail", "Tudo o que consta da trilha";
        chosen: "Only what is chosen here", "Só o que for escolhido aqui";
        others: "Other kinds", "Outros tipos";

        working: "working", "funcionando";
        failing: "failing", "falhando";
        paused: "paused", "pausado";
        paused_failing: "It failed for three days and was paused on {}.", "Falhou por três dias e foi pausado em {}.";
        paused_gone: "It answered that it is gone, and was paused on {}.", "Respondeu que não existe mais e foi pausado em {}.";
        paused_stopped: "Somebody paused it on {}.", "Alguém o pausou em {}.";
        failing_since: "It has not taken anything since {}.", "Não aceita nada desde {}.";
        next_attempt: "Tried again", "Nova tentativa";
        behind: "There may be something it has not been told of yet.", "Talvez haja algo de que ainda não foi avisado.";
        both_until: "The earlier secret signs too", "O segredo anterior também assina";
        until: "until {}", "até {}";

        settings: "Change it", "Alterar";
        save: "Save", "Salvar";
        secret: "Secret", "Segredo";
        secret_lead: "Whoever receives something checks with it that it came from here.", "Com ele, quem recebe confere que o aviso veio daqui.";
        overlap: "Earlier secret", "Segredo anterior";
        overlap_none: "Stops signing at once", "Para de assinar já";
        overlap_hour: "Signs too for one more hour", "Também assina por mais uma hora";
        overlap_day: "Signs too for one more day", "Também assina por mais um dia";
        overlap_week: "Signs too for one more week", "Também assina por mais uma semana";
        rotate: "Make a new secret", "Criar um novo segredo";
        shown: "The secret of the webhook", "O segredo do webhook";
        shown_lead: "Copy it now. It is shown this once and nowhere else.", "Copie agora. Ele é mostrado só desta vez e em nenhum outro lugar.";

        telling: "Telling it", "Envio";
        test: "Send a trial", "Enviar um teste";
        test_lead: "It is told of a trial, in its turn, like of everything else.", "É avisado de um teste, na sua vez, como de tudo o mais.";
        pause: "Pause", "Pausar";
        pause_lead: "What happens meanwhile waits for it.", "O que acontecer nesse meio-tempo espera por ele.";
        resume: "Go on", "Retomar";
        resume_lead: "It is told of everything that waited, beginning with what it did not take.", "É avisado de tudo o que esperou, a começar pelo que não aceitou.";
        replay: "Send again", "Enviar de novo";
        replay_lead: "It is told once more of everything since the beginning of that day, each with the id it had.", "É avisado mais uma vez de tudo desde o início desse dia, cada coisa com o mesmo id de antes.";
        replay_from: "From this day on", "A partir deste dia";
        replay_now: "Send again now", "Enviar de novo agora";
        delete: "Delete", "Excluir";
        delete_lead: "It is told of nothing any more, also not of what waits. To come back it has to be added again.", "Não é mais avisado de nada, nem do que espera. Para voltar, precisa ser adicionado de novo.";
        delete_now: "Delete now", "Excluir agora";

        attempts: "Deliveries", "Entregas";
        attempts_lead: "What became of telling it in the last 30 days, the latest first.", "O que houve com os avisos dos últimos 30 dias, do mais recente ao mais antigo.";
        attempts_none: "It has not been told of anything yet.", "Ainda não foi avisado de nada.";
        answered: "answered {}", "respondeu {}";
        unreached: "not reached in time", "não foi alcançado a tempo";
        told: "taken", "aceito";
        again: "tried again", "nova tentativa marcada";
        given_up: "not taken", "não aceito";
    }
}
