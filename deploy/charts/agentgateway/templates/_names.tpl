{{- define "agentgateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "agentgateway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "agentgateway.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "agentgateway.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{- default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{- /* The labels by which pods are selected. They never change: the selector of a Deployment is immutable. */ -}}
{{- define "agentgateway.selectorLabels" -}}
agentgateway: agentgateway
app.kubernetes.io/name: {{ include "agentgateway.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- /* Labels of all objects. Given ones may add to ours, and not replace them. */ -}}
{{- define "agentgateway.labels" -}}
{{- $own := include "agentgateway.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- $_ := set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- include "agentgateway.addLabels" (list $own "commonLabels" .Values.commonLabels) }}
{{- end }}

{{- /* Labels of pods, which a new version of the chart need not replace. */ -}}
{{- define "agentgateway.podLabels" -}}
{{- $own := include "agentgateway.selectorLabels" . | fromYaml -}}
{{- $common := include "agentgateway.addLabels" (list $own "commonLabels" .Values.commonLabels) | fromYaml -}}
{{- include "agentgateway.addLabels" (list $own "podLabels" .Values.podLabels) | fromYaml | mergeOverwrite $common | toYaml }}
{{- end }}

{{- /* (list labels key more): both, as long as no label of the first is among the second. */ -}}
{{- define "agentgateway.addLabels" -}}
{{- $own := index . 0 -}}
{{- $key := index . 1 -}}
{{- $more := index . 2 | default dict -}}
{{- range $name, $_ := $more -}}
{{- if hasKey $own $name -}}
{{- fail (printf "%s: the label %s is set by the chart" $key $name) -}}
{{- end -}}
{{- end -}}
{{- merge (deepCopy $own) $more | toYaml }}
{{- end }}

{{- define "agentgateway.roleName" -}}
agentgateway-{{ .Release.Namespace }}
{{- end }}
