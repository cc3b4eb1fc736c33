{{- /* Tags of images have a `v` before a version: (1.2.3) → v1.2.3, and (latest) → latest. */ -}}
{{- define "agentgateway.tag" -}}
{{- if regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$" . -}}
{{- printf "v%s" . | replace "+" "_" }}
{{- else -}}
{{- . }}
{{- end -}}
{{- end }}

{{- define "agentgateway.controllerImage" -}}
{{- $image := .Values.controller.image -}}
{{- $registry := default .Values.image.registry $image.registry -}}
{{- $tag := $image.tag | default .Values.image.tag | default .Chart.AppVersion -}}
{{- $name := printf "%s:%s" $image.repository (include "agentgateway.tag" $tag) -}}
{{- if $registry -}}
{{- printf "%s/%s" $registry $name }}
{{- else -}}
{{- $name }}
{{- end -}}
{{- end }}
