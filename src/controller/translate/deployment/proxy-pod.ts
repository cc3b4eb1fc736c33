import type { Gateway } from '../../kinds/gateway-api.ts'
import type { DeploymentSettings } from './deployment-settings.ts'
import { infrastructure, podLabels } from './gateway-metadata.ts'
import { deploymentName, xdsCaName } from './names.ts'
import { GRACE_PERIOD_SECONDS, mountPaths, proxyEnvironment } from './proxy-environment.ts'

/** Hashes of what pods read at their start only. A change of one replaces the pods. */
export interface PodChecksums {
  readonly config: string
  readonly sessionKey: string
}

const METRICS_PORT = 15020
const READINESS_PORT = 15021
/** A number, because the kubelet cannot verify `runAsNonRoot` with a name. Any user can run the image. */
const USER = 10101
const TOKEN_SECONDS = 43_200

/** The pods of a Gateway. */
export const proxyPodTemplate = (
  gateway: Gateway,
  settings: DeploymentSettings,
  checksums: PodChecksums,
): object => ({
  metadata: {
    labels: podLabels(gateway),
    annotations: {
      'prometheus.io/path': '/metrics',
      'prometheus.io/port': String(METRICS_PORT),
      'prometheus.io/scrape': 'true',
      ...infrastructure(gateway, 'annotations'),
      'checksum/config': checksums.config,
      'checksum/session-key': checksums.sessionKey,
    },
  },
  spec: {
    serviceAccountName: deploymentName(gateway.metadata.name),
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
    securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }] },
    containers: [container(gateway, settings)],
    volumes: volumes(gateway, settings),
  },
})

const container = (gateway: Gateway, settings: DeploymentSettings): object => {
  const probe = { httpGet: { path: '/healthz/ready', port: READINESS_PORT, scheme: 'HTTP' } }
  return {
    name: 'agentgateway',
    image: settings.image,
    ...(settings.imagePullPolicy && { imagePullPolicy: settings.imagePullPolicy }),
    args: ['-f', `${mountPaths.config}/config.yaml`],
    ports: [{ name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' }],
    env: proxyEnvironment(gateway, settings),
    readinessProbe: { ...probe, periodSeconds: 10 },
    startupProbe: {
      ...probe,
      periodSeconds: 1,
      failureThreshold: 60,
      successThreshold: 1,
      timeoutSeconds: 2,
    },
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: USER,
    },
    volumeMounts: [
      { name: 'config-volume', mountPath: mountPaths.config },
      { name: 'tmp', mountPath: mountPaths.temporary },
      { name: 'xds-token', mountPath: mountPaths.xdsToken },
      ...(settings.xds.certificateSecret === undefined
        ? []
        : [{ name: 'xds-ca', mountPath: mountPaths.xdsCa }]),
    ],
  }
}

const volumes = ({ metadata }: Gateway, { xds }: DeploymentSettings): readonly object[] => {
  const name = deploymentName(metadata.name)
  return [
    { name: 'config-volume', configMap: { name } },
    { name: 'tmp', emptyDir: {} },
    {
      name: 'xds-token',
      projected: {
        sources: [
          {
            serviceAccountToken: {
              audience: 'agentgateway',
              expirationSeconds: TOKEN_SECONDS,
              path: 'xds-token',
            },
          },
        ],
      },
    },
    ...(xds.certificateSecret === undefined
      ? []
      : [{ name: 'xds-ca', configMap: { name: xdsCaName(metadata.name) } }]),
  ]
}
