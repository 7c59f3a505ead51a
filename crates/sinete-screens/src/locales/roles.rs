//! Phrases for roles on the console.

super::phrases! {
    /// Roles on the console.
    ConferringWords {
        lead: "Whoever carries a role may do what it confers.", "Quem tem um papel pode fazer o que ele confere.";
        back: "All roles", "Todos os papéis";
        make: "Make a role", "Criar um papel";
        make_now: "Make the role", "Criar o papel";
        save: "Save the role", "Salvar o papel";
        built_in: "built in", "de fábrica";
        built_in_lead: "Every organization has this role. What it confers is not changed.", "Toda organização tem este papel. O que ele confere não se altera.";
        built_in_owner: "It also confers everything that APIs offer to the organization.", "Também confere tudo o que as APIs oferecem à organização.";
        name: "What it is called", "Como se chama";
        name_hint: "Lower-case letters, digits, - and _. Tokens name it so.", "Letras minúsculas, dígitos, - e _. Os tokens o nomeiam assim.";
        about: "What it is for", "Para que serve";
        about_hint: "For people who choose among roles.", "Para quem escolhe entre os papéis.";
        confers: "What it confers", "O que confere";
        confers_hint: "You can add what you hold yourself.", "Você pode acrescentar o que você mesmo tem.";
        hides_some: "There are permissions of APIs that are not listed here: seeing them takes the right to see the APIs.", "Há permissões de APIs que não são listadas aqui: para vê-las é preciso o direito de ver as APIs.";
        nothing: "It confers nothing.", "Não confere nada.";
        none: "There are no roles.", "Não há papéis.";
        permissions: "{} permissions", "{} permissões";
        one_permission: "1 permission", "1 permissão";
        delete: "Delete for good", "Excluir de vez";
        delete_lead: "Whoever carries it does not any more, from that moment on.", "Quem o tem deixa de tê-lo a partir desse momento.";
        delete_now: "Delete now", "Excluir agora";
    }
}
