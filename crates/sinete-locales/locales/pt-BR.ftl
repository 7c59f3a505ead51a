### Brazilian Portuguese.

## language

language-name = Português (Brasil)

## frame

frame-skip-to-content = Pular para o conteúdo
frame-footer = Sinete, um provedor de identidade que você mesmo opera.
frame-shown-by = Login por { $service }
frame-to-the-first-page = Ir para a página inicial
frame-reference = Referência
frame-language = Idioma
frame-working = Um momento…
frame-or = ou
frame-cancel = Cancelar
frame-go-on = Continuar
frame-another-way = Tentar de outra forma
frame-sign-out = Sair
frame-script-needed = As chaves de acesso precisam de JavaScript, que está desativado neste navegador. Todo o resto funciona sem ele.

## landing

landing-title = É aqui que as pessoas entram
landing-lead = O Sinete é um provedor de identidade: gerencia contas, autentica pessoas, serviços e agentes e informa aos aplicativos quem está chamando e o que pode fazer.
landing-account = Ir para a minha conta
landing-development = Instância de desenvolvimento
landing-development-detail = As chaves foram geradas na inicialização e não protegem nada. Não use para contas reais.
landing-issuer = Issuer (emissor)
landing-links = Endpoints
landing-health = Saúde
landing-health-detail = se este nó está no ar
landing-keys = Chaves públicas (JWKS)
landing-keys-detail = com que os aplicativos verificam a assinatura dos tokens
landing-documentation = Documentação
landing-documentation-detail = O README e a pasta docs acompanham o programa. Para ver os comandos, execute:

## messages

messages-not-found = Página não encontrada
messages-not-found-detail = O endereço pode conter um erro, ou o link pode estar desatualizado.
messages-server-error = Algo deu errado do nosso lado
messages-server-error-detail = O erro foi registrado. Tente novamente e, se acontecer de novo, informe a referência abaixo.
messages-unavailable = Temporariamente indisponível
messages-unavailable-detail = Nada se perdeu. Tente de novo em alguns instantes.
messages-too-many = Muitas solicitações vindas da sua rede
messages-too-many-detail = Espere um minuto e tente de novo. Nada se perdeu.
messages-flow-over = Esta página expirou
messages-flow-over-detail = Ela ficou aberta por tempo demais ou foi concluída em outra aba. Comece de novo: nada se perdeu.
messages-start-again = Começar de novo
messages-refused = Este formulário não foi aceito
messages-refused-detail = Ele não veio de uma página mostrada a este navegador. Volte, recarregue a página e tente de novo.
messages-request-refused = Não é possível concluir esta solicitação
messages-request-refused-detail = O aplicativo enviou uma solicitação inválida. Você não fez nada de errado; cabe aos desenvolvedores dele corrigir.
messages-client-gone = Este aplicativo não está mais registrado aqui
messages-client-gone-detail = Remova a conexão no aplicativo e adicione-a de novo, para que ele se registre outra vez.
messages-leave = Você está prestes a ir para { $host }
messages-leave-detail = Este aplicativo não foi verificado. Continue apenas se você o conhece e queria ir para lá.
messages-leave-button = Continuar para { $host }
messages-what-it-said = Para desenvolvedores
messages-onward = Levando você de volta para { $application }.
messages-onward-plain = Levando você de volta para onde estava.
messages-provider-away = O provedor de identidade da sua organização não responde
messages-provider-away-detail = Tente de novo em alguns minutos ou fale com o administrador da sua organização.
messages-invited-only = As contas são criadas só por convite
messages-invited-only-detail = Peça um convite ao administrador da sua organização.
messages-signed-out = Você saiu
messages-signed-out-detail = Em um dispositivo compartilhado, feche também esta janela.
messages-sign-in-again = Entrar de novo
messages-confirm-sign-out = Sair?
messages-confirm-sign-out-detail = Você sairá daqui, e os aplicativos em que entrou com esta conta serão avisados.
messages-email-verified = Seu endereço de e-mail foi verificado
messages-email-verified-detail = Você pode fechar esta janela ou ir para a sua conta.
messages-password-changed = Sua senha foi alterada
messages-password-changed-detail = As suas outras sessões foram encerradas. A partir de agora, use a nova senha.
messages-not-me = Não foi você?
messages-not-me-detail = Se outra pessoa entrou na sua conta, use o botão: todas as sessões são encerradas em todos os dispositivos, e em seguida você pode definir uma nova senha.
messages-not-me-button = Não fui eu: encerrar todas as sessões
messages-keep-access = Aplicativos e chaves de API com acesso
messages-keep-access-hint = Estes aplicativos e chaves de API também perdem o acesso. Marque somente o que você reconhece e quer manter.
messages-keep-key = Chave de API
messages-undo-email = Restaurar este endereço de e-mail?
messages-undo-email-detail = Se você não alterou o seu endereço de e-mail, use o botão: este endereço é restaurado, todas as sessões são encerradas, e em seguida você pode definir uma nova senha.
messages-undo-email-button = Restaurar este endereço
messages-email-restored = Seu endereço de e-mail foi restaurado
messages-email-restored-detail = Todas as sessões da sua conta foram encerradas. Defina agora uma nova senha.
messages-disavowed = Todas as sessões foram encerradas
messages-disavowed-detail = Todas as sessões da sua conta foram encerradas. Defina agora uma nova senha e confira as suas chaves de acesso depois de entrar.
messages-set-new-password = Definir uma nova senha
messages-finished-elsewhere = Continue onde você começou
messages-finished-elsewhere-detail = Abra este link no navegador em que você começou, ou digite lá o código da mensagem. Nada aconteceu ainda.
messages-link-spent = Este link não é mais válido
messages-link-spent-detail = Cada link funciona uma vez e por pouco tempo. Peça um novo.

## dev-mail

dev-mail-title = Caixa de mensagens de desenvolvimento
dev-mail-lead = As mensagens que esta instância teria enviado, da mais nova à mais antiga. Ficam na memória e só podem ser lidas nesta máquina.
dev-mail-empty = Nenhuma mensagem foi enviada desde que esta instância iniciou.

## months

months-january = janeiro
months-february = fevereiro
months-march = março
months-april = abril
months-may = maio
months-june = junho
months-july = julho
months-august = agosto
months-september = setembro
months-october = outubro
months-november = novembro
months-december = dezembro
months-date =
    { $day ->
        [1] 1º
       *[other] { $day }
    } de { $month } de { $year }

## sign-in

sign-in-title = Entrar
sign-in-to-continue = para continuar em { $application }
sign-in-lead = Entre na sua conta.
sign-in-with-passkey = Entrar com chave de acesso
sign-in-email = E-mail
sign-in-password = Senha
sign-in-submit = Entrar
sign-in-forgot = Esqueceu a senha?
sign-in-no-password = Sem senha
sign-in-send-code = Código por e-mail
sign-in-text-code = Código por SMS
sign-in-with-provider = Login único (SSO)
sign-in-with-this-provider = Entrar com { $provider }
sign-in-provider-hint = Você entra pelo provedor de identidade da sua organização e depois volta para cá.
sign-in-use-provider = Usar login único (SSO)
sign-in-to-provider = Levando você ao provedor de identidade da sua organização
sign-in-new-here = Primeira vez aqui?
sign-in-create-account = Criar uma conta
sign-in-show-password = Mostrar a senha
sign-in-hide-password = Ocultar a senha
sign-in-show = Mostrar
sign-in-hide = Ocultar
sign-in-open-mail = Não recebeu? Veja na pasta de spam.
sign-in-code-title = Digite o código
sign-in-code-by-email = Se houver uma conta para { $address }, enviamos um código e um link por e-mail. Ambos valem por 10 minutos.
sign-in-code-to-phone = Se houver uma conta para { $address }, enviamos um código por SMS. Ele vale por 5 minutos.
sign-in-code-by-sms = Enviamos um código por SMS para { $address }. Ele vale por 5 minutos.
sign-in-code = Código
sign-in-wait-for-text = Não recebeu? Um SMS pode levar um minuto.
sign-in-phone-title = Entrar por SMS
sign-in-phone-lead = Enviamos um código para um número de telefone que você verificou aqui.
sign-in-phone = Número de telefone
sign-in-phone-hint = Com o código do país, como +55 81 99999-0000
sign-in-phone-submit = Receber um código
sign-in-phone-weak = Uma chave de acesso ou uma senha é mais segura: números de telefone podem ser sequestrados.
sign-in-resend = Enviar de novo
sign-in-resend-when =
    Você pode pedir outra mensagem em { $minutes ->
        [one] { $minutes } minuto
       *[other] { $minutes } minutos
    }.
sign-in-resend-in = Enviar de novo em { $seconds } s
sign-in-second-title = Verificação em duas etapas
sign-in-second-lead = Sua conta exige um segundo fator.
sign-in-totp = Código do seu aplicativo autenticador
sign-in-totp-hint = Seis dígitos que mudam a cada 30 segundos
sign-in-recovery = Código de recuperação
sign-in-recovery-hint = Um dos dez códigos que você guardou ao configurar. Cada um funciona uma vez.
sign-in-sms-send = Enviar um SMS
sign-in-sms-hint = O SMS é a opção menos segura: números de telefone podem ser sequestrados.
sign-in-verify = Verificar
sign-in-use-passkey = Usar uma chave de acesso
sign-in-use-totp = Usar o aplicativo autenticador
sign-in-use-recovery = Usar um código de recuperação
sign-in-use-sms = Receber um SMS
sign-in-use-password = Usar a senha
sign-in-use-code = Receber um código por e-mail
sign-in-again-title = Confirme que é você
sign-in-again-lead = Esta é uma ação sensível, por isso confirme sua identidade.
sign-in-again-for = { $application } pede que você confirme sua identidade.
sign-in-signed-in-as = Sessão de
sign-in-landing-title = Entrar aqui?
sign-in-landing-lead = Você abriu o link que enviamos para { $address }.
sign-in-landing-plain = Você abriu o link do nosso e-mail.
sign-in-landing-button = Sim, quero entrar
sign-in-landing-warning = Se você não pediu isto, feche esta janela: nada aconteceu ainda.
sign-in-organization-title = Escolha uma organização
sign-in-organization-lead = Você é membro de várias. { $application } verá apenas a que você escolher.
sign-in-organization-plain = Você é membro de várias. Escolha com qual continuar.
sign-in-organization-none = Você não é membro de nenhuma organização que possa ser usada aqui.

## sign-up

sign-up-title = Crie a sua conta
sign-up-lead = Uma conta para tudo o que usa este login.
sign-up-name = Nome
sign-up-name-hint = Como os outros o veem
sign-up-email = E-mail
sign-up-optional = opcional
sign-up-password = Senha
sign-up-with-passkey = Criar com chave de acesso
sign-up-with-password = ou com uma senha
sign-up-submit = Criar conta
sign-up-have-account = Já tem uma conta?
sign-up-sign-in = Entrar
sign-up-verify-title = Verifique o seu endereço de e-mail
sign-up-verify-lead = Enviamos um código para { $address }. Digite-o aqui para verificar que o endereço é seu.
sign-up-verify-number-title = Verifique o seu número de telefone
sign-up-verify-number-lead = Enviamos um código por SMS para { $address }. Digite-o aqui para verificar que o número é seu.
sign-up-verify-landing = Verificar { $address }?
sign-up-verify-landing-plain = Verificar este endereço de e-mail?
sign-up-verify-landing-detail = Você abriu o link do nosso e-mail. Use o botão para concluir.
sign-up-verify-button = Verificar endereço
sign-up-verify-ask = Qual endereço de e-mail você quer verificar?
sign-up-invitation-title = Convite para { $organization }
sign-up-invitation-lead = Crie uma conta para participar. A conta é sua, mesmo que você saia da organização depois.
sign-up-invitation-role = Sua função: { $roles }
sign-up-invitation-accept = Aceitar convite
sign-up-operator-title = Boas-vindas ao seu Sinete
sign-up-operator-lead = Você é o primeiro operador. Esta conta administra toda a instância: proteja-a com uma chave de acesso ou uma senha longa.
sign-up-operator-submit = Criar conta de operador

## credentials

credentials-reset-title = Redefina a sua senha
credentials-reset-lead = Informe o seu endereço de e-mail e enviaremos um link.
credentials-reset-submit = Enviar link
credentials-reset-sent-detail = Se houver uma conta para { $address }, enviamos uma mensagem com o próximo passo.
credentials-reset-back = Voltar para o login
credentials-reset-landing = Escolher uma nova senha?
credentials-reset-landing-button = Escolher uma nova senha
credentials-set-title = Escolha uma nova senha
credentials-set-lead = Todas as suas outras sessões serão encerradas.
credentials-set-first-title = Adicione uma senha
credentials-set-first-lead = A senha é opcional: a chave de acesso é mais rápida e resiste a phishing.
credentials-current-password = Senha atual
credentials-new-password = Nova senha
credentials-password-rule = Pelo menos { $minimum } caracteres. Espaços, palavras e qualquer idioma são permitidos.
credentials-set-submit = Salvar senha
credentials-passkey-title = Entre mais rápido da próxima vez
credentials-passkey-lead = A chave de acesso usa sua digital, seu rosto ou o bloqueio de tela em vez de uma senha.
credentials-passkey-first = Rápida: um toque, nada para lembrar
credentials-passkey-second = Segura: só funciona neste site, por isso resiste a phishing
credentials-passkey-third = Privada: sua digital ou seu rosto nunca sai do seu dispositivo
credentials-passkey-create = Criar uma chave de acesso
credentials-passkey-skip = Agora não
credentials-passkey-name = Nome da chave de acesso
credentials-passkey-add-title = Adicionar uma chave de acesso
credentials-second-title = Configure uma segunda etapa
credentials-second-lead = { $application } pede uma segunda etapa ao entrar. Configure uma agora; você a usa logo em seguida.
credentials-totp-title = Configure o aplicativo autenticador
credentials-totp-first = Leia este código QR com o aplicativo
credentials-totp-picture = Código QR com a chave mostrada abaixo
credentials-totp-text = Não consegue ler? Digite esta chave
credentials-totp-open = Abrir em um aplicativo deste dispositivo
credentials-totp-second = Digite os seis dígitos que ele mostrar
credentials-totp-submit = Ativar
credentials-recovery-make = Gerar códigos de recuperação?
credentials-recovery-make-detail = Dez códigos para o caso de você perder o celular. Os códigos anteriores deixam de funcionar.
credentials-recovery-make-button = Gerar dez códigos
credentials-recovery-title = Guarde seus códigos de recuperação
credentials-recovery-lead = Cada código permite entrar uma vez se você perder o celular. Eles só aparecem agora.
credentials-recovery-list = Códigos de recuperação
credentials-recovery-copy = Copiar
credentials-recovery-download = Baixar
credentials-recovery-copied = Copiado
credentials-recovery-print = Imprimir
credentials-recovery-done = Já guardei

## consent

consent-title = Permitir { $application }?
consent-lead = Ele quer agir em seu nome.
consent-agent-lead = É um agente: um programa que age sozinho.
consent-verified = Aplicativo verificado
consent-own = Pertence a { $organization }
consent-unverified = Aplicativo não verificado
consent-unverified-detail = Este aplicativo se registrou sozinho e pode ser de qualquer pessoa. Permita apenas se foi você que começou isto e se confia nele.
consent-you = Você
consent-organization = Organização
consent-leads-to = Redireciona para
consent-this-device = um programa neste dispositivo
consent-will = Ele poderá
consent-will-know = Ele poderá ver
consent-new-mark = novo
consent-new-detail = Você já permitiu este aplicativo. O que está marcado é novo.
consent-irreversible = não pode ser desfeito
consent-details = Detalhes
consent-allow = Permitir
consent-deny = Negar
consent-revoke-hint = Você pode revogar isto quando quiser na sua conta.
consent-policy = Política de privacidade
consent-terms = Termos de serviço

## device

device-code-title = Conectar um dispositivo
device-code-lead = Digite o código que o seu dispositivo mostra. Continue apenas se ele estiver na sua frente.
device-compare-lead = O seu dispositivo mostra exatamente este código? Se você não está com um dispositivo assim, feche esta página.
device-code = Código no dispositivo
device-code-hint = Oito letras. Maiúsculas, espaços e hifens não fazem diferença.
device-signed-in-as = Você entrou como { $person }.
device-title = Permitir { $application } em outro dispositivo?
device-lead = Outro dispositivo quer agir em seu nome. Confira antes de responder.
device-started = Foi você que começou isto, agora há pouco?
device-started-detail = Se alguém lhe passou este código ou link por telefone, e-mail ou mensagem, negue: essa pessoa teria acesso à sua conta. Nenhum suporte precisa dele.
device-device = Dispositivo
device-unknown = desconhecido
device-from = Pedido vindo de
device-asked = Pedido feito em
device-allowed = Seu dispositivo está conectado
device-allowed-detail = Volte ao seu dispositivo para continuar. Você pode revogar o acesso dele quando quiser na sua conta.
device-denied = O acesso do dispositivo foi negado
device-denied-detail = Se não foi você que começou isto, não é preciso fazer mais nada.
device-refused = Não é possível permitir isto com a sua conta
device-refused-detail = Você não tem as permissões que o dispositivo pede, ou a sua organização não permite. O acesso do dispositivo foi negado.
device-another = Digitar outro código
device-wrong-code = Este código não é válido. Confira no dispositivo: os códigos valem por 10 minutos.

## ciba

ciba-title = Aprovar o pedido de { $application }?
ciba-lead = Ele pergunta antes de agir em seu nome. Confira o pedido antes de responder.
ciba-message = Mensagem
ciba-compare = Você esperava por isto?
ciba-compare-detail = Aprove apenas se foi você que começou isto e se o aplicativo mostra a mesma mensagem. Se você não reconhece o pedido, negue.
ciba-approve = Aprovar
ciba-ends-hint = Você pode revogar o acesso dele quando quiser na sua conta. O que ele já tiver feito não é desfeito.
ciba-approved = Pedido aprovado
ciba-approved-detail = O aplicativo continua sozinho. Você pode revogar o acesso dele na sua conta.
ciba-denied = Pedido negado
ciba-denied-detail = O aplicativo é avisado. Nada foi feito.
ciba-refused = Você não pode aprovar este pedido
ciba-refused-detail = O pedido foi enviado a outra pessoa, você não tem as permissões necessárias, a sua organização não permite, ou a sua conta não tem um método de login forte o bastante.
ciba-over = Este pedido foi encerrado
ciba-over-detail = Ele foi respondido ou expirou. Se o aplicativo ainda precisar, perguntará de novo.

## account

account-title = Minha conta
account-lead = Seu perfil, como você entra e o que tem acesso à sua conta.
account-sections = Nesta página
account-profile = Perfil
account-name = Nome
account-language = Idioma
account-language-automatic = Idioma do navegador
account-save = Salvar
account-saved = Salvo.
account-contacts = Dados de contato
account-emails = Endereços de e-mail
account-phones = Números de telefone
account-primary = principal
account-confirmed = verificado
account-unconfirmed = não verificado
account-confirm = Verificar
account-none = Ainda não há.
account-make-main = Tornar principal
account-new-email = Novo endereço de e-mail
account-new-email-hint = Primeiro enviamos um código para o novo endereço. O antigo é avisado e pode desfazer a troca por sete dias.
account-change-email = Alterar o endereço de e-mail
account-new-phone = Novo número de telefone
account-add-phone = Adicionar um número
account-phones-none = Não há. Um número de telefone pode receber códigos, mas a chave de acesso é mais segura.
account-credentials = Métodos de login
account-passkeys = Chaves de acesso
account-passkeys-none = Ainda não há. A chave de acesso é a forma mais rápida e segura de entrar.
account-add-passkey = Adicionar uma chave de acesso
account-synced = sincronizada entre seus dispositivos
account-on-device = em um dispositivo
account-password = Senha
account-password-set = Definida em { $date }
account-password-none = Não definida. Não é necessária.
account-change = Alterar
account-add = Adicionar
account-remove = Remover
account-totp = Aplicativo autenticador
account-totp-on = Ativo desde { $date }
account-totp-off = Desativado. Ative como segundo fator depois da senha.
account-recovery = Códigos de recuperação
account-recovery-left =
    { $count ->
        [0] Não resta nenhum. Gere novos.
        [one] Resta { $count }.
       *[other] Restam { $count }.
    }
account-recovery-new = Gerar novos
account-added = Adicionada em { $date }
account-last-used = usada pela última vez em { $date }
account-never-used = nunca usada
account-requests = Pedidos aguardando sua aprovação
account-look-at-request = Ver pedido
account-providers = Login único (SSO)
account-linked-since = Vinculado em { $date }
account-not-linked = não vinculado
account-provider-off = desativado
account-link = Vincular
account-unlink = Desvincular
account-sessions = Sessões ativas
account-this-session = este navegador
account-last-seen = última atividade em { $date }
account-end = Encerrar
account-end-others = Encerrar todas as outras
account-unknown-device = Dispositivo desconhecido
account-applications = Aplicativos
account-applications-none = Nenhum aplicativo tem acesso à sua conta.
account-may = O que pode fazer
account-since = desde { $date }
account-take-back = Revogar acesso
account-memberships = Organizações
account-memberships-none = Você não é membro de nenhuma organização.
account-suspended = suspensa
account-disabled = desativada
account-events = Atividade recente
account-events-detail = Algo que você não reconhece? Altere a senha e encerre todas as outras sessões.
account-events-none = Ainda não há atividade.
account-rename = Renomear
account-data = Seus dados
account-data-detail = Tudo o que está guardado sobre a sua conta, em um arquivo JSON.
account-export = Baixar seus dados
account-delete = Excluir a conta
account-delete-detail = Seu perfil, formas de entrar, sessões e participações são excluídos para sempre. Os aplicativos perdem o acesso.
account-delete-confirm = Entendo que isto não pode ser desfeito
account-delete-now = Excluir minha conta

## activity

activity-account-created = Conta criada
activity-session-started = Login
activity-session-renewed = Identidade confirmada de novo
activity-session-ended = Saída da conta
activity-new-device = Login em um novo dispositivo
activity-impossible-travel = Login de um lugar distante demais
activity-disavowed = Login denunciado como “não fui eu”
activity-credential-failed = Tentativa de login malsucedida
activity-credential-added = Método de login adicionado
activity-credential-renamed = Método de login renomeado
activity-credential-removed = Método de login removido
activity-credential-disabled = Método de login bloqueado
activity-password-set = Senha definida
activity-contact-added = Endereço de e-mail ou telefone adicionado
activity-contact-verified = Endereço de e-mail ou telefone verificado
activity-contact-made-primary = Endereço de e-mail principal alterado
activity-contact-removed = Endereço de e-mail ou telefone removido
activity-email-changed = Endereço de e-mail alterado
activity-email-restored = Endereço de e-mail anterior restaurado
activity-account-changed = Perfil alterado
activity-account-exported = Dados da conta exportados
activity-account-disabled = Conta desativada
activity-account-enabled = Conta reativada
activity-account-sessions-ended = Um administrador encerrou todas as sessões
activity-account-reset-started = Um administrador pediu uma nova senha
activity-consent-denied = Aplicativo negado
activity-consent-given = Aplicativo permitido
activity-device-allowed = Aplicativo permitido em outro dispositivo
activity-device-denied = Aplicativo negado em outro dispositivo
activity-approval-given = Pedido de um aplicativo aprovado
activity-approval-denied = Pedido de um aplicativo negado
activity-application-removed = Acesso de um aplicativo revogado
activity-invitation-accepted = Convite aceito
activity-membership-ended = Participação encerrada

## role-names

role-names-owner = proprietário
role-names-admin = administrador
role-names-member = membro
role-names-operator = operador

## console

console-title = Console
console-open = Abrir o console
console-choose = Suas organizações
console-choose-lead = Escolha uma organização para gerenciar.
console-choose-none = Não há nenhuma organização que você possa gerenciar.
console-other = Trocar de organização
console-sections = Seções do console
console-suspended = Suspensa
console-suspended-title = Esta organização está suspensa
console-suspended-lead = Você pode ver tudo, mas nada pode ser alterado até que ela seja restaurada.
console-overview = Visão geral
console-short-name = Slug
console-condition = Status
console-enabled = Ativa
console-since = Criação
console-your-roles = Suas funções
console-what-you-may = Suas permissões
console-members = Membros
console-members-lead = Pessoas, serviços e agentes desta organização.
console-members-none = Ainda não há membros.
console-search = Pesquisar membros
console-search-hint = O começo de um nome ou de um endereço de e-mail. Todas as palavras devem corresponder.
console-search-now = Pesquisar
console-found =
    { $count ->
        [one] { $count } membro encontrado.
       *[other] { $count } membros encontrados.
    }
console-found-more =
    Mais de { $count ->
        [one] { $count } membro encontrado
       *[other] { $count } membros encontrados
    }. Veja a próxima página.
console-found-nobody = Nenhum membro encontrado.
console-found-early = O índice de pesquisa ainda está sendo atualizado. Tente de novo em um minuto.
console-found-no-further = Nenhum outro membro encontrado.
console-found-so-far =
    { $count ->
        [one] { $count } membro encontrado
       *[other] { $count } membros encontrados
    } nesta página. Ainda não pesquisamos todas as correspondências.
console-found-nobody-yet = Nenhum membro encontrado até aqui. Ainda não pesquisamos todas as correspondências.
console-look-further = Continuar a pesquisa
console-everybody = Mostrar todos os membros
console-nameless = Sem nome
console-you = você
console-machine = serviço ou agente
console-unclaimed = ainda não entrou
console-switched-off = desativado
console-next = Próxima página
console-first = Primeira página
console-pages = Páginas
console-back-to-members = Todos os membros
console-kind = Tipo
console-person = pessoa
console-state = Status
console-state-on = ativo
console-address = Endereço do convite
console-work-email = E-mail de trabalho
console-job = Cargo
console-department = Departamento
console-external = Nome de usuário (SCIM)
console-identifier = ID do membro
console-roles = Funções
console-roles-hint = Uma função concede permissões. Você só pode atribuir permissões que você mesmo tem.
console-save-roles = Salvar funções
console-access = Acesso
console-switch-off = Desativar
console-switch-off-lead = O acesso a esta organização para imediatamente. Nada é excluído, e você pode reativar o membro.
console-switch-on = Reativar
console-switch-on-lead = As funções e o acesso voltam a ser como antes.
console-remove = Remover membro
console-remove-lead = O membro perde todas as funções e o acesso. Para voltar, precisa de um novo convite.
console-leave = Sair da organização
console-leave-lead = Você perde todas as funções e o acesso. Para voltar, precisa de um novo convite.
console-leave-now = Sair agora
console-remove-now = Remover agora
console-invitations = Convites
console-invitations-lead = Cada convite é enviado a um endereço e pode ser aceito uma vez.
console-invitations-none = Ainda não há convites.
console-invite = Convidar um membro
console-email = Endereço de e-mail
console-language = Idioma do e-mail
console-language-usual = Padrão da organização
console-lifetime = Válido por
console-one-day = 1 dia
console-three-days = 3 dias
console-seven-days = 7 dias
console-send = Enviar convite
console-waits-until = Pendente, expira em { $date }
console-accepted-on = Aceito em { $date }
console-withdrawn-on = Revogado em { $date }
console-expired-on = Expirou em { $date }
console-withdraw = Revogar
console-forgotten-address = endereço excluído
console-before-form = Você precisa confirmar sua identidade antes de usar este formulário.
console-lost = O que você digitou era longo demais para ser guardado, por isso o formulário mostra os valores atuais. Envie menos de cada vez ou use a API de gerenciamento.
console-changed-only = Isto foi alterado nesse meio-tempo, por isso nada foi salvo. Estes são os valores atuais.
console-prove-title = Confirme sua identidade
console-prove-lead = { $organization } exige um login mais forte para o gerenciamento.
console-set-up-lead = { $organization } exige um segundo fator para o gerenciamento. Configure antes uma chave de acesso ou um aplicativo autenticador na sua conta.
console-prove = Continuar
console-otherwise-title = Entre de outra forma
console-otherwise-lead = { $organization } não aceita a forma como você entrou. Saia e entre da forma exigida.

## roles

roles-lead = Uma função é um conjunto de permissões que os membros têm.
roles-back = Todas as funções
roles-make = Criar uma função
roles-make-now = Criar função
roles-save = Salvar função
roles-built-in = integrada
roles-built-in-lead = Toda organização tem esta função. As permissões dela não podem ser alteradas.
roles-built-in-owner = Também concede todas as permissões que as APIs oferecem à organização.
roles-name = Nome
roles-name-hint = Letras minúsculas, dígitos, - e _. Este nome aparece nos tokens.
roles-about = Descrição
roles-about-hint = Ajuda a escolher a função certa.
roles-confers = Permissões
roles-confers-hint = Você só pode adicionar permissões que você mesmo tem.
roles-hides-some = Algumas permissões de APIs não são listadas, porque você não tem a permissão para ver as APIs.
roles-nothing = Nenhuma permissão
roles-none = Ainda não há funções.
roles-permissions =
    { $count ->
        [0] Nenhuma permissão
        [one] { $count } permissão
       *[other] { $count } permissões
    }
roles-delete = Excluir função
roles-delete-lead = Os membros que têm esta função a perdem imediatamente.
roles-delete-now = Excluir agora

## api-keys

api-keys-title = Chaves de API
api-keys-lead = Cada chave age por um membro e se limita aos seus escopos.
api-keys-none = Ainda não há chaves de API.
api-keys-make = Criar uma chave de API
api-keys-name = Nome
api-keys-name-hint = Diga o que usa a chave, para reconhecê-la depois.
api-keys-scope = Escopos
api-keys-thirty-days = 30 dias
api-keys-ninety-days = 90 dias
api-keys-one-year = 1 ano
api-keys-make-now = Criar chave
api-keys-made = Sua nova chave de API
api-keys-made-lead = Copie agora. Ela não será mostrada de novo.
api-keys-kept = Já guardei
api-keys-works-until = Válida até { $date }
api-keys-revoked-on = Revogada em { $date }
api-keys-expired-on = Expirou em { $date }
api-keys-used-on = usada pela última vez em { $date }
api-keys-never-used = nunca usada
api-keys-revoke = Revogar

## applications

applications-title = Aplicativos
applications-lead = Clientes desta organização: aplicativos, serviços e agentes que pedem tokens.
applications-none = Ainda não há aplicativos.
applications-back = Todos os aplicativos
applications-register = Registrar um aplicativo
applications-register-now = Registrar
applications-save = Salvar alterações
applications-settings = Configurações
applications-vouched = verificado
applications-kind = Tipo
applications-application = Aplicativo
applications-application-about = As pessoas entram nele
applications-service = Serviço
applications-service-about = Um programa que age por si
applications-agent = Agente
applications-agent-about = Um programa autônomo; você é responsável por ele
applications-name = Nome
applications-name-hint = Mostrado aos usuários na página de consentimento.
applications-purpose = Finalidade
applications-purpose-hint = Uma frase. Obrigatória para um agente.
applications-redirects = URIs de redirecionamento
applications-redirects-hint = Para onde os usuários voltam depois de entrar: um por linha, exatamente como o aplicativo envia. https, ou http em localhost.
applications-proof = Autenticação do cliente
applications-proof-hint = Um aplicativo no navegador ou no celular não consegue guardar um segredo: escolha none.
applications-by-nothing = none: cliente público, como um aplicativo de navegador ou celular
applications-by-basic = client_secret_basic: segredo no cabeçalho Authorization
applications-by-post = client_secret_post: segredo no corpo da requisição
applications-by-keys = private_key_jwt: assinatura com chave própria
applications-by-other = Outro método, definido pela API de gerenciamento
applications-keys = URI do JWKS
applications-keys-hint = Só para private_key_jwt: onde as chaves públicas dele são publicadas.
applications-grants = Tipos de concessão
applications-code = Código de autorização: os usuários entram pelo navegador
applications-refresh = Refresh token: renova os tokens sem o usuário
applications-own = Credenciais do cliente: age por si, com as funções abaixo
applications-exchange = Troca de tokens: age em nome de um usuário
applications-device = Autorização de dispositivo: os usuários digitam um código que o dispositivo mostra
applications-approval = CIBA: pede a aprovação de um usuário em outro dispositivo
applications-scope = Escopos permitidos
applications-scope-hint = Separados por espaços, como openid profile email ou permissões das suas APIs. O aplicativo pode pedir no máximo estes; um escopo não concede nada por si só. Deixe vazio para não permitir nenhum.
applications-scope-nothing = Nenhum
applications-scope-unlimited = Nenhum limite foi definido, então pode pedir todos os escopos sobre um usuário.
applications-roles-hint = Só para credenciais do cliente. Você só pode atribuir permissões que você mesmo tem.
applications-connect = Conectar
applications-connect-lead = Código para frameworks comuns, com os valores deste aplicativo. Passe o segredo na variável de ambiente CLIENT_SECRET.
applications-discovery = Documento de descoberta
applications-client-id = ID do cliente
applications-owner = Membro responsável
applications-secrets = Segredos do cliente
applications-secrets-lead = Cada segredo foi mostrado uma vez. Durante uma rotação, os anteriores continuam válidos por um tempo.
applications-secret-since = Criado em { $date }
applications-secret-until = válido até { $date }
applications-secret-stays = não expira
applications-new-secret = Novo segredo
applications-overlap = Segredos anteriores
applications-overlap-none = Param de funcionar imediatamente
applications-overlap-hour = Continuam válidos por uma hora
applications-overlap-day = Continuam válidos por um dia
applications-overlap-week = Continuam válidos por uma semana
applications-add-secret = Criar um novo segredo
applications-revoke = Revogar
applications-shown = Segredo do cliente
applications-shown-lead = Copie agora. Ele não será mostrado de novo.
applications-off-lead = Os tokens e segredos dele param de funcionar imediatamente. Nada é excluído, e você pode reativá-lo.
applications-on-lead = Os tokens e segredos dele voltam a funcionar como antes.
applications-delete = Excluir aplicativo
applications-delete-lead = Todo o acesso concedido a ele termina. Os usuários não poderão mais entrar por ele.
applications-delete-now = Excluir agora

## domains

domains-title = Domínios
domains-lead = Enquanto um domínio está verificado, a sua organização é responsável pelos endereços de e-mail nele.
domains-none = Ainda não há domínios.
domains-claim = Adicionar um domínio
domains-name = Domínio
domains-name-hint = Como example.org. Em seguida você recebe um registro TXT para publicar no DNS.
domains-claim-now = Adicionar domínio
domains-waits = verificação pendente
domains-proven = verificado
domains-missing = registro TXT ausente
domains-since = Adicionado em { $date }
domains-proven-on = Verificado em { $date }
domains-missing-since = O registro TXT está ausente desde { $date }. Publique-o de novo, ou o domínio perde a verificação.
domains-record = Publique este registro TXT no DNS do domínio:
domains-record-name = Nome
domains-record-kind = Tipo
domains-record-value = Valor
domains-check = Verificar agora
domains-release = Remover
domains-release-lead = A sua organização deixa de ser responsável pelos endereços de e-mail nele.
domains-release-now = Remover agora

## connections

connections-title = Provedores de identidade
connections-lead = Os membros entram pelo provedor de identidade da própria organização (login único).
connections-none = Ainda não há provedores de identidade.
connections-back = Todos os provedores de identidade
connections-open-id = Provedor OpenID Connect
connections-saml = Provedor SAML 2.0
connections-connect-open-id = Conectar por OpenID Connect
connections-connect-saml = Conectar por SAML 2.0
connections-connect-now = Conectar
connections-connect-hint = A conexão começa desativada. A página seguinte mostra o que registrar no provedor.
connections-name = Nome de exibição
connections-name-hint = Mostrado no botão de login.
connections-issuer-hint = A URL do issuer do provedor, exatamente como no documento de descoberta. Não pode ser alterada depois.
connections-client-id-hint = O ID do cliente que o provedor deu a este serviço.
connections-secret = Segredo do cliente
connections-secret-hint = Como o provedor o mostra. Nunca é mostrado aqui.
connections-secret-kept = Há um segredo definido, que nunca é mostrado. Deixe vazio para mantê-lo.
connections-secret-again = Por segurança, o segredo que você digitou não foi guardado. Digite-o de novo.
connections-scopes-hint = Separados por espaços.
connections-metadata = Metadados do provedor (XML)
connections-metadata-hint = O documento de metadados SAML, de até 48 KiB: entity ID, URL de login único e certificados de assinatura.
connections-metadata-kept = Deixe vazio para manter a URL e os certificados atuais.
connections-metadata-again = Os metadados que você colou não foram guardados. Cole de novo.
connections-subject-hint = NameID, se for persistente, ou um atributo que nunca mude para um usuário.
connections-email-hint = Um atributo, ou NameID. Sem ele, os usuários não podem ingressar no primeiro login.
connections-full-name = Atributo do nome
connections-full-name-hint = O atributo com o nome completo do usuário.
connections-domains-hint = Domínios da organização, um por linha. Usuários com endereço em um domínio verificado entram por este provedor.
connections-owners = Só proprietários podem conectar um provedor de identidade ou alterar as configurações de confiança dele. Você pode alterar o nome, substituir o segredo e remover domínios.
connections-settings = Configurações
connections-save = Salvar
connections-issuer = Issuer (emissor)
connections-provider-entity-id = Entity ID do provedor
connections-client-id = ID do cliente
connections-authentication = Autenticação do cliente
connections-by-secret = client_secret_basic: um segredo do provedor
connections-by-key = private_key_jwt: uma assinatura com uma chave deste serviço
connections-scopes = Escopos
connections-sso-url = URL de login único
connections-certificates = Certificados de assinatura (SHA-256)
connections-ends-on = expira em { $date }
connections-subject = Atributo do sujeito
connections-email = Atributo do e-mail
connections-domains = Domínios
connections-no-domains = nenhum
connections-more = Outras configurações desta conexão foram feitas pela API de gerenciamento e são mantidas.
connections-register = Registrar no provedor de identidade
connections-register-lead = Copie estes valores para o provedor de identidade exatamente como aparecem.
connections-callback = URI de redirecionamento
connections-acs-url = URL do ACS
connections-entity-id = Entity ID e URL dos metadados
connections-keys = URI do JWKS
connections-access = Login
connections-test = Testar conexão
connections-test-lead = Verifica as configurações sem que ninguém entre.
connections-switch-on = Ativar
connections-on-lead = Usuários cujo domínio pertence a esta conexão passam a entrar pelo provedor.
connections-off-lead = Ninguém pode entrar por este provedor, e logins em andamento são recusados.
connections-delete = Excluir conexão
connections-delete-lead = Ninguém poderá entrar por este provedor. Os usuários continuam vinculados, para uma conexão futura com o mesmo provedor.
connections-delete-now = Excluir agora

## webhooks

webhooks-title = Webhooks
webhooks-lead = URLs suas que recebem eventos, assinados e em ordem.
webhooks-none = Ainda não há webhooks.
webhooks-back = Todos os webhooks
webhooks-add = Adicionar um webhook
webhooks-add-now = Adicionar webhook
webhooks-address = URL
webhooks-address-hint = Como https://example.org/events. Recebe eventos a partir de agora.
webhooks-about = Descrição
webhooks-about-hint = Para reconhecê-lo depois.
webhooks-told-of = Tipos de evento
webhooks-everything = Todos os eventos do log de auditoria
webhooks-chosen = Tipos de evento selecionados
webhooks-others = Outros tipos de evento
webhooks-working = ativo
webhooks-failing = falhando
webhooks-paused = pausado
webhooks-paused-failing = Pausado em { $date }, após três dias de entregas malsucedidas.
webhooks-paused-gone = Pausado em { $date }, porque a URL respondeu 410 Gone.
webhooks-paused-stopped = Pausado em { $date } por um membro.
webhooks-failing-since = As entregas falham desde { $date }.
webhooks-next-attempt = Próxima tentativa
webhooks-behind = Pode haver eventos ainda não entregues.
webhooks-both-until = O segredo anterior também assina
webhooks-until = até { $date }
webhooks-settings = Configurações
webhooks-save = Salvar
webhooks-secret = Segredo do webhook
webhooks-secret-lead = Com ele, o seu servidor verifica a assinatura de cada evento.
webhooks-overlap = Segredo anterior
webhooks-overlap-none = Para de assinar imediatamente
webhooks-overlap-hour = Também assina por uma hora
webhooks-overlap-day = Também assina por um dia
webhooks-overlap-week = Também assina por uma semana
webhooks-rotate = Trocar o segredo
webhooks-shown = Segredo do webhook
webhooks-shown-lead = Copie agora. Ele não será mostrado de novo.
webhooks-telling = Entrega
webhooks-test = Enviar evento de teste
webhooks-test-lead = Envia um evento webhook.tested, em ordem com os demais.
webhooks-pause = Pausar
webhooks-pause-lead = Os eventos são guardados e entregues quando você retomar.
webhooks-resume = Retomar
webhooks-resume-lead = Entrega tudo o que foi guardado, a começar pelo evento que falhou.
webhooks-replay = Reenviar eventos
webhooks-replay-lead = Entrega de novo todos os eventos desde o início desse dia, cada um com o ID original.
webhooks-replay-from = A partir de
webhooks-replay-now = Reenviar agora
webhooks-delete = Excluir webhook
webhooks-delete-lead = As entregas param, inclusive as que estão aguardando.
webhooks-delete-now = Excluir agora
webhooks-attempts = Entregas
webhooks-attempts-lead = As entregas dos últimos 30 dias, da mais recente à mais antiga.
webhooks-attempts-none = Ainda não há entregas.
webhooks-answered = status { $status }
webhooks-unreached = sem resposta a tempo
webhooks-told = entregue
webhooks-again = falhou, nova tentativa marcada
webhooks-given-up = falhou

## audit-log

audit-log-title = Log de auditoria
audit-log-lead = Quem fez o quê nesta organização, do mais recente ao mais antigo. As entradas não podem ser alteradas.
audit-log-none = Ainda não há eventos.
audit-log-none-such = Nenhum evento corresponde a este filtro.
audit-log-filter = Filtro
audit-log-kind = Tipo de evento
audit-log-any-kind = Todos os tipos de evento
audit-log-from = De
audit-log-to = Até
audit-log-days-hint = Os dias começam à meia-noite UTC.
audit-log-show = Aplicar
audit-log-everything = Limpar filtro
audit-log-only = Autor: { $actor }
audit-log-back = Todos os eventos
audit-log-name = Tipo de evento
audit-log-when = Data e hora
audit-log-who = Autor
audit-log-whom = Alvo
audit-log-reason = Motivo
audit-log-facts = Detalhes
audit-log-no-facts = Não há mais detalhes.
audit-log-of-actor = Todos os eventos deste autor
audit-log-of-kind = Todos os eventos deste tipo
audit-log-of-member = Atividade no log de auditoria
audit-log-you = você
audit-log-former = ex-membro
audit-log-member = um membro
audit-log-operator = um operador
audit-log-person = uma conta
audit-log-unknown = anônimo
audit-log-system = sistema
audit-log-client = um aplicativo ou serviço
audit-log-key = uma chave de API
audit-log-role = uma função
audit-log-invitation = um convite
audit-log-secret = um segredo
audit-log-api = uma API
audit-log-domain = um domínio
audit-log-connection = uma conexão
audit-log-webhook = um webhook
audit-log-assignment = uma designação
audit-log-grant = o acesso de um aplicativo
audit-log-organization = Organização
audit-log-members = Contas e membros
audit-log-roles = Funções e acesso
audit-log-clients = Aplicativos e APIs
audit-log-operators = Operadores
audit-log-sign-on = Domínios e provedores de identidade
audit-log-webhooks = Webhooks

## notices

notices-roles-changed = Funções salvas.
notices-switched-off = Membro desativado.
notices-switched-on = Membro reativado.
notices-removed = Membro removido.
notices-invited = Convite enviado.
notices-withdrawn = Convite revogado.
notices-key-revoked = Chave de API revogada. Não funciona mais.
notices-key-shown = Esta chave já foi criada e mostrada. Ela não aparece de novo; se você a perdeu, revogue-a e crie outra.
notices-role-made = Função criada.
notices-role-changed = Função salva.
notices-role-deleted = Função excluída.
notices-bad-role-name = Use de 1 a 64 letras minúsculas, dígitos, - e _.
notices-name-taken = Já existe uma função com este nome.
notices-bad-permissions = Uma permissão selecionada não existe, ou não existe mais. Confira a seleção e salve de novo.
notices-domain-claimed = Domínio adicionado. Publique o registro TXT e depois verifique.
notices-domain-proven = Domínio verificado.
notices-domain-released = Domínio removido.
notices-bad-domain = Informe um domínio que a sua organização possa ter, como example.org.
notices-domain-taken = A organização já tem este domínio ou atingiu o limite de 50.
notices-not-proven = O registro TXT não foi encontrado, o DNS não respondeu, ou outra organização verificou este domínio. Publique o registro exatamente como aparece, espere até que esteja visível e verifique de novo.
notices-registered = Aplicativo registrado.
notices-application-changed = Aplicativo salvo.
notices-application-off = Aplicativo desativado.
notices-application-on = Aplicativo reativado.
notices-application-deleted = Aplicativo excluído.
notices-secret-revoked = Segredo revogado. Não funciona mais.
notices-made-before = Este formulário já foi enviado. Um segredo não aparece de novo; se você o perdeu, crie outro.
notices-provider-connected = Provedor de identidade conectado, mas desativado. Registre os valores abaixo no provedor, teste a conexão e depois ative.
notices-connection-changed = Conexão salva.
notices-no-more-connections = Uma organização pode ter até 10 provedores de identidade. Exclua um antes.
notices-owners-decide = Só proprietários podem conectar um provedor de identidade ou alterar as configurações de confiança dele.
notices-bad-issuer = Informe o issuer como URL https, sem ? e sem #.
notices-bad-client-id = Informe o ID do cliente: de 1 a 256 caracteres visíveis.
notices-bad-client-secret = Informe o segredo do cliente, de até 1024 caracteres. Com private_key_jwt não há nenhum.
notices-bad-scopes = Informe de 1 a 20 escopos, separados por espaços, incluindo openid.
notices-bad-metadata = Isto não são metadados SAML válidos de um provedor de identidade, ou expiraram, descrevem outro provedor, não trazem uma URL de login único por HTTP-Redirect ou um certificado utilizável, ou passam de 48 KiB.
notices-provider-taken = A organização já tem uma conexão com este provedor, ou o issuer dele não pode ser usado. Altere ou exclua a conexão existente.
notices-bad-subject = Informe NameID, ou o nome de um atributo de 1 a 256 caracteres visíveis.
notices-bad-attribute = Informe o nome de um atributo de até 256 caracteres visíveis, ou NameID.
notices-bad-name-attribute = Informe o nome de um atributo de até 256 caracteres visíveis.
notices-bad-domains = Informe domínios da organização, um por linha, cada um uma vez, até 50. Adicione-os antes em Domínios.
notices-connection-on = Conexão ativada. Os usuários dos domínios dela agora entram pelo provedor.
notices-connection-off = Conexão desativada.
notices-change-it-first = Uma configuração desta conexão não é mais válida, por isso ela continua desativada. Altere-a antes.
notices-connection-deleted = Conexão excluída.
notices-connection-works = A conexão funciona.
notices-no-description = O documento de descoberta ou os metadados do provedor não puderam ser carregados, ou não correspondem às configurações.
notices-no-provider-keys = As chaves públicas do provedor não puderam ser carregadas, ou nenhuma pode ser usada.
notices-not-taken = O provedor não aceitou a autenticação do cliente deste serviço.
notices-bad-certificates = Nenhum certificado do provedor é válido agora.
notices-webhook-changed = Webhook salvo.
notices-webhook-paused = Webhook pausado.
notices-webhook-resumed = Webhook retomado.
notices-webhook-tested = Evento de teste na fila. Veja o resultado em Entregas.
notices-webhook-replayed = Todos os eventos desde esse dia estão na fila de novo.
notices-webhook-deleted = Webhook excluído.
notices-bad-address = Informe uma URL https sem nome de usuário, senha e #.
notices-no-kinds = Selecione pelo menos um tipo de evento, ou todos.
notices-no-more-webhooks = Uma organização pode ter até 20 webhooks. Exclua um antes.
notices-is-paused = O webhook está pausado. Retome-o antes.
notices-bad-since = Informe um dia que não esteja no futuro, como 2026-11-16.
notices-bad-description = Use no máximo 200 caracteres visíveis.
notices-no-purpose = Informe uma finalidade de até 200 caracteres visíveis.
notices-bad-redirects = O código de autorização exige de 1 a 20 URIs de redirecionamento, um por linha, cada um uma vez: https, http em localhost, ou um esquema privado com ponto ou com host (app://host/caminho), sem # e sem *.
notices-must-prove = As credenciais do cliente e o CIBA exigem autenticação do cliente; com o perfil fapi2, private_key_jwt ou mTLS.
notices-over-the-api = Isto conflita com uma configuração feita pela API de gerenciamento. Altere por lá.
notices-bad-public-keys = Informe a URL https do JWKS.
notices-bad-grants = Selecione pelo menos um tipo de concessão. O refresh token exige também um tipo em que usuários participem.
notices-bad-scope = Estes escopos não são válidos ou são reservados a aplicativos verificados.
notices-needs-role = As credenciais do cliente exigem pelo menos uma função.
notices-no-more-secrets = O aplicativo atingiu o limite de segredos ou não se autentica com um.
notices-last-secret = Este é o segredo em uso. Crie um novo antes, ou desative o aplicativo.
notices-changed = Isto foi alterado nesse meio-tempo. Os valores atuais são mostrados; confira o que você escolheu e salve de novo.
notices-not-yours = Você só pode conceder permissões que você mesmo tem, e só proprietários podem gerenciar proprietários.
notices-last-owner = Uma organização precisa de pelo menos um proprietário.
notices-no-roles = Selecione pelo menos uma função.
notices-no-name = Informe um nome de até 200 caracteres visíveis.
notices-no-scope = Selecione pelo menos um escopo.
notices-bad-email = Informe um endereço de e-mail válido.
notices-already-invited = Já existe um convite pendente para este endereço. Revogue-o antes.
notices-too-many = Convites demais foram enviados para este endereço. Tente de novo amanhã.
notices-suspended = A organização está suspensa e não pode ser alterada.
notices-gone = Isto não existe mais.
notices-role-gone = Uma função selecionada não existe mais. Confira a seleção e envie de novo.
notices-bad-days = Um convite pode valer de 1 a 7 dias.
notices-bad-key-days = Uma chave de API pode valer de 1 a 365 dias.
notices-too-much = Isto é demais para um formulário. Selecione ou digite menos, ou use a API de gerenciamento.
notices-accepted = O convite já foi aceito.
notices-not-allowed = Você não tem permissão para fazer isto.
notices-not-possible = Não é possível fazer isto agora.
notices-busy = O servidor está ocupado. Tente de novo em instantes.
notices-proven = Identidade confirmada. Por cinco minutos você pode enviar o formulário sem confirmar de novo.
notices-type-again = Identidade confirmada, mas nada foi salvo ainda: por segurança, um campo não foi guardado. Preencha-o de novo e envie o formulário.
notices-not-kept = Identidade confirmada, mas nada foi salvo ainda. Preencha o formulário de novo; por cinco minutos não é preciso confirmar outra vez.
notices-not-done = Identidade confirmada, mas a sua alteração se perdeu e não foi feita. Faça de novo agora; não é preciso confirmar outra vez.
notices-bad-kind = Não existe esse tipo de evento.
notices-too-many-words = Pesquise no máximo oito palavras.
notices-bad-search = Pesquise de uma a oito palavras, com no máximo 256 caracteres.
notices-bad-day = Informe um dia como 2026-11-16.
notices-sign-in-again = Isto exige um login recente. Saia, entre de novo e repita.

## form-errors

form-errors-wrong-proof = Não confere. Verifique e tente de novo.
form-errors-wrong-code = O código está errado ou expirou. Verifique ou peça um novo.
form-errors-missing = Preencha os campos marcados.
form-errors-bad-email = Informe um endereço de e-mail válido.
form-errors-bad-phone = Informe um número de telefone que comece com + e o código do país.
form-errors-taken-by-you = Este já é um dos seus endereços de e-mail ou telefones.
form-errors-password-short = Use pelo menos { $minimum } caracteres. Várias palavras são fáceis de lembrar.
form-errors-password-long = Use no máximo { $maximum } caracteres.
form-errors-password-refused = Essa senha é comum demais ou contém um nome fácil de adivinhar. Escolha outra.
form-errors-too-many = Tentativas demais. Tente de novo em { $time }.
form-errors-seconds =
    { $count ->
        [one] { $count } segundo
       *[other] { $count } segundos
    }
form-errors-minutes =
    { $count ->
        [one] { $count } minuto
       *[other] { $count } minutos
    }
form-errors-out-of-turn = Esta etapa já foi feita, talvez em outra aba. Esta é a etapa atual.
form-errors-passkey = A chave de acesso não foi usada: a operação foi cancelada, demorou demais, ou a chave pertence a outro site.
form-errors-passkey-unsupported = Este navegador não oferece suporte a chaves de acesso.
form-errors-no-provider = Não há login único para este endereço. Confira o endereço ou entre de outra forma.
form-errors-provider = O provedor de identidade da sua organização não confirmou quem você é, ou você não tem conta aqui. Tente de novo ou fale com o administrador da sua organização.
form-errors-not-possible = Não é possível fazer isto agora.
form-errors-sign-in-again = Saia e entre de novo antes: a sua conta não tem outra forma de confirmar sua identidade.
form-errors-busy = O servidor está ocupado. Nada se perdeu: tente de novo em instantes.

## device-label

device-label-on = { $browser } no { $system }
device-label-unknown = um dispositivo desconhecido
device-label-android-application = um aplicativo Android

## event-kind

event-kind-instance-created = Instância criada
event-kind-server-started = Nó iniciado
event-kind-server-stopped = Nó parado
event-kind-signing_key-generated = Chave de assinatura gerada
event-kind-signing_key-imported = Chave de assinatura importada
event-kind-signing_key-rotated = Chave de assinatura trocada
event-kind-signing_key-revoked = Chave de assinatura revogada
event-kind-instance_key-rotated = Chave da instância trocada
event-kind-backup-taken = Backup feito
event-kind-backup-restored = Backup restaurado
event-kind-log-exported = Log de segurança exportado
event-kind-log-personal_erased = Endereços IP apagados do log de segurança
event-kind-log-archived = Log de segurança arquivado
event-kind-log-cut = Eventos arquivados removidos do banco de dados
event-kind-organization-created = Organização criada
event-kind-organization-changed = Organização alterada
event-kind-organization-suspended = Organização suspensa
event-kind-organization-restored = Organização restaurada
event-kind-organization-deletion_asked = Exclusão da organização pedida
event-kind-organization-deletion_withdrawn = Exclusão da organização cancelada
event-kind-organization-administered = Acessada por um operador
event-kind-membership-created = Membro adicionado
event-kind-membership-roles_changed = Funções de um membro alteradas
event-kind-membership-changed = Perfil de um membro alterado
event-kind-membership-claimed = Primeiro login de um membro
event-kind-scim-attributes_ignored = Atributos SCIM ignorados
event-kind-membership-disabled = Membro desativado
event-kind-membership-enabled = Membro reativado
event-kind-membership-ended = Membro saiu ou foi removido
event-kind-operator-invited = Primeiro operador convidado
event-kind-invitation-sent = Convite enviado
event-kind-invitation-accepted = Convite aceito
event-kind-invitation-revoked = Convite revogado
event-kind-message-given_up = Mensagem não pôde ser entregue
event-kind-role-created = Função criada
event-kind-role-changed = Função alterada
event-kind-role-removed = Função excluída
event-kind-api-created = API adicionada
event-kind-api-changed = API alterada
event-kind-api-removed = API removida
event-kind-relationships-changed = Relações alteradas
event-kind-client-created = Aplicativo registrado
event-kind-client-changed = Aplicativo alterado
event-kind-client-disabled = Aplicativo desativado
event-kind-client-enabled = Aplicativo reativado
event-kind-client-removed = Aplicativo excluído
event-kind-client-verified = Verificação de um aplicativo alterada por um operador
event-kind-client-proof_failed = Falha na autenticação do cliente
event-kind-client-registrations_expired = Aplicativos sem uso removidos
event-kind-client_secret-added = Segredo do cliente criado
event-kind-client_secret-revoked = Segredo do cliente revogado
event-kind-assignment-made = Operador designado
event-kind-assignment-ended = Designação de um operador encerrada
event-kind-membership-impersonated = Operador agiu como um membro
event-kind-api_key-issued = Chave de API criada
event-kind-api_key-revoked = Chave de API revogada
event-kind-consent-given = Consentimento dado a um aplicativo
event-kind-consent-denied = Consentimento negado a um aplicativo
event-kind-grant-given = Acesso concedido a um aplicativo
event-kind-code-redeemed = Código de autorização resgatado
event-kind-code-replayed = Código de autorização usado duas vezes
event-kind-code-misdirected = Código de autorização usado por outro aplicativo
event-kind-device-requested = Autorização de dispositivo pedida
event-kind-device-recognised = Código do usuário digitado
event-kind-device-user_code_failed = Código do usuário errado digitado
event-kind-device-allowed = Dispositivo permitido
event-kind-device-denied = Dispositivo negado
event-kind-device_code-redeemed = Código de dispositivo resgatado
event-kind-device_code-replayed = Código de dispositivo usado duas vezes
event-kind-device_code-misdirected = Código de dispositivo usado por outro aplicativo
event-kind-approval-requested = Aprovação pedida por um aplicativo
event-kind-approval-given = Pedido aprovado
event-kind-approval-denied = Pedido negado
event-kind-approval-redeemed = Pedido aprovado resgatado
event-kind-approval-replayed = Aprovação usada duas vezes
event-kind-approval-misdirected = Aprovação usada por outro aplicativo
event-kind-approval-notice_given_up = Aplicativo não pôde ser avisado de uma resposta
event-kind-refresh_token-rotated = Refresh token trocado
event-kind-refresh_token-used = Refresh token usado
event-kind-refresh_token-reused = Refresh token reutilizado
event-kind-refresh_token-misdirected = Refresh token usado por outro aplicativo
event-kind-token-issued = Token de acesso emitido para um serviço
event-kind-token-exchanged = Token trocado
event-kind-access_token-revoked = Token de acesso revogado
event-kind-grant-revoked = Acesso de um aplicativo revogado
event-kind-account-created = Conta criada
event-kind-account-imported = Conta importada
event-kind-import-finished = Importação concluída
event-kind-contact-verified = Endereço de e-mail ou telefone verificado
event-kind-password-set = Senha definida
event-kind-credential-disabled = Método de login bloqueado
event-kind-session-started = Login
event-kind-sign_in-new_device = Login em um novo dispositivo
event-kind-sign_in-impossible_travel = Login de um lugar distante demais
event-kind-sign_in-disavowed = Login denunciado como “não fui eu”
event-kind-session-renewed = Identidade confirmada de novo
event-kind-logout-not_delivered = Aplicativo não pôde ser avisado de uma saída
event-kind-session-ended = Saída da conta
event-kind-credential-failed = Tentativa de login malsucedida
event-kind-credential-added = Método de login adicionado
event-kind-credential-renamed = Método de login renomeado
event-kind-credential-removed = Método de login removido
event-kind-contact-added = Endereço de e-mail ou telefone adicionado
event-kind-contact-made_primary = Endereço de e-mail principal alterado
event-kind-email-changed = Endereço de e-mail alterado
event-kind-email-restored = Endereço de e-mail anterior restaurado
event-kind-contact-removed = Endereço de e-mail ou telefone removido
event-kind-account-changed = Perfil da conta alterado
event-kind-account-exported = Dados da conta exportados
event-kind-account-disabled = Conta desativada
event-kind-account-enabled = Conta reativada
event-kind-account-sessions_ended = Todas as sessões de uma conta encerradas
event-kind-instance-sessions_ended = Todas as sessões da instância encerradas
event-kind-account-reset_started = Nova senha pedida por um administrador
event-kind-account-deleted = Membro excluiu a própria conta
event-kind-application-removed = Usuário revogou o acesso de um aplicativo
event-kind-webhook-created = Webhook adicionado
event-kind-webhook-changed = Webhook alterado
event-kind-webhook-removed = Webhook excluído
event-kind-webhook-secret_rotated = Segredo do webhook trocado
event-kind-webhook-paused = Webhook pausado
event-kind-webhook-resumed = Webhook retomado
event-kind-webhook-replayed = Eventos reenviados a um webhook
event-kind-webhook-tested = Evento de teste enviado a um webhook
event-kind-domain-added = Domínio adicionado
event-kind-domain-verified = Domínio verificado
event-kind-domain-missing = Registro TXT de um domínio ausente
event-kind-domain-lost = Domínio perdeu a verificação
event-kind-domain-removed = Domínio removido
event-kind-connection-created = Provedor de identidade conectado
event-kind-connection-changed = Conexão com um provedor de identidade alterada
event-kind-connection-tested = Conexão com um provedor de identidade testada
event-kind-identity-linked = Membro vinculado a um provedor de identidade
event-kind-identity-unlinked = Membro desvinculado de um provedor de identidade
event-kind-connection-removed = Conexão com um provedor de identidade excluída

## mail

mail-greeting = Olá,
mail-or-code = Ou digite este código onde ele foi pedido:
mail-days =
    { $count ->
        [one] { $count } dia
       *[other] { $count } dias
    }
mail-hours =
    { $count ->
        [one] { $count } hora
       *[other] { $count } horas
    }
mail-minutes =
    { $count ->
        [one] { $count } minuto
       *[other] { $count } minutos
    }
mail-seen-at = Data e hora
mail-seen-device = Dispositivo
mail-seen-place = Local
mail-seen-address = Endereço IP
mail-passkey = chave de acesso
mail-password = senha
mail-application = aplicativo autenticador
mail-recovery-codes = códigos de recuperação
mail-code-by-sms = { $code } é o seu código para { $service }. Não o compartilhe com ninguém.

mail-invitation =
    .subject = Convite para { $organization }
    .lead = Você recebeu um convite para participar de { $organization } em { $service }.
    .link-lead = Para aceitar, abra este link em até { $time }:
    .link-label = Aceitar convite
    .code-lead = Para aceitar, digite este código no aplicativo em até { $time }:
    .closing = O convite funciona uma vez e só para este endereço. Se você não o esperava, ignore esta mensagem.

mail-first-operator =
    .subject = Configure { $service }
    .lead = Você recebeu um convite para ser o primeiro operador de { $service }.
    .link-lead = Para começar, abra este link em até { $time }:
    .link-label = Criar conta de operador
    .code-lead = Para começar, digite este código em até { $time }:
    .closing = Funciona uma vez. Não encaminhe esta mensagem: ela dá controle total da instância.

mail-sign-in =
    .subject = Entrar em { $service }
    .lead = Recebemos um pedido para entrar em { $service } com este endereço.
    .link-lead = Abra este link em até { $time } e confirme:
    .link-label = Entrar
    .code-lead = Digite este código em até { $time }:
    .closing = Funciona uma vez. Se você não pediu, ignore esta mensagem. Nunca pedimos o código por telefone ou e-mail.

mail-sign-up =
    .subject = Verifique o seu endereço de e-mail para { $service }
    .lead = Use esta mensagem para concluir a criação da sua conta em { $service }.
    .link-lead = Abra este link em até { $time } e confirme:
    .link-label = Verificar endereço
    .code-lead = Digite este código em até { $time }:
    .closing = Se você não pediu, ignore esta mensagem.

mail-account-exists =
    .subject = Você já tem uma conta em { $service }
    .lead = Recebemos um pedido para criar uma conta em { $service } com este endereço, mas você já tem uma.
    .link-lead = Para entrar, abra este link em até { $time }:
    .link-label = Entrar
    .code-lead = Para entrar, digite este código em até { $time }:
    .closing = Se você não pediu, ignore esta mensagem: nada mudou.

mail-verify-email =
    .subject = Verifique o seu endereço de e-mail para { $service }
    .lead = Este endereço foi adicionado a uma conta em { $service }.
    .link-lead = Se a conta for sua, abra este link em até { $time } e confirme:
    .link-label = Verificar endereço
    .code-lead = Se a conta for sua, digite este código em até { $time }:
    .closing = Se não for sua, ignore esta mensagem: o endereço não será usado.

mail-reset-password =
    .subject = Redefina a sua senha de { $service }
    .lead = Recebemos um pedido para definir uma nova senha em { $service }.
    .link-lead = Abra este link em até { $time } e confirme:
    .link-label = Definir uma nova senha
    .code-lead = Digite este código em até { $time }:
    .closing = Funciona uma vez. Se você não pediu, ignore esta mensagem: a sua senha continua a mesma.

mail-change-email =
    .subject = Verifique o seu novo endereço de e-mail para { $service }
    .lead = Recebemos um pedido para usar este endereço na sua conta em { $service }.
    .link-lead = Abra este link em até { $time } e confirme:
    .link-label = Usar este endereço
    .code-lead = Digite este código em até { $time }:
    .closing = Até lá, o endereço anterior continua em uso. Se você não pediu, ignore esta mensagem.

mail-email-changed =
    .subject = O seu endereço de e-mail em { $service } foi alterado
    .lead = O endereço de e-mail da sua conta em { $service } agora é { $address }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele restaura este endereço e encerra todas as sessões.
    .link-label = Restaurar este endereço
    .code-lead = Se não foi você, use este código em até { $time } para restaurar este endereço:
    .closing = Se foi você, não é preciso fazer nada.

mail-new-device =
    .subject = Novo login em { $service }
    .lead = Houve um login na sua conta em { $service } em um novo dispositivo.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-impossible-travel =
    .subject = Login incomum em { $service }
    .lead = Houve um login na sua conta em { $service } de um lugar distante demais do anterior para o tempo entre eles.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se você usa uma VPN, pode ter sido você.

mail-device-allowed =
    .subject = { $application } tem acesso à sua conta em { $service }
    .lead = Você permitiu que { $application }, em outro dispositivo, aja em seu nome em { $service }.
    .link-lead = Se não foi você que começou isto, abra este link em até { $time }: ele revoga o acesso de outros dispositivos, encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você que começou isto, use este código em até { $time }: ele revoga o acesso de outros dispositivos e encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-approval-asked =
    .subject = { $application } pede a sua aprovação em { $service }
    .lead = { $application } quer agir em seu nome em { $service } e precisa da sua aprovação.
    .link-lead = Para ver o pedido e aprovar ou negar, abra este link em até { $time }. Abrir o link não aprova nada.
    .link-label = Ver pedido
    .code-lead = Para ver o pedido e aprovar ou negar, entre onde você usa { $service } em até { $time } e procure o pedido com este número:
    .closing = Se você não esperava isto, negue ou ignore esta mensagem: o pedido expira.

mail-request-approved =
    .subject = Você aprovou um pedido de { $application } em { $service }
    .lead = Você aprovou um pedido de { $application } em { $service }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele revoga a aprovação, encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele revoga a aprovação e encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-password-changed =
    .subject = A sua senha em { $service } foi alterada
    .lead = Uma nova senha foi definida para a sua conta em { $service }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-credential-added =
    .subject = Novo método de login em { $service }
    .lead = Um método de login foi adicionado à sua conta em { $service }: { $name }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-credential-removed =
    .subject = Método de login removido em { $service }
    .lead = Um método de login foi removido da sua conta em { $service }: { $name }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-contact-added =
    .subject = Novo contato na sua conta em { $service }
    .lead = { $address } foi adicionado à sua conta em { $service } e verificado.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-identity-linked =
    .subject = A sua conta em { $service } foi vinculada a um provedor de identidade
    .lead = Agora é possível entrar na sua conta em { $service } com o provedor de identidade { $name }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-identity-unlinked =
    .subject = A sua conta em { $service } foi desvinculada de um provedor de identidade
    .lead = Não é mais possível entrar na sua conta em { $service } com o provedor de identidade { $name }.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, não é preciso fazer nada.

mail-reset-started =
    .subject = Defina uma nova senha em { $service }
    .lead = Um administrador de { $service } pede que você defina uma nova senha.
    .link-lead = Para isso, abra este link em até { $time }:
    .link-label = Definir uma nova senha
    .code-lead = Para isso, digite este código em até { $time } no aplicativo em que você entra:
    .closing = Só você escolhe e conhece a nova senha. Até lá nada muda.

mail-webhook-paused =
    .subject = Um webhook em { $service } foi pausado
    .lead = As entregas ao webhook { $address } falharam por tempo demais, ou ele respondeu que não existe mais. { $service } o pausou.
    .link-lead = Para vê-lo, abra este link em até { $time }:
    .link-label = Ver webhook
    .code-lead = Para vê-lo, digite este código em até { $time }:
    .closing = Nenhum evento se perde: quando você retomar o webhook, todos os eventos desde então são entregues em ordem.

mail-recovery-codes-used-up =
    .subject = Acabaram os seus códigos de recuperação em { $service }
    .lead = O último código de recuperação da sua conta em { $service } foi usado. Gere novos, para que você ainda possa entrar se perder o celular.
    .link-lead = Se não foi você, abra este link em até { $time }: ele encerra todas as sessões e permite definir uma nova senha.
    .link-label = Não fui eu
    .code-lead = Se não foi você, use este código em até { $time }: ele encerra todas as sessões.
    .closing = Se foi você, gere novos códigos na página da sua conta.
