import { hostPortText } from '../../../protocols/ip/host-port.ts'
import type { EnvironmentVariable } from '../../kinds/proxy-parameters.ts'
import { mergeVariables } from '../parameters/merge-parameters.ts'
import type { Mesh } from '../parameters/mesh.ts'
import type { DeployedProxy } from './deployed-proxy.ts'
import { deploymentName, sessionKeyName } from './names.ts'

/** Where the volumes of a proxy are mounted. */
export const mountPaths = {
  config: '/config',
  temporary: '/tmp',
  xdsToken: '/var/run/secrets/xds-tokens',
  xdsCa: '/etc/xds-tls',
}

/** The variable with the session key of proxies. */
export const SESSION_KEY = 'SESSION_KEY'

/** How long a pod may take to end, in seconds. */
export const gracePeriodSeconds = ({ parameters: { shutdown } }: DeployedProxy): number => shutdown?.max ?? 60

const MIN_DEADLINE_SECONDS = 10

/** The environment of a proxy: variables of parameters are in place of those of the same name. */
export const proxyEnvironment = (proxy: DeployedProxy): readonly EnvironmentVariable[] =>
  mergeVariables([...ownVariables(proxy), ...meshVariables(proxy.mesh)], proxy.parameters.env)

const ownVariables = (proxy: DeployedProxy): readonly EnvironmentVariable[] => {
  const {
    gateway: { metadata },
    settings: { xds },
    parameters: { shutdown },
  } = proxy
  const isEncrypted = xds.certificateSecret !== undefined
  return [
    { name: 'TERMINATION_GRACE_PERIOD_SECONDS', value: String(gracePeriodSeconds(proxy)) },
    {
      name: 'CONNECTION_MIN_TERMINATION_DEADLINE',
      value: `${String(shutdown?.min ?? MIN_DEADLINE_SECONDS)}s`,
    },
    fromField('NODE_NAME', 'spec.nodeName'),
    fromField('POD_NAMESPACE', 'metadata.namespace'),
    fromField('POD_NAME', 'metadata.name'),
    // Empty where the cluster does not copy the labels of nodes to pods.
    fromField('ZONE', "metadata.labels['topology.kubernetes.io/zone']"),
    {
      name: SESSION_KEY,
      valueFrom: { secretKeyRef: { name: sessionKeyName(metadata.name), key: 'key' } },
    },
    { name: 'XDS_ADDRESS', value: `${isEncrypted ? 'https' : 'http'}://${hostPortText(xds.host, xds.port)}` },
    ...(isEncrypted ? [{ name: 'XDS_ROOT_CA', value: `${mountPaths.xdsCa}/ca.crt` }] : []),
    fromField('NAMESPACE', 'metadata.namespace'),
    // The name of the service account as well, so that xDS can compare them.
    { name: 'GATEWAY', value: deploymentName(metadata.name) },
    { name: 'CPU_LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } } },
    fromField('INSTANCE_IP', 'status.podIP'),
    fromField('SERVICE_ACCOUNT', 'spec.serviceAccountName'),
  ]
}

const meshVariables = (mesh: Mesh | undefined): readonly EnvironmentVariable[] => {
  if (!mesh) return []
  const { caAddress, trustDomain, additionalTrustDomains, clusterId, network } = mesh
  return [
    { name: 'CA_ADDRESS', value: caAddress },
    { name: 'TRUST_DOMAIN', value: trustDomain },
    ...(additionalTrustDomains.length > 0
      ? [{ name: 'ADDITIONAL_TRUST_DOMAINS', value: additionalTrustDomains.join(',') }]
      : []),
    ...(clusterId === undefined ? [] : [{ name: 'CLUSTER_ID', value: clusterId }]),
    ...(network === undefined ? [] : [{ name: 'NETWORK', value: network }]),
  ]
}

const fromField = (name: string, fieldPath: string): EnvironmentVariable => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
})
