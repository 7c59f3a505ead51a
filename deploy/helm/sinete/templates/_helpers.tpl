{{- define "sinete.fullname" -}}
{{- if contains "sinete" .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-sinete" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "sinete.selector" -}}
app.kubernetes.io/name: sinete
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sinete.labels" -}}
{{ include "sinete.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "sinete.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sinete.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sinete.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- /* The host of the base URL, without its port. */ -}}
{{- define "sinete.host" -}}
{{- (split ":" (urlParse .Values.config.base_url).host)._0 -}}
{{- end -}}

{{- /* One value in TOML. YAML numbers arrive as floats, but all numeric settings are integers. */ -}}
{{- define "sinete.value" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}{{- else -}}{{ toRawJson . }}{{- end -}}
{{- end -}}

{{- /* A tree of settings as lines of dotted keys. */ -}}
{{- define "sinete.settings" -}}
{{- $prefix := .prefix -}}
{{- range $key, $value := .tree }}
{{- if kindIs "map" $value }}
{{- include "sinete.settings" (dict "prefix" (printf "%s%s." $prefix $key) "tree" $value) }}
{{- else if not (kindIs "invalid" $value) }}
{{ $prefix }}{{ $key }} = {{ include "sinete.value" $value }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The configuration file. */ -}}
{{- define "sinete.configuration" -}}
{{- $_ := required "config.base_url is required: the https URL that users and clients use" .Values.config.base_url -}}
{{- if and (eq .Values.database "sqlite") (gt (int .Values.replicas) 1) -}}
{{- fail "SQLite serves one node: set replicas to 1, or database to postgres" -}}
{{- end -}}
{{- $own := dict
    "mode" "production"
    "listen" "0.0.0.0:8080"
    "admin_listen" "0.0.0.0:9090"
    "data_dir" "/var/lib/sinete"
    "log" (dict "format" "json")
    "database" (dict "migrate_on_start" (not .Values.setup.enabled))
    "shutdown" (dict "notice_seconds" (int .Values.shutdown.noticeSeconds) "drain_seconds" (int .Values.shutdown.drainSeconds))
-}}
{{- include "sinete.settings" (dict "prefix" "" "tree" (mergeOverwrite $own (deepCopy .Values.config))) | trim -}}
{{- end -}}

{{- define "sinete.env" -}}
- name: SINETE_INSTANCE_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secret.name }}
      key: instance_key
- name: SINETE_PREVIOUS_INSTANCE_KEYS
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secret.name }}
      key: previous_instance_keys
      optional: true
{{- if eq .Values.database "postgres" }}
- name: SINETE_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secret.name }}
      key: database_url
{{- end }}
{{- range $variable, $key := .Values.secret.variables }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.secret.name }}
      key: {{ $key }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sinete.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "sinete.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "sinete.mounts" -}}
- name: configuration
  mountPath: /etc/sinete
  readOnly: true
- name: data
  mountPath: /var/lib/sinete
- name: temporary
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Containers that apply migrations and generate keys, one after the other. */ -}}
{{- define "sinete.setupSteps" -}}
{{- $steps := list (list "migrate" (list "migrate")) -}}
{{- if .Values.setup.signingKeys -}}
{{- $steps = append $steps (list "signing-keys" (list "keys" "generate")) -}}
{{- end -}}
{{- range $steps }}
- name: {{ index . 0 }}
  image: {{ include "sinete.image" $ | quote }}
  imagePullPolicy: {{ $.Values.image.pullPolicy }}
  args: {{ index . 1 | toJson }}
  env:
    {{- include "sinete.env" $ | nindent 4 }}
  securityContext:
    {{- include "sinete.containerSecurity" $ | nindent 4 }}
  resources:
    {{- toYaml $.Values.resources | nindent 4 }}
  volumeMounts:
    {{- include "sinete.mounts" $ | nindent 4 }}
{{- end }}
{{- end -}}
