{{- /* What would be accepted and be without effect, or not work: installing it ends here, with the reason. */ -}}
{{- define "agentgateway.refusals" -}}
{{- $name := include "agentgateway.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "%s cannot be the name of a Service, which has letters, digits and - and begins with a letter: set fullnameOverride" $name) -}}
{{- end -}}
{{- $ports := .Values.controller.service.ports -}}
{{- $numbers := list ($ports.agwGrpc | int) ($ports.health | int) ($ports.metrics | int) -}}
{{- if ne (len (uniq $numbers)) 3 -}}
{{- fail "controller.service.ports: must differ from each other" -}}
{{- end -}}
{{- if has 9095 $numbers -}}
{{- fail "controller.service.ports: 9095 is the port of the admin server" -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (empty .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name: name the service account if serviceAccount.create is false" -}}
{{- end -}}
{{- with .Values.monitoring -}}
{{- if and .enabled .serviceMonitor.enabled (not $.Values.controller.service.enabled) -}}
{{- fail "monitoring.serviceMonitor.enabled: needs controller.service.enabled" -}}
{{- end -}}
{{- end -}}
{{- end }}
