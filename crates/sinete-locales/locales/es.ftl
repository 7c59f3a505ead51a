### Spanish.

## language

language-name = Español

## frame

frame-skip-to-content = Saltar al contenido
frame-footer = Sinete, un proveedor de identidad que administras tú.
frame-shown-by = Inicio de sesión de { $service }
frame-to-the-first-page = Ir a la página de inicio
frame-reference = Referencia
frame-language = Idioma
frame-working = Un momento…
frame-or = o
frame-cancel = Cancelar
frame-go-on = Continuar
frame-another-way = Probar otra forma
frame-sign-out = Cerrar sesión
frame-script-needed = Las llaves de acceso necesitan JavaScript, que está desactivado en este navegador. Todo lo demás funciona sin él.

## landing

landing-title = Aquí es donde se inicia sesión
landing-lead = Sinete es un proveedor de identidad: gestiona cuentas, autentica a personas, servicios y agentes, e informa a las aplicaciones de quién llama y qué puede hacer.
landing-account = Ir a mi cuenta
landing-development = Instancia de desarrollo
landing-development-detail = Sus claves se generaron al arrancar y no protegen nada. No la uses para cuentas reales.
landing-issuer = Issuer (emisor)
landing-links = Endpoints
landing-health = Estado
landing-health-detail = si este nodo está activo
landing-keys = Claves públicas (JWKS)
landing-keys-detail = con las que las aplicaciones verifican la firma de los tokens
landing-documentation = Documentación
landing-documentation-detail = El README y la carpeta docs acompañan al programa. Para ver los comandos, ejecuta:

## messages

messages-not-found = Página no encontrada
messages-not-found-detail = Puede que la dirección tenga un error o que el enlace esté anticuado.
messages-server-error = Algo ha fallado por nuestra parte
messages-server-error-detail = El error se ha registrado. Vuelve a intentarlo y, si se repite, indica la referencia de abajo.
messages-unavailable = No disponible temporalmente
messages-unavailable-detail = No se ha perdido nada. Inténtalo de nuevo en un momento.
messages-too-many = Demasiadas solicitudes desde tu red
messages-too-many-detail = Espera un minuto e inténtalo de nuevo. No se ha perdido nada.
messages-flow-over = Esta página ha caducado
messages-flow-over-detail = Estuvo abierta demasiado tiempo o terminaste en otra pestaña. Empieza de nuevo: no se ha perdido nada.
messages-start-again = Empezar de nuevo
messages-refused = Este formulario no se ha aceptado
messages-refused-detail = No procede de una página mostrada en este navegador. Vuelve atrás, recarga la página e inténtalo de nuevo.
messages-request-refused = No se puede completar esta solicitud
messages-request-refused-detail = La aplicación ha enviado una solicitud no válida. No has hecho nada mal; deben corregirlo sus desarrolladores.
messages-client-gone = Esta aplicación ya no está registrada aquí
messages-client-gone-detail = Elimina la conexión en la aplicación y vuelve a añadirla, para que se registre de nuevo.
messages-leave = Estás a punto de ir a { $host }
messages-leave-detail = Esta aplicación no está verificada. Continúa solo si la conoces y querías ir allí.
messages-leave-button = Continuar a { $host }
messages-what-it-said = Para desarrolladores
messages-onward = Volviendo a { $application }.
messages-onward-plain = Volviendo a donde estabas.
messages-provider-away = No se puede conectar con el proveedor de identidad de tu organización
messages-provider-away-detail = Inténtalo de nuevo en unos minutos o contacta con el administrador de tu organización.
messages-invited-only = Las cuentas se crean solo por invitación
messages-invited-only-detail = Pide una invitación al administrador de tu organización.
messages-signed-out = Has cerrado la sesión
messages-signed-out-detail = En un dispositivo compartido, cierra también esta ventana.
messages-sign-in-again = Iniciar sesión de nuevo
messages-confirm-sign-out = ¿Cerrar sesión?
messages-confirm-sign-out-detail = Se cerrará la sesión aquí y se avisará a las aplicaciones en las que la iniciaste con esta cuenta.
messages-email-verified = Tu correo electrónico está verificado
messages-email-verified-detail = Puedes cerrar esta ventana o ir a tu cuenta.
messages-password-changed = Tu contraseña se ha cambiado
messages-password-changed-detail = Se han cerrado tus demás sesiones. A partir de ahora, usa la nueva contraseña.
messages-not-me = ¿No has sido tú?
messages-not-me-detail = Si otra persona ha iniciado sesión en tu cuenta, pulsa el botón: se cierran todas las sesiones en todos los dispositivos y después puedes establecer una nueva contraseña.
messages-not-me-button = No he sido yo: cerrar todas las sesiones
messages-keep-access = Aplicaciones y claves de API con acceso
messages-keep-access-hint = Estas aplicaciones y claves de API también pierden el acceso. Marca solo las que reconozcas y quieras conservar.
messages-keep-key = Clave de API
messages-undo-email = ¿Restaurar este correo electrónico?
messages-undo-email-detail = Si no has cambiado tu correo electrónico, pulsa el botón: se restaura esta dirección, se cierran todas las sesiones y después puedes establecer una nueva contraseña.
messages-undo-email-button = Restaurar esta dirección
messages-email-restored = Tu correo electrónico se ha restaurado
messages-email-restored-detail = Se han cerrado todas las sesiones de tu cuenta. Establece ahora una nueva contraseña.
messages-disavowed = Se han cerrado todas las sesiones
messages-disavowed-detail = Se han cerrado todas las sesiones de tu cuenta. Establece ahora una nueva contraseña y revisa tus llaves de acceso después de iniciar sesión.
messages-set-new-password = Establecer una nueva contraseña
messages-finished-elsewhere = Continúa donde empezaste
messages-finished-elsewhere-detail = Abre este enlace en el navegador en el que empezaste o introduce allí el código del mensaje. Todavía no ha ocurrido nada.
messages-link-spent = Este enlace ya no es válido
messages-link-spent-detail = Cada enlace funciona una vez y durante poco tiempo. Solicita uno nuevo.

## dev-mail

dev-mail-title = Buzón de desarrollo
dev-mail-lead = Los mensajes que esta instancia habría enviado, del más reciente al más antiguo. Se guardan en memoria y solo se pueden leer desde esta máquina.
dev-mail-empty = No se ha enviado ningún mensaje desde que arrancó esta instancia.

## months

months-january = enero
months-february = febrero
months-march = marzo
months-april = abril
months-may = mayo
months-june = junio
months-july = julio
months-august = agosto
months-september = septiembre
months-october = octubre
months-november = noviembre
months-december = diciembre
months-date = { $day } de { $month } de { $year }

## sign-in

sign-in-title = Iniciar sesión
sign-in-to-continue = para continuar en { $application }
sign-in-lead = Inicia sesión en tu cuenta.
sign-in-with-passkey = Iniciar sesión con una llave de acceso
sign-in-email = Correo electrónico
sign-in-password = Contraseña
sign-in-submit = Iniciar sesión
sign-in-forgot = ¿Has olvidado la contraseña?
sign-in-no-password = Sin contraseña
sign-in-send-code = Código por correo
sign-in-text-code = Código por SMS
sign-in-with-provider = Inicio de sesión único (SSO)
sign-in-with-this-provider = Iniciar sesión con { $provider }
sign-in-provider-hint = Inicias sesión en el proveedor de identidad de tu organización y después vuelves aquí.
sign-in-use-provider = Usar el inicio de sesión único (SSO)
sign-in-to-provider = Llevándote al proveedor de identidad de tu organización
sign-in-new-here = ¿Es tu primera vez aquí?
sign-in-create-account = Crear una cuenta
sign-in-show-password = Mostrar la contraseña
sign-in-hide-password = Ocultar la contraseña
sign-in-show = Mostrar
sign-in-hide = Ocultar
sign-in-open-mail = ¿No lo has recibido? Mira en la carpeta de spam.
sign-in-code-title = Introduce el código
sign-in-code-by-email = Si hay una cuenta para { $address }, le hemos enviado un código y un enlace por correo. Ambos son válidos durante 10 minutos.
sign-in-code-to-phone = Si hay una cuenta para { $address }, le hemos enviado un código por SMS. Es válido durante 5 minutos.
sign-in-code-by-sms = Hemos enviado un código por SMS a { $address }. Es válido durante 5 minutos.
sign-in-code = Código
sign-in-wait-for-text = ¿No lo has recibido? Un SMS puede tardar un minuto.
sign-in-phone-title = Iniciar sesión con un SMS
sign-in-phone-lead = Enviamos un código a un número de teléfono que hayas verificado aquí.
sign-in-phone = Número de teléfono
sign-in-phone-hint = Con el prefijo del país, como +55 81 99999-0000
sign-in-phone-submit = Recibir un código
sign-in-phone-weak = Una llave de acceso o una contraseña es más segura: los números de teléfono se pueden secuestrar.
sign-in-resend = Enviar de nuevo
sign-in-resend-when =
    Puedes pedir otro mensaje dentro de { $minutes ->
        [one] { $minutes } minuto
       *[other] { $minutes } minutos
    }.
sign-in-resend-in = Enviar de nuevo en { $seconds } s
sign-in-second-title = Verificación en dos pasos
sign-in-second-lead = Tu cuenta requiere un segundo factor.
sign-in-totp = Código de tu aplicación de autenticación
sign-in-totp-hint = Seis dígitos que cambian cada 30 segundos
sign-in-recovery = Código de recuperación
sign-in-recovery-hint = Uno de los diez códigos que guardaste al configurarlo. Cada uno funciona una vez.
sign-in-sms-send = Enviar un SMS
sign-in-sms-hint = El SMS es la opción menos segura: los números de teléfono se pueden secuestrar.
sign-in-verify = Verificar
sign-in-use-passkey = Usar una llave de acceso
sign-in-use-totp = Usar la aplicación de autenticación
sign-in-use-recovery = Usar un código de recuperación
sign-in-use-sms = Recibir un SMS
sign-in-use-password = Usar la contraseña
sign-in-use-code = Recibir un código por correo
sign-in-again-title = Confirma que eres tú
sign-in-again-lead = Esta es una acción delicada, así que confirma tu identidad.
sign-in-again-for = { $application } te pide que confirmes tu identidad.
sign-in-signed-in-as = Sesión de
sign-in-landing-title = ¿Iniciar sesión aquí?
sign-in-landing-lead = Has abierto el enlace que enviamos a { $address }.
sign-in-landing-plain = Has abierto el enlace de nuestro correo.
sign-in-landing-button = Sí, iniciar sesión
sign-in-landing-warning = Si no lo has solicitado, cierra esta ventana: todavía no ha ocurrido nada.
sign-in-organization-title = Elige una organización
sign-in-organization-lead = Eres miembro de varias. { $application } solo verá la que elijas.
sign-in-organization-plain = Eres miembro de varias. Elige con cuál continuar.
sign-in-organization-none = No eres miembro de ninguna organización que se pueda usar aquí.

## sign-up

sign-up-title = Crea tu cuenta
sign-up-lead = Una cuenta para todo lo que inicia sesión aquí.
sign-up-name = Nombre
sign-up-name-hint = Como lo ven los demás
sign-up-email = Correo electrónico
sign-up-optional = opcional
sign-up-password = Contraseña
sign-up-with-passkey = Crear con una llave de acceso
sign-up-with-password = o con una contraseña
sign-up-submit = Crear cuenta
sign-up-have-account = ¿Ya tienes una cuenta?
sign-up-sign-in = Iniciar sesión
sign-up-verify-title = Verifica tu correo electrónico
sign-up-verify-lead = Hemos enviado un código a { $address }. Introdúcelo aquí para verificar que la dirección es tuya.
sign-up-verify-number-title = Verifica tu número de teléfono
sign-up-verify-number-lead = Hemos enviado un código por SMS a { $address }. Introdúcelo aquí para verificar que el número es tuyo.
sign-up-verify-landing = ¿Verificar { $address }?
sign-up-verify-landing-plain = ¿Verificar este correo electrónico?
sign-up-verify-landing-detail = Has abierto el enlace de nuestro correo. Pulsa el botón para terminar.
sign-up-verify-button = Verificar dirección
sign-up-verify-ask = ¿Qué correo electrónico quieres verificar?
sign-up-invitation-title = Invitación a { $organization }
sign-up-invitation-lead = Crea una cuenta para unirte. La cuenta es tuya, aunque después dejes la organización.
sign-up-invitation-role = Tu rol: { $roles }
sign-up-invitation-accept = Aceptar invitación
sign-up-operator-title = Te damos la bienvenida a tu Sinete
sign-up-operator-lead = Eres el primer operador. Esta cuenta administra toda la instancia: protégela con una llave de acceso o una contraseña larga.
sign-up-operator-submit = Crear cuenta de operador

## credentials

credentials-reset-title = Restablece tu contraseña
credentials-reset-lead = Introduce tu correo electrónico y te enviaremos un enlace.
credentials-reset-submit = Enviar enlace
credentials-reset-sent-detail = Si hay una cuenta para { $address }, le hemos enviado un mensaje con el siguiente paso.
credentials-reset-back = Volver al inicio de sesión
credentials-reset-landing = ¿Elegir una nueva contraseña?
credentials-reset-landing-button = Elegir una nueva contraseña
credentials-set-title = Elige una nueva contraseña
credentials-set-lead = Se cerrarán todas tus demás sesiones.
credentials-set-first-title = Añade una contraseña
credentials-set-first-lead = La contraseña es opcional: una llave de acceso es más rápida y resiste el phishing.
credentials-current-password = Contraseña actual
credentials-new-password = Nueva contraseña
credentials-password-rule = Al menos { $minimum } caracteres. Se permiten espacios, palabras y cualquier idioma.
credentials-set-submit = Guardar contraseña
credentials-passkey-title = Inicia sesión más rápido la próxima vez
credentials-passkey-lead = Una llave de acceso usa tu huella, tu rostro o el bloqueo de pantalla en lugar de una contraseña.
credentials-passkey-first = Rápida: un toque, nada que recordar
credentials-passkey-second = Segura: solo funciona en este sitio, por lo que resiste el phishing
credentials-passkey-third = Privada: tu huella o tu rostro nunca salen de tu dispositivo
credentials-passkey-create = Crear una llave de acceso
credentials-passkey-skip = Ahora no
credentials-passkey-name = Nombre de la llave de acceso
credentials-passkey-add-title = Añadir una llave de acceso
credentials-second-title = Configura un segundo paso
credentials-second-lead = { $application } pide un segundo paso al iniciar sesión. Configura uno ahora; lo usarás enseguida.
credentials-totp-title = Configura la aplicación de autenticación
credentials-totp-first = Escanea este código QR con la aplicación
credentials-totp-picture = Código QR con la clave que aparece abajo
credentials-totp-text = ¿No puedes escanearlo? Introduce esta clave
credentials-totp-open = Abrir en una aplicación de este dispositivo
credentials-totp-second = Introduce los seis dígitos que muestra
credentials-totp-submit = Activar
credentials-recovery-make = ¿Generar códigos de recuperación?
credentials-recovery-make-detail = Diez códigos por si pierdes el teléfono. Los códigos anteriores dejan de funcionar.
credentials-recovery-make-button = Generar diez códigos
credentials-recovery-title = Guarda tus códigos de recuperación
credentials-recovery-lead = Cada código permite iniciar sesión una vez si pierdes el teléfono. Solo se muestran ahora.
credentials-recovery-list = Códigos de recuperación
credentials-recovery-copy = Copiar
credentials-recovery-download = Descargar
credentials-recovery-copied = Copiado
credentials-recovery-print = Imprimir
credentials-recovery-done = Ya los he guardado

## consent

consent-title = ¿Permitir { $application }?
consent-lead = Quiere actuar en tu nombre.
consent-agent-lead = Es un agente: un programa que actúa por sí mismo.
consent-verified = Aplicación verificada
consent-own = Pertenece a { $organization }
consent-unverified = Aplicación no verificada
consent-unverified-detail = Esta aplicación se registró por sí misma y podría ser de cualquiera. Permítela solo si has iniciado esto tú y confías en ella.
consent-you = Tú
consent-organization = Organización
consent-leads-to = Redirige a
consent-this-device = un programa en este dispositivo
consent-will = Podrá
consent-will-know = Podrá ver
consent-new-mark = nuevo
consent-new-detail = Ya permitiste esta aplicación. Lo marcado es nuevo.
consent-irreversible = no se puede deshacer
consent-details = Detalles
consent-allow = Permitir
consent-deny = Denegar
consent-revoke-hint = Puedes revocarlo en cualquier momento desde tu cuenta.
consent-policy = Política de privacidad
consent-terms = Términos del servicio

## device

device-code-title = Conectar un dispositivo
device-code-lead = Introduce el código que muestra tu dispositivo. Continúa solo si lo tienes delante.
device-compare-lead = ¿Tu dispositivo muestra exactamente este código? Si no tienes ese dispositivo contigo, cierra esta página.
device-code = Código en el dispositivo
device-code-hint = Ocho letras. Las mayúsculas, los espacios y los guiones no importan.
device-signed-in-as = Has iniciado sesión como { $person }.
device-title = ¿Permitir { $application } en otro dispositivo?
device-lead = Otro dispositivo quiere actuar en tu nombre. Compruébalo antes de responder.
device-started = ¿Lo has iniciado tú, ahora mismo?
device-started-detail = Si alguien te dio este código o enlace por teléfono, correo o chat, deniégalo: tendría acceso a tu cuenta. Ningún servicio de soporte lo necesita.
device-device = Dispositivo
device-unknown = desconocido
device-from = Solicitado desde
device-asked = Solicitado el
device-allowed = Tu dispositivo está conectado
device-allowed-detail = Vuelve a tu dispositivo para continuar. Puedes revocar su acceso en cualquier momento desde tu cuenta.
device-denied = Se ha denegado el acceso al dispositivo
device-denied-detail = Si no lo has iniciado tú, no hay nada más que hacer.
device-refused = No se puede permitir con tu cuenta
device-refused-detail = No tienes los permisos que pide el dispositivo o tu organización no lo permite. Se ha denegado el acceso al dispositivo.
device-another = Introducir otro código
device-wrong-code = Este código no es válido. Compruébalo en tu dispositivo: los códigos son válidos durante 10 minutos.

## ciba

ciba-title = ¿Aprobar la solicitud de { $application }?
ciba-lead = Pregunta antes de actuar en tu nombre. Comprueba la solicitud antes de responder.
ciba-message = Mensaje
ciba-compare = ¿Lo esperabas?
ciba-compare-detail = Aprueba solo si lo has iniciado tú y la aplicación muestra el mismo mensaje. Si no lo reconoces, deniégalo.
ciba-approve = Aprobar
ciba-ends-hint = Puedes revocar su acceso en cualquier momento desde tu cuenta. Lo que ya haya hecho no se deshace.
ciba-approved = Solicitud aprobada
ciba-approved-detail = La aplicación continúa por sí misma. Puedes revocar su acceso desde tu cuenta.
ciba-denied = Solicitud denegada
ciba-denied-detail = Se avisa a la aplicación. No se ha hecho nada.
ciba-refused = No puedes aprobar esta solicitud
ciba-refused-detail = La solicitud se envió a otra persona, no tienes los permisos necesarios, tu organización no lo permite o tu cuenta no tiene un método de inicio de sesión lo bastante seguro.
ciba-over = Esta solicitud ha terminado
ciba-over-detail = Se respondió o caducó. Si la aplicación aún la necesita, volverá a preguntar.

## account

account-title = Mi cuenta
account-lead = Tu perfil, cómo inicias sesión y qué tiene acceso a tu cuenta.
account-sections = En esta página
account-profile = Perfil
account-name = Nombre
account-language = Idioma
account-language-automatic = Idioma del navegador
account-save = Guardar
account-saved = Guardado.
account-contacts = Datos de contacto
account-emails = Correos electrónicos
account-phones = Números de teléfono
account-primary = principal
account-confirmed = verificado
account-unconfirmed = sin verificar
account-confirm = Verificar
account-none = Todavía no hay.
account-make-main = Convertir en principal
account-new-email = Nuevo correo electrónico
account-new-email-hint = Primero enviamos un código a la nueva dirección. La anterior recibe un aviso y puede deshacer el cambio durante siete días.
account-change-email = Cambiar el correo electrónico
account-new-phone = Nuevo número de teléfono
account-add-phone = Añadir un número
account-phones-none = No hay. Un número de teléfono puede recibir códigos, pero una llave de acceso es más segura.
account-credentials = Métodos de inicio de sesión
account-passkeys = Llaves de acceso
account-passkeys-none = Todavía no hay. Una llave de acceso es la forma más rápida y segura de iniciar sesión.
account-add-passkey = Añadir una llave de acceso
account-synced = sincronizada entre tus dispositivos
account-on-device = en un dispositivo
account-password = Contraseña
account-password-set = Establecida el { $date }
account-password-none = Sin establecer. No es necesaria.
account-change = Cambiar
account-add = Añadir
account-remove = Eliminar
account-totp = Aplicación de autenticación
account-totp-on = Activa desde el { $date }
account-totp-off = Desactivada. Actívala como segundo factor después de la contraseña.
account-recovery = Códigos de recuperación
account-recovery-left =
    { $count ->
        [0] No queda ninguno. Genera otros nuevos.
        [one] Queda { $count }.
       *[other] Quedan { $count }.
    }
account-recovery-new = Generar nuevos
account-added = Añadida el { $date }
account-last-used = usada por última vez el { $date }
account-never-used = nunca usada
account-requests = Solicitudes pendientes de tu aprobación
account-look-at-request = Ver solicitud
account-providers = Inicio de sesión único (SSO)
account-linked-since = Vinculado el { $date }
account-not-linked = sin vincular
account-provider-off = desactivado
account-link = Vincular
account-unlink = Desvincular
account-sessions = Sesiones activas
account-this-session = este navegador
account-last-seen = última actividad el { $date }
account-end = Cerrar
account-end-others = Cerrar todas las demás
account-unknown-device = Dispositivo desconocido
account-applications = Aplicaciones
account-applications-none = Ninguna aplicación tiene acceso a tu cuenta.
account-may = Qué puede hacer
account-since = desde el { $date }
account-take-back = Revocar acceso
account-memberships = Organizaciones
account-memberships-none = No eres miembro de ninguna organización.
account-suspended = suspendida
account-disabled = desactivada
account-events = Actividad reciente
account-events-detail = ¿Ves algo que no reconoces? Cambia la contraseña y cierra todas las demás sesiones.
account-events-none = Todavía no hay actividad.
account-rename = Cambiar el nombre
account-data = Tus datos
account-data-detail = Todo lo que se guarda sobre tu cuenta, en un archivo JSON.
account-export = Descargar tus datos
account-delete = Eliminar la cuenta
account-delete-detail = Tu perfil, tus formas de iniciar sesión, tus sesiones y tus pertenencias se eliminan para siempre. Las aplicaciones pierden el acceso.
account-delete-confirm = Entiendo que esto no se puede deshacer
account-delete-now = Eliminar mi cuenta

## activity

activity-account-created = Cuenta creada
activity-session-started = Inicio de sesión
activity-session-renewed = Identidad confirmada de nuevo
activity-session-ended = Cierre de sesión
activity-new-device = Inicio de sesión en un dispositivo nuevo
activity-impossible-travel = Inicio de sesión desde un lugar inusualmente lejano
activity-disavowed = Inicio de sesión denunciado como “no he sido yo”
activity-credential-failed = Intento fallido de inicio de sesión
activity-credential-added = Método de inicio de sesión añadido
activity-credential-renamed = Método de inicio de sesión renombrado
activity-credential-removed = Método de inicio de sesión eliminado
activity-credential-disabled = Método de inicio de sesión bloqueado
activity-password-set = Contraseña establecida
activity-contact-added = Correo o teléfono añadido
activity-contact-verified = Correo o teléfono verificado
activity-contact-made-primary = Correo principal cambiado
activity-contact-removed = Correo o teléfono eliminado
activity-email-changed = Correo electrónico cambiado
activity-email-restored = Correo electrónico anterior restaurado
activity-account-changed = Perfil actualizado
activity-account-exported = Datos de la cuenta exportados
activity-account-disabled = Cuenta desactivada
activity-account-enabled = Cuenta reactivada
activity-account-sessions-ended = Un administrador cerró todas las sesiones
activity-account-reset-started = Un administrador solicitó una nueva contraseña
activity-consent-denied = Aplicación denegada
activity-consent-given = Aplicación permitida
activity-device-allowed = Aplicación permitida en otro dispositivo
activity-device-denied = Aplicación denegada en otro dispositivo
activity-approval-given = Solicitud de una aplicación aprobada
activity-approval-denied = Solicitud de una aplicación denegada
activity-application-removed = Acceso de una aplicación revocado
activity-invitation-accepted = Invitación aceptada
activity-membership-ended = Pertenencia finalizada

## role-names

role-names-owner = propietario
role-names-admin = administrador
role-names-member = miembro
role-names-operator = operador

## console

console-title = Consola
console-open = Abrir la consola
console-choose = Tus organizaciones
console-choose-lead = Elige una organización para administrar.
console-choose-none = No hay ninguna organización que puedas administrar.
console-other = Cambiar de organización
console-sections = Secciones de la consola
console-suspended = Suspendida
console-suspended-title = Esta organización está suspendida
console-suspended-lead = Puedes verlo todo, pero no se puede cambiar nada hasta que se restaure.
console-overview = Resumen
console-short-name = Slug
console-condition = Estado
console-enabled = Activa
console-since = Creación
console-your-roles = Tus roles
console-what-you-may = Tus permisos
console-members = Miembros
console-members-lead = Personas, servicios y agentes de esta organización.
console-members-none = Todavía no hay miembros.
console-search = Buscar miembros
console-search-hint = El comienzo de un nombre o de un correo electrónico. Deben coincidir todas las palabras.
console-search-now = Buscar
console-found =
    { $count ->
        [one] { $count } miembro encontrado.
       *[other] { $count } miembros encontrados.
    }
console-found-more =
    Más de { $count ->
        [one] { $count } miembro encontrado
       *[other] { $count } miembros encontrados
    }. Mira la página siguiente.
console-found-nobody = No se ha encontrado ningún miembro.
console-found-early = El índice de búsqueda aún se está actualizando. Inténtalo de nuevo en un minuto.
console-found-no-further = No se han encontrado más miembros.
console-found-so-far =
    { $count ->
        [one] { $count } miembro encontrado
       *[other] { $count } miembros encontrados
    } en esta página. Aún no se han revisado todas las coincidencias.
console-found-nobody-yet = Hasta aquí no se ha encontrado ningún miembro. Aún no se han revisado todas las coincidencias.
console-look-further = Seguir buscando
console-everybody = Mostrar todos los miembros
console-nameless = Sin nombre
console-you = tú
console-machine = servicio o agente
console-unclaimed = aún no ha iniciado sesión
console-switched-off = desactivado
console-next = Página siguiente
console-first = Primera página
console-pages = Páginas
console-back-to-members = Todos los miembros
console-kind = Tipo
console-person = persona
console-state = Estado
console-state-on = activo
console-address = Dirección de la invitación
console-work-email = Correo de trabajo
console-job = Cargo
console-department = Departamento
console-external = Nombre de usuario (SCIM)
console-identifier = ID del miembro
console-roles = Roles
console-roles-hint = Un rol concede permisos. Solo puedes asignar permisos que tengas tú.
console-save-roles = Guardar roles
console-access = Acceso
console-switch-off = Desactivar
console-switch-off-lead = El acceso a esta organización se detiene al instante. No se elimina nada y puedes reactivar al miembro.
console-switch-on = Reactivar
console-switch-on-lead = Los roles y el acceso vuelven a ser como antes.
console-remove = Eliminar miembro
console-remove-lead = El miembro pierde todos los roles y el acceso. Para volver, necesita una nueva invitación.
console-leave = Salir de la organización
console-leave-lead = Pierdes todos los roles y el acceso. Para volver, necesitas una nueva invitación.
console-leave-now = Salir ahora
console-remove-now = Eliminar ahora
console-invitations = Invitaciones
console-invitations-lead = Cada invitación se envía a una dirección y se puede aceptar una vez.
console-invitations-none = Todavía no hay invitaciones.
console-invite = Invitar a un miembro
console-email = Correo electrónico
console-language = Idioma del correo
console-language-usual = Predeterminado de la organización
console-lifetime = Válida durante
console-one-day = 1 día
console-three-days = 3 días
console-seven-days = 7 días
console-send = Enviar invitación
console-waits-until = Pendiente, caduca el { $date }
console-accepted-on = Aceptada el { $date }
console-withdrawn-on = Revocada el { $date }
console-expired-on = Caducó el { $date }
console-withdraw = Revocar
console-forgotten-address = dirección eliminada
console-before-form = Debes confirmar tu identidad antes de usar este formulario.
console-lost = Lo que has introducido era demasiado largo para conservarlo, así que el formulario muestra los valores actuales. Envía menos de una vez o usa la API de administración.
console-changed-only = Esto ha cambiado entretanto, así que no se ha guardado nada. Estos son los valores actuales.
console-prove-title = Confirma tu identidad
console-prove-lead = { $organization } exige un inicio de sesión más seguro para administrarla.
console-set-up-lead = { $organization } exige un segundo factor para administrarla. Configura antes una llave de acceso o una aplicación de autenticación en tu cuenta.
console-prove = Continuar
console-otherwise-title = Inicia sesión de otra forma
console-otherwise-lead = { $organization } no acepta la forma en que iniciaste sesión. Ciérrala e iníciala de la forma exigida.

## roles

roles-lead = Un rol es un conjunto de permisos que tienen los miembros.
roles-back = Todos los roles
roles-make = Crear un rol
roles-make-now = Crear rol
roles-save = Guardar rol
roles-built-in = integrado
roles-built-in-lead = Todas las organizaciones tienen este rol. Sus permisos no se pueden cambiar.
roles-built-in-owner = También concede todos los permisos que las API ofrecen a la organización.
roles-name = Nombre
roles-name-hint = Letras minúsculas, dígitos, - y _. Este nombre aparece en los tokens.
roles-about = Descripción
roles-about-hint = Ayuda a elegir el rol adecuado.
roles-confers = Permisos
roles-confers-hint = Solo puedes añadir permisos que tengas tú.
roles-hides-some = Algunos permisos de API no aparecen porque no tienes permiso para ver las API.
roles-nothing = Sin permisos
roles-none = Todavía no hay roles.
roles-permissions =
    { $count ->
        [0] Sin permisos
        [one] { $count } permiso
       *[other] { $count } permisos
    }
roles-delete = Eliminar rol
roles-delete-lead = Los miembros que tienen este rol lo pierden al instante.
roles-delete-now = Eliminar ahora

## api-keys

api-keys-title = Claves de API
api-keys-lead = Cada clave actúa por un miembro y se limita a sus ámbitos.
api-keys-none = Todavía no hay claves de API.
api-keys-make = Crear una clave de API
api-keys-name = Nombre
api-keys-name-hint = Di qué usa la clave, para reconocerla después.
api-keys-scope = Ámbitos
api-keys-thirty-days = 30 días
api-keys-ninety-days = 90 días
api-keys-one-year = 1 año
api-keys-make-now = Crear clave
api-keys-made = Tu nueva clave de API
api-keys-made-lead = Cópiala ahora. No se volverá a mostrar.
api-keys-kept = Ya la he guardado
api-keys-works-until = Válida hasta el { $date }
api-keys-revoked-on = Revocada el { $date }
api-keys-expired-on = Caducó el { $date }
api-keys-used-on = usada por última vez el { $date }
api-keys-never-used = nunca usada
api-keys-revoke = Revocar

## applications

applications-title = Aplicaciones
applications-lead = Clientes de esta organización: aplicaciones, servicios y agentes que solicitan tokens.
applications-none = Todavía no hay aplicaciones.
applications-back = Todas las aplicaciones
applications-register = Registrar una aplicación
applications-register-now = Registrar
applications-save = Guardar cambios
applications-settings = Configuración
applications-vouched = verificada
applications-kind = Tipo
applications-application = Aplicación
applications-application-about = Las personas inician sesión en ella
applications-service = Servicio
applications-service-about = Un programa que actúa por sí mismo
applications-agent = Agente
applications-agent-about = Un programa autónomo; eres responsable de él
applications-name = Nombre
applications-name-hint = Se muestra a los usuarios en la página de consentimiento.
applications-purpose = Finalidad
applications-purpose-hint = Una frase. Obligatoria para un agente.
applications-redirects = URI de redirección
applications-redirects-hint = Adónde vuelven los usuarios tras iniciar sesión: una por línea, exactamente como la envía la aplicación. https, o http en localhost.
applications-proof = Autenticación del cliente
applications-proof-hint = Una aplicación en un navegador o un teléfono no puede guardar un secreto: elige none.
applications-by-nothing = none: cliente público, como una aplicación de navegador o móvil
applications-by-basic = client_secret_basic: secreto en la cabecera Authorization
applications-by-post = client_secret_post: secreto en el cuerpo de la petición
applications-by-keys = private_key_jwt: firma con su propia clave
applications-by-other = Otro método, definido con la API de administración
applications-keys = URI del JWKS
applications-keys-hint = Solo para private_key_jwt: dónde se publican sus claves públicas.
applications-grants = Tipos de concesión
applications-code = Código de autorización: los usuarios inician sesión con un navegador
applications-refresh = Refresh token: renueva sus tokens sin el usuario
applications-own = Credenciales del cliente: actúa por sí misma, con los roles de abajo
applications-exchange = Intercambio de tokens: actúa en nombre de un usuario
applications-device = Autorización de dispositivo: los usuarios introducen un código que muestra el dispositivo
applications-approval = CIBA: pide la aprobación de un usuario en otro dispositivo
applications-scope = Ámbitos permitidos
applications-scope-hint = Separados por espacios, como openid profile email o permisos de tus API. La aplicación puede pedir como máximo estos; un ámbito no concede nada por sí mismo. Déjalo vacío para no permitir ninguno.
applications-scope-nothing = Ninguno
applications-scope-unlimited = No hay límite, así que puede pedir todos los ámbitos sobre un usuario.
applications-roles-hint = Solo para credenciales del cliente. Solo puedes asignar permisos que tengas tú.
applications-connect = Conectar
applications-connect-lead = Código para frameworks habituales, con los valores de esta aplicación. Pasa el secreto en la variable de entorno CLIENT_SECRET.
applications-discovery = Documento de descubrimiento
applications-client-id = ID de cliente
applications-owner = Miembro responsable
applications-secrets = Secretos de cliente
applications-secrets-lead = Cada secreto se mostró una vez. Durante una rotación, los anteriores siguen siendo válidos un tiempo.
applications-secret-since = Creado el { $date }
applications-secret-until = válido hasta el { $date }
applications-secret-stays = no caduca
applications-new-secret = Nuevo secreto
applications-overlap = Secretos anteriores
applications-overlap-none = Dejan de funcionar al instante
applications-overlap-hour = Siguen siendo válidos una hora
applications-overlap-day = Siguen siendo válidos un día
applications-overlap-week = Siguen siendo válidos una semana
applications-add-secret = Crear un nuevo secreto
applications-revoke = Revocar
applications-shown = Secreto de cliente
applications-shown-lead = Cópialo ahora. No se volverá a mostrar.
applications-off-lead = Sus tokens y secretos dejan de funcionar al instante. No se elimina nada y puedes reactivarla.
applications-on-lead = Sus tokens y secretos vuelven a funcionar como antes.
applications-delete = Eliminar aplicación
applications-delete-lead = Termina todo el acceso que se le concedió. Los usuarios ya no podrán iniciar sesión con ella.
applications-delete-now = Eliminar ahora

## domains

domains-title = Dominios
domains-lead = Mientras un dominio está verificado, tu organización es responsable de las direcciones de correo que contiene.
domains-none = Todavía no hay dominios.
domains-claim = Añadir un dominio
domains-name = Dominio
domains-name-hint = Como example.org. A continuación recibes un registro TXT para publicarlo en su DNS.
domains-claim-now = Añadir dominio
domains-waits = verificación pendiente
domains-proven = verificado
domains-missing = falta el registro TXT
domains-since = Añadido el { $date }
domains-proven-on = Verificado el { $date }
domains-missing-since = El registro TXT falta desde el { $date }. Publícalo de nuevo o el dominio perderá la verificación.
domains-record = Publica este registro TXT en el DNS del dominio:
domains-record-name = Nombre
domains-record-kind = Tipo
domains-record-value = Valor
domains-check = Comprobar ahora
domains-release = Eliminar
domains-release-lead = Tu organización deja de ser responsable de las direcciones de correo que contiene.
domains-release-now = Eliminar ahora

## connections

connections-title = Proveedores de identidad
connections-lead = Los miembros inician sesión en el proveedor de identidad de tu organización (inicio de sesión único).
connections-none = Todavía no hay proveedores de identidad.
connections-back = Todos los proveedores de identidad
connections-open-id = Proveedor OpenID Connect
connections-saml = Proveedor SAML 2.0
connections-connect-open-id = Conectar con OpenID Connect
connections-connect-saml = Conectar con SAML 2.0
connections-connect-now = Conectar
connections-connect-hint = La conexión empieza desactivada. La página siguiente muestra qué registrar en el proveedor.
connections-name = Nombre visible
connections-name-hint = Se muestra en el botón de inicio de sesión.
connections-issuer-hint = La URL del issuer del proveedor, exactamente como en su documento de descubrimiento. No se puede cambiar después.
connections-client-id-hint = El ID de cliente que el proveedor dio a este servicio.
connections-secret = Secreto de cliente
connections-secret-hint = Como lo muestra el proveedor. Aquí no se muestra nunca.
connections-secret-kept = Hay un secreto definido, que no se muestra nunca. Déjalo vacío para conservarlo.
connections-secret-again = Por seguridad, el secreto que introdujiste no se ha conservado. Introdúcelo de nuevo.
connections-scopes-hint = Separados por espacios.
connections-metadata = Metadatos del proveedor (XML)
connections-metadata-hint = El documento de metadatos SAML, de hasta 48 KiB: entity ID, URL de inicio de sesión único y certificados de firma.
connections-metadata-kept = Déjalo vacío para conservar la URL y los certificados actuales.
connections-metadata-again = Los metadatos que pegaste no se han conservado. Pégalos de nuevo.
connections-subject-hint = NameID, si es persistente, o un atributo que nunca cambie para un usuario.
connections-email-hint = Un atributo, o NameID. Sin él, los usuarios no pueden unirse en su primer inicio de sesión.
connections-full-name = Atributo del nombre
connections-full-name-hint = El atributo con el nombre completo del usuario.
connections-domains-hint = Dominios de la organización, uno por línea. Los usuarios con una dirección en un dominio verificado inician sesión en este proveedor.
connections-owners = Solo los propietarios pueden conectar un proveedor de identidad o cambiar su configuración de confianza. Puedes cambiar su nombre, sustituir el secreto y quitar dominios.
connections-settings = Configuración
connections-save = Guardar
connections-issuer = Issuer (emisor)
connections-provider-entity-id = Entity ID del proveedor
connections-client-id = ID de cliente
connections-authentication = Autenticación del cliente
connections-by-secret = client_secret_basic: un secreto del proveedor
connections-by-key = private_key_jwt: una firma con una clave de este servicio
connections-scopes = Ámbitos
connections-sso-url = URL de inicio de sesión único
connections-certificates = Certificados de firma (SHA-256)
connections-ends-on = caduca el { $date }
connections-subject = Atributo del sujeto
connections-email = Atributo del correo
connections-domains = Dominios
connections-no-domains = ninguno
connections-more = Otros ajustes de esta conexión se hicieron con la API de administración y se conservan.
connections-register = Registrar en el proveedor de identidad
connections-register-lead = Copia estos valores en el proveedor de identidad exactamente como aparecen.
connections-callback = URI de redirección
connections-acs-url = URL del ACS
connections-entity-id = Entity ID y URL de metadatos
connections-keys = URI del JWKS
connections-access = Inicio de sesión
connections-test = Probar conexión
connections-test-lead = Comprueba la configuración sin iniciar ninguna sesión.
connections-switch-on = Activar
connections-on-lead = Los usuarios cuyo dominio pertenece a esta conexión inician sesión en el proveedor.
connections-off-lead = Nadie puede iniciar sesión con este proveedor y se rechazan los inicios en curso.
connections-delete = Eliminar conexión
connections-delete-lead = Nadie podrá iniciar sesión con este proveedor. Los usuarios siguen vinculados para una conexión posterior con el mismo proveedor.
connections-delete-now = Eliminar ahora

## webhooks

webhooks-title = Webhooks
webhooks-lead = URL tuyas que reciben eventos, firmados y en orden.
webhooks-none = Todavía no hay webhooks.
webhooks-back = Todos los webhooks
webhooks-add = Añadir un webhook
webhooks-add-now = Añadir webhook
webhooks-address = URL
webhooks-address-hint = Como https://example.org/events. Recibe eventos a partir de ahora.
webhooks-about = Descripción
webhooks-about-hint = Para reconocerlo después.
webhooks-told-of = Tipos de evento
webhooks-everything = Todos los eventos del registro de auditoría
webhooks-chosen = Tipos de evento seleccionados
webhooks-others = Otros tipos de evento
webhooks-working = activo
webhooks-failing = fallando
webhooks-paused = en pausa
webhooks-paused-failing = En pausa desde el { $date }, tras tres días de entregas fallidas.
webhooks-paused-gone = En pausa desde el { $date }, porque la URL respondió 410 Gone.
webhooks-paused-stopped = En pausa desde el { $date }, por un miembro.
webhooks-failing-since = Las entregas fallan desde el { $date }.
webhooks-next-attempt = Próximo reintento
webhooks-behind = Puede haber eventos aún no entregados.
webhooks-both-until = El secreto anterior también firma
webhooks-until = hasta el { $date }
webhooks-settings = Configuración
webhooks-save = Guardar
webhooks-secret = Secreto del webhook
webhooks-secret-lead = Con él, tu servidor verifica la firma de cada evento.
webhooks-overlap = Secreto anterior
webhooks-overlap-none = Deja de firmar al instante
webhooks-overlap-hour = También firma durante una hora
webhooks-overlap-day = También firma durante un día
webhooks-overlap-week = También firma durante una semana
webhooks-rotate = Rotar el secreto
webhooks-shown = Secreto del webhook
webhooks-shown-lead = Cópialo ahora. No se volverá a mostrar.
webhooks-telling = Entrega
webhooks-test = Enviar evento de prueba
webhooks-test-lead = Envía un evento webhook.tested, en orden con los demás.
webhooks-pause = Pausar
webhooks-pause-lead = Los eventos se guardan y se entregan cuando lo reanudes.
webhooks-resume = Reanudar
webhooks-resume-lead = Entrega todo lo guardado, empezando por el evento que falló.
webhooks-replay = Reenviar eventos
webhooks-replay-lead = Vuelve a entregar todos los eventos desde el inicio de ese día, cada uno con su ID original.
webhooks-replay-from = Desde
webhooks-replay-now = Reenviar ahora
webhooks-delete = Eliminar webhook
webhooks-delete-lead = Se detienen las entregas, incluidas las pendientes.
webhooks-delete-now = Eliminar ahora
webhooks-attempts = Entregas
webhooks-attempts-lead = Entregas de los últimos 30 días, de la más reciente a la más antigua.
webhooks-attempts-none = Todavía no hay entregas.
webhooks-answered = estado { $status }
webhooks-unreached = sin respuesta a tiempo
webhooks-told = entregado
webhooks-again = fallido, se reintentará
webhooks-given-up = fallido

## audit-log

audit-log-title = Registro de auditoría
audit-log-lead = Quién hizo qué en esta organización, de lo más reciente a lo más antiguo. Las entradas no se pueden cambiar.
audit-log-none = Todavía no hay eventos.
audit-log-none-such = Ningún evento coincide con este filtro.
audit-log-filter = Filtro
audit-log-kind = Tipo de evento
audit-log-any-kind = Todos los tipos de evento
audit-log-from = Desde
audit-log-to = Hasta
audit-log-days-hint = Los días empiezan a medianoche UTC.
audit-log-show = Aplicar
audit-log-everything = Quitar filtro
audit-log-only = Autor: { $actor }
audit-log-back = Todos los eventos
audit-log-name = Tipo de evento
audit-log-when = Fecha y hora
audit-log-who = Autor
audit-log-whom = Objetivo
audit-log-reason = Motivo
audit-log-facts = Detalles
audit-log-no-facts = No hay más detalles.
audit-log-of-actor = Todos los eventos de este autor
audit-log-of-kind = Todos los eventos de este tipo
audit-log-of-member = Actividad en el registro de auditoría
audit-log-you = tú
audit-log-former = antiguo miembro
audit-log-member = un miembro
audit-log-operator = un operador
audit-log-person = una cuenta
audit-log-unknown = anónimo
audit-log-system = sistema
audit-log-client = una aplicación o servicio
audit-log-key = una clave de API
audit-log-role = un rol
audit-log-invitation = una invitación
audit-log-secret = un secreto
audit-log-api = una API
audit-log-domain = un dominio
audit-log-connection = una conexión
audit-log-webhook = un webhook
audit-log-assignment = una asignación
audit-log-grant = el acceso de una aplicación
audit-log-organization = Organización
audit-log-members = Cuentas y miembros
audit-log-roles = Roles y acceso
audit-log-clients = Aplicaciones y API
audit-log-operators = Operadores
audit-log-sign-on = Dominios y proveedores de identidad
audit-log-webhooks = Webhooks

## notices

notices-roles-changed = Roles guardados.
notices-switched-off = Miembro desactivado.
notices-switched-on = Miembro reactivado.
notices-removed = Miembro eliminado.
notices-invited = Invitación enviada.
notices-withdrawn = Invitación revocada.
notices-key-revoked = Clave de API revocada. Ya no funciona.
notices-key-shown = Esta clave ya se creó y se mostró. No se vuelve a mostrar; si la has perdido, revócala y crea otra.
notices-role-made = Rol creado.
notices-role-changed = Rol guardado.
notices-role-deleted = Rol eliminado.
notices-bad-role-name = Usa de 1 a 64 letras minúsculas, dígitos, - y _.
notices-name-taken = Ya existe un rol con este nombre.
notices-bad-permissions = Un permiso seleccionado no existe o ya no existe. Revisa la selección y guarda de nuevo.
notices-domain-claimed = Dominio añadido. Publica su registro TXT y después compruébalo.
notices-domain-proven = Dominio verificado.
notices-domain-released = Dominio eliminado.
notices-bad-domain = Introduce un dominio que tu organización pueda tener, como example.org.
notices-domain-taken = La organización ya tiene este dominio o ha alcanzado el límite de 50.
notices-not-proven = No se ha encontrado el registro TXT, el DNS no ha respondido u otra organización ha verificado este dominio. Publica el registro exactamente como aparece, espera a que sea visible y compruébalo de nuevo.
notices-registered = Aplicación registrada.
notices-application-changed = Aplicación guardada.
notices-application-off = Aplicación desactivada.
notices-application-on = Aplicación reactivada.
notices-application-deleted = Aplicación eliminada.
notices-secret-revoked = Secreto revocado. Ya no funciona.
notices-made-before = Este formulario ya se envió. Un secreto no se vuelve a mostrar; si lo has perdido, crea otro.
notices-provider-connected = Proveedor de identidad conectado, pero desactivado. Registra los valores de abajo en el proveedor, prueba la conexión y después actívala.
notices-connection-changed = Conexión guardada.
notices-no-more-connections = Una organización puede tener hasta 10 proveedores de identidad. Elimina uno antes.
notices-owners-decide = Solo los propietarios pueden conectar un proveedor de identidad o cambiar su configuración de confianza.
notices-bad-issuer = Introduce el issuer como URL https, sin ? ni #.
notices-bad-client-id = Introduce el ID de cliente: de 1 a 256 caracteres visibles.
notices-bad-client-secret = Introduce el secreto de cliente, de hasta 1024 caracteres. Con private_key_jwt no hay ninguno.
notices-bad-scopes = Introduce de 1 a 20 ámbitos, separados por espacios, incluido openid.
notices-bad-metadata = Esto no son metadatos SAML válidos de un proveedor de identidad, o han caducado, describen otro proveedor, no incluyen una URL de inicio de sesión único con HTTP-Redirect o un certificado utilizable, o superan 48 KiB.
notices-provider-taken = La organización ya tiene una conexión con este proveedor o su issuer no se puede usar. Cambia o elimina la conexión existente.
notices-bad-subject = Introduce NameID o el nombre de un atributo de 1 a 256 caracteres visibles.
notices-bad-attribute = Introduce el nombre de un atributo de hasta 256 caracteres visibles o NameID.
notices-bad-name-attribute = Introduce el nombre de un atributo de hasta 256 caracteres visibles.
notices-bad-domains = Introduce dominios de la organización, uno por línea, cada uno una vez, hasta 50. Añádelos antes en Dominios.
notices-connection-on = Conexión activada. Los usuarios de sus dominios inician sesión ahora en el proveedor.
notices-connection-off = Conexión desactivada.
notices-change-it-first = Un ajuste de esta conexión ya no es válido, así que sigue desactivada. Cámbialo antes.
notices-connection-deleted = Conexión eliminada.
notices-connection-works = La conexión funciona.
notices-no-description = No se ha podido cargar el documento de descubrimiento o los metadatos del proveedor, o no coinciden con la configuración.
notices-no-provider-keys = No se han podido cargar las claves públicas del proveedor o no se puede usar ninguna.
notices-not-taken = El proveedor no ha aceptado la autenticación del cliente de este servicio.
notices-bad-certificates = Ningún certificado del proveedor es válido ahora.
notices-webhook-changed = Webhook guardado.
notices-webhook-paused = Webhook en pausa.
notices-webhook-resumed = Webhook reanudado.
notices-webhook-tested = Evento de prueba en cola. Mira el resultado en Entregas.
notices-webhook-replayed = Todos los eventos desde ese día están de nuevo en cola.
notices-webhook-deleted = Webhook eliminado.
notices-bad-address = Introduce una URL https sin nombre de usuario, contraseña ni #.
notices-no-kinds = Selecciona al menos un tipo de evento o todos.
notices-no-more-webhooks = Una organización puede tener hasta 20 webhooks. Elimina uno antes.
notices-is-paused = El webhook está en pausa. Reanúdalo antes.
notices-bad-since = Introduce un día que no sea futuro, como 2026-11-16.
notices-bad-description = Usa como máximo 200 caracteres visibles.
notices-no-purpose = Introduce una finalidad de hasta 200 caracteres visibles.
notices-bad-redirects = El código de autorización requiere de 1 a 20 URI de redirección, una por línea, cada una una vez: https, http en localhost o un esquema privado con punto o con host (app://host/ruta), sin # ni *.
notices-must-prove = Las credenciales del cliente y CIBA requieren autenticación del cliente; con el perfil fapi2, private_key_jwt o mTLS.
notices-over-the-api = Esto entra en conflicto con un ajuste hecho con la API de administración. Cámbialo allí.
notices-bad-public-keys = Introduce la URL https de su JWKS.
notices-bad-grants = Selecciona al menos un tipo de concesión. El refresh token requiere además uno en el que participen usuarios.
notices-bad-scope = Estos ámbitos no son válidos o están reservados a aplicaciones verificadas.
notices-needs-role = Las credenciales del cliente requieren al menos un rol.
notices-no-more-secrets = La aplicación ha alcanzado el límite de secretos o no se autentica con uno.
notices-last-secret = Este es el secreto en uso. Crea uno nuevo antes o desactiva la aplicación.
notices-changed = Esto ha cambiado entretanto. Se muestran los valores actuales; revisa lo que has elegido y guarda de nuevo.
notices-not-yours = Solo puedes conceder permisos que tengas tú, y solo los propietarios pueden administrar a los propietarios.
notices-last-owner = Una organización necesita al menos un propietario.
notices-no-roles = Selecciona al menos un rol.
notices-no-name = Introduce un nombre de hasta 200 caracteres visibles.
notices-no-scope = Selecciona al menos un ámbito.
notices-bad-email = Introduce un correo electrónico válido.
notices-already-invited = Ya hay una invitación pendiente para esta dirección. Revócala antes.
notices-too-many = Se han enviado demasiadas invitaciones a esta dirección. Inténtalo de nuevo mañana.
notices-suspended = La organización está suspendida y no se puede cambiar.
notices-gone = Esto ya no existe.
notices-role-gone = Un rol seleccionado ya no existe. Revisa la selección y envíala de nuevo.
notices-bad-days = Una invitación puede ser válida de 1 a 7 días.
notices-bad-key-days = Una clave de API puede ser válida de 1 a 365 días.
notices-too-much = Es demasiado para un formulario. Selecciona o introduce menos, o usa la API de administración.
notices-accepted = La invitación ya se ha aceptado.
notices-not-allowed = No tienes permiso para hacerlo.
notices-not-possible = No es posible hacerlo ahora.
notices-busy = El servidor está ocupado. Inténtalo de nuevo en un momento.
notices-proven = Identidad confirmada. Durante cinco minutos puedes enviar el formulario sin confirmarla otra vez.
notices-type-again = Identidad confirmada, pero aún no se ha guardado nada: por seguridad, un campo no se ha conservado. Rellénalo de nuevo y envía el formulario.
notices-not-kept = Identidad confirmada, pero aún no se ha guardado nada. Rellena el formulario de nuevo; durante cinco minutos no tienes que confirmarla otra vez.
notices-not-done = Identidad confirmada, pero tu cambio se perdió y no se ha hecho. Hazlo de nuevo ahora; no tienes que confirmarla otra vez.
notices-bad-kind = No existe ese tipo de evento.
notices-too-many-words = Busca como máximo ocho palabras.
notices-bad-search = Busca de una a ocho palabras, con 256 caracteres como máximo.
notices-bad-day = Introduce un día como 2026-11-16.
notices-sign-in-again = Esto requiere un inicio de sesión reciente. Cierra la sesión, iníciala de nuevo y repítelo.

## form-errors

form-errors-wrong-proof = No coincide. Compruébalo e inténtalo de nuevo.
form-errors-wrong-code = El código es incorrecto o ha caducado. Compruébalo o solicita uno nuevo.
form-errors-missing = Rellena los campos marcados.
form-errors-bad-email = Introduce un correo electrónico válido.
form-errors-bad-phone = Introduce un número de teléfono que empiece por + y el prefijo del país.
form-errors-taken-by-you = Ya es uno de tus correos o teléfonos.
form-errors-password-short = Usa al menos { $minimum } caracteres. Varias palabras son fáciles de recordar.
form-errors-password-long = Usa como máximo { $maximum } caracteres.
form-errors-password-refused = Esta contraseña es demasiado común o contiene un nombre fácil de adivinar. Elige otra.
form-errors-too-many = Demasiados intentos. Inténtalo de nuevo en { $time }.
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
form-errors-out-of-turn = Este paso ya está hecho, quizá en otra pestaña. Este es el paso actual.
form-errors-passkey = No se ha usado la llave de acceso: se canceló, tardó demasiado o pertenece a otro sitio.
form-errors-passkey-unsupported = Este navegador no admite llaves de acceso.
form-errors-no-provider = No hay inicio de sesión único para esta dirección. Compruébala o inicia sesión de otra forma.
form-errors-provider = El proveedor de identidad de tu organización no ha confirmado quién eres o no tienes cuenta aquí. Inténtalo de nuevo o contacta con el administrador de tu organización.
form-errors-not-possible = No es posible hacerlo ahora.
form-errors-sign-in-again = Cierra la sesión e iníciala de nuevo antes: tu cuenta no tiene otra forma de confirmar tu identidad.
form-errors-busy = El servidor está ocupado. No se ha perdido nada: inténtalo de nuevo en un momento.

## device-label

device-label-on = { $browser } en { $system }
device-label-unknown = un dispositivo desconocido
device-label-android-application = una aplicación de Android

## event-kind

event-kind-instance-created = Instancia creada
event-kind-server-started = Nodo iniciado
event-kind-server-stopped = Nodo detenido
event-kind-signing_key-generated = Clave de firma generada
event-kind-signing_key-imported = Clave de firma importada
event-kind-signing_key-rotated = Clave de firma rotada
event-kind-signing_key-revoked = Clave de firma revocada
event-kind-instance_key-rotated = Clave de la instancia rotada
event-kind-backup-taken = Copia de seguridad creada
event-kind-backup-restored = Copia de seguridad restaurada
event-kind-log-exported = Registro de seguridad exportado
event-kind-log-personal_erased = Direcciones IP borradas del registro de seguridad
event-kind-log-archived = Registro de seguridad archivado
event-kind-log-cut = Eventos archivados eliminados de la base de datos
event-kind-organization-created = Organización creada
event-kind-organization-changed = Organización actualizada
event-kind-organization-suspended = Organización suspendida
event-kind-organization-restored = Organización restaurada
event-kind-organization-deletion_asked = Eliminación de la organización solicitada
event-kind-organization-deletion_withdrawn = Eliminación de la organización cancelada
event-kind-organization-administered = Acceso de un operador
event-kind-membership-created = Miembro añadido
event-kind-membership-roles_changed = Roles de un miembro cambiados
event-kind-membership-changed = Perfil de un miembro actualizado
event-kind-membership-claimed = Primer inicio de sesión de un miembro
event-kind-scim-attributes_ignored = Atributos SCIM ignorados
event-kind-membership-disabled = Miembro desactivado
event-kind-membership-enabled = Miembro reactivado
event-kind-membership-ended = Miembro salió o fue eliminado
event-kind-operator-invited = Primer operador invitado
event-kind-invitation-sent = Invitación enviada
event-kind-invitation-accepted = Invitación aceptada
event-kind-invitation-revoked = Invitación revocada
event-kind-message-given_up = Mensaje no entregado
event-kind-role-created = Rol creado
event-kind-role-changed = Rol actualizado
event-kind-role-removed = Rol eliminado
event-kind-api-created = API añadida
event-kind-api-changed = API actualizada
event-kind-api-removed = API eliminada
event-kind-relationships-changed = Relaciones cambiadas
event-kind-client-created = Aplicación registrada
event-kind-client-changed = Aplicación actualizada
event-kind-client-disabled = Aplicación desactivada
event-kind-client-enabled = Aplicación reactivada
event-kind-client-removed = Aplicación eliminada
event-kind-client-verified = Verificación de una aplicación cambiada por un operador
event-kind-client-proof_failed = Error de autenticación del cliente
event-kind-client-registrations_expired = Aplicaciones sin uso eliminadas
event-kind-client_secret-added = Secreto de cliente creado
event-kind-client_secret-revoked = Secreto de cliente revocado
event-kind-assignment-made = Operador asignado
event-kind-assignment-ended = Asignación de un operador finalizada
event-kind-membership-impersonated = Operador actuó como un miembro
event-kind-api_key-issued = Clave de API creada
event-kind-api_key-revoked = Clave de API revocada
event-kind-consent-given = Consentimiento dado a una aplicación
event-kind-consent-denied = Consentimiento denegado a una aplicación
event-kind-grant-given = Acceso concedido a una aplicación
event-kind-code-redeemed = Código de autorización canjeado
event-kind-code-replayed = Código de autorización usado dos veces
event-kind-code-misdirected = Código de autorización usado por otra aplicación
event-kind-device-requested = Autorización de dispositivo solicitada
event-kind-device-recognised = Código de usuario introducido
event-kind-device-user_code_failed = Código de usuario incorrecto introducido
event-kind-device-allowed = Dispositivo permitido
event-kind-device-denied = Dispositivo denegado
event-kind-device_code-redeemed = Código de dispositivo canjeado
event-kind-device_code-replayed = Código de dispositivo usado dos veces
event-kind-device_code-misdirected = Código de dispositivo usado por otra aplicación
event-kind-approval-requested = Aprobación solicitada por una aplicación
event-kind-approval-given = Solicitud aprobada
event-kind-approval-denied = Solicitud denegada
event-kind-approval-redeemed = Solicitud aprobada canjeada
event-kind-approval-replayed = Aprobación usada dos veces
event-kind-approval-misdirected = Aprobación usada por otra aplicación
event-kind-approval-notice_given_up = No se pudo avisar a una aplicación de una respuesta
event-kind-refresh_token-rotated = Refresh token rotado
event-kind-refresh_token-used = Refresh token usado
event-kind-refresh_token-reused = Refresh token reutilizado
event-kind-refresh_token-misdirected = Refresh token usado por otra aplicación
event-kind-token-issued = Token de acceso emitido a un servicio
event-kind-token-exchanged = Token intercambiado
event-kind-access_token-revoked = Token de acceso revocado
event-kind-grant-revoked = Acceso de una aplicación revocado
event-kind-account-created = Cuenta creada
event-kind-account-imported = Cuenta importada
event-kind-import-finished = Importación finalizada
event-kind-contact-verified = Correo o teléfono verificado
event-kind-password-set = Contraseña establecida
event-kind-credential-disabled = Método de inicio de sesión bloqueado
event-kind-session-started = Inicio de sesión
event-kind-sign_in-new_device = Inicio de sesión en un dispositivo nuevo
event-kind-sign_in-impossible_travel = Inicio de sesión desde un lugar inusualmente lejano
event-kind-sign_in-disavowed = Inicio de sesión denunciado como “no he sido yo”
event-kind-session-renewed = Identidad confirmada de nuevo
event-kind-logout-not_delivered = No se pudo avisar a una aplicación de un cierre de sesión
event-kind-session-ended = Cierre de sesión
event-kind-credential-failed = Intento fallido de inicio de sesión
event-kind-credential-added = Método de inicio de sesión añadido
event-kind-credential-renamed = Método de inicio de sesión renombrado
event-kind-credential-removed = Método de inicio de sesión eliminado
event-kind-contact-added = Correo o teléfono añadido
event-kind-contact-made_primary = Correo principal cambiado
event-kind-email-changed = Correo electrónico cambiado
event-kind-email-restored = Correo electrónico anterior restaurado
event-kind-contact-removed = Correo o teléfono eliminado
event-kind-account-changed = Perfil de la cuenta actualizado
event-kind-account-exported = Datos de la cuenta exportados
event-kind-account-disabled = Cuenta desactivada
event-kind-account-enabled = Cuenta reactivada
event-kind-account-sessions_ended = Todas las sesiones de una cuenta cerradas
event-kind-instance-sessions_ended = Todas las sesiones de la instancia cerradas
event-kind-account-reset_started = Nueva contraseña solicitada por un administrador
event-kind-account-deleted = Miembro eliminó su cuenta
event-kind-application-removed = Usuario revocó el acceso de una aplicación
event-kind-webhook-created = Webhook añadido
event-kind-webhook-changed = Webhook actualizado
event-kind-webhook-removed = Webhook eliminado
event-kind-webhook-secret_rotated = Secreto del webhook rotado
event-kind-webhook-paused = Webhook en pausa
event-kind-webhook-resumed = Webhook reanudado
event-kind-webhook-replayed = Eventos reenviados a un webhook
event-kind-webhook-tested = Evento de prueba enviado a un webhook
event-kind-domain-added = Dominio añadido
event-kind-domain-verified = Dominio verificado
event-kind-domain-missing = Falta el registro TXT de un dominio
event-kind-domain-lost = Dominio perdió la verificación
event-kind-domain-removed = Dominio eliminado
event-kind-connection-created = Proveedor de identidad conectado
event-kind-connection-changed = Conexión con un proveedor de identidad actualizada
event-kind-connection-tested = Conexión con un proveedor de identidad probada
event-kind-identity-linked = Miembro vinculado a un proveedor de identidad
event-kind-identity-unlinked = Miembro desvinculado de un proveedor de identidad
event-kind-connection-removed = Conexión con un proveedor de identidad eliminada

## mail

mail-greeting = Hola:
mail-or-code = O introduce este código donde se te pidió:
mail-days =
    { $count ->
        [one] { $count } día
       *[other] { $count } días
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
mail-seen-at = Fecha y hora
mail-seen-device = Dispositivo
mail-seen-place = Lugar
mail-seen-address = Dirección IP
mail-passkey = llave de acceso
mail-password = contraseña
mail-application = aplicación de autenticación
mail-recovery-codes = códigos de recuperación
mail-code-by-sms = { $code } es tu código para { $service }. No lo compartas con nadie.

mail-invitation =
    .subject = Invitación a { $organization }
    .lead = Has recibido una invitación para unirte a { $organization } en { $service }.
    .link-lead = Para aceptarla, abre este enlace en un plazo de { $time }:
    .link-label = Aceptar invitación
    .code-lead = Para aceptarla, introduce este código en la aplicación en un plazo de { $time }:
    .closing = La invitación funciona una vez y solo para esta dirección. Si no la esperabas, ignora este mensaje.

mail-first-operator =
    .subject = Configura { $service }
    .lead = Has recibido una invitación para ser el primer operador de { $service }.
    .link-lead = Para empezar, abre este enlace en un plazo de { $time }:
    .link-label = Crear cuenta de operador
    .code-lead = Para empezar, introduce este código en un plazo de { $time }:
    .closing = Funciona una vez. No reenvíes este mensaje: da control total de la instancia.

mail-sign-in =
    .subject = Iniciar sesión en { $service }
    .lead = Hemos recibido una solicitud para iniciar sesión en { $service } con esta dirección.
    .link-lead = Abre este enlace en un plazo de { $time } y confirma:
    .link-label = Iniciar sesión
    .code-lead = Introduce este código en un plazo de { $time }:
    .closing = Funciona una vez. Si no lo has solicitado, ignora este mensaje. Nunca pedimos el código por teléfono ni por correo.

mail-sign-up =
    .subject = Verifica tu correo electrónico para { $service }
    .lead = Usa este mensaje para terminar de crear tu cuenta en { $service }.
    .link-lead = Abre este enlace en un plazo de { $time } y confirma:
    .link-label = Verificar dirección
    .code-lead = Introduce este código en un plazo de { $time }:
    .closing = Si no lo has solicitado, ignora este mensaje.

mail-account-exists =
    .subject = Ya tienes una cuenta en { $service }
    .lead = Hemos recibido una solicitud para crear una cuenta en { $service } con esta dirección, pero ya tienes una.
    .link-lead = Para iniciar sesión, abre este enlace en un plazo de { $time }:
    .link-label = Iniciar sesión
    .code-lead = Para iniciar sesión, introduce este código en un plazo de { $time }:
    .closing = Si no lo has solicitado, ignora este mensaje: no ha cambiado nada.

mail-verify-email =
    .subject = Verifica tu correo electrónico para { $service }
    .lead = Esta dirección se ha añadido a una cuenta en { $service }.
    .link-lead = Si la cuenta es tuya, abre este enlace en un plazo de { $time } y confirma:
    .link-label = Verificar dirección
    .code-lead = Si la cuenta es tuya, introduce este código en un plazo de { $time }:
    .closing = Si no es tuya, ignora este mensaje: la dirección no se usará.

mail-reset-password =
    .subject = Restablece tu contraseña de { $service }
    .lead = Hemos recibido una solicitud para establecer una nueva contraseña en { $service }.
    .link-lead = Abre este enlace en un plazo de { $time } y confirma:
    .link-label = Establecer una nueva contraseña
    .code-lead = Introduce este código en un plazo de { $time }:
    .closing = Funciona una vez. Si no lo has solicitado, ignora este mensaje: tu contraseña no cambia.

mail-change-email =
    .subject = Verifica tu nuevo correo electrónico para { $service }
    .lead = Hemos recibido una solicitud para usar esta dirección en tu cuenta de { $service }.
    .link-lead = Abre este enlace en un plazo de { $time } y confirma:
    .link-label = Usar esta dirección
    .code-lead = Introduce este código en un plazo de { $time }:
    .closing = Hasta entonces se sigue usando tu dirección anterior. Si no lo has solicitado, ignora este mensaje.

mail-email-changed =
    .subject = Tu correo electrónico en { $service } ha cambiado
    .lead = El correo electrónico de tu cuenta en { $service } es ahora { $address }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: restaura esta dirección y cierra todas las sesiones.
    .link-label = Restaurar esta dirección
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time } para restaurar esta dirección:
    .closing = Si has sido tú, no tienes que hacer nada.

mail-new-device =
    .subject = Nuevo inicio de sesión en { $service }
    .lead = Se ha iniciado sesión en tu cuenta de { $service } en un dispositivo nuevo.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-impossible-travel =
    .subject = Inicio de sesión inusual en { $service }
    .lead = Se ha iniciado sesión en tu cuenta de { $service } desde un lugar demasiado alejado del anterior para el tiempo transcurrido.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si usas una VPN, puede que hayas sido tú.

mail-device-allowed =
    .subject = { $application } tiene acceso a tu cuenta en { $service }
    .lead = Has permitido que { $application }, en otro dispositivo, actúe en tu nombre en { $service }.
    .link-lead = Si no lo has iniciado tú, abre este enlace en un plazo de { $time }: revoca el acceso de otros dispositivos, cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no lo has iniciado tú, usa este código en un plazo de { $time }: revoca el acceso de otros dispositivos y cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-approval-asked =
    .subject = { $application } solicita tu aprobación en { $service }
    .lead = { $application } quiere actuar en tu nombre en { $service } y necesita tu aprobación.
    .link-lead = Para ver la solicitud y aprobarla o denegarla, abre este enlace en un plazo de { $time }. Abrirlo no aprueba nada.
    .link-label = Ver solicitud
    .code-lead = Para ver la solicitud y aprobarla o denegarla, inicia sesión donde usas { $service } en un plazo de { $time } y busca la solicitud con este número:
    .closing = Si no lo esperabas, deniégala o ignora este mensaje: la solicitud caduca.

mail-request-approved =
    .subject = Has aprobado una solicitud de { $application } en { $service }
    .lead = Has aprobado una solicitud de { $application } en { $service }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: revoca la aprobación, cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: revoca la aprobación y cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-password-changed =
    .subject = Tu contraseña en { $service } ha cambiado
    .lead = Se ha establecido una nueva contraseña para tu cuenta en { $service }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-credential-added =
    .subject = Nuevo método de inicio de sesión en { $service }
    .lead = Se ha añadido un método de inicio de sesión a tu cuenta en { $service }: { $name }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-credential-removed =
    .subject = Método de inicio de sesión eliminado en { $service }
    .lead = Se ha eliminado un método de inicio de sesión de tu cuenta en { $service }: { $name }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-contact-added =
    .subject = Nuevo contacto en tu cuenta de { $service }
    .lead = { $address } se ha añadido a tu cuenta en { $service } y se ha verificado.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-identity-linked =
    .subject = Tu cuenta en { $service } se ha vinculado a un proveedor de identidad
    .lead = Ahora puedes iniciar sesión en tu cuenta de { $service } con el proveedor de identidad { $name }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-identity-unlinked =
    .subject = Tu cuenta en { $service } se ha desvinculado de un proveedor de identidad
    .lead = Ya no puedes iniciar sesión en tu cuenta de { $service } con el proveedor de identidad { $name }.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, no tienes que hacer nada.

mail-reset-started =
    .subject = Establece una nueva contraseña en { $service }
    .lead = Un administrador de { $service } te pide que establezcas una nueva contraseña.
    .link-lead = Para ello, abre este enlace en un plazo de { $time }:
    .link-label = Establecer una nueva contraseña
    .code-lead = Para ello, introduce este código en un plazo de { $time } en la aplicación con la que inicias sesión:
    .closing = Solo tú eliges y conoces la nueva contraseña. Hasta entonces no cambia nada.

mail-webhook-paused =
    .subject = Un webhook en { $service } se ha puesto en pausa
    .lead = Las entregas al webhook { $address } fallaron durante demasiado tiempo o respondió que ya no existe. { $service } lo ha puesto en pausa.
    .link-lead = Para verlo, abre este enlace en un plazo de { $time }:
    .link-label = Ver webhook
    .code-lead = Para verlo, introduce este código en un plazo de { $time }:
    .closing = No se pierde ningún evento: cuando reanudes el webhook, se entregan en orden todos los eventos desde entonces.

mail-recovery-codes-used-up =
    .subject = No te quedan códigos de recuperación en { $service }
    .lead = Se ha usado el último código de recuperación de tu cuenta en { $service }. Genera otros nuevos para poder iniciar sesión si pierdes el teléfono.
    .link-lead = Si no has sido tú, abre este enlace en un plazo de { $time }: cierra todas las sesiones y permite establecer una nueva contraseña.
    .link-label = No he sido yo
    .code-lead = Si no has sido tú, usa este código en un plazo de { $time }: cierra todas las sesiones.
    .closing = Si has sido tú, genera nuevos códigos en la página de tu cuenta.
