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
{{- include "agentgateway.labelsWith" (list . "commonLabels" .Values.commonLabels) }}
{{- end }}

{{- /* (list root key more): labels of an object that has more of them, which replace common ones. */ -}}
{{- define "agentgateway.labelsWith" -}}
{{- $root := index . 0 -}}
{{- $own := include "agentgateway.selectorLabels" $root | fromYaml -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- $_ := set $own "app.kubernetes.io/version" $root.Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" $root.Release.Service -}}
{{- include "agentgateway.addLabels" (list $root $own (index . 1) (index . 2)) }}
{{- end }}

{{- /* Labels of pods, which a new version of the chart need not replace. */ -}}
{{- define "agentgateway.podLabels" -}}
{{- $own := include "agentgateway.selectorLabels" . | fromYaml -}}
{{- include "agentgateway.addLabels" (list . $own "podLabels" .Values.podLabels) }}
{{- end }}

{{- /* (list root labels key more): the common ones, and both, as long as no label of the first is among the others. */ -}}
{{- define "agentgateway.addLabels" -}}
{{- $own := index . 1 -}}
{{- $common := (index . 0).Values.commonLabels | default dict -}}
{{- $more := index . 3 | default dict -}}
{{- range $key, $given := dict "commonLabels" $common (index . 2) $more -}}
{{- range $name, $_ := $given -}}
{{- if hasKey $own $name -}}
{{- fail (printf "%s: the label %s is set by the chart" $key $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- mergeOverwrite (deepCopy $common) $more $own | toYaml }}
{{- end }}

{{- define "agentgateway.roleName" -}}
agentgateway-{{ .Release.Namespace }}
{{- end }}
