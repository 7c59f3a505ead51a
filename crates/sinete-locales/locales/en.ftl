### English. See docs/contribute/recipes.md for how phrases and languages are added.

## language: The language itself.

language-name = English

## frame: The frame of every page.

frame-skip-to-content = Skip to content
frame-footer = Sinete, an identity provider you run yourself.
frame-shown-by = Sign-in by { $service }
frame-to-the-first-page = Go to the home page
frame-reference = Reference
frame-language = Language
frame-working = One moment…
frame-or = or
frame-cancel = Cancel
frame-go-on = Continue
frame-another-way = Try another way
frame-sign-out = Sign out
frame-script-needed = Passkeys need JavaScript, which is turned off in this browser. Everything else works without it.

## landing: The landing page.

landing-title = This is where people sign in
landing-lead = Sinete is an identity provider: it manages accounts, signs in people, services and agents, and tells applications who is calling and what they may do.
landing-account = Go to my account
landing-development = Development instance
landing-development-detail = Its keys were generated at startup and protect nothing. Do not use it for real accounts.
landing-issuer = Issuer
landing-links = Endpoints
landing-health = Health
landing-health-detail = whether this node is up
landing-keys = Public keys (JWKS)
landing-keys-detail = what applications verify token signatures with
landing-documentation = Documentation
landing-documentation-detail = The README and the docs folder come with the program. For a list of commands, run:

## messages: Message pages.

messages-not-found = Page not found
messages-not-found-detail = The address may be mistyped, or the link may be out of date.
messages-server-error = Something went wrong on our side
messages-server-error-detail = The error has been logged. Try again, and quote the reference below if it keeps happening.
messages-unavailable = Temporarily unavailable
messages-unavailable-detail = Nothing was lost. Try again in a moment.
messages-too-many = Too many requests from your network
messages-too-many-detail = Wait a minute and try again. Nothing was lost.
messages-flow-over = This page has expired
messages-flow-over-detail = It was open for too long, or you finished in another tab. Start again: nothing was lost.
messages-start-again = Start again
messages-refused = This form was not accepted
messages-refused-detail = It did not come from a page that this browser was shown. Go back, reload the page and try again.
messages-request-refused = This request cannot be completed
messages-request-refused-detail = The application sent an invalid request. You did nothing wrong; its developers need to fix it.
messages-client-gone = This application is no longer registered here
messages-client-gone-detail = Remove the connection in the application and add it again, so that it registers again.
messages-leave = You are about to leave for { $host }
messages-leave-detail = This application has not been verified. Continue only if you know it and meant to go there.
messages-leave-button = Continue to { $host }
messages-what-it-said = For developers
messages-onward = Taking you back to { $application }.
messages-onward-plain = Taking you back to where you came from.
messages-provider-away = Your organization’s identity provider cannot be reached
messages-provider-away-detail = Try again in a few minutes, or contact your organization’s administrator.
messages-invited-only = Accounts are by invitation only
messages-invited-only-detail = Ask your organization’s administrator for an invitation.
messages-signed-out = You are signed out
messages-signed-out-detail = On a shared device, close this window too.
messages-sign-in-again = Sign in again
messages-confirm-sign-out = Sign out?
messages-confirm-sign-out-detail = You will be signed out here, and the applications you signed in to through this account are notified.
messages-email-verified = Your e-mail address is verified
messages-email-verified-detail = You can close this window, or go to your account.
messages-password-changed = Your password was changed
messages-password-changed-detail = You were signed out everywhere else. Use the new password from now on.
messages-not-me = Was this not you?
messages-not-me-detail = If someone else signed in to your account, select the button: every session ends on every device, and you can then set a new password.
messages-not-me-button = It was not me: end all sessions
messages-keep-access = Applications and API keys with access
messages-keep-access-hint = These applications and API keys lose their access too. Select only those you recognize and want to keep.
messages-keep-key = API key
messages-undo-email = Restore this e-mail address?
messages-undo-email-detail = If you did not change your e-mail address, select the button: this address is restored, every session ends, and you can then set a new password.
messages-undo-email-button = Restore this address
messages-email-restored = Your e-mail address is restored
messages-email-restored-detail = All sessions of your account have ended. Set a new password now.
messages-disavowed = All sessions have ended
messages-disavowed-detail = All sessions of your account have ended. Set a new password now, and check your passkeys after you sign in.
messages-set-new-password = Set a new password
messages-finished-elsewhere = Continue where you started
messages-finished-elsewhere-detail = Open this link in the browser you started in, or enter the code from the message there. Nothing has happened yet.
messages-link-spent = This link is no longer valid
messages-link-spent-detail = Each link works once and for a short time. Request a new one.

## dev-mail: The mailbox of a development instance.

dev-mail-title = Development mailbox
dev-mail-lead = Messages this instance would have sent, newest first. They are kept in memory and can be read from this machine only.
dev-mail-empty = No messages have been sent since this instance started.

## months: Dates.

months-january = January
months-february = February
months-march = March
months-april = April
months-may = May
months-june = June
months-july = July
months-august = August
months-september = September
months-october = October
months-november = November
months-december = December
months-date = { $day } { $month } { $year }

## sign-in: Sign-in, step-up and second factors.

sign-in-title = Sign in
sign-in-to-continue = to continue to { $application }
sign-in-lead = Welcome back.
sign-in-with-passkey = Sign in with a passkey
sign-in-email = E-mail
sign-in-password = Password
sign-in-submit = Sign in
sign-in-forgot = Forgot password?
sign-in-no-password = Without a password
sign-in-send-code = E-mail a code
sign-in-text-code = Text a code
sign-in-with-provider = Single sign-on (SSO)
sign-in-with-this-provider = Sign in with { $provider }
sign-in-provider-hint = You sign in at your organization’s identity provider and then come back here.
sign-in-use-provider = Use single sign-on (SSO)
sign-in-to-provider = Taking you to your organization’s identity provider
sign-in-new-here = New here?
sign-in-create-account = Create an account
sign-in-show-password = Show password
sign-in-hide-password = Hide password
sign-in-show = Show
sign-in-hide = Hide
sign-in-open-mail = Didn’t get it? Check your spam folder.
sign-in-code-title = Enter the code
sign-in-code-by-email = If there is an account for { $address }, we sent it a code and a link by e-mail. Both are valid for 10 minutes.
sign-in-code-to-phone = If there is an account for { $address }, we sent it a code by text message. It is valid for 5 minutes.
sign-in-code-by-sms = We sent a code by text message to { $address }. It is valid for 5 minutes.
sign-in-code = Code
sign-in-wait-for-text = Didn’t get it? A text message can take a minute.
sign-in-phone-title = Sign in with a text message
sign-in-phone-lead = We send a code to a phone number that you verified here.
sign-in-phone = Phone number
sign-in-phone-hint = With the country code, such as +55 81 99999-0000
sign-in-phone-submit = Text me a code
sign-in-phone-weak = A passkey or a password is safer: phone numbers can be hijacked.
sign-in-resend = Send it again
sign-in-resend-when =
    You can request another message in { $minutes ->
        [one] { $minutes } minute
       *[other] { $minutes } minutes
    }.
sign-in-resend-in = Send it again in { $seconds } s
sign-in-second-title = Two-step verification
sign-in-second-lead = Your account needs a second factor.
sign-in-totp = Code from your authenticator app
sign-in-totp-hint = Six digits that change every 30 seconds
sign-in-recovery = Recovery code
sign-in-recovery-hint = One of the ten codes you saved when you set this up. Each works once.
sign-in-sms-send = Send a text message
sign-in-sms-hint = A text message is the least secure option: phone numbers can be hijacked.
sign-in-verify = Verify
sign-in-use-passkey = Use a passkey
sign-in-use-totp = Use your authenticator app
sign-in-use-recovery = Use a recovery code
sign-in-use-sms = Get a text message
sign-in-use-password = Use your password
sign-in-use-code = Get a code by e-mail
sign-in-again-title = Confirm it’s you
sign-in-again-lead = This is a sensitive action, so please sign in again.
sign-in-again-for = { $application } asks you to sign in again.
sign-in-signed-in-as = Signed in as
sign-in-landing-title = Sign in here?
sign-in-landing-lead = You opened the link we sent to { $address }.
sign-in-landing-plain = You opened the link from our e-mail.
sign-in-landing-button = Yes, sign me in
sign-in-landing-warning = If you did not request this, close this window: nothing has happened yet.
sign-in-organization-title = Choose an organization
sign-in-organization-lead = You are a member of several. { $application } sees only the one you choose.
sign-in-organization-plain = You are a member of several. Choose the one to continue with.
sign-in-organization-none = You are not a member of any organization that can be used here.

## sign-up: Sign-up, invitations and the first operator.

sign-up-title = Create your account
sign-up-lead = One account for everything that signs in here.
sign-up-name = Name
sign-up-name-hint = As others see it
sign-up-email = E-mail
sign-up-optional = optional
sign-up-password = Password
sign-up-with-passkey = Create with a passkey
sign-up-with-password = or with a password
sign-up-submit = Create account
sign-up-have-account = Already have an account?
sign-up-sign-in = Sign in
sign-up-verify-title = Verify your e-mail address
sign-up-verify-lead = We sent a code to { $address }. Enter it here to verify that the address is yours.
sign-up-verify-number-title = Verify your phone number
sign-up-verify-number-lead = We sent a code by text message to { $address }. Enter it here to verify that the number is yours.
sign-up-verify-landing = Verify { $address }?
sign-up-verify-landing-plain = Verify this e-mail address?
sign-up-verify-landing-detail = You opened the link from our e-mail. Select the button to finish.
sign-up-verify-button = Verify address
sign-up-verify-ask = Which e-mail address do you want to verify?
sign-up-invitation-title = You are invited to { $organization }
sign-up-invitation-lead = Create an account to join. The account is yours, even if you leave the organization later.
sign-up-invitation-role = Your role: { $roles }
sign-up-invitation-accept = Accept invitation
sign-up-operator-title = Welcome to your Sinete
sign-up-operator-lead = You are the first operator. This account administers the whole instance, so protect it with a passkey or a long password.
sign-up-operator-submit = Create operator account

## credentials: Passwords, passkeys and authenticator apps.

credentials-reset-title = Reset your password
credentials-reset-lead = Enter your e-mail address and we will send you a link.
credentials-reset-submit = Send link
credentials-reset-sent-detail = If there is an account for { $address }, we sent it a message with the next step.
credentials-reset-back = Back to sign-in
credentials-reset-landing = Choose a new password?
credentials-reset-landing-button = Choose a new password
credentials-set-title = Choose a new password
credentials-set-lead = All your other sessions will be signed out.
credentials-set-first-title = Add a password
credentials-set-first-lead = A password is optional: a passkey is quicker and cannot be phished.
credentials-current-password = Current password
credentials-new-password = New password
credentials-password-rule = At least { $minimum } characters. Spaces, words and any language are allowed.
credentials-set-submit = Save password
credentials-passkey-title = Sign in faster next time
credentials-passkey-lead = A passkey uses your fingerprint, face or screen lock instead of a password.
credentials-passkey-first = Quick: one touch, nothing to remember
credentials-passkey-second = Secure: works only on this site, so it cannot be phished
credentials-passkey-third = Private: your fingerprint or face never leaves your device
credentials-passkey-create = Create a passkey
credentials-passkey-skip = Not now
credentials-passkey-name = Passkey name
credentials-passkey-add-title = Add a passkey
credentials-second-title = Set up a second step
credentials-second-lead = { $application } asks for a second step at sign-in. Set one up now; you use it right afterwards.
credentials-totp-title = Set up your authenticator app
credentials-totp-first = Scan this QR code with the app
credentials-totp-picture = QR code with the key shown below
credentials-totp-text = Can’t scan it? Enter this key instead
credentials-totp-open = Open in an app on this device
credentials-totp-second = Enter the six digits it shows
credentials-totp-submit = Turn on
credentials-recovery-make = Generate recovery codes?
credentials-recovery-make-detail = Ten codes in case you lose your phone. Your previous codes stop working.
credentials-recovery-make-button = Generate ten codes
credentials-recovery-title = Save your recovery codes
credentials-recovery-lead = Each code signs you in once if you lose your phone. They are shown only now.
credentials-recovery-list = Recovery codes
credentials-recovery-copy = Copy
credentials-recovery-download = Download
credentials-recovery-copied = Copied
credentials-recovery-print = Print
credentials-recovery-done = I saved them

## consent: The consent page.

consent-title = Allow { $application }?
consent-lead = It wants to act on your behalf.
consent-agent-lead = It is an agent: a program that acts by itself.
consent-verified = Verified application
consent-own = Belongs to { $organization }
consent-unverified = Unverified application
consent-unverified-detail = This application registered itself and could belong to anyone. Allow it only if you started this yourself and trust it.
consent-you = You
consent-organization = Organization
consent-leads-to = Redirects to
consent-this-device = a program on this device
consent-will = It can
consent-will-know = It can see
consent-new-mark = new
consent-new-detail = You allowed this application before. What is marked is new.
consent-irreversible = cannot be undone
consent-details = Details
consent-allow = Allow
consent-deny = Deny
consent-revoke-hint = You can revoke this at any time in your account.
consent-policy = Privacy policy
consent-terms = Terms of service

## device: Device authorization.

device-code-title = Connect a device
device-code-lead = Enter the code that your device shows. Continue only if the device is in front of you.
device-compare-lead = Does your device show exactly this code? If you have no such device with you, close this page.
device-code = Code on the device
device-code-hint = Eight letters. Capitals, spaces and hyphens make no difference.
device-signed-in-as = You are signed in as { $person }.
device-title = Allow { $application } on another device?
device-lead = Another device wants to act on your behalf. Check it before you answer.
device-started = Did you start this yourself, just now?
device-started-detail = If someone gave you this code or link by phone, e-mail or chat, deny it: they would get access to your account. Support staff never need it.
device-device = Device
device-unknown = unknown
device-from = Requested from
device-asked = Requested at
device-allowed = Your device is connected
device-allowed-detail = Go back to your device to continue. You can revoke its access at any time in your account.
device-denied = The device was denied access
device-denied-detail = If you did not start this, there is nothing else to do.
device-refused = This cannot be allowed with your account
device-refused-detail = You do not have the permissions that the device requests, or your organization does not allow it. The device was denied access.
device-another = Enter another code
device-wrong-code = This code is not valid. Check it on your device: codes are valid for 10 minutes.

## ciba: Approval of CIBA requests.

ciba-title = Approve the request from { $application }?
ciba-lead = It asks before it acts on your behalf. Check the request before you answer.
ciba-message = Message
ciba-compare = Do you expect this?
ciba-compare-detail = Approve only if you started this yourself and the application shows the same message. If you do not recognize it, deny.
ciba-approve = Approve
ciba-ends-hint = You can revoke its access at any time in your account. What it has already done is not undone.
ciba-approved = Request approved
ciba-approved-detail = The application continues by itself. You can revoke its access in your account.
ciba-denied = Request denied
ciba-denied-detail = The application is notified. Nothing was done.
ciba-refused = You cannot approve this request
ciba-refused-detail = The request was sent to someone else, you do not have the permissions it needs, your organization does not allow it, or your account has no sign-in method that is strong enough.
ciba-over = This request has ended
ciba-over-detail = It was answered, or it expired. If the application still needs it, it will ask again.

## account: The account page.

account-title = My account
account-lead = Your profile, how you sign in, and what has access to your account.
account-sections = On this page
account-profile = Profile
account-name = Name
account-language = Language
account-language-automatic = Browser language
account-save = Save
account-saved = Saved.
account-contacts = Contact details
account-emails = E-mail addresses
account-phones = Phone numbers
account-primary = primary
account-confirmed = verified
account-unconfirmed = not verified
account-confirm = Verify
account-none = None yet.
account-make-main = Make primary
account-new-email = New e-mail address
account-new-email-hint = We send a code to the new address first. The old address is notified and can undo the change for seven days.
account-change-email = Change e-mail address
account-new-phone = New phone number
account-add-phone = Add a phone number
account-phones-none = None. A phone number can receive codes, but a passkey is safer.
account-credentials = Sign-in methods
account-passkeys = Passkeys
account-passkeys-none = None yet. A passkey is the quickest and safest way to sign in.
account-add-passkey = Add a passkey
account-synced = synced between your devices
account-on-device = on one device
account-password = Password
account-password-set = Set on { $date }
account-password-none = Not set. You don’t need one.
account-change = Change
account-add = Add
account-remove = Remove
account-totp = Authenticator app
account-totp-on = On since { $date }
account-totp-off = Off. Turn it on as a second factor after your password.
account-recovery = Recovery codes
account-recovery-left =
    { $count ->
        [0] None left. Generate new ones.
        [one] { $count } left.
       *[other] { $count } left.
    }
account-recovery-new = Generate new codes
account-added = Added on { $date }
account-last-used = last used on { $date }
account-never-used = never used
account-requests = Requests waiting for your approval
account-look-at-request = View request
account-providers = Single sign-on (SSO)
account-linked-since = Linked on { $date }
account-not-linked = not linked
account-provider-off = disabled
account-link = Link
account-unlink = Unlink
account-sessions = Active sessions
account-this-session = this browser
account-last-seen = last active on { $date }
account-end = Sign out
account-end-others = Sign out everywhere else
account-unknown-device = Unknown device
account-applications = Applications
account-applications-none = No application has access to your account.
account-may = What it can do
account-since = since { $date }
account-take-back = Revoke access
account-memberships = Organizations
account-memberships-none = You are not a member of any organization.
account-suspended = suspended
account-disabled = disabled
account-events = Recent activity
account-events-detail = See something you don’t recognize? Change your password and sign out everywhere else.
account-events-none = No activity yet.
account-rename = Rename
account-data = Your data
account-data-detail = Everything stored about your account, as a JSON file.
account-export = Download your data
account-delete = Delete account
account-delete-detail = Your profile, sign-in methods, sessions and memberships are deleted permanently. Applications lose access.
account-delete-confirm = I understand that this cannot be undone
account-delete-now = Delete my account

## activity: Account activity, as shown to the account holder.

activity-account-created = Account created
activity-session-started = Signed in
activity-session-renewed = Identity confirmed again
activity-session-ended = Signed out
activity-new-device = Signed in on a new device
activity-impossible-travel = Signed in from an unusually distant place
activity-disavowed = Sign-in reported as “not me”
activity-credential-failed = Failed sign-in attempt
activity-credential-added = Sign-in method added
activity-credential-renamed = Sign-in method renamed
activity-credential-removed = Sign-in method removed
activity-credential-disabled = Sign-in method locked
activity-password-set = Password set
activity-contact-added = E-mail address or phone number added
activity-contact-verified = E-mail address or phone number verified
activity-contact-made-primary = Primary e-mail address changed
activity-contact-removed = E-mail address or phone number removed
activity-email-changed = E-mail address changed
activity-email-restored = Previous e-mail address restored
activity-account-changed = Profile updated
activity-account-exported = Account data exported
activity-account-disabled = Account disabled
activity-account-enabled = Account enabled
activity-account-sessions-ended = An administrator signed you out everywhere
activity-account-reset-started = An administrator requested a new password
activity-consent-denied = Application denied
activity-consent-given = Application allowed
activity-device-allowed = Application allowed on another device
activity-device-denied = Application denied on another device
activity-approval-given = Request of an application approved
activity-approval-denied = Request of an application denied
activity-application-removed = Application access revoked
activity-invitation-accepted = Invitation accepted
activity-membership-ended = Membership ended

## role-names: The names of the built-in roles.

role-names-owner = owner
role-names-admin = admin
role-names-member = member
role-names-operator = operator

## console: The console.

console-title = Console
console-open = Open the console
console-choose = Your organizations
console-choose-lead = Choose an organization to manage.
console-choose-none = There is no organization that you can manage.
console-other = Switch organization
console-sections = Console sections
console-suspended = Suspended
console-suspended-title = This organization is suspended
console-suspended-lead = You can view everything, but nothing can be changed until it is restored.
console-overview = Overview
console-short-name = Slug
console-condition = Status
console-enabled = Active
console-since = Created
console-your-roles = Your roles
console-what-you-may = Your permissions
console-members = Members
console-members-lead = People, services and agents in this organization.
console-members-none = No members yet.
console-search = Search members
console-search-hint = The beginning of a name or an e-mail address. All words must match.
console-search-now = Search
console-found =
    { $count ->
        [one] { $count } member found.
       *[other] { $count } members found.
    }
console-found-more =
    More than { $count ->
        [one] { $count } member
       *[other] { $count } members
    } found. See the next page.
console-found-nobody = No members found.
console-found-early = The search index is still being updated after recent changes. Try again in a minute.
console-found-no-further = No more members found.
console-found-so-far =
    { $count ->
        [one] { $count } member found
       *[other] { $count } members found
    } on this page. Not all matches have been searched yet.
console-found-nobody-yet = No members found so far. Not all matches have been searched yet.
console-look-further = Continue searching
console-everybody = Show all members
console-nameless = No name
console-you = you
console-machine = service or agent
console-unclaimed = has not signed in yet
console-switched-off = disabled
console-next = Next page
console-first = First page
console-pages = Pages
console-back-to-members = All members
console-kind = Type
console-person = person
console-state = Status
console-state-on = active
console-address = Invited address
console-work-email = Work e-mail
console-job = Job title
console-department = Department
console-external = User name (SCIM)
console-identifier = Member ID
console-roles = Roles
console-roles-hint = A role grants permissions. You can assign only permissions that you hold yourself.
console-save-roles = Save roles
console-access = Access
console-switch-off = Disable
console-switch-off-lead = Access to this organization stops at once. Nothing is deleted, and you can enable the member again.
console-switch-on = Enable
console-switch-on-lead = Roles and access are as they were before.
console-remove = Remove member
console-remove-lead = The member loses all roles and access here. To come back, they need a new invitation.
console-leave = Leave organization
console-leave-lead = You lose all roles and access here. To come back, you need a new invitation.
console-leave-now = Leave organization now
console-remove-now = Remove now
console-invitations = Invitations
console-invitations-lead = Each invitation is sent to one address and can be accepted once.
console-invitations-none = No invitations yet.
console-invite = Invite a member
console-email = E-mail address
console-language = Language of the e-mail
console-language-usual = Organization default
console-lifetime = Valid for
console-one-day = 1 day
console-three-days = 3 days
console-seven-days = 7 days
console-send = Send invitation
console-waits-until = Pending, expires { $date }
console-accepted-on = Accepted on { $date }
console-withdrawn-on = Revoked on { $date }
console-expired-on = Expired on { $date }
console-withdraw = Revoke
console-forgotten-address = deleted address
console-before-form = You need to sign in again before you can use this form.
console-lost = Your input was too long to keep, so the form shows the current values. Send less at once, or use the management API.
console-changed-only = This was changed in the meantime, so nothing was saved. These are the current values.
console-prove-title = Confirm it’s you
console-prove-lead = { $organization } requires a stronger sign-in to manage it.
console-set-up-lead = { $organization } requires a second factor to manage it. Set up a passkey or an authenticator app in your account first.
console-prove = Continue
console-otherwise-title = Sign in another way
console-otherwise-lead = { $organization } does not accept the way you signed in. Sign out and sign in the way it requires.

## roles: Roles on the console.

roles-lead = A role is a set of permissions that members hold.
roles-back = All roles
roles-make = Create a role
roles-make-now = Create role
roles-save = Save role
roles-built-in = built-in
roles-built-in-lead = Every organization has this role. Its permissions cannot be changed.
roles-built-in-owner = It also grants every permission that APIs offer to the organization.
roles-name = Name
roles-name-hint = Lower-case letters, digits, - and _. This name appears in tokens.
roles-about = Description
roles-about-hint = Helps people choose the right role.
roles-confers = Permissions
roles-confers-hint = You can add only permissions that you hold yourself.
roles-hides-some = Some permissions of APIs are not listed, because you do not have the permission to see the APIs.
roles-nothing = No permissions
roles-none = No roles yet.
roles-permissions =
    { $count ->
        [0] No permissions
        [one] { $count } permission
       *[other] { $count } permissions
    }
roles-delete = Delete role
roles-delete-lead = Members who hold this role lose it at once.
roles-delete-now = Delete now

## api-keys: API keys on the console.

api-keys-title = API keys
api-keys-lead = Each key acts for one member and is limited to its scopes.
api-keys-none = No API keys yet.
api-keys-make = Create an API key
api-keys-name = Name
api-keys-name-hint = Say what uses the key, so that you recognize it later.
api-keys-scope = Scopes
api-keys-thirty-days = 30 days
api-keys-ninety-days = 90 days
api-keys-one-year = 1 year
api-keys-make-now = Create key
api-keys-made = Your new API key
api-keys-made-lead = Copy it now. It is not shown again.
api-keys-kept = I saved it
api-keys-works-until = Valid until { $date }
api-keys-revoked-on = Revoked on { $date }
api-keys-expired-on = Expired on { $date }
api-keys-used-on = last used on { $date }
api-keys-never-used = never used
api-keys-revoke = Revoke

## applications: Applications, services and agents on the console.

applications-title = Applications
applications-lead = Clients of this organization: applications, services and agents that request tokens.
applications-none = No applications yet.
applications-back = All applications
applications-register = Register an application
applications-register-now = Register
applications-save = Save changes
applications-settings = Settings
applications-vouched = verified
applications-kind = Type
applications-application = Application
applications-application-about = People sign in to it
applications-service = Service
applications-service-about = A program that acts for itself
applications-agent = Agent
applications-agent-about = An autonomous program; you are responsible for it
applications-name = Name
applications-name-hint = Shown to users on the consent page.
applications-purpose = Purpose
applications-purpose-hint = One sentence. Required for an agent.
applications-redirects = Redirect URIs
applications-redirects-hint = Where users return after they sign in: one per line, exactly as the application sends it. https, or http on localhost.
applications-proof = Client authentication
applications-proof-hint = An application in a browser or on a phone cannot keep a secret: choose none.
applications-by-nothing = none: public client, such as a browser or mobile application
applications-by-basic = client_secret_basic: secret in the Authorization header
applications-by-post = client_secret_post: secret in the request body
applications-by-keys = private_key_jwt: signature with its own key
applications-by-other = Another method, set with the management API
applications-keys = JWKS URI
applications-keys-hint = Only for private_key_jwt: where its public keys are published.
applications-grants = Grant types
applications-code = Authorization code: users sign in with a browser
applications-refresh = Refresh token: it renews its tokens without the user
applications-own = Client credentials: it acts for itself, with the roles below
applications-exchange = Token exchange: it acts on behalf of a user
applications-device = Device authorization: users enter a code that a device shows
applications-approval = CIBA: it asks a user for approval on another device
applications-scope = Allowed scopes
applications-scope-hint = Separated by spaces, such as openid profile email or permissions of your APIs. The application can request at most these; a scope grants nothing by itself. Leave empty to allow none.
applications-scope-nothing = None
applications-scope-unlimited = No limit is set, so it can request every scope about a user.
applications-roles-hint = Only for the client credentials grant. You can assign only permissions that you hold yourself.
applications-connect = Connect it
applications-connect-lead = Code for common frameworks, with the values of this application. Pass the secret in the environment variable CLIENT_SECRET.
applications-discovery = Discovery document
applications-client-id = Client ID
applications-owner = Responsible member
applications-secrets = Client secrets
applications-secrets-lead = Each secret was shown once. During a rotation, earlier secrets stay valid for a while.
applications-secret-since = Created on { $date }
applications-secret-until = valid until { $date }
applications-secret-stays = does not expire
applications-new-secret = New secret
applications-overlap = Earlier secrets
applications-overlap-none = Stop working at once
applications-overlap-hour = Stay valid for one hour
applications-overlap-day = Stay valid for one day
applications-overlap-week = Stay valid for one week
applications-add-secret = Create a new secret
applications-revoke = Revoke
applications-shown = Client secret
applications-shown-lead = Copy it now. It is not shown again.
applications-off-lead = Its tokens and secrets stop working at once. Nothing is deleted, and you can enable it again.
applications-on-lead = Its tokens and secrets work again as before.
applications-delete = Delete application
applications-delete-lead = All access it was granted ends. Users can no longer sign in through it.
applications-delete-now = Delete now

## domains: Domains on the console.

domains-title = Domains
domains-lead = While a domain is verified, your organization is responsible for the e-mail addresses in it.
domains-none = No domains yet.
domains-claim = Add a domain
domains-name = Domain
domains-name-hint = Such as example.org. You then get a TXT record to publish in its DNS.
domains-claim-now = Add domain
domains-waits = pending verification
domains-proven = verified
domains-missing = TXT record missing
domains-since = Added on { $date }
domains-proven-on = Verified on { $date }
domains-missing-since = Its TXT record has been missing since { $date }. Publish it again, or the domain loses its verification.
domains-record = Publish this TXT record in the DNS of the domain:
domains-record-name = Name
domains-record-kind = Type
domains-record-value = Value
domains-check = Check now
domains-release = Remove
domains-release-lead = Your organization is no longer responsible for the e-mail addresses in it.
domains-release-now = Remove now

## connections: Identity provider connections on the console.

connections-title = Identity providers
connections-lead = Members sign in at your organization’s own identity provider (single sign-on).
connections-none = No identity providers yet.
connections-back = All identity providers
connections-open-id = OpenID Connect provider
connections-saml = SAML 2.0 provider
connections-connect-open-id = Connect with OpenID Connect
connections-connect-saml = Connect with SAML 2.0
connections-connect-now = Connect
connections-connect-hint = The connection is disabled at first. The next page shows what to register at the provider.
connections-name = Display name
connections-name-hint = Shown on the sign-in button.
connections-issuer-hint = The provider’s issuer URL, exactly as in its discovery document. It cannot be changed later.
connections-client-id-hint = The client ID that the provider gave this service.
connections-secret = Client secret
connections-secret-hint = As the provider shows it. It is never shown here.
connections-secret-kept = A secret is set and never shown. Leave empty to keep it.
connections-secret-again = For security, the secret you entered was not kept. Enter it again.
connections-scopes-hint = Separated by spaces.
connections-metadata = Provider metadata (XML)
connections-metadata-hint = The SAML metadata document, at most 48 KiB: entity ID, single sign-on URL and signing certificates.
connections-metadata-kept = Leave empty to keep the current URL and certificates.
connections-metadata-again = The metadata you pasted was not kept. Paste it again.
connections-subject-hint = NameID, if it is persistent, or an attribute that never changes for a user.
connections-email-hint = An attribute, or NameID. Without it, users cannot join at their first sign-in.
connections-full-name = Name attribute
connections-full-name-hint = The attribute with the user’s full name.
connections-domains-hint = Domains of the organization, one per line. Users with an address in a verified one sign in at this provider.
connections-owners = Only owners can connect an identity provider or change its trust settings. You can change its name, replace its secret and remove domains.
connections-settings = Settings
connections-save = Save
connections-issuer = Issuer
connections-provider-entity-id = Entity ID of the provider
connections-client-id = Client ID
connections-authentication = Client authentication
connections-by-secret = client_secret_basic: a secret from the provider
connections-by-key = private_key_jwt: a signature with a key of this service
connections-scopes = Scopes
connections-sso-url = Single sign-on URL
connections-certificates = Signing certificates (SHA-256)
connections-ends-on = expires on { $date }
connections-subject = Subject attribute
connections-email = E-mail attribute
connections-domains = Domains
connections-no-domains = none
connections-more = Other settings of this connection were made with the management API and are kept.
connections-register = Register at the identity provider
connections-register-lead = Copy these values to the identity provider exactly as shown.
connections-callback = Redirect URI
connections-acs-url = ACS URL
connections-entity-id = Entity ID and metadata URL
connections-keys = JWKS URI
connections-access = Sign-in
connections-test = Test connection
connections-test-lead = Checks the settings without signing anyone in.
connections-switch-on = Enable
connections-on-lead = Users whose domain belongs to this connection sign in at the provider.
connections-off-lead = No one can sign in with this provider, and sign-ins in progress are refused.
connections-delete = Delete connection
connections-delete-lead = No one can sign in with this provider. Users stay linked, for a later connection to the same provider.
connections-delete-now = Delete now

## webhooks: Webhooks on the console.

webhooks-title = Webhooks
webhooks-lead = URLs of yours that receive events, signed and in order.
webhooks-none = No webhooks yet.
webhooks-back = All webhooks
webhooks-add = Add a webhook
webhooks-add-now = Add webhook
webhooks-address = URL
webhooks-address-hint = Such as https://example.org/events. It receives events from now on.
webhooks-about = Description
webhooks-about-hint = So that you recognize it later.
webhooks-told-of = Event types
webhooks-everything = All events of the audit log
webhooks-chosen = Selected event types
webhooks-others = Other event types
webhooks-working = active
webhooks-failing = failing
webhooks-paused = paused
webhooks-paused-failing = Paused on { $date }, after three days of failed deliveries.
webhooks-paused-gone = Paused on { $date }, because the URL answered 410 Gone.
webhooks-paused-stopped = Paused on { $date } by a member.
webhooks-failing-since = Deliveries have failed since { $date }.
webhooks-next-attempt = Next retry
webhooks-behind = There may be events that were not delivered yet.
webhooks-both-until = Previous secret also signs
webhooks-until = until { $date }
webhooks-settings = Settings
webhooks-save = Save
webhooks-secret = Webhook secret
webhooks-secret-lead = Your server verifies the signature of each event with it.
webhooks-overlap = Previous secret
webhooks-overlap-none = Stops signing at once
webhooks-overlap-hour = Also signs for one hour
webhooks-overlap-day = Also signs for one day
webhooks-overlap-week = Also signs for one week
webhooks-rotate = Rotate secret
webhooks-shown = Webhook secret
webhooks-shown-lead = Copy it now. It is not shown again.
webhooks-telling = Delivery
webhooks-test = Send test event
webhooks-test-lead = Sends a webhook.tested event, in order with all others.
webhooks-pause = Pause
webhooks-pause-lead = Events are kept and delivered when you resume.
webhooks-resume = Resume
webhooks-resume-lead = Delivers everything that was kept, starting with the event that failed.
webhooks-replay = Replay events
webhooks-replay-lead = Delivers all events since the beginning of that day again, each with its original ID.
webhooks-replay-from = From
webhooks-replay-now = Replay now
webhooks-delete = Delete webhook
webhooks-delete-lead = Deliveries stop, including those that are waiting.
webhooks-delete-now = Delete now
webhooks-attempts = Deliveries
webhooks-attempts-lead = Deliveries of the last 30 days, newest first.
webhooks-attempts-none = No deliveries yet.
webhooks-answered = status { $status }
webhooks-unreached = no response in time
webhooks-told = delivered
webhooks-again = failed, will retry
webhooks-given-up = failed

## audit-log: The audit log on the console.

audit-log-title = Audit log
audit-log-lead = Who did what in this organization, newest first. Entries cannot be changed.
audit-log-none = No events yet.
audit-log-none-such = No events match this filter.
audit-log-filter = Filter
audit-log-kind = Event type
audit-log-any-kind = All event types
audit-log-from = From
audit-log-to = To
audit-log-days-hint = Days begin at midnight UTC.
audit-log-show = Apply
audit-log-everything = Clear filter
audit-log-only = Actor: { $actor }
audit-log-back = All events
audit-log-name = Event type
audit-log-when = Time
audit-log-who = Actor
audit-log-whom = Target
audit-log-reason = Reason
audit-log-facts = Details
audit-log-no-facts = No further details.
audit-log-of-actor = All events of this actor
audit-log-of-kind = All events of this type
audit-log-of-member = Activity in the audit log
audit-log-you = you
audit-log-former = former member
audit-log-member = a member
audit-log-operator = an operator
audit-log-person = an account
audit-log-unknown = anonymous
audit-log-system = system
audit-log-client = an application or service
audit-log-key = an API key
audit-log-role = a role
audit-log-invitation = an invitation
audit-log-secret = a secret
audit-log-api = an API
audit-log-domain = a domain
audit-log-connection = a connection
audit-log-webhook = a webhook
audit-log-assignment = an assignment
audit-log-grant = an application’s access
audit-log-organization = Organization
audit-log-members = Accounts and members
audit-log-roles = Roles and access
audit-log-clients = Applications and APIs
audit-log-operators = Operators
audit-log-sign-on = Domains and identity providers
audit-log-webhooks = Webhooks

## notices: The results of console forms.

notices-roles-changed = Roles saved.
notices-switched-off = Member disabled.
notices-switched-on = Member enabled.
notices-removed = Member removed.
notices-invited = Invitation sent.
notices-withdrawn = Invitation revoked.
notices-key-revoked = API key revoked. It no longer works.
notices-key-shown = This key was already created and shown. It is not shown again; if you lost it, revoke it and create another.
notices-role-made = Role created.
notices-role-changed = Role saved.
notices-role-deleted = Role deleted.
notices-bad-role-name = Use 1 to 64 lower-case letters, digits, - and _.
notices-name-taken = There is already a role with this name.
notices-bad-permissions = A selected permission does not exist, or no longer exists. Check your selection and save again.
notices-domain-claimed = Domain added. Publish its TXT record, then check it.
notices-domain-proven = Domain verified.
notices-domain-released = Domain removed.
notices-bad-domain = Enter a domain that your organization can own, such as example.org.
notices-domain-taken = The organization already has this domain, or has reached the limit of 50.
notices-not-proven = The TXT record was not found, the DNS did not answer, or another organization verified this domain. Publish the record exactly as shown, wait until it is visible, and check again.
notices-registered = Application registered.
notices-application-changed = Application saved.
notices-application-off = Application disabled.
notices-application-on = Application enabled.
notices-application-deleted = Application deleted.
notices-secret-revoked = Secret revoked. It no longer works.
notices-made-before = This form was already submitted. A secret is not shown again; if you lost it, create another.
notices-provider-connected = Identity provider connected, but disabled. Register the values below at the provider, test the connection, then enable it.
notices-connection-changed = Connection saved.
notices-no-more-connections = An organization can have at most 10 identity providers. Delete one first.
notices-owners-decide = Only owners can connect an identity provider or change its trust settings.
notices-bad-issuer = Enter the issuer as an https URL without ? and #.
notices-bad-client-id = Enter the client ID: 1 to 256 visible characters.
notices-bad-client-secret = Enter the client secret, at most 1024 characters. With private_key_jwt there is none.
notices-bad-scopes = Enter 1 to 20 scopes, separated by spaces, including openid.
notices-bad-metadata = This is not valid SAML metadata of an identity provider, or it has expired, describes another provider, lacks a single sign-on URL with HTTP-Redirect or a usable certificate, or is larger than 48 KiB.
notices-provider-taken = The organization already has a connection to this provider, or its issuer cannot be used. Change or delete the existing connection.
notices-bad-subject = Enter NameID, or an attribute name of 1 to 256 visible characters.
notices-bad-attribute = Enter an attribute name of at most 256 visible characters, or NameID.
notices-bad-name-attribute = Enter an attribute name of at most 256 visible characters.
notices-bad-domains = Enter domains of the organization, one per line, each once, at most 50. Add them under Domains first.
notices-connection-on = Connection enabled. Users of its domains now sign in at the provider.
notices-connection-off = Connection disabled.
notices-change-it-first = A setting of this connection is no longer valid, so it stays disabled. Change that setting first.
notices-connection-deleted = Connection deleted.
notices-connection-works = The connection works.
notices-no-description = The provider’s discovery document or metadata could not be loaded, or does not match the settings.
notices-no-provider-keys = The provider’s public keys could not be loaded, or none can be used.
notices-not-taken = The provider did not accept the client authentication of this service.
notices-bad-certificates = None of the provider’s certificates is valid now.
notices-webhook-changed = Webhook saved.
notices-webhook-paused = Webhook paused.
notices-webhook-resumed = Webhook resumed.
notices-webhook-tested = Test event queued. See the result under Deliveries.
notices-webhook-replayed = All events since that day are queued again.
notices-webhook-deleted = Webhook deleted.
notices-bad-address = Enter an https URL without user name, password and #.
notices-no-kinds = Select at least one event type, or all events.
notices-no-more-webhooks = An organization can have at most 20 webhooks. Delete one first.
notices-is-paused = The webhook is paused. Resume it first.
notices-bad-since = Enter a day that is not in the future, such as 2026-11-16.
notices-bad-description = Use at most 200 visible characters.
notices-no-purpose = Enter a purpose of at most 200 visible characters.
notices-bad-redirects = The authorization code grant needs 1 to 20 redirect URIs, one per line, each once: https, http on localhost, or a private-use scheme with a dot or a host (app://host/path), without # and *.
notices-must-prove = The client credentials grant and CIBA need client authentication; with the profile fapi2, private_key_jwt or mTLS.
notices-over-the-api = This conflicts with a setting that was made with the management API. Change it there.
notices-bad-public-keys = Enter the https URL of its JWKS.
notices-bad-grants = Select at least one grant type. A refresh token also needs a grant type in which users take part.
notices-bad-scope = These scopes are not valid, or are reserved for verified applications.
notices-needs-role = The client credentials grant needs at least one role.
notices-no-more-secrets = The application has reached the limit of secrets, or does not authenticate with one.
notices-last-secret = This is the secret in use. Create a new one first, or disable the application.
notices-changed = This was changed in the meantime. The current values are shown; check your input and save again.
notices-not-yours = You can grant only permissions that you hold yourself, and only owners can manage owners.
notices-last-owner = An organization needs at least one owner.
notices-no-roles = Select at least one role.
notices-no-name = Enter a name of at most 200 visible characters.
notices-no-scope = Select at least one scope.
notices-bad-email = Enter a valid e-mail address.
notices-already-invited = There is already a pending invitation to this address. Revoke it first.
notices-too-many = Too many invitations were sent to this address. Try again tomorrow.
notices-suspended = The organization is suspended and cannot be changed.
notices-gone = This no longer exists.
notices-role-gone = A selected role no longer exists. Check your selection and send it again.
notices-bad-days = An invitation can be valid for 1 to 7 days.
notices-bad-key-days = An API key can be valid for 1 to 365 days.
notices-too-much = This is too much for one form. Select or enter less, or use the management API.
notices-accepted = The invitation was already accepted.
notices-not-allowed = You do not have the permission to do this.
notices-not-possible = This is not possible right now.
notices-busy = The server is busy. Try again in a moment.
notices-proven = You are verified. For five minutes you can send the form without signing in again.
notices-type-again = You are verified, but nothing was saved yet: for security, one field was not kept. Fill it in again and send the form.
notices-not-kept = You are verified, but nothing was saved yet. Fill in the form again; for five minutes you need not sign in again.
notices-not-done = You are verified, but your change was lost and not made. Make it again now; you need not sign in again.
notices-bad-kind = There is no such event type.
notices-too-many-words = Search for at most eight words.
notices-bad-search = Search for one to eight words, at most 256 characters.
notices-bad-day = Enter a day such as 2026-11-16.
notices-sign-in-again = This needs a recent sign-in. Sign out, sign in again and repeat it.

## form-errors: Form errors.

form-errors-wrong-proof = That didn’t match. Check it and try again.
form-errors-wrong-code = This code is wrong or has expired. Check it, or request a new one.
form-errors-missing = Fill in the marked fields.
form-errors-bad-email = Enter a valid e-mail address.
form-errors-bad-phone = Enter a phone number that starts with + and the country code.
form-errors-taken-by-you = This is already one of your e-mail addresses or phone numbers.
form-errors-password-short = Use at least { $minimum } characters. Several words are easy to remember.
form-errors-password-long = Use at most { $maximum } characters.
form-errors-password-refused = This password is too common or contains a name that is easy to guess. Choose another.
form-errors-too-many = Too many attempts. Try again in { $time }.
form-errors-seconds =
    { $count ->
        [one] { $count } second
       *[other] { $count } seconds
    }
form-errors-minutes =
    { $count ->
        [one] { $count } minute
       *[other] { $count } minutes
    }
form-errors-out-of-turn = This step is already done, perhaps in another tab. This is the current step.
form-errors-passkey = The passkey was not used: the request was canceled, took too long, or the passkey belongs to another site.
form-errors-passkey-unsupported = This browser does not support passkeys.
form-errors-no-provider = There is no single sign-on for this address. Check the address, or sign in another way.
form-errors-provider = Your organization’s identity provider did not confirm who you are, or you have no account here. Try again, or contact your organization’s administrator.
form-errors-not-possible = This is not possible right now.
form-errors-sign-in-again = Sign out and sign in again first: your account has no other way to confirm your identity.
form-errors-busy = The server is busy. Nothing was lost: try again in a moment.

## device-label: Browsers and operating systems, as named in session lists and e-mail.

device-label-on = { $browser } on { $system }
device-label-unknown = an unknown device
device-label-android-application = an Android application

## event-kind: Event types of the audit log. The name is the event type, with a hyphen for its dot.

event-kind-instance-created = Instance created
event-kind-server-started = Node started
event-kind-server-stopped = Node stopped
event-kind-signing_key-generated = Signing key generated
event-kind-signing_key-imported = Signing key imported
event-kind-signing_key-rotated = Signing key rotated
event-kind-signing_key-revoked = Signing key revoked
event-kind-instance_key-rotated = Instance key rotated
event-kind-backup-taken = Backup taken
event-kind-backup-restored = Backup restored
event-kind-log-exported = Security log exported
event-kind-log-personal_erased = IP addresses erased from the security log
event-kind-log-archived = Security log archived
event-kind-log-cut = Archived events removed from the database
event-kind-organization-created = Organization created
event-kind-organization-changed = Organization updated
event-kind-organization-suspended = Organization suspended
event-kind-organization-restored = Organization restored
event-kind-organization-deletion_asked = Organization deletion requested
event-kind-organization-deletion_withdrawn = Organization deletion canceled
event-kind-organization-administered = Accessed by an operator
event-kind-membership-created = Member added
event-kind-membership-roles_changed = Member’s roles changed
event-kind-membership-changed = Member’s profile updated
event-kind-membership-claimed = Member signed in for the first time
event-kind-scim-attributes_ignored = SCIM attributes ignored
event-kind-membership-disabled = Member disabled
event-kind-membership-enabled = Member enabled
event-kind-membership-ended = Member left or was removed
event-kind-operator-invited = First operator invited
event-kind-invitation-sent = Invitation sent
event-kind-invitation-accepted = Invitation accepted
event-kind-invitation-revoked = Invitation revoked
event-kind-message-given_up = Message could not be delivered
event-kind-role-created = Role created
event-kind-role-changed = Role updated
event-kind-role-removed = Role deleted
event-kind-api-created = API added
event-kind-api-changed = API updated
event-kind-api-removed = API removed
event-kind-relationships-changed = Relationships changed
event-kind-client-created = Application registered
event-kind-client-changed = Application updated
event-kind-client-disabled = Application disabled
event-kind-client-enabled = Application enabled
event-kind-client-removed = Application deleted
event-kind-client-verified = Application’s verification changed by an operator
event-kind-client-proof_failed = Client authentication failed
event-kind-client-registrations_expired = Unused applications removed
event-kind-client_secret-added = Client secret created
event-kind-client_secret-revoked = Client secret revoked
event-kind-assignment-made = Operator assigned
event-kind-assignment-ended = Operator’s assignment ended
event-kind-membership-impersonated = Operator impersonated a member
event-kind-api_key-issued = API key created
event-kind-api_key-revoked = API key revoked
event-kind-consent-given = Consent given to an application
event-kind-consent-denied = Consent denied to an application
event-kind-grant-given = Access granted to an application
event-kind-code-redeemed = Authorization code redeemed
event-kind-code-replayed = Authorization code used twice
event-kind-code-misdirected = Authorization code used by another application
event-kind-device-requested = Device authorization requested
event-kind-device-recognised = User code entered
event-kind-device-user_code_failed = Wrong user code entered
event-kind-device-allowed = Device allowed
event-kind-device-denied = Device denied
event-kind-device_code-redeemed = Device code redeemed
event-kind-device_code-replayed = Device code used twice
event-kind-device_code-misdirected = Device code used by another application
event-kind-approval-requested = Approval requested by an application
event-kind-approval-given = Request approved
event-kind-approval-denied = Request denied
event-kind-approval-redeemed = Approved request redeemed
event-kind-approval-replayed = Approval used twice
event-kind-approval-misdirected = Approval used by another application
event-kind-approval-notice_given_up = Application could not be notified of an answer
event-kind-refresh_token-rotated = Refresh token rotated
event-kind-refresh_token-used = Refresh token used
event-kind-refresh_token-reused = Refresh token reused
event-kind-refresh_token-misdirected = Refresh token used by another application
event-kind-token-issued = Access token issued to a service
event-kind-token-exchanged = Token exchanged
event-kind-access_token-revoked = Access token revoked
event-kind-grant-revoked = Application’s access revoked
event-kind-account-created = Account created
event-kind-account-imported = Account imported
event-kind-import-finished = Import finished
event-kind-contact-verified = E-mail address or phone number verified
event-kind-password-set = Password set
event-kind-credential-disabled = Sign-in method locked
event-kind-session-started = Signed in
event-kind-sign_in-new_device = Signed in on a new device
event-kind-sign_in-impossible_travel = Signed in from an unusually distant place
event-kind-sign_in-disavowed = Sign-in reported as “not me”
event-kind-session-renewed = Identity confirmed again
event-kind-logout-not_delivered = Application could not be notified of a sign-out
event-kind-session-ended = Signed out
event-kind-credential-failed = Failed sign-in attempt
event-kind-credential-added = Sign-in method added
event-kind-credential-renamed = Sign-in method renamed
event-kind-credential-removed = Sign-in method removed
event-kind-contact-added = E-mail address or phone number added
event-kind-contact-made_primary = Primary e-mail address changed
event-kind-email-changed = E-mail address changed
event-kind-email-restored = Previous e-mail address restored
event-kind-contact-removed = E-mail address or phone number removed
event-kind-account-changed = Account profile updated
event-kind-account-exported = Account data exported
event-kind-account-disabled = Account disabled
event-kind-account-enabled = Account enabled
event-kind-account-sessions_ended = All sessions of an account ended
event-kind-instance-sessions_ended = All sessions of the instance ended
event-kind-account-reset_started = New password requested by an administrator
event-kind-account-deleted = Member deleted their account
event-kind-application-removed = User revoked an application’s access
event-kind-webhook-created = Webhook added
event-kind-webhook-changed = Webhook updated
event-kind-webhook-removed = Webhook deleted
event-kind-webhook-secret_rotated = Webhook secret rotated
event-kind-webhook-paused = Webhook paused
event-kind-webhook-resumed = Webhook resumed
event-kind-webhook-replayed = Webhook events replayed
event-kind-webhook-tested = Webhook test event sent
event-kind-domain-added = Domain added
event-kind-domain-verified = Domain verified
event-kind-domain-missing = Domain’s TXT record missing
event-kind-domain-lost = Domain lost its verification
event-kind-domain-removed = Domain removed
event-kind-connection-created = Identity provider connected
event-kind-connection-changed = Identity provider connection updated
event-kind-connection-tested = Identity provider connection tested
event-kind-identity-linked = Member linked to an identity provider
event-kind-identity-unlinked = Member unlinked from an identity provider
event-kind-connection-removed = Identity provider connection deleted

## mail: E-mail and text messages. Every message can use $service; the texts before a link or a code use $time.

mail-greeting = Hello,
mail-or-code = Or enter this code where you were asked for it:
mail-days =
    { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
mail-hours =
    { $count ->
        [one] { $count } hour
       *[other] { $count } hours
    }
mail-minutes =
    { $count ->
        [one] { $count } minute
       *[other] { $count } minutes
    }
mail-seen-at = Time
mail-seen-device = Device
mail-seen-place = Location
mail-seen-address = IP address
mail-passkey = passkey
mail-password = password
mail-application = authenticator app
mail-recovery-codes = recovery codes
mail-code-by-sms = { $code } is your code for { $service }. Do not share it with anyone.

mail-invitation =
    .subject = You are invited to { $organization }
    .lead = You are invited to join { $organization } at { $service }.
    .link-lead = To accept, open this link within { $time }:
    .link-label = Accept invitation
    .code-lead = To accept, enter this code in the application within { $time }:
    .closing = The invitation works once and only for this address. If you did not expect it, you can ignore this message.

mail-first-operator =
    .subject = Set up { $service }
    .lead = You are invited to become the first operator of { $service }.
    .link-lead = To start, open this link within { $time }:
    .link-label = Create operator account
    .code-lead = To start, enter this code within { $time }:
    .closing = It works once. Do not forward this message: it gives full control of the instance.

mail-sign-in =
    .subject = Sign in to { $service }
    .lead = We received a request to sign in to { $service } with this address.
    .link-lead = Open this link within { $time } and confirm:
    .link-label = Sign in
    .code-lead = Enter this code within { $time }:
    .closing = It works once. If you did not request it, you can ignore this message. We never ask for the code by phone or e-mail.

mail-sign-up =
    .subject = Verify your e-mail address for { $service }
    .lead = Use this message to finish creating your account at { $service }.
    .link-lead = Open this link within { $time } and confirm:
    .link-label = Verify address
    .code-lead = Enter this code within { $time }:
    .closing = If you did not request it, you can ignore this message.

mail-account-exists =
    .subject = You already have an account at { $service }
    .lead = We received a request to create an account at { $service } with this address, but you already have one.
    .link-lead = To sign in, open this link within { $time }:
    .link-label = Sign in
    .code-lead = To sign in, enter this code within { $time }:
    .closing = If you did not request it, you can ignore this message: nothing has changed.

mail-verify-email =
    .subject = Verify your e-mail address for { $service }
    .lead = This address was added to an account at { $service }.
    .link-lead = If the account is yours, open this link within { $time } and confirm:
    .link-label = Verify address
    .code-lead = If the account is yours, enter this code within { $time }:
    .closing = If it is not yours, you can ignore this message: the address will not be used.

mail-reset-password =
    .subject = Reset your password for { $service }
    .lead = We received a request to set a new password at { $service }.
    .link-lead = Open this link within { $time } and confirm:
    .link-label = Set a new password
    .code-lead = Enter this code within { $time }:
    .closing = It works once. If you did not request it, you can ignore this message: your password stays the same.

mail-change-email =
    .subject = Verify your new e-mail address for { $service }
    .lead = We received a request to use this address for your account at { $service }.
    .link-lead = Open this link within { $time } and confirm:
    .link-label = Use this address
    .code-lead = Enter this code within { $time }:
    .closing = Until then your previous address stays in use. If you did not request it, you can ignore this message.

mail-email-changed =
    .subject = Your e-mail address at { $service } was changed
    .lead = The e-mail address of your account at { $service } is now { $address }.
    .link-lead = If you did not do this, open this link within { $time }: it restores this address and ends every session.
    .link-label = Restore this address
    .code-lead = If you did not do this, use this code within { $time } to restore this address:
    .closing = If it was you, there is nothing to do.

mail-new-device =
    .subject = New sign-in to { $service }
    .lead = There was a sign-in to your account at { $service } on a new device.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-impossible-travel =
    .subject = Unusual sign-in to { $service }
    .lead = There was a sign-in to your account at { $service } from a place that is too far from the previous one for the time between.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If you use a VPN, this may have been you.

mail-device-allowed =
    .subject = { $application } has access to your account at { $service }
    .lead = You allowed { $application } on another device to act on your behalf at { $service }.
    .link-lead = If you did not start this yourself, open this link within { $time }: it revokes the access of other devices, ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If you did not start this yourself, use this code within { $time }: it revokes the access of other devices and ends every session.
    .closing = If it was you, there is nothing to do.

mail-approval-asked =
    .subject = { $application } requests your approval at { $service }
    .lead = { $application } wants to act on your behalf at { $service } and needs your approval.
    .link-lead = To view the request and approve or deny it, open this link within { $time }. Opening it approves nothing.
    .link-label = View request
    .code-lead = To view the request and approve or deny it, sign in where you use { $service } within { $time } and look for the request with this number:
    .closing = If you do not expect this, deny it or ignore this message: the request expires.

mail-request-approved =
    .subject = You approved a request from { $application } at { $service }
    .lead = You approved a request from { $application } at { $service }.
    .link-lead = If it was not you, open this link within { $time }: it revokes the approval, ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it revokes the approval and ends every session.
    .closing = If it was you, there is nothing to do.

mail-password-changed =
    .subject = Your password at { $service } was changed
    .lead = A new password was set for your account at { $service }.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-credential-added =
    .subject = New sign-in method at { $service }
    .lead = A sign-in method was added to your account at { $service }: { $name }.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-credential-removed =
    .subject = Sign-in method removed at { $service }
    .lead = A sign-in method was removed from your account at { $service }: { $name }.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-contact-added =
    .subject = New contact for your account at { $service }
    .lead = { $address } was added to your account at { $service } and verified.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-identity-linked =
    .subject = Your account at { $service } was linked to an identity provider
    .lead = You can now sign in to your account at { $service } with the identity provider { $name }.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-identity-unlinked =
    .subject = Your account at { $service } was unlinked from an identity provider
    .lead = You can no longer sign in to your account at { $service } with the identity provider { $name }.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, there is nothing to do.

mail-reset-started =
    .subject = Set a new password at { $service }
    .lead = An administrator of { $service } asks you to set a new password.
    .link-lead = To do so, open this link within { $time }:
    .link-label = Set a new password
    .code-lead = To do so, enter this code within { $time } in the application you sign in with:
    .closing = Only you choose and know the new password. Until then nothing changes.

mail-webhook-paused =
    .subject = A webhook at { $service } was paused
    .lead = Deliveries to the webhook { $address } failed for too long, or it answered that it is gone. { $service } paused it.
    .link-lead = To view it, open this link within { $time }:
    .link-label = View webhook
    .code-lead = To view it, enter this code within { $time }:
    .closing = No event is lost: when you resume the webhook, all events since then are delivered in order.

mail-recovery-codes-used-up =
    .subject = You have no recovery codes left at { $service }
    .lead = The last recovery code of your account at { $service } was used. Generate new ones, so that you can still sign in if you lose your phone.
    .link-lead = If it was not you, open this link within { $time }: it ends every session and lets you set a new password.
    .link-label = It was not me
    .code-lead = If it was not you, use this code within { $time }: it ends every session.
    .closing = If it was you, generate new codes on your account page.
