### European Portuguese. A phrase that is not here is taken from pt-BR.ftl.

## language

language-name = Português (Portugal)

## frame

frame-skip-to-content = Saltar para o conteúdo
frame-footer = Sinete, um fornecedor de identidade que se instala e gere por conta própria.
frame-shown-by = Início de sessão por { $service }
frame-sign-out = Terminar sessão

## landing

landing-title = É aqui que se inicia sessão
landing-lead = O Sinete é um fornecedor de identidade: gere contas, autentica pessoas, serviços e agentes e informa as aplicações de quem está a chamar e do que pode fazer.
landing-development-detail = As chaves foram geradas no arranque e não protegem nada. Não utilize para contas reais.
landing-health-detail = se este nó está ativo
landing-keys-detail = com que as aplicações verificam a assinatura dos tokens
landing-console = Abrir a consola

## messages

messages-not-found-detail = O endereço pode conter um erro, ou a ligação pode estar desatualizada.
messages-server-error = Algo correu mal do nosso lado
messages-server-error-detail = O erro foi registado. Tente novamente e, se voltar a acontecer, indique a referência abaixo.
messages-unavailable-detail = Nada se perdeu. Tente novamente dentro de momentos.
messages-too-many = Demasiados pedidos a partir da sua rede
messages-too-many-detail = Aguarde um minuto e tente novamente. Nada se perdeu.
messages-flow-over-detail = Esteve aberta demasiado tempo ou foi concluída noutro separador. Comece de novo: nada se perdeu.
messages-refused = Este formulário não foi aceite
messages-refused-detail = Não veio de uma página mostrada a este navegador. Volte atrás, recarregue a página e tente novamente.
messages-request-refused = Não é possível concluir este pedido
messages-request-refused-detail = A aplicação enviou um pedido inválido. Não fez nada de errado; cabe a quem a desenvolve corrigi-lo.
messages-client-gone = Esta aplicação já não está registada aqui
messages-client-gone-detail = Remova a ligação na aplicação e adicione-a de novo, para que se volte a registar.
messages-leave = Está prestes a ir para { $host }
messages-leave-detail = Esta aplicação não foi verificada. Continue apenas se a conhece e pretendia ir para lá.
messages-what-it-said = Para programadores
messages-onward = A regressar a { $application }.
messages-onward-plain = A regressar à página de onde veio.
messages-provider-away = O fornecedor de identidade da sua organização não responde
messages-provider-away-detail = Tente novamente dentro de alguns minutos ou contacte o administrador da sua organização.
messages-invited-only = As contas são criadas apenas por convite
messages-signed-out = A sessão foi terminada
messages-signed-out-detail = Num dispositivo partilhado, feche também esta janela.
messages-sign-in-again = Iniciar sessão novamente
messages-confirm-sign-out = Terminar sessão?
messages-confirm-sign-out-detail = A sessão termina aqui, e as aplicações em que a iniciou com esta conta são avisadas.
messages-email-verified = O seu endereço de e-mail foi verificado
messages-email-verified-detail = Pode fechar esta janela ou ir para a sua conta.
messages-password-changed = A sua palavra-passe foi alterada
messages-password-changed-detail = As suas outras sessões foram terminadas. A partir de agora, utilize a nova palavra-passe.
messages-not-me = Não foi o próprio?
messages-not-me-detail = Se outra pessoa iniciou sessão na sua conta, utilize o botão: todas as sessões terminam em todos os dispositivos e, em seguida, pode definir uma nova palavra-passe.
messages-not-me-button = Não fui eu: terminar todas as sessões
messages-keep-access = Aplicações e chaves de API com acesso
messages-keep-access-hint = Estas aplicações e chaves de API também perdem o acesso. Selecione apenas o que reconhece e quer manter.
messages-undo-email-detail = Se não alterou o seu endereço de e-mail, utilize o botão: este endereço é restaurado, todas as sessões terminam e, em seguida, pode definir uma nova palavra-passe.
messages-email-restored = O seu endereço de e-mail foi restaurado
messages-email-restored-detail = Todas as sessões da sua conta foram terminadas. Defina agora uma nova palavra-passe.
messages-disavowed = Todas as sessões foram terminadas
messages-disavowed-detail = Todas as sessões da sua conta foram terminadas. Defina agora uma nova palavra-passe e verifique as suas chaves de acesso depois de iniciar sessão.
messages-set-new-password = Definir uma nova palavra-passe
messages-finished-elsewhere = Continue onde começou
messages-finished-elsewhere-detail = Abra esta ligação no navegador em que começou, ou introduza lá o código da mensagem. Ainda nada aconteceu.
messages-link-spent = Esta ligação já não é válida
messages-link-spent-detail = Cada ligação funciona uma vez e durante pouco tempo. Peça uma nova.

## dev-mail

dev-mail-empty = Nenhuma mensagem foi enviada desde o arranque desta instância.

## months

months-date = { $day } de { $month } de { $year }

## sign-in

sign-in-title = Iniciar sessão
sign-in-lead = Inicie sessão na sua conta.
sign-in-with-passkey = Iniciar sessão com chave de acesso
sign-in-password = Palavra-passe
sign-in-submit = Iniciar sessão
sign-in-forgot = Esqueceu-se da palavra-passe?
sign-in-no-password = Sem palavra-passe
sign-in-with-provider = Início de sessão único (SSO)
sign-in-provider-instead = Se a sua organização tem início de sessão próprio, escolha Início de sessão único (SSO) em vez de uma palavra-passe.
sign-in-with-this-provider = Iniciar sessão com { $provider }
sign-in-provider-hint = Inicia sessão no fornecedor de identidade da sua organização e depois volta aqui.
sign-in-use-provider = Utilizar início de sessão único (SSO)
sign-in-to-provider = A encaminhar para o fornecedor de identidade da sua organização
sign-in-new-here = É a primeira vez aqui?
sign-in-show-password = Mostrar a palavra-passe
sign-in-hide-password = Ocultar a palavra-passe
sign-in-code-title = Introduza o código
sign-in-code-by-email = Se existir uma conta para { $address }, enviámos um código e uma ligação por e-mail. Ambos são válidos durante 10 minutos.
sign-in-code-to-phone = Se existir uma conta para { $address }, enviámos um código por SMS. É válido durante 5 minutos.
sign-in-code-by-sms = Enviámos um código por SMS para { $address }. É válido durante 5 minutos.
sign-in-wait-for-text = Não recebeu? Um SMS pode demorar um minuto.
sign-in-phone-title = Iniciar sessão por SMS
sign-in-phone-lead = Enviamos um código para um número de telefone que verificou aqui.
sign-in-phone-hint = Com o indicativo do país, como +55 81 99999-0000
sign-in-phone-weak = Uma chave de acesso ou uma palavra-passe é mais segura: os números de telefone podem ser sequestrados.
sign-in-resend-when =
    Pode pedir outra mensagem dentro de { $minutes ->
        [one] { $minutes } minuto
       *[other] { $minutes } minutos
    }.
sign-in-resend-in = Enviar de novo dentro de { $seconds } s
sign-in-second-title = Verificação em dois passos
sign-in-second-lead = A sua conta exige um segundo fator.
sign-in-totp = Código da sua aplicação de autenticação
sign-in-recovery-hint = Um dos dez códigos que guardou ao configurar. Cada um funciona uma vez.
sign-in-sms-hint = O SMS é a opção menos segura: os números de telefone podem ser sequestrados.
sign-in-use-passkey = Utilizar uma chave de acesso
sign-in-use-totp = Utilizar a aplicação de autenticação
sign-in-use-recovery = Utilizar um código de recuperação
sign-in-use-password = Utilizar a palavra-passe
sign-in-again-title = Confirme a sua identidade
sign-in-again-lead = Esta é uma ação sensível, por isso confirme a sua identidade.
sign-in-again-for = { $application } pede que confirme a sua identidade.
sign-in-landing-title = Iniciar sessão aqui?
sign-in-landing-lead = Abriu a ligação que enviámos para { $address }.
sign-in-landing-plain = Abriu a ligação do nosso e-mail.
sign-in-landing-button = Sim, iniciar sessão
sign-in-landing-warning = Se não pediu isto, feche esta janela: ainda nada aconteceu.
sign-in-organization-lead = É membro de várias. { $application } verá apenas a que escolher.
sign-in-organization-plain = É membro de várias. Escolha com qual continuar.
sign-in-organization-none = Não é membro de nenhuma organização que possa ser utilizada aqui.

## sign-up

sign-up-lead = Uma conta para tudo o que inicia sessão aqui.
sign-up-password = Palavra-passe
sign-up-with-password = ou com uma palavra-passe
sign-up-sign-in = Iniciar sessão
sign-up-verify-lead = Enviámos um código para { $address }. Introduza-o aqui para verificar que o endereço é seu.
sign-up-verify-number-lead = Enviámos um código por SMS para { $address }. Introduza-o aqui para verificar que o número é seu.
sign-up-verify-landing-detail = Abriu a ligação do nosso e-mail. Utilize o botão para concluir.
sign-up-verify-ask = Que endereço de e-mail quer verificar?
sign-up-invitation-lead = Crie uma conta para participar. A conta é sua, mesmo que saia da organização mais tarde.
sign-up-invitation-role = A sua função: { $roles }
sign-up-operator-lead = É o primeiro operador. Esta conta administra toda a instância: proteja-a com uma chave de acesso ou uma palavra-passe longa.

## credentials

credentials-reset-title = Reponha a sua palavra-passe
credentials-reset-lead = Indique o seu endereço de e-mail e enviaremos uma ligação.
credentials-reset-submit = Enviar ligação
credentials-reset-sent-detail = Se existir uma conta para { $address }, enviámos uma mensagem com o passo seguinte.
credentials-reset-back = Voltar ao início de sessão
credentials-reset-landing = Escolher uma nova palavra-passe?
credentials-reset-landing-button = Escolher uma nova palavra-passe
credentials-set-title = Escolha uma nova palavra-passe
credentials-set-lead = Todas as suas outras sessões serão terminadas.
credentials-set-first-title = Adicione uma palavra-passe
credentials-set-first-lead = A palavra-passe é opcional: a chave de acesso é mais rápida e resiste a phishing.
credentials-current-password = Palavra-passe atual
credentials-new-password = Nova palavra-passe
credentials-password-rule = Pelo menos { $minimum } carateres. São permitidos espaços, palavras e qualquer idioma.
credentials-set-submit = Guardar palavra-passe
credentials-passkey-title = Inicie sessão mais depressa da próxima vez
credentials-passkey-lead = A chave de acesso utiliza a sua impressão digital, o seu rosto ou o bloqueio de ecrã em vez de uma palavra-passe.
credentials-passkey-third = Privada: a sua impressão digital ou o seu rosto nunca sai do seu dispositivo
credentials-second-lead = { $application } pede uma segunda etapa ao iniciar sessão. Configure uma agora; irá utilizá-la logo a seguir.
credentials-totp-title = Configure a aplicação de autenticação
credentials-totp-first = Leia este código QR com a aplicação
credentials-totp-text = Não consegue ler? Introduza esta chave
credentials-totp-open = Abrir numa aplicação deste dispositivo
credentials-totp-second = Introduza os seis dígitos que ela mostrar
credentials-recovery-make-detail = Dez códigos para o caso de perder o telemóvel. Os códigos anteriores deixam de funcionar.
credentials-recovery-title = Guarde os seus códigos de recuperação
credentials-recovery-lead = Cada código permite iniciar sessão uma vez se perder o telemóvel. Só são mostrados agora.
credentials-recovery-download = Transferir

## consent

consent-lead = Quer agir em seu nome.
consent-verified = Aplicação verificada
consent-unverified = Aplicação não verificada
consent-unverified-detail = Esta aplicação registou-se sozinha e pode ser de qualquer pessoa. Permita apenas se foi quem começou isto e se confia nela.
consent-you = Conta
consent-will = Poderá
consent-will-know = Poderá ver
consent-new-detail = Já permitiu esta aplicação. O que está assinalado é novo.
consent-deny = Recusar
consent-revoke-hint = Pode revogar isto a qualquer momento na sua conta.

## device

device-code-title = Ligar um dispositivo
device-code-lead = Introduza o código que o seu dispositivo mostra. Continue apenas se o tiver à sua frente.
device-compare-lead = O seu dispositivo mostra exatamente este código? Se não tem um dispositivo assim consigo, feche esta página.
device-code-hint = Oito letras. Maiúsculas, espaços e hífenes não fazem diferença.
device-signed-in-as = Iniciou sessão como { $person }.
device-title = Permitir { $application } noutro dispositivo?
device-lead = Outro dispositivo quer agir em seu nome. Confirme antes de responder.
device-started = Foi quem começou isto, agora mesmo?
device-started-detail = Se alguém lhe deu este código ou ligação por telefone, e-mail ou mensagem, recuse: essa pessoa teria acesso à sua conta. Nenhum serviço de apoio precisa dele.
device-from = Pedido a partir de
device-allowed = O seu dispositivo está ligado
device-allowed-detail = Volte ao seu dispositivo para continuar. Pode revogar o acesso dele a qualquer momento na sua conta.
device-denied = O acesso do dispositivo foi recusado
device-denied-detail = Se não foi quem começou isto, não é preciso fazer mais nada.
device-refused-detail = Não tem as permissões que o dispositivo pede, ou a sua organização não o permite. O acesso do dispositivo foi recusado.
device-another = Introduzir outro código
device-wrong-code = Este código não é válido. Confirme no dispositivo: os códigos são válidos durante 10 minutos.

## ciba

ciba-lead = Pergunta antes de agir em seu nome. Confirme o pedido antes de responder.
ciba-compare = Estava à espera disto?
ciba-compare-detail = Aprove apenas se foi quem começou isto e se a aplicação mostra a mesma mensagem. Se não reconhece o pedido, recuse.
ciba-ends-hint = Pode revogar o acesso a qualquer momento na sua conta. O que já tiver sido feito não é desfeito.
ciba-approved-detail = A aplicação continua sozinha. Pode revogar o acesso na sua conta.
ciba-denied = Pedido recusado
ciba-denied-detail = A aplicação é avisada. Nada foi feito.
ciba-refused = Não pode aprovar este pedido
ciba-refused-detail = O pedido foi enviado a outra pessoa, não tem as permissões necessárias, a sua organização não o permite, ou a sua conta não tem um método de início de sessão suficientemente forte.
ciba-over = Este pedido terminou
ciba-over-detail = Foi respondido ou expirou. Se a aplicação ainda precisar, perguntará de novo.

## account

account-title = A minha conta
account-lead = O seu perfil, como inicia sessão e o que tem acesso à sua conta.
account-picture-hint = É mostrada pelas aplicações que podem ver o seu perfil. É cortada num quadrado e reduzida.
account-picture-failed = Este ficheiro não pode ser usado como foto. Escolha uma imagem PNG, JPEG ou WebP.
account-save = Guardar
account-saved = Guardado.
account-contacts = Dados de contacto
account-new-email-hint = Primeiro enviamos um código para o novo endereço. O antigo é avisado e pode desfazer a alteração durante sete dias.
account-credentials = Métodos de início de sessão
account-passkeys-none = Ainda não há. A chave de acesso é a forma mais rápida e segura de iniciar sessão.
account-synced = sincronizada entre os seus dispositivos
account-on-device = num dispositivo
account-password = Palavra-passe
account-password-set = Definida a { $date }
account-totp = Aplicação de autenticação
account-totp-on = Ativa desde { $date }
account-totp-off = Desativada. Ative-a como segundo fator depois da palavra-passe.
account-added = Adicionada a { $date }
account-last-used = utilizada pela última vez a { $date }
account-never-used = nunca utilizada
account-requests = Pedidos a aguardar a sua aprovação
account-providers = Início de sessão único (SSO)
account-linked-since = Associado a { $date }
account-not-linked = não associado
account-link = Associar
account-unlink = Desassociar
account-last-seen = última atividade a { $date }
account-end = Terminar
account-end-others = Terminar todas as outras
account-applications = Aplicações
account-applications-none = Nenhuma aplicação tem acesso à sua conta.
account-agents = Agentes que agem por si
account-agents-lead = Programas que decidem sozinhos dentro do que permitiu. Cada um age apenas na organização indicada.
account-memberships-none = Não é membro de nenhuma organização.
account-events-detail = Vê algo que não reconhece? Altere a palavra-passe e termine todas as outras sessões.
account-rename = Mudar o nome
account-data = Os seus dados
account-data-detail = Tudo o que está guardado sobre a sua conta, num ficheiro JSON.
account-export = Transferir os seus dados
account-delete = Eliminar a conta
account-delete-detail = O seu perfil, as formas de iniciar sessão, as sessões e as participações são eliminados para sempre. As aplicações perdem o acesso.
account-delete-confirm = Compreendo que não é possível anular
account-delete-now = Eliminar a minha conta

## activity

activity-session-started = Início de sessão
activity-session-ended = Fim de sessão
activity-new-device = Início de sessão num novo dispositivo
activity-impossible-travel = Início de sessão a partir de um lugar invulgarmente distante
activity-disavowed = Início de sessão denunciado como “não fui eu”
activity-credential-failed = Tentativa falhada de início de sessão
activity-credential-added = Método de início de sessão adicionado
activity-credential-renamed = Método de início de sessão com novo nome
activity-credential-removed = Método de início de sessão removido
activity-credential-disabled = Método de início de sessão bloqueado
activity-password-set = Palavra-passe definida
activity-account-changed = Perfil atualizado
activity-account-sessions-ended = Um administrador terminou todas as sessões
activity-account-reset-started = Um administrador pediu uma nova palavra-passe
activity-consent-denied = Aplicação recusada
activity-consent-given = Aplicação permitida
activity-device-allowed = Aplicação permitida noutro dispositivo
activity-device-denied = Aplicação recusada noutro dispositivo
activity-approval-given = Pedido de uma aplicação aprovado
activity-approval-denied = Pedido de uma aplicação recusado
activity-application-removed = Acesso de uma aplicação revogado
activity-invitation-accepted = Convite aceite
activity-membership-ended = Participação terminada

## console

console-title = Consola
console-open = Abrir a consola
console-choose = As suas organizações
console-choose-lead = Escolha uma organização para gerir.
console-choose-none = Não há nenhuma organização que possa gerir.
console-other = Mudar de organização
console-sections = Secções da consola
console-suspended-lead = Pode ver tudo, mas nada pode ser alterado até que seja restaurada.
console-condition = Estado
console-your-roles = As suas funções
console-what-you-may = As suas permissões
console-found-more =
    Mais de { $count ->
        [one] { $count } membro encontrado
       *[other] { $count } membros encontrados
    }. Veja a página seguinte.
console-found-early = O índice de pesquisa ainda está a ser atualizado. Tente novamente dentro de um minuto.
console-members-unnamed = A organização vê o próprio perfil de um membro: introduzido aqui, enviado por SCIM ou pelo seu fornecedor de identidade. O nome na conta de um utilizador não é partilhado com ela; um membro sem nome é mostrado pelo endereço.
console-you = próprio
console-unclaimed = ainda não iniciou sessão
console-next = Página seguinte
console-state = Estado
console-user-name = Nome de utilizador (SCIM)
console-roles-hint = Uma função concede permissões. Só pode atribuir permissões que também tem.
console-save-roles = Guardar funções
console-switch-off-lead = O acesso a esta organização para de imediato. Nada é eliminado, e pode reativar o membro.
console-leave-lead = Perde todas as funções e o acesso. Para voltar, precisa de um novo convite.
console-invitations-lead = Cada convite é enviado para um endereço e pode ser aceite uma vez.
console-language-usual = Predefinição da organização
console-lifetime = Válido durante
console-waits-until = Pendente, expira a { $date }
console-accepted-on = Aceite a { $date }
console-withdrawn-on = Revogado a { $date }
console-expired-on = Expirou a { $date }
console-forgotten-address = endereço eliminado
console-before-form = Precisa de confirmar a sua identidade antes de utilizar este formulário.
console-lost = O que introduziu era demasiado longo para ser guardado, por isso o formulário mostra os valores atuais. Envie menos de cada vez ou utilize a API de gestão.
console-changed-only = Isto foi alterado entretanto, por isso nada foi guardado. Estes são os valores atuais.
console-prove-title = Confirme a sua identidade
console-prove-lead = { $organization } exige um início de sessão mais forte para a gestão.
console-set-up-lead = { $organization } exige um segundo fator para a gestão. Configure antes uma chave de acesso ou uma aplicação de autenticação na sua conta.
console-otherwise-title = Inicie sessão de outra forma
console-otherwise-lead = { $organization } não aceita a forma como iniciou sessão. Termine-a e inicie sessão da forma exigida.
console-step-application = Primeira aplicação
console-step-application-text = Registe uma aplicação em que os seus membros iniciam sessão.
console-step-domain-text = Verifique um domínio da sua organização com um registo DNS.
console-step-sso-text = Ligue o seu fornecedor de identidade e ative a ligação.
console-step-members-text = Convide os primeiros membros, ou deixe que um diretório os aprovisione com SCIM.

## roles

roles-save = Guardar função
roles-built-in = predefinida
roles-built-in-lead = Todas as organizações têm esta função. As suas permissões não podem ser alteradas.
roles-confers-hint = Só pode adicionar permissões que também tem.
roles-hides-some = Algumas permissões de APIs não são listadas, porque não tem a permissão para ver as APIs.
roles-delete = Eliminar função
roles-delete-lead = Os membros que têm esta função perdem-na de imediato.
roles-delete-now = Eliminar agora

## api-keys

api-keys-lead = Cada chave age por um membro e limita-se aos seus âmbitos.
api-keys-name-hint = Indique o que utiliza a chave, para a reconhecer mais tarde.
api-keys-scope = Âmbitos
api-keys-made = A sua nova chave de API
api-keys-made-lead = Copie agora. Não será mostrada de novo.
api-keys-revoked-on = Revogada a { $date }
api-keys-expired-on = Expirou a { $date }
api-keys-used-on = utilizada pela última vez a { $date }
api-keys-never-used = nunca utilizada

## applications

applications-connect = Ligar
applications-test-lead = Inicia sessão como um utilizador desta aplicação e vê os tokens que ela receberia. Um cliente de teste temporário com as mesmas definições fá-lo e é eliminado depois; a aplicação não muda. Os tokens não contêm permissões.
applications-test-now = Iniciar sessão e mostrar os tokens
applications-test-title = Teste de início de sessão
applications-test-back = Voltar à aplicação
applications-test-done = O início de sessão funcionou. Estes são os tokens descodificados; não foram guardados, e o cliente de teste foi eliminado.
applications-test-error = O endpoint de autorização devolveu um erro
applications-test-over = Este teste terminou. Comece outro na página da aplicação.
applications-connect-lead = Código para frameworks comuns, com os valores desta aplicação. Passe o segredo na variável de ambiente CLIENT_SECRET.
applications-title = Aplicações
applications-lead = Clientes desta organização: aplicações, serviços e agentes que pedem tokens.
applications-none = Ainda não há aplicações. Registe a primeira para que os membros iniciem sessão nela.
applications-back = Todas as aplicações
applications-register = Registar uma aplicação
applications-register-now = Registar
applications-save = Guardar alterações
applications-settings = Definições
applications-vouched = verificada
applications-what-api = Uma API ou um servidor MCP não é uma aplicação: é registado como API, e as aplicações obtêm tokens para ele.
applications-type-web = Aplicação web
applications-type-web-about = É executada num servidor e tem um segredo
applications-type-spa = Aplicação de página única
applications-type-spa-about = É executada no navegador, sem segredo
applications-type-native = Aplicação para telemóvel ou computador
applications-type-native-about = Instalada num dispositivo, sem segredo
applications-type-custom-about = Escolhe cada definição
applications-for-whom = Para membros de { $organization }. Uma aplicação para todos, ou para todas as organizações, é registada por um operador da instância.
applications-application = Aplicação
applications-application-about = As pessoas iniciam sessão nela
applications-agent-about = Um programa autónomo; é responsável por ele
applications-name-hint = Mostrado aos utilizadores na página de consentimento.
applications-redirects-hint = Para onde os utilizadores voltam depois de iniciar sessão: um por linha, exatamente como a aplicação o envia. https, ou http em localhost.
applications-proof-hint = Uma aplicação no navegador ou no telemóvel não consegue guardar um segredo: escolha none.
applications-by-nothing = none: cliente público, como uma aplicação de navegador ou móvel
applications-by-post = client_secret_post: segredo no corpo do pedido
applications-by-other = Outro método, definido pela API de gestão
applications-keys-hint = Só para private_key_jwt: onde as suas chaves públicas são publicadas.
applications-code = Código de autorização: os utilizadores iniciam sessão no navegador
applications-refresh = Refresh token: renova os tokens sem o utilizador
applications-exchange = Troca de tokens: age em nome de um utilizador
applications-device = Autorização de dispositivo: os utilizadores introduzem um código que o dispositivo mostra
applications-approval = CIBA: pede a aprovação de um utilizador noutro dispositivo
applications-scope = Âmbitos permitidos
applications-scope-hint = Separados por espaços, como openid profile email ou permissões das suas APIs. A aplicação pode pedir no máximo estes; um âmbito não concede nada por si só. Deixe vazio para não permitir nenhum.
applications-scope-unlimited = Não há limite definido, por isso pode pedir todos os âmbitos sobre um utilizador.
applications-claims-hint = Para aplicações que leem o ID token e nunca consultam userinfo.
applications-claims-userinfo = Quem iniciou sessão; tudo o resto está no endpoint userinfo
applications-claims-id-token = Também os claims dos âmbitos concedidos, como profile e email
applications-role-claims-hint = Listas com os nomes das funções do utilizador, para aplicações que não podem pedir o âmbito groups ou roles.
applications-role-claims-none = Só se a aplicação pedir o âmbito delas
applications-roles-hint = Só para credenciais do cliente. Só pode atribuir permissões que também tem.
applications-secrets-lead = Cada segredo foi mostrado uma vez. Durante uma rotação, os anteriores continuam válidos durante algum tempo.
applications-secret-since = Criado a { $date }
applications-overlap-none = Deixam de funcionar de imediato
applications-overlap-hour = Continuam válidos durante uma hora
applications-overlap-day = Continuam válidos durante um dia
applications-overlap-week = Continuam válidos durante uma semana
applications-shown-lead = Copie agora. Não será mostrado de novo.
applications-off-lead = Os seus tokens e segredos deixam de funcionar de imediato. Nada é eliminado, e pode reativá-la.
applications-on-lead = Os seus tokens e segredos voltam a funcionar como antes.
applications-delete = Eliminar aplicação
applications-delete-lead = Todo o acesso concedido termina. Os utilizadores deixam de poder iniciar sessão com ela.
applications-delete-now = Eliminar agora
applications-refused = Pedidos recusados
applications-refused-lead = Pedidos de autorização desta aplicação que foram recusados: os últimos 20, no máximo um por minuto e motivo. Cada servidor da instância guarda na memória os que respondeu, até reiniciar.
applications-refused-none = Nenhum desde que este servidor foi iniciado.
applications-refused-count =
    { $count ->
        [one] { $count } vez num minuto
       *[other] { $count } vezes num minuto
    }
applications-sample-redirect-fixed = URI de redirecionamento, determinado pela framework
applications-sample-unregistered = Não registado: adicione-o aos URI de redirecionamento desta aplicação antes de iniciar o código.
applications-sample-post-logout = URI de redirecionamento após o fim de sessão neste código
applications-sample-post-logout-unregistered = Não registado: adicione-o aos URI de redirecionamento após o fim de sessão desta aplicação, ou o fim de sessão é recusado.

## client-settings

client-settings-title = Todas as definições
client-settings-lead = Todas as definições desta aplicação, como na API de gestão. Cada parte é guardada separadamente.
client-settings-register-custom = Registar com definições próprias
client-settings-about = Nome, contactos e políticas
client-settings-sign-in = Início de sessão e consentimento
client-settings-any-algorithm = Qualquer algoritmo suportado
client-settings-usual-algorithm = O predefinido do perfil de segurança
client-settings-needs-keys = Precisa do JWKS ou da JWKS URI da aplicação.
client-settings-id-hint = Letras, dígitos, pontos, hífenes e sublinhados. Deixe em branco para que seja criado. Não pode ser alterado.
client-settings-owner-hint = Só para um agente: o ID do membro responsável por ele.
client-settings-application-type = Tipo de aplicação
client-settings-application-type-web = web: num servidor ou num navegador
client-settings-application-type-native = native: instalada no dispositivo do utilizador
client-settings-response-types-hint = O que o endpoint de autorização devolve. Se nenhum for escolhido: code.
client-settings-initiate-login = URI de início de sessão
client-settings-initiate-login-hint = Onde começa um início de sessão iniciado por outro site.
client-settings-serves-hint = Em que organizações os utilizadores atuam.
client-settings-serves-everyone = Todos os que se podem registar: atuam na organização principal, se forem membros dela
client-settings-consent-hint = O consentimento só é dispensado para aplicações de confiança.
client-settings-consent-ask = ask: os utilizadores são consultados sobre todos os âmbitos
client-settings-consent-permissions = ask_for_permissions: os utilizadores são consultados sobre permissões e acesso offline
client-settings-consent-implied = implied: os utilizadores não são consultados
client-settings-max-age = max_age predefinido
client-settings-max-age-hint = Em segundos. Quem iniciou sessão antes disso inicia-a de novo.
client-settings-auth-time = Os ID tokens contêm sempre auth_time
client-settings-acr-values = acr_values predefinidos
client-settings-interaction-url-hint = A página de início de sessão da própria aplicação, usada só se as páginas alojadas estiverem desativadas.
client-settings-tokens = Âmbitos, claims e tokens
client-settings-detail-types-hint = Os tipos da RFC 9396 que pode pedir, um por linha.
client-settings-id-token-claims = Os ID tokens contêm as claims dos âmbitos concedidos
client-settings-post-logout-hint = Para onde os utilizadores podem voltar depois de terminar sessão, um por linha.
client-settings-by-certificate = tls_client_auth: certificado de uma autoridade de confiança
client-settings-consent-page-hint = Os utilizadores encontram a ligação na página de consentimento.
client-settings-logo-hint = Os navegadores dos utilizadores não o carregam de lá.
client-settings-contacts-hint = Quem é responsável por ela, um por linha.
client-settings-delivery-poll = poll: consulta o endpoint de token
client-settings-delivery-ping = ping: é notificada
client-settings-ciba-algorithm = Algoritmo de assinatura dos pedidos CIBA

## domains

domains-name-hint = Como example.org. Em seguida recebe um registo TXT para publicar no DNS.
domains-missing = registo TXT em falta
domains-since = Adicionado a { $date }
domains-proven-on = Verificado a { $date }
domains-missing-since = O registo TXT está em falta desde { $date }. Publique-o de novo, ou o domínio perde a verificação.
domains-record = Publique este registo TXT no DNS do domínio e mantenha-o. É consultado todos os dias; um domínio cujo registo falte durante 3 dias perde a verificação.
domains-development = Em desenvolvimento, pode verificar um domínio que só existe na sua máquina: execute um servidor DNS que responda este registo e indique-o na definição outbound.dns_servers (SINETE_OUTBOUND_DNS_SERVERS), como 127.0.0.1:5353.

## connections

connections-title = Fornecedores de identidade
connections-lead = Os membros iniciam sessão no fornecedor de identidade da própria organização (início de sessão único).
connections-none = Ainda não há fornecedores de identidade.
connections-back = Todos os fornecedores de identidade
connections-open-id = Fornecedor OpenID Connect
connections-saml = Fornecedor SAML 2.0
connections-connect-open-id = Ligar por OpenID Connect, sem o guia
connections-connect-saml = Ligar por SAML 2.0, sem o guia
connections-connect-now = Ligar
connections-connect-hint = A ligação começa desativada. A página seguinte mostra o que registar no fornecedor.
connections-name = Nome a apresentar
connections-name-hint = Mostrado na lista de fornecedores de identidade e na página de início de sessão, se uma aplicação indicar a sua organização. Caso contrário, os utilizadores escolhem o início de sessão único (SSO) e indicam o endereço de e-mail.
connections-issuer-hint = O URL do issuer do fornecedor, exatamente como no documento de descoberta. Não pode ser alterado mais tarde.
connections-client-id-hint = O ID do cliente que o fornecedor deu a este serviço.
connections-secret-hint = Como o fornecedor o mostra. Nunca é mostrado aqui.
connections-secret-kept = Há um segredo definido, que nunca é mostrado. Deixe vazio para o manter.
connections-secret-again = Por segurança, o segredo que introduziu não foi guardado. Introduza-o de novo.
connections-metadata = Metadados do fornecedor (XML)
connections-metadata-hint = O documento de metadados SAML, até 48 KiB: entity ID, URL de início de sessão único e certificados de assinatura.
connections-metadata-kept = Deixe vazio para manter o URL e os certificados atuais.
connections-metadata-again = Os metadados que colou não foram guardados. Cole de novo.
connections-subject-hint = NameID, se for persistente, ou um atributo que nunca mude para um utilizador.
connections-email-hint = Um atributo, ou NameID. Sem ele, os utilizadores não podem aderir no primeiro início de sessão.
connections-full-name-hint = O atributo com o nome completo do utilizador.
connections-domains-hint = Um por linha. Adicione-os e verifique-os antes em Domínios. Os utilizadores com endereço num domínio verificado iniciam sessão neste fornecedor.
connections-owners = Só os proprietários podem ligar um fornecedor de identidade ou alterar as suas definições de confiança. Pode alterar o nome, substituir o segredo e remover domínios.
connections-settings = Definições
connections-save = Guardar
connections-provider-entity-id = Entity ID do fornecedor
connections-by-secret = client_secret_post: um segredo do fornecedor
connections-scopes = Âmbitos
connections-sso-url = URL de início de sessão único
connections-ends-on = expira a { $date }
connections-more = Outras definições desta ligação foram feitas pela API de gestão e são mantidas.
connections-register = Registar no fornecedor de identidade
connections-register-lead = Copie estes valores para o fornecedor de identidade exatamente como aparecem.
connections-access = Início de sessão
connections-test = Testar ligação
connections-test-lead = Verifica as definições sem iniciar nenhuma sessão.
connections-on-lead = Os utilizadores cujo domínio pertence a esta ligação iniciam sessão no fornecedor.
connections-off-lead = Ninguém pode iniciar sessão com este fornecedor, e os inícios de sessão em curso são recusados.
connections-delete = Eliminar ligação
connections-delete-lead = Ninguém poderá iniciar sessão com este fornecedor. Os utilizadores continuam associados, para uma ligação posterior ao mesmo fornecedor.
connections-delete-now = Eliminar agora

## sso-wizard

sso-wizard-choose = Configurar o início de sessão único
sso-wizard-choose-lead = Escolha o seu fornecedor de identidade. Cada guia mostra o que copiar e para onde.
sso-wizard-connect = Ligar { $provider }
sso-wizard-lead = Nada muda para os membros até ativar a ligação.
sso-wizard-register = 1. Registe este serviço no fornecedor
sso-wizard-copy = Copie estes valores exatamente. Não mudam até estabelecer a ligação, por isso pode voltar mais tarde.
sso-wizard-metadata-url-hint = Os metadados são lidos uma vez, ao guardar. Deixe vazio se colar o documento ou escolher um ficheiro.
sso-wizard-metadata-file = Ficheiro de metadados
sso-wizard-enter = 2. Indique o que o fornecedor mostra
sso-wizard-after-lead = A ligação começa desativada. Na página dela testa um início de sessão, vê que dados chegam e o que seria feito com eles, e depois ativa-a.
sso-wizard-entra-tenant = ID do diretório (inquilino)
sso-wizard-entra-tenant-hint = Na descrição geral do registo da aplicação. Não pode ser alterado depois.
sso-wizard-okta-assign = Em Assignments, escolha quem pode iniciar sessão e guarde.
sso-wizard-okta-copy = Copie o client ID e o client secret do separador General.
sso-wizard-entra-claims = Em Token configuration, adicione ao ID token as claims opcionais email e xms_edov. Sem xms_edov, os novos utilizadores não podem aderir ao iniciar sessão.
sso-wizard-google-consent = Na consola do Google Cloud, configure a OAuth consent screen com o tipo de utilizador Internal.
sso-wizard-oidc-create = Registe um cliente confidencial (aplicação web) com o fluxo authorization code.
sso-wizard-oidc-claims = Inclua as claims email e email_verified no ID token ou no endpoint userinfo, para que novos utilizadores possam aderir.
sso-wizard-saml-create = Crie uma aplicação SAML 2.0 no fornecedor.
sso-wizard-saml-values = Indique o ACS URL e o entity ID abaixo, ou o URL dos metadados, que funciona depois de estabelecer a ligação.
sso-wizard-saml-attributes = Escolha um NameID persistente e envie o endereço de e-mail como atributo. Deixe a cifra de asserções desligada.
sso-wizard-saml-copy = Copie o URL dos metadados do fornecedor ou transfira o documento.
sso-wizard-test = Testar início de sessão
sso-wizard-test-lead = Inicia sessão no fornecedor e vê os dados recebidos e o que seria feito com eles. Não é criada nenhuma conta nem sessão.
sso-wizard-result-lead = O que um início de sessão por esta ligação faria. Nada foi alterado.
sso-wizard-signs-in = iniciaria sessão
sso-wizard-signs-in-why = Esta identidade está associada a um membro.
sso-wizard-takes-over = iniciaria sessão como membro aprovisionado
sso-wizard-takes-over-why = O diretório aprovisionou uma pertença com o mesmo ID externo.
sso-wizard-joins = aderiria como novo membro
sso-wizard-joins-why = { $address } está verificado e num domínio verificado desta ligação, por isso seriam criadas uma conta e uma pertença.
sso-wizard-account-why = A conta associada está desativada ou eliminada.
sso-wizard-membership-why = O membro foi removido ou desativado. Ative-o ou aprovisione-o novamente.
sso-wizard-no-address-why = O utilizador é desconhecido, e o fornecedor não indica um endereço de e-mail verificado. Verifique as claims email e email_verified no ID token ou no endpoint userinfo.
sso-wizard-no-attribute-why = O utilizador é desconhecido, e a asserção não contém um endereço de e-mail. Verifique o atributo de e-mail da ligação.
sso-wizard-domain-elsewhere-why = { $domain } não pertence a esta ligação. Adicione-o aos domínios da ligação.
sso-wizard-back = Voltar à ligação
sso-wizard-claims-lead = Tal como o fornecedor os enviou. Não são armazenados.
sso-wizard-no-claims = Não foi aceite nenhum dado.

## setup-link

setup-link-title = Configurar o início de sessão único
setup-link-start-lead = { $organization } pede que prepare o início de sessão único. Não precisa de uma conta.
setup-link-start-hint = A ligação funciona num único navegador: aquele em que continuar agora.
setup-link-ended = Esta ligação não pode ser usada: foi aberta noutro navegador, expirou, foi revogada ou está concluída. Peça uma nova à organização.
setup-link-lead = Prepare o que se aplica, por qualquer ordem. Nada fica ativo até que um proprietário da organização confirme.
setup-link-until = Pode alterar neste navegador até
setup-link-sso = Início de sessão único
setup-link-sso-again = Para alterar, escolha o fornecedor e indique tudo de novo.
setup-link-prepare = Guardar
setup-link-scim = Aprovisionamento (SCIM)
setup-link-scim-once = Copie agora. Não volta a ser mostrado.
setup-link-domain-lead = O domínio dos seus endereços de e-mail. Os utilizadores com um endereço desses iniciam sessão no seu fornecedor.
setup-link-domain-record = Publique este registo DNS para { $domain }. É consultado quando um proprietário confirmar.
setup-link-links = Ligações de configuração
setup-link-links-lead = Deixe o departamento de TI de um cliente preparar o início de sessão único, o SCIM e um domínio, sem conta. Nada fica ativo até que um proprietário confirme.
setup-link-none = Ainda não há ligações de configuração. Emita uma e envie-a à pessoa que administra o fornecedor de identidade.
setup-link-link = Ligação de configuração
setup-link-link-lead = O que o portador da ligação preparou. Pode testar a ligação ao fornecedor antes de confirmar.
setup-link-all = Todas as ligações de configuração
setup-link-issued = não aberta
setup-link-expired = expirada
setup-link-revoked = revogada
setup-link-confirmed = confirmada
setup-link-opened-at = Aberta
setup-link-issue = Emitir uma ligação de configuração
setup-link-issue-lead = A ligação abre num navegador e funciona até a confirmar ou revogar, ou até expirar.
setup-link-issue-now = Emitir ligação
setup-link-url = Ligação para enviar
setup-link-confirm-lead = Ativa a ligação ao fornecedor para os membros da organização, consulta o registo do domínio e transforma o token SCIM numa chave de API sua. A ligação de configuração termina.

## webhooks

webhooks-lead = URLs seus que recebem eventos, assinados e por ordem.
webhooks-about-hint = Para o reconhecer mais tarde.
webhooks-everything = Todos os eventos do registo de auditoria
webhooks-failing = a falhar
webhooks-paused = em pausa
webhooks-paused-failing = Em pausa desde { $date }, após três dias de entregas falhadas.
webhooks-paused-gone = Em pausa desde { $date }, porque o URL respondeu 410 Gone.
webhooks-paused-stopped = Em pausa desde { $date }, por um membro.
webhooks-settings = Definições
webhooks-save = Guardar
webhooks-overlap-none = Deixa de assinar de imediato
webhooks-overlap-hour = Também assina durante uma hora
webhooks-overlap-day = Também assina durante um dia
webhooks-overlap-week = Também assina durante uma semana
webhooks-rotate = Rodar o segredo
webhooks-shown-lead = Copie agora. Não será mostrado de novo.
webhooks-test-lead = Envia um evento webhook.tested de imediato, qualquer que seja a próxima tentativa, e mostra a resposta.
webhooks-pause-lead = Os eventos são guardados e entregues quando retomar.
webhooks-delete = Eliminar webhook
webhooks-delete-lead = As entregas param, incluindo as que estão a aguardar.
webhooks-delete-now = Eliminar agora
webhooks-answered = estado { $status }
webhooks-again = falhou, será repetida

## audit-log

audit-log-setup-link = uma ligação de configuração
audit-log-title = Registo de auditoria
audit-log-of-member = Atividade no registo de auditoria
audit-log-last-sign-in = Último login numa aplicação
audit-log-you = próprio
audit-log-former = antigo membro
audit-log-unknown = anónimo
audit-log-client = uma aplicação ou serviço
audit-log-connection = uma ligação
audit-log-grant = o acesso de uma aplicação
audit-log-clients = Aplicações e APIs
audit-log-sign-on = Domínios e fornecedores de identidade

## notices

notices-roles-changed = Funções guardadas.
notices-key-revoked = Chave de API revogada. Já não funciona.
notices-key-shown = Esta chave já foi criada e mostrada. Não volta a aparecer; se a perdeu, revogue-a e crie outra.
notices-role-changed = Função guardada.
notices-role-deleted = Função eliminada.
notices-bad-role-name = Utilize de 1 a 64 letras minúsculas, dígitos, - e _.
notices-bad-permissions = Uma permissão selecionada não existe, ou já não existe. Verifique a seleção e guarde de novo.
notices-domain-claimed = Domínio adicionado. Publique o registo TXT e depois verifique.
notices-bad-domain = Indique um domínio que a sua organização possa ter, como example.org.
notices-not-proven = O registo TXT não foi encontrado. Publique-o exatamente como aparece, aguarde até estar visível e verifique de novo.
notices-domain-of-another = Outra organização verificou este domínio. Fica disponível 3 dias depois de essa organização remover o registo TXT.
notices-dns-silent = O DNS não respondeu, por isso nada se sabe sobre o registo. Verifique de novo mais tarde.
notices-registered = Aplicação registada.
notices-application-changed = Aplicação guardada.
notices-application-off = Aplicação desativada.
notices-application-on = Aplicação reativada.
notices-application-deleted = Aplicação eliminada.
notices-secret-revoked = Segredo revogado. Já não funciona.
notices-made-before = Este formulário já foi enviado. Um segredo não volta a aparecer; se o perdeu, crie outro.
notices-provider-connected = Fornecedor de identidade ligado, mas desativado. Registe os valores abaixo no fornecedor, teste a ligação e depois ative.
notices-connection-changed = Ligação guardada.
notices-no-more-connections = Uma organização pode ter até 10 fornecedores de identidade. Elimine um antes.
notices-owners-decide = Só os proprietários podem ligar um fornecedor de identidade ou alterar as suas definições de confiança.
notices-bad-issuer = Indique o issuer como URL https, sem ? nem #.
notices-not-discovered = O fornecedor não foi ligado, porque o seu documento de descoberta não confirma este issuer.
notices-bad-client-id = Indique o ID do cliente: de 1 a 256 carateres visíveis.
notices-bad-client-secret = Indique o segredo do cliente, até 1024 carateres. Com private_key_jwt não há nenhum.
notices-bad-scopes = Indique de 1 a 20 âmbitos, separados por espaços, incluindo openid.
notices-bad-metadata = Isto não são metadados SAML válidos de um fornecedor de identidade, ou expiraram, descrevem outro fornecedor, não trazem um URL de início de sessão único por HTTP-Redirect ou um certificado utilizável, ou ultrapassam 48 KiB.
notices-provider-taken = A organização já tem uma ligação a este fornecedor, ou o issuer não pode ser utilizado. Altere ou elimine a ligação existente.
notices-bad-subject = Indique NameID, ou o nome de um atributo de 1 a 256 carateres visíveis.
notices-bad-attribute = Indique o nome de um atributo até 256 carateres visíveis, ou NameID.
notices-bad-name-attribute = Indique o nome de um atributo até 256 carateres visíveis.
notices-bad-domains = Indique domínios da organização, um por linha, cada um uma vez, até 50. Adicione-os antes em Domínios.
notices-domain-in-use = Outra ligação tem um destes domínios. Uma ligação desativada não lho tira.
notices-connection-on = Ligação ativada. Os utilizadores dos seus domínios iniciam agora sessão no fornecedor.
notices-connection-on-unverified = Ligação ativada. Só iniciam sessão no fornecedor os utilizadores com endereço num domínio verificado dela; tem um domínio por verificar, ou nenhum.
notices-connection-off = Ligação desativada.
notices-change-it-first = Uma definição desta ligação já não é válida, por isso continua desativada. Altere-a antes.
notices-connection-deleted = Ligação eliminada.
notices-connection-works = As verificações passaram: o documento de descoberta, as chaves e a resposta a um código inválido. Se o fornecedor aceita o segredo com um código real, só um início de sessão de teste mostra.
notices-certificates-valid = As verificações passaram: um certificado de assinatura é válido. O fornecedor não foi contactado; se responde, só um início de sessão de teste mostra.
notices-no-description = Não foi possível carregar o documento de descoberta ou os metadados do fornecedor, ou não correspondem às definições.
notices-no-provider-keys = Não foi possível carregar as chaves públicas do fornecedor, ou nenhuma pode ser utilizada.
notices-not-taken = O fornecedor não aceitou a autenticação do cliente deste serviço.
notices-bad-certificates = Nenhum certificado do fornecedor é válido agora.
notices-webhook-changed = Webhook guardado.
notices-webhook-paused = Webhook em pausa.
notices-webhook-deleted = Webhook eliminado.
notices-bad-address = Indique um URL https sem nome de utilizador, palavra-passe nem #.
notices-no-more-webhooks = Uma organização pode ter até 20 webhooks. Elimine um antes.
notices-is-paused = O webhook está em pausa. Retome-o antes.
notices-bad-since = Indique um dia que não esteja no futuro, como 2026-11-16.
notices-bad-description = Utilize no máximo 200 carateres visíveis.
notices-no-purpose = Indique uma finalidade até 200 carateres visíveis.
notices-bad-redirects = O código de autorização exige de 1 a 20 URIs de redirecionamento, um por linha, cada um uma vez: https, http em localhost, ou um esquema privado com ponto ou com host (app://host/caminho), sem # nem *.
notices-over-the-api = Isto está em conflito com uma definição feita pela API de gestão. Altere-a lá.
notices-bad-public-keys = Indique o URL https do JWKS.
notices-bad-grants = Selecione pelo menos um tipo de concessão. O refresh token exige também um tipo em que participem utilizadores.
notices-bad-scope = Estes âmbitos não são válidos ou estão reservados a aplicações verificadas.
notices-no-more-secrets = A aplicação atingiu o limite de segredos ou não se autentica com um.
notices-last-secret = Este é o segredo em utilização. Crie um novo antes, ou desative a aplicação.
notices-changed = Isto foi alterado entretanto. São mostrados os valores atuais; verifique o que escolheu e guarde de novo.
notices-not-yours = Só pode conceder permissões que também tem, e só os proprietários podem gerir proprietários.
notices-no-name = Indique um nome até 200 carateres visíveis.
notices-no-scope = Selecione pelo menos um âmbito.
notices-bad-email = Indique um endereço de e-mail válido.
notices-too-many = Foram enviados demasiados convites para este endereço. Tente novamente amanhã.
notices-gone = Isto já não existe.
notices-role-gone = Uma função selecionada já não existe. Verifique a seleção e envie de novo.
notices-bad-days = Um convite pode ser válido de 1 a 7 dias.
notices-bad-key-days = Uma chave de API pode ser válida de 1 a 365 dias.
notices-too-much = Isto é demasiado para um formulário. Selecione ou introduza menos, ou utilize a API de gestão.
notices-accepted = O convite já foi aceite.
notices-not-allowed = Não tem permissão para fazer isto.
notices-busy = O servidor está ocupado. Tente novamente dentro de momentos.
notices-proven = Identidade confirmada. Durante cinco minutos pode enviar o formulário sem confirmar de novo.
notices-type-again = Identidade confirmada, mas ainda nada foi guardado: por segurança, um campo não foi mantido. Preencha-o de novo e envie o formulário.
notices-not-kept = Identidade confirmada, mas ainda nada foi guardado. Preencha o formulário de novo; durante cinco minutos não é preciso confirmar outra vez.
notices-not-done = Identidade confirmada, mas a sua alteração perdeu-se e não foi feita. Faça-a de novo agora; não é preciso confirmar outra vez.
notices-bad-search = Pesquise de uma a oito palavras, com no máximo 256 carateres.
notices-bad-day = Indique um dia como 2026-11-16.
notices-bad-network-address = Indique um endereço IP como 192.0.2.7 ou 2001:db8::7.
notices-sign-in-again = Isto exige um início de sessão recente. Termine a sessão, inicie-a de novo e repita.
notices-saved = As suas alterações foram guardadas.
notices-key-rotated = A nova chave foi publicada. A atual assina até à hora em “Assina até”, para que todas as caches conheçam a nova chave até lá.
notices-done = Concluído. A alteração está em vigor.
notices-fields-invalid = Verifique os campos assinalados. Nada foi alterado.
notices-rate-limited = Demasiados pedidos em pouco tempo. Aguarde um momento e tente de novo.

## form-errors

form-errors-wrong-proof = Não corresponde. Verifique e tente novamente.
form-errors-missing = Preencha os campos assinalados.
form-errors-bad-email = Indique um endereço de e-mail válido.
form-errors-bad-phone = Indique um número de telefone que comece por + e o indicativo do país.
form-errors-password-short = Utilize pelo menos { $minimum } carateres. Várias palavras são fáceis de memorizar.
form-errors-password-long = Utilize no máximo { $maximum } carateres.
form-errors-password-refused = Esta palavra-passe é demasiado comum ou contém um nome fácil de adivinhar. Escolha outra.
form-errors-too-many = Demasiadas tentativas. Tente novamente dentro de { $time }.
form-errors-out-of-turn = Este passo já foi feito, talvez noutro separador. Este é o passo atual.
form-errors-passkey = A chave de acesso não foi utilizada: a operação foi cancelada, demorou demasiado, ou a chave pertence a outro site.
form-errors-passkey-unsupported = Este navegador não suporta chaves de acesso.
form-errors-no-provider = Não há início de sessão único para este endereço. Verifique o endereço ou inicie sessão de outra forma.
form-errors-provider = O fornecedor de identidade da sua organização não confirmou a sua identidade, ou não tem conta aqui. Tente novamente ou contacte o administrador da sua organização.
form-errors-sign-in-again = Termine a sessão e inicie-a de novo antes: a sua conta não tem outra forma de confirmar a sua identidade.
form-errors-busy = O servidor está ocupado. Nada se perdeu: tente novamente dentro de momentos.

## device-label

device-label-android-application = uma aplicação Android

## event-kind

event-kind-backup-taken = Cópia de segurança criada
event-kind-backup-restored = Cópia de segurança restaurada
event-kind-log-exported = Registo de segurança exportado
event-kind-log-personal_erased = Endereços IP apagados do registo de segurança
event-kind-log-archived = Registo de segurança arquivado
event-kind-log-cut = Eventos arquivados removidos da base de dados
event-kind-organization-deletion_asked = Eliminação da organização pedida
event-kind-organization-deletion_withdrawn = Eliminação da organização cancelada
event-kind-organization-administered = Acedida por um operador
event-kind-membership-claimed = Primeiro início de sessão de um membro
event-kind-invitation-accepted = Convite aceite
event-kind-message-given_up = Mensagem não entregue
event-kind-role-removed = Função eliminada
event-kind-client-created = Aplicação registada
event-kind-client-changed = Aplicação alterada
event-kind-client-disabled = Aplicação desativada
event-kind-client-enabled = Aplicação reativada
event-kind-client-removed = Aplicação eliminada
event-kind-client-verified = Verificação de uma aplicação alterada por um operador
event-kind-client-registrations_expired = Aplicações sem utilização removidas
event-kind-assignment-ended = Designação de um operador terminada
event-kind-consent-given = Consentimento dado a uma aplicação
event-kind-consent-denied = Consentimento recusado a uma aplicação
event-kind-grant-given = Acesso concedido a uma aplicação
event-kind-code-redeemed = Código de autorização utilizado
event-kind-code-replayed = Código de autorização utilizado duas vezes
event-kind-code-misdirected = Código de autorização utilizado por outra aplicação
event-kind-device-recognised = Código do utilizador introduzido
event-kind-device-user_code_failed = Código do utilizador errado introduzido
event-kind-device-denied = Dispositivo recusado
event-kind-device_code-redeemed = Código de dispositivo utilizado
event-kind-device_code-replayed = Código de dispositivo utilizado duas vezes
event-kind-device_code-misdirected = Código de dispositivo utilizado por outra aplicação
event-kind-approval-requested = Aprovação pedida por uma aplicação
event-kind-approval-denied = Pedido recusado
event-kind-approval-redeemed = Pedido aprovado utilizado
event-kind-approval-replayed = Aprovação utilizada duas vezes
event-kind-approval-misdirected = Aprovação utilizada por outra aplicação
event-kind-approval-notice_given_up = Aplicação não pôde ser avisada de uma resposta
event-kind-refresh_token-used = Refresh token utilizado
event-kind-refresh_token-misdirected = Refresh token utilizado por outra aplicação
event-kind-grant-revoked = Acesso de uma aplicação revogado
event-kind-password-set = Palavra-passe definida
event-kind-credential-disabled = Método de início de sessão bloqueado
event-kind-session-started = Início de sessão
event-kind-sign_in-new_device = Início de sessão num novo dispositivo
event-kind-sign_in-impossible_travel = Início de sessão a partir de um lugar invulgarmente distante
event-kind-sign_in-disavowed = Início de sessão denunciado como “não fui eu”
event-kind-logout-not_delivered = Aplicação não pôde ser avisada de um fim de sessão
event-kind-session-ended = Fim de sessão
event-kind-credential-failed = Tentativa falhada de início de sessão
event-kind-credential-added = Método de início de sessão adicionado
event-kind-credential-renamed = Método de início de sessão com novo nome
event-kind-credential-removed = Método de início de sessão removido
event-kind-account-sessions_ended = Todas as sessões de uma conta terminadas
event-kind-instance-sessions_ended = Todas as sessões da instância terminadas
event-kind-account-reset_started = Nova palavra-passe pedida por um administrador
event-kind-account-deleted = Membro eliminou a própria conta
event-kind-application-removed = Utilizador revogou o acesso de uma aplicação
event-kind-webhook-removed = Webhook eliminado
event-kind-webhook-paused = Webhook em pausa
event-kind-domain-missing = Registo TXT de um domínio em falta
event-kind-connection-created = Fornecedor de identidade ligado
event-kind-connection-changed = Ligação a um fornecedor de identidade alterada
event-kind-connection-tested = Ligação a um fornecedor de identidade testada
event-kind-identity-linked = Membro associado a um fornecedor de identidade
event-kind-identity-unlinked = Membro desassociado de um fornecedor de identidade
event-kind-connection-removed = Ligação a um fornecedor de identidade eliminada
event-kind-setup_link-issued = Ligação de configuração emitida
event-kind-setup_link-opened = Ligação de configuração aberta num navegador
event-kind-setup_link-prepared = Algo preparado com uma ligação de configuração
event-kind-setup_link-revoked = Ligação de configuração revogada
event-kind-setup_link-confirmed = O que foi preparado com uma ligação de configuração confirmado

## permission

permission-clients-read = Ver as aplicações
permission-clients-create = Adicionar aplicações
permission-clients-manage = Alterar e remover aplicações
permission-agents-manage = Gerir agentes e interrompê-los
permission-audit-read = Ler o registo de auditoria
permission-webhooks-manage = Gerir webhooks
permission-sso-manage = Gerir o início de sessão único
permission-domains-manage = Gerir domínios
permission-scim-provision = Aprovisionar membros a partir de um diretório
permission-organization-update = Alterar as definições da organização
permission-organization-delete = Eliminar a organização
permission-clients-verify = Verificar aplicações

## identity-scope

identity-scope-openid = Saber que é você
identity-scope-profile = Ver o seu nome e perfil
identity-scope-email = Ver o seu endereço de e-mail
identity-scope-address = Ver a sua morada
identity-scope-phone = Ver o seu número de telefone
identity-scope-offline_access = Manter este acesso quando não tiver sessão iniciada

## claim

claim-family_name = Ver o seu apelido
claim-nickname = Ver a sua alcunha
claim-preferred_username = Ver o nome de utilizador que prefere
claim-profile = Ver o endereço da sua página de perfil
claim-locale = Ver que idioma lê
claim-email_verified = Ver se o seu endereço de e-mail foi verificado
claim-phone_number_verified = Ver se o seu número de telefone foi verificado
claim-org = Ver em que organização age
claim-gender = Ver o seu género
claim-name = Ver o seu nome completo
claim-given_name = Ver o seu primeiro nome
claim-middle_name = Ver o seu nome do meio
claim-picture = Ver a sua fotografia
claim-website = Ver o endereço do seu site
claim-birthdate = Ver a sua data de nascimento
claim-zoneinfo = Ver o seu fuso horário
claim-updated_at = Ver quando o seu perfil mudou pela última vez
claim-email = Ver o seu endereço de e-mail
claim-phone_number = Ver o seu número de telefone
claim-address = Ver a sua morada
claim-role = Ver as suas funções nessa organização

## mail

mail-or-code = Ou introduza este código onde foi pedido:
mail-password = palavra-passe
mail-application = aplicação de autenticação
mail-code-by-sms = { $code } é o seu código para { $service }. Não o partilhe com ninguém.

mail-invited-by-subject = Convite de { $inviter } para { $organization }
mail-invited-by = { $inviter } enviou-lhe um convite para participar em { $organization } em { $service }.
mail-invited-as = A sua função

mail-invitation =
    .lead = Recebeu um convite para participar em { $organization } em { $service }.
    .link-lead = Para aceitar, abra esta ligação no prazo de { $time }:
    .code-lead = Para aceitar, introduza este código na aplicação no prazo de { $time }:
    .closing = O convite funciona uma vez e só para este endereço. Se não o esperava, ignore esta mensagem.

mail-first-operator =
    .lead = Recebeu um convite para ser o primeiro operador de { $service }.
    .link-lead = Para começar, abra esta ligação no prazo de { $time }:
    .code-lead = Para começar, introduza este código no prazo de { $time }:
    .closing = Funciona uma vez. Não reencaminhe esta mensagem: dá controlo total da instância.

mail-sign-in =
    .subject = Iniciar sessão em { $service }
    .lead = Recebemos um pedido para iniciar sessão em { $service } com este endereço.
    .link-lead = Abra esta ligação no prazo de { $time } e confirme:
    .link-label = Iniciar sessão
    .code-lead = Introduza este código no prazo de { $time }:
    .closing = Funciona uma vez. Se não pediu, ignore esta mensagem. Nunca pedimos o código por telefone ou e-mail.

mail-sign-up =
    .lead = Utilize esta mensagem para concluir a criação da sua conta em { $service }.
    .link-lead = Abra esta ligação no prazo de { $time } e confirme:
    .code-lead = Introduza este código no prazo de { $time }:
    .closing = Se não pediu, ignore esta mensagem.

mail-account-exists =
    .subject = Já tem uma conta em { $service }
    .lead = Recebemos um pedido para criar uma conta em { $service } com este endereço, mas já tem uma.
    .link-lead = Para iniciar sessão, abra esta ligação no prazo de { $time }:
    .link-label = Iniciar sessão
    .code-lead = Para iniciar sessão, introduza este código no prazo de { $time }:
    .closing = Se não pediu, ignore esta mensagem: nada mudou.

mail-verify-email =
    .link-lead = Se a conta for sua, abra esta ligação no prazo de { $time } e confirme:
    .code-lead = Se a conta for sua, introduza este código no prazo de { $time }:
    .closing = Se não for sua, ignore esta mensagem: o endereço não será utilizado.

mail-reset-password =
    .subject = Reponha a sua palavra-passe de { $service }
    .lead = Recebemos um pedido para definir uma nova palavra-passe em { $service }.
    .link-lead = Abra esta ligação no prazo de { $time } e confirme:
    .link-label = Definir uma nova palavra-passe
    .code-lead = Introduza este código no prazo de { $time }:
    .closing = Funciona uma vez. Se não pediu, ignore esta mensagem: a sua palavra-passe continua a mesma.

mail-change-email =
    .lead = Recebemos um pedido para utilizar este endereço na sua conta em { $service }.
    .link-lead = Abra esta ligação no prazo de { $time } e confirme:
    .link-label = Utilizar este endereço
    .code-lead = Introduza este código no prazo de { $time }:
    .closing = Até lá, o endereço anterior continua em utilização. Se não pediu, ignore esta mensagem.

mail-email-changed =
    .lead = O endereço de e-mail da sua conta em { $service } é agora { $address }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: restaura este endereço e termina todas as sessões.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time } para restaurar este endereço:
    .closing = Se fez isto, não é preciso fazer mais nada.

mail-new-device =
    .subject = Novo início de sessão em { $service }
    .lead = Houve um início de sessão na sua conta em { $service } num novo dispositivo.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-impossible-travel =
    .subject = Início de sessão invulgar em { $service }
    .lead = Houve um início de sessão na sua conta em { $service } a partir de um lugar demasiado distante do anterior para o tempo decorrido.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se utiliza uma VPN, pode ter sido o próprio.

mail-device-allowed =
    .lead = Permitiu que { $application }, noutro dispositivo, aja em seu nome em { $service }.
    .link-lead = Se não começou isto, abra esta ligação no prazo de { $time }: revoga o acesso de outros dispositivos, termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não começou isto, utilize este código no prazo de { $time }: revoga o acesso de outros dispositivos e termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-approval-asked =
    .link-lead = Para ver o pedido e aprovar ou recusar, abra esta ligação no prazo de { $time }. Abrir a ligação não aprova nada.
    .code-lead = Para ver o pedido e aprovar ou recusar, inicie sessão onde utiliza { $service } no prazo de { $time } e procure o pedido com este número:
    .closing = Se não esperava isto, recuse ou ignore esta mensagem: o pedido expira.

mail-request-approved =
    .subject = Aprovou um pedido de { $application } em { $service }
    .lead = Aprovou um pedido de { $application } em { $service }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: revoga a aprovação, termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: revoga a aprovação e termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-password-changed =
    .subject = A sua palavra-passe em { $service } foi alterada
    .lead = Foi definida uma nova palavra-passe para a sua conta em { $service }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-credential-added =
    .subject = Novo método de início de sessão em { $service }
    .lead = Foi adicionado um método de início de sessão à sua conta em { $service }: { $name }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-credential-removed =
    .subject = Método de início de sessão removido em { $service }
    .lead = Foi removido um método de início de sessão da sua conta em { $service }: { $name }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-contact-added =
    .subject = Novo contacto na sua conta em { $service }
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-identity-linked =
    .subject = A sua conta em { $service } foi associada a um fornecedor de identidade
    .lead = Agora é possível iniciar sessão na sua conta em { $service } com o fornecedor de identidade { $name }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-identity-unlinked =
    .subject = A sua conta em { $service } foi desassociada de um fornecedor de identidade
    .lead = Já não é possível iniciar sessão na sua conta em { $service } com o fornecedor de identidade { $name }.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, não é preciso fazer nada.

mail-reset-started =
    .subject = Defina uma nova palavra-passe em { $service }
    .lead = Um administrador de { $service } pede que defina uma nova palavra-passe.
    .link-lead = Para isso, abra esta ligação no prazo de { $time }:
    .link-label = Definir uma nova palavra-passe
    .code-lead = Para isso, introduza este código no prazo de { $time } na aplicação em que inicia sessão:
    .closing = Só o próprio escolhe e conhece a nova palavra-passe. Até lá nada muda.

mail-webhook-paused =
    .subject = Um webhook em { $service } foi posto em pausa
    .lead = As entregas ao webhook { $address } falharam durante demasiado tempo, ou respondeu que já não existe. { $service } pô-lo em pausa.
    .link-lead = Para o ver, abra esta ligação no prazo de { $time }:
    .code-lead = Para o ver, introduza este código no prazo de { $time }:
    .closing = Nenhum evento se perde: quando retomar o webhook, todos os eventos desde então são entregues por ordem.

mail-recovery-codes-used-up =
    .subject = Já não tem códigos de recuperação em { $service }
    .lead = O último código de recuperação da sua conta em { $service } foi utilizado. Gere novos, para ainda poder iniciar sessão se perder o telemóvel.
    .link-lead = Se não fez isto, abra esta ligação no prazo de { $time }: termina todas as sessões e permite definir uma nova palavra-passe.
    .code-lead = Se não fez isto, utilize este código no prazo de { $time }: termina todas as sessões.
    .closing = Se foi o próprio, gere novos códigos na página da sua conta.

## blocks

blocks-crumb-connection = Ligação
blocks-crumbs = Está aqui
blocks-csv = Transferir CSV
blocks-invalid = Este valor não é válido. Verifique-o e envie o formulário de novo.
blocks-json = Transferir JSON Lines
blocks-seek-empty = Introduza um nome ou um ID. A tecla de barra traz até aqui de qualquer página.
blocks-seek-hint = Um nome ou um ID, ou o início de um deles, ou a referência de uma página de erro de uma aplicação.

## instance

instance-organizations-of-mine = As suas organizações
instance-organizations-lead = Os inquilinos desta instância. Duas são internas: Operators administra a instância, e Home tem os utilizadores que não pertencem a nenhuma outra organização.
instance-organizations-search-hint = O início de um nome ou slug, ou um ID.
instance-organization-create-lead = O primeiro proprietário recebe um convite por e-mail e administra-a a partir daí.
instance-slug-hint = Letras minúsculas, algarismos e hífenes, usado em URL. Não pode ser alterado.
instance-first-owner-hint = O e-mail da pessoa que será proprietária. Deixe vazio para convidar mais tarde, na página da organização.
instance-reason-hint = A organização lê-o no seu registo de auditoria.
instance-suspend-lead = Nenhum token é emitido ou aceite, e nenhuma alteração, até a restaurar.
instance-organization-delete = Eliminar a organização
instance-organization-delete-lead = Termina dentro de 30 dias, com tudo o que contém. Até lá, a eliminação pode ser anulada.
instance-organization-delete-now = Pedir eliminação
instance-organization-keep-lead = A eliminação foi pedida. Anule-a para manter tudo.
instance-organization-keep-now = Anular a eliminação
instance-its-events = Os seus eventos de segurança
instance-users = Utilizadores
instance-users-all = Todos os utilizadores
instance-users-none = Ainda não há utilizadores. Aparecem aqui quando se registam, aceitam um convite ou são importados.
instance-users-search-hint = Um e-mail ou o seu início, o início de um nome, um ID ou um ID externo.
instance-signs-in-with = Inicia sessão com
instance-memberships = Pertenças
instance-method-password = Palavra-passe
instance-method-totp = Aplicação autenticadora
instance-method-email = Correio eletrónico
instance-method-single-sign-on = Início de sessão único
instance-user-disable-lead = O utilizador não consegue iniciar sessão, e os tokens são recusados, até reativar a conta.
instance-user-enable-lead = O utilizador pode voltar a iniciar sessão.
instance-user-sign-out = Terminar as sessões do utilizador
instance-user-sign-out-lead = Termina todas as sessões, em todos os dispositivos.
instance-user-sign-out-now = Terminar as sessões
instance-user-reset = Reposição da palavra-passe
instance-user-reset-lead = Envia ao utilizador uma mensagem para definir uma nova palavra-passe. Só o utilizador a pode concluir.
instance-end-all = Terminar todas as sessões
instance-end-all-lead = Termina as sessões de todos em todos os dispositivos, incluindo a sua. Use após um incidente.
instance-end-all-now = Terminar todas as sessões da instância
instance-applications-all = Aplicações da instância
instance-applications-lead = Servem todas as organizações.
instance-application-create-lead = Serve todas as organizações. O segredo, se existir, é mostrado uma vez.
instance-origin = Registado por
instance-origin-self = As próprias (registo dinâmico de clientes)
instance-overlap-hint = Em segundos. Os segredos anteriores valem até lá; 0 termina-os já.
instance-post-logout = URI de retorno após terminar sessão
instance-backchannel-logout = URI de fim de sessão por back-channel
instance-logo-uri = URL do logótipo
instance-contacts = Contactos
instance-require-dpop = Exigir tokens de acesso vinculados por DPoP
instance-verify = Verificar a aplicação
instance-verify-lead = A página de consentimento mostra que um operador a verificou.
instance-unverify-lead = A página de consentimento volta a alertar.
instance-apis = API
instance-apis-all = Todas as API
instance-apis-none = Ainda não há API. Crie uma para emitir tokens de acesso para ela.
instance-api-identifier-hint = Um URI como https://api.example.com. Os tokens para a API indicam-no em aud.
instance-api-delete = Eliminar a API
instance-api-delete-lead = Ninguém mais tem as suas permissões, de imediato.
instance-default-scope = Âmbito predefinido
instance-unverified-clients = Aplicações não verificadas
instance-unverified-refuse = São recusadas
instance-detail-types-hint = Um objeto JSON de tipos da RFC 9396, cada um com o seu esquema.
instance-keys-lead = Assinam tokens e o registo de segurança. Os clientes encontram as chaves públicas no JWK Set.
instance-phase-signing = a assinar
instance-algorithm-rs256 = RS256: ID tokens, a menos que a aplicação escolha outro algoritmo
instance-algorithm-eddsa = EdDSA: só para aplicações e API que o escolhem
instance-algorithm-ps256 = PS256: só para aplicações e API que o escolhem
instance-key-algorithm-hint = Só chaves de tokens. A chave com a finalidade “registo de segurança” assina o registo e não é rodada aqui.
instance-purpose-log = registo de segurança
instance-key-rotate = Rodar uma chave
instance-key-rotate-lead = A sucessora é publicada agora e assina quando todas as caches a puderem conhecer. Nenhuma sessão termina.
instance-key-rotate-now = Rodar agora
instance-messages-all = Mensagens aos utilizadores
instance-message-waiting = a aguardar
instance-message-given-up = desistida
instance-webhooks-lead = URL dos operadores que recebem os eventos de todas as organizações, assinados e por ordem.
instance-events = Registo de segurança
instance-events-lead = Tudo o que é relevante para a segurança desta instância, do mais recente para o mais antigo. A leitura dos eventos de uma organização consta do registo de auditoria dela.
instance-event-account = ID do utilizador
instance-request-id = ID do pedido
instance-assignments-lead = Um operador age numa organização só por designação, dada por outro operador com um motivo.
instance-assignments-choose = Indique uma organização para ver as suas designações.
instance-assigned = Está designado para esta organização e pode agir nela.
instance-not-assigned = Não está designado para esta organização. Para a suspender ou eliminar, outro operador designa-o, ou o comando sinete admin assign no servidor.
instance-assign-lead = Não se pode designar a si próprio. A organização vê cada designação e cada uso.
instance-assign-holder-hint = O ID da pertença à organização dos operadores.
instance-assign-member-hint = O ID de uma pertença, para representação. Deixe vazio para agir como administrador.
instance-assignment-end = Terminar
instance-ended-at = Terminada em
instance-settings-running = Definições em uso
instance-settings-lead = São definidas na configuração do programa e valem quando este arranca.
instance-sign-up = Registo de contas
instance-screens = Ecrãs alojados
instance-step-name = Nome e logótipo
instance-step-mail = Correio eletrónico
instance-step-domain-text = O emissor é um URL https no seu próprio domínio.
instance-step-application = Primeira aplicação
instance-step-application-text = Registe uma aplicação em que os utilizadores iniciam sessão.
instance-step-colleague-text = Convide um colega: ninguém se pode designar a si próprio para uma organização.
instance-checks-not-ready = algo impede esta instância de ir para produção
instance-checks-connections = Verificar também as ligações a servidores de correio, fornecedores de identidade e DNS
instance-session-end = Terminar
instance-access = Aplicações e chaves de API
instance-access-lead = O que age pelo utilizador sem uma sessão.
instance-access-none = Nada age pelo utilizador sem uma sessão.
instance-access-application = aplicação
instance-first-owner-invite-lead = Nenhum utilizador entrou nesta organização. O convite substitui os anteriores de proprietários, cujas ligações deixam de funcionar.
instance-first-owner-missing = Ainda não foi convidado nenhum proprietário. Até que um entre, a organização não tem administrador.
instance-first-owner-invited = Foi enviado a { $address } um convite para ser proprietário. Está pendente até ser aceite.
instance-first-owner-expired = O convite de { $address } expirou antes de ser aceite. Envie um novo abaixo.
instance-home-lead = Home é interna: os utilizadores que não pertencem a nenhuma outra organização, por exemplo porque criaram a conta sozinhos, são os seus membros.
instance-step-organization-text = Crie a organização do seu primeiro cliente ou equipa e convide o proprietário.
instance-applications-none = Ainda não há aplicações da instância. As de uma organização estão nas páginas dessa organização.

## settings

settings-scim-last-request = Último pedido
settings-title = Definições
settings-policies-lead = As alterações aplicam-se de imediato, a tokens novos e existentes.
settings-save = Guardar
settings-least-assurance-hint = Com que força os membros devem ter iniciado sessão antes de um token ser emitido.
settings-single-sign-on = Início de sessão único
settings-single-sign-on-hint = Se os membros devem iniciar sessão no fornecedor de identidade da organização.
settings-allowed-credentials-hint = Com que os membros podem iniciar sessão. Sem nenhuma assinalada, todas são permitidas.
settings-magic-link = Ligação por e-mail
settings-refused-grants-hint = Os tipos de concessão selecionados são recusados para esta organização.
settings-audit-retention = Dias de retenção do registo de auditoria
settings-audit-retention-hint = De 30 a 36500. As entradas mais antigas são removidas. Vazio: o que a instância definir.
settings-own-agents = Os agentes da organização podem agir pelos seus membros
settings-branding-lead = Aparece nos ecrãs alojados e nas mensagens desta organização.
settings-branding-name = Nome nos ecrãs
settings-apis-lead = As suas próprias API e as oferecidas à sua organização.
settings-api-create-lead = O identificador deve estar num domínio verificado da sua organização.
settings-grants-all = Acesso de aplicações
settings-grants-lead = O que os membros permitiram a aplicações. Revogar termina os tokens de imediato.
settings-grant-client = Aplicação
settings-grant-scope = Âmbito
settings-operators-lead = Cada um foi designado com um motivo e por um tempo. Tudo o que fazem está no registo de auditoria.
settings-profile-lead = O que a organização sabe do membro. As aplicações recebem-no em tokens desta organização.
settings-family-name = Apelido
settings-employee-number = Número de funcionário
settings-scim = Aprovisionamento SCIM
settings-scim-lead = O seu diretório cria, altera e remove membros e grupos aqui.
settings-scim-connect = Ligue o seu diretório
settings-scim-endpoint = URL base de SCIM
settings-scim-make-token = Gerir chaves de API
settings-scim-members = Mostrar membros aprovisionados
settings-member-sessions-lead = Navegadores em que o membro tem a sessão iniciada e a partir dos quais aplicações têm acesso a esta organização. O que faz noutros locais não é mostrado. Desative o membro para terminar esse acesso de imediato.
settings-member-sessions-none = Nenhuma sessão dá a aplicações acesso a esta organização.
settings-role-built-in = Função predefinida
settings-session-first = Primeiro início de sessão aqui
settings-session-last = Último início de sessão aqui
settings-member-factors = Métodos de início de sessão
settings-member-factors-none = A conta não tem chave de acesso, palavra-passe nem aplicação autenticadora. O membro inicia sessão por e-mail ou início de sessão único.
settings-member-grants-lead = Os últimos 20 ativos. Revogar um termina os seus tokens de imediato.
settings-member-grants-none = Nenhuma aplicação tem acesso.
settings-scim-new-token-lead = O token é uma chave de API sua que só tem scim:provision. Deixa de funcionar quando sair da organização. Para um token que não dependa de si, crie uma chave de API de um serviço.
settings-scim-days-hint = No máximo 365. Sem um token válido, o aprovisionamento para.
settings-scim-last-success = Último pedido com êxito
settings-scim-never = Nenhum nos últimos 30 dias
settings-scim-sent-by = Enviado por
settings-scim-users = Utilizadores aprovisionados
settings-scim-groups = Grupos aprovisionados
settings-scim-failures = Pedidos que falharam
settings-scim-failures-lead = Os últimos 100 dos últimos 30 dias; os novos aparecem após alguns segundos. Um pedido com um token desconhecido, expirado ou revogado não aparece, porque não pertence a nenhuma organização.
settings-scim-failures-none = Nenhum pedido falhou.
settings-scim-request = Pedido
settings-scim-requests = Pedidos do diretório
settings-unknown-log = Ignorar e registar um evento
settings-unknown-refuse = Recusar o pedido
settings-extension-schemas-hint = URN dos seus próprios esquemas, um por linha. Os seus atributos são guardados como enviados.

## ciba-requests

ciba-requests-lead = O que aplicações e agentes pedem que membros aprovem, até um dia depois do fim do prazo de resposta. Só o membro pode aprovar. Pode recusar um pedido em nome da organização.
ciba-requests-none = Nenhuma aplicação pede a aprovação de um membro, nem pediu no último dia. Um pedido aparece aqui quando uma aplicação ou um agente o envia (CIBA).
ciba-requests-message = Mensagem e âmbito
ciba-requests-pending = a aguardar
ciba-requests-denied = recusado
ciba-requests-deny = Recusar
ciba-requests-deny-lead = A aplicação não recebe acesso e é informada de que foi recusado. O membro já não pode aprovar. Isto não pode ser anulado.
ciba-requests-deny-now = Recusar este pedido

## usage

usage-title = Utilização
usage-lead = Contado a partir do registo de segurança, em UTC. A última barra é o dia, a semana ou o mês atual, que ainda não terminou.
usage-lead-organization = Contado em UTC. Os inícios de sessão são os feitos em aplicações como membro desta organização. A última barra é o dia, a semana ou o mês atual, que ainda não terminou.
usage-more = Mostrar a utilização
usage-of-organization = Utilização da organização com o ID { $id }
usage-sign-ins = Inícios de sessão
usage-sign-in-failures = Inícios de sessão falhados
usage-active-users = Utilizadores ativos
usage-sign-ins-lead = Inícios de sessão concluídos, por método.
usage-active-users-lead = Utilizadores que iniciaram sessão ou cujas aplicações obtiveram tokens. Cada um conta uma vez por período.
usage-tokens-lead = Pedidos de token com êxito, por tipo de concessão.
usage-approvals-lead = O que os utilizadores decidiram sobre pedidos de aplicações e dispositivos.
usage-failures-lead = O que o registo de segurança anotou além de inícios de sessão falhados.
usage-users = Utilizadores
usage-password = Palavra-passe
usage-password-mfa = Palavra-passe e segundo fator
usage-email = Código ou ligação por e-mail
usage-single-sign-on = Início de sessão único
usage-consent-denied = Consentimento recusado
usage-device-denied = Dispositivo recusado
usage-ciba-denied = Pedido CIBA recusado
usage-client-authentication = A autenticação do cliente falhou
usage-user-code = Código de utilizador errado

## branding

branding-lead = Nome, logótipo e cores nas páginas de início de sessão e consentimento e nas mensagens. Nada é armazenado até guardar.
branding-own = Nome, logótipo e cores
branding-logo = Logótipo
branding-logo-hint = PNG, JPEG, WebP ou SVG, no máximo 40 KB. Um SVG não pode conter scripts nem carregar outros ficheiros.
branding-logo-remove = Remover o logótipo
branding-logo-too-large = O ficheiro tem mais de 40 KB. Escolha um mais pequeno.
branding-logo-invalid = O ficheiro não é uma imagem PNG, JPEG, WebP ou SVG. Escolha outro.
branding-logo-active = O SVG contém scripts, manipuladores de eventos ou referências a outros ficheiros. Exporte-o como SVG simples ou use um PNG.
branding-color-invalid = Introduza uma cor como # e seis dígitos hexadecimais, por exemplo #1a5fb4.
branding-page-sign-in = Início de sessão
branding-save = Guardar
branding-samples-saved = Como os utilizadores veem agora.
branding-samples-unsaved = Ainda não guardado: com o que introduziu acima.

## backups

backups-title = Cópias de segurança mais recentes
backups-lead = Cópias feitas por sinete backup, segundo o registo de segurança. As que a base de dados ou o armazenamento fazem não são registadas aqui.
backups-none = Nenhuma cópia por sinete backup está registada.

## log-status

log-status-never-verified = Nenhuma verificação está registada.

## health

health-lead = Os nós desta instância, a sua base de dados e os limites que recusaram pedidos. Abra a página de novo para ver números mais recentes.
health-summary = Programa e base de dados
health-database = Base de dados
health-size = Tamanho da base de dados em bytes
health-nodes-lead = Cada nó apresenta-se a cada 30 segundos, aproximadamente. Um nó que deixou de se apresentar fica na lista durante um dia.
health-nodes-none = Ainda nenhum nó se apresentou.
health-gone = desaparecido
health-limits = Limites que recusaram pedidos
health-limits-none = Nenhum limite recusou pedidos no último dia.
health-limit-flows-by-address = Inícios de sessão e pedidos de autorização, por endereço IP
health-limit-flows-by-account = Passos de início de sessão de utilizadores com sessão iniciada, por conta
health-limit-stored-requests-by-address = Pedidos de clientes públicos, por endereço IP
health-limit-writes-by-account = Alterações de utilizadores com sessão iniciada, por conta
health-limit-failed-proofs-by-address = Palavras-passe, códigos e outras provas erradas, por endereço IP
health-limit-failed-credentials-by-address = Autenticações de cliente falhadas, por endereço IP
health-limit-failed-attempts = Tentativas erradas numa conta
health-limit-registrations = Registos dinâmicos de clientes
health-limit-registration-changes-by-client = Alterações de um registo pelo próprio cliente
health-limit-approval-requests = Pedidos CIBA a um utilizador
health-limit-scim-by-credential = Pedidos SCIM, por credencial
health-limit-password-hashing = Palavras-passe processadas ao mesmo tempo
health-limit-connections = Ligações ao mesmo tempo (limits.connections)
health-limit-requests = Pedidos ao mesmo tempo (limits.requests)
health-limit-response-time = Pedidos sem resposta a tempo
health-limit-database-queue = Trabalho à espera da base de dados
