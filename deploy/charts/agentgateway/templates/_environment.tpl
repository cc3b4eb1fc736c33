{{- /* Variables that the chart sets. What is empty is left to the default of the control plane. */ -}}
{{- define "agentgateway.environment" -}}
{{- $values := .Values -}}
{{- $ports := $values.controller.service.ports -}}
{{- $tag := $values.proxy.image.tag | default $values.image.tag -}}
{{- $pod := dict "POD_NAME" "metadata.name" "POD_NAMESPACE" "metadata.namespace" -}}
{{- $texts := dict
  "AGW_LOG_LEVEL" $values.controller.logLevel
  "AGW_CONTROLLER_NAME" $values.controllerName
  "AGW_AGENTGATEWAY_CLASS_NAME" $values.gatewayClassName
  "AGW_XDS_MODE" $values.controller.xds.mode
  "AGW_XDS_SERVICE_NAME" (include "agentgateway.fullname" .)
  "AGW_AGENTGATEWAY_XDS_SERVICE_PORT" ($ports.agwGrpc | int | toString)
  "AGW_HEALTH_PORT" ($ports.health | int | toString)
  "AGW_METRICS_PORT" ($ports.metrics | int | toString)
  "AGW_PROXY_IMAGE_REGISTRY" ($values.proxy.image.registry | default $values.image.registry)
  "AGW_PROXY_IMAGE_REPOSITORY" $values.proxy.image.repository
  "AGW_PROXY_IMAGE_TAG" (include "agentgateway.tag" $tag)
  "AGW_PROXY_IMAGE_PULL_POLICY" $values.image.pullPolicy
  "AGW_DISCOVERY_NAMESPACE_SELECTORS" ""
  "AGW_GATEWAY_CLASS_PARAMETERS_REFS" ""
  "AGW_ISTIO_AUTO_ENABLED" ($values.istio.autoEnabled | ternary "true" "")
  "AGW_ISTIO_CA_ADDRESS" $values.istio.caAddress
  "AGW_ISTIO_CLUSTER_ID" $values.istio.clusterId
  "AGW_ISTIO_NAMESPACE" $values.istio.namespace
  "AGW_ISTIO_NETWORK" $values.istio.network
  "AGW_ISTIO_REVISION" $values.istio.revision
  "AGW_ENABLE_INFER_EXT" (ternary "true" "" $values.inferenceExtension.enabled)
  "AGW_ENABLE_AGENTGATEWAY_MODELS" (ternary "true" "" $values.agentgatewayModels.enabled)
-}}
{{- with $values.discoveryNamespaceSelectors -}}
{{- $_ := set $texts "AGW_DISCOVERY_NAMESPACE_SELECTORS" (toJson .) -}}
{{- end -}}
{{- with $values.gatewayClassParametersRefs -}}
{{- $_ := set $texts "AGW_GATEWAY_CLASS_PARAMETERS_REFS" (toJson .) -}}
{{- end -}}
{{- range $name, $path := $pod }}
- name: {{ $name }}
  valueFrom:
    fieldRef:
      fieldPath: {{ $path }}
{{- end }}
{{- range $name, $text := $texts }}
{{- if $text }}
- name: {{ $name }}
  value: {{ $text | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := $values.controller.extraEnv }}
{{- if or (hasKey $pod $name) (hasKey $texts $name) }}
{{- fail (printf "controller.extraEnv: %s is set by the chart, from a value of its own" $name) }}
{{- end }}
- name: {{ $name | quote }}
{{- include "agentgateway.variable" (dict "name" $name "value" $value) | nindent 2 }}
{{- end }}
{{- end }}

{{- /* (name, value): what stands beside the name of a variable. */ -}}
{{- define "agentgateway.variable" -}}
{{- $value := .value -}}
{{- if kindIs "map" $value -}}
{{- $hasValue := and (hasKey $value "value") (not (kindIs "invalid" $value.value)) -}}
{{- $hasSource := not (empty $value.valueFrom) -}}
{{- if eq $hasValue $hasSource -}}
{{- fail (printf "controller.extraEnv.%s: either value or valueFrom, and not empty" .name) -}}
{{- end -}}
{{- if $hasSource -}}
valueFrom:
{{- toYaml $value.valueFrom | nindent 2 }}
{{- else -}}
value: {{ include "agentgateway.text" (dict "name" .name "value" $value.value) | quote }}
{{- end -}}
{{- else if kindIs "invalid" $value -}}
{{- fail (printf "controller.extraEnv.%s: has no value" .name) -}}
{{- else -}}
value: {{ include "agentgateway.text" . | quote }}
{{- end -}}
{{- end }}

{{- /*
(name, value): a scalar as it was written. Numbers of YAML are floating-point here: 1000000 would become 1e+06, and of
what has more digits than they have, another number.
*/ -}}
{{- define "agentgateway.text" -}}
{{- $value := .value -}}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) -}}
{{- if or (gt $value 9007199254740991.0) (lt $value -9007199254740991.0) -}}
{{- fail (printf "controller.extraEnv.%s: a number of so many digits must be in quotes" .name) -}}
{{- end -}}
{{- printf "%.0f" $value }}
{{- else -}}
{{- toString $value }}
{{- end -}}
{{- end }}
