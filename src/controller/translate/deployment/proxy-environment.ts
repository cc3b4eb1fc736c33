import { hostPortText } from '../../../protocols/ip/host-port.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import type { DeploymentSettings } from './deployment-settings.ts'
import { deploymentName, sessionKeyName } from './names.ts'

/** A variable of a container. */
export type EnvironmentVariable =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: Readonly<Record<string, unknown>> }

/** Where the volumes of a proxy are mounted. */
export const mountPaths = {
  config: '/config',
  temporary: '/tmp',
  xdsToken: '/var/run/secrets/xds-tokens',
  xdsCa: '/etc/xds-tls',
}

/** How long a pod may take to end, in seconds. */
export const GRACE_PERIOD_SECONDS = 60

const MIN_DEADLINE_SECONDS = 10

/** The environment of a proxy. */
export const proxyEnvironment = (
  { metadata }: Gateway,
  { xds }: DeploymentSettings,
): readonly EnvironmentVariable[] => [
  { name: 'TERMINATION_GRACE_PERIOD_SECONDS', value: String(GRACE_PERIOD_SECONDS) },
  { name: 'CONNECTION_MIN_TERMINATION_DEADLINE', value: `${String(MIN_DEADLINE_SECONDS)}s` },
  fromField('NODE_NAME', 'spec.nodeName'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  fromField('POD_NAME', 'metadata.name'),
  // Empty where the cluster does not copy the labels of nodes to pods.
  fromField('ZONE', "metadata.labels['topology.kubernetes.io/zone']"),
  {
    name: 'SESSION_KEY',
    valueFrom: { secretKeyRef: { name: sessionKeyName(metadata.name), key: 'key' } },
  },
  {
    name: 'XDS_ADDRESS',
    value: `${xds.certificateSecret === undefined ? 'http' : 'https'}://${hostPortText(xds.host, xds.port)}`,
  },
  ...(xds.certificateSecret === undefined
    ? []
    : [{ name: 'XDS_ROOT_CA', value: `${mountPaths.xdsCa}/ca.crt` }]),
  fromField('NAMESPACE', 'metadata.namespace'),
  // The name of the service account as well, so that xDS can compare them.
  { name: 'GATEWAY', value: deploymentName(metadata.name) },
  { name: 'CPU_LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } } },
  fromField('INSTANCE_IP', 'status.podIP'),
  fromField('SERVICE_ACCOUNT', 'spec.serviceAccountName'),
]

const fromField = (name: string, fieldPath: string): EnvironmentVariable => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
})
