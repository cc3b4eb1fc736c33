import type { XdsSettings } from '../../model/resources/xds-settings.ts'
import { parseBaseUrl } from '../format/base-url.ts'
import type * as File from '../schema/file-types.gen.ts'
import { withScheme, type XdsVariables } from '../xds-variables.ts'
import { definedFields } from './optional-fields.ts'

/** The control plane of the section `config`, overridden by environment variables; undefined without one. */
export function xdsSettings(
  section: File.ProcessSection,
  variables: XdsVariables = {},
): XdsSettings | undefined {
  const address = variables.address ?? section.xdsAddress
  if (address === undefined) return undefined
  const { host, port, isEncrypted } = parseBaseUrl(withScheme(address))
  const namespace = variables.namespace ?? section.namespace ?? ''
  const gateway = variables.gateway ?? section.gateway ?? ''
  const pod = variables.podName ?? gateway
  const ip = variables.instanceIp ?? '127.0.0.1'
  return definedFields<XdsSettings>({
    address: { host, port, tls: isEncrypted },
    rootFile: variables.rootCa ?? section.xdsRootCa,
    tokenFile: variables.tokenFile ?? section.xdsAuthToken,
    headers: variables.headers ?? [],
    node: {
      id: `agentgateway~${ip}~${pod}.${namespace}~${namespace}.svc.cluster.local`,
      metadata: definedFields<Record<string, string>>({
        NAME: pod,
        NAMESPACE: namespace,
        INSTANCE_IPS: ip,
        NODE_NAME: variables.nodeName ?? '',
        CLUSTER_ID: variables.clusterId ?? 'Kubernetes',
        role: `${namespace}~${gateway}`,
      }),
    },
  })
}
