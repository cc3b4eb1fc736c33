import type { ResourceParameters } from '../../kinds/proxy-parameters.ts'
import type { DeployedProxy } from './deployed-proxy.ts'
import { infrastructure, podLabels } from './gateway-metadata.ts'
import { deploymentName } from './names.ts'
import { gracePeriodSeconds, mountPaths, proxyEnvironment } from './proxy-environment.ts'
import { proxyImage } from './proxy-image.ts'
import { proxyVolumes } from './proxy-volumes.ts'

/** Hashes of what pods read at their start only. A change of one replaces the pods. */
export interface PodChecksums {
  readonly config: string
  /** Undefined if the key is not ours. */
  readonly sessionKey: string | undefined
}

const METRICS_PORT = 15020
const READINESS_PORT = 15021
/**
 * A number, because the kubelet cannot verify `runAsNonRoot` with a name. Any user can run the image, but only its own, which
 * this is, has compiled code there.
 */
const USER = 10101

/** The pods of a Gateway. */
export const proxyPodTemplate = (proxy: DeployedProxy, checksums: PodChecksums): object => {
  const { gateway, mesh } = proxy
  return {
    metadata: {
      labels: { ...podLabels(gateway), ...(mesh && meshLabels) },
      annotations: {
        'prometheus.io/path': '/metrics',
        'prometheus.io/port': String(METRICS_PORT),
        'prometheus.io/scrape': 'true',
        ...infrastructure(gateway, 'annotations'),
        'checksum/config': checksums.config,
        ...(checksums.sessionKey !== undefined && { 'checksum/session-key': checksums.sessionKey }),
      },
    },
    spec: {
      serviceAccountName: deploymentName(gateway.metadata.name),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: gracePeriodSeconds(proxy),
      securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }] },
      containers: [container(proxy)],
      volumes: proxyVolumes(proxy).map(({ name, source }) => ({ name, ...source })),
    },
  }
}

/** A proxy of its own does not need one of the mesh beside it. */
const meshLabels = { 'istio.io/dataplane-mode': 'none', 'sidecar.istio.io/inject': 'false' }

const container = (proxy: DeployedProxy): object => {
  const { settings, parameters } = proxy
  const probe = { httpGet: { path: '/healthz/ready', port: READINESS_PORT, scheme: 'HTTP' } }
  const pullPolicy = parameters.image.pullPolicy ?? settings.imagePullPolicy
  return {
    name: 'agentgateway',
    image: proxyImage(settings, parameters.image),
    ...(pullPolicy !== undefined && { imagePullPolicy: pullPolicy }),
    args: ['-f', `${mountPaths.config}/config.yaml`],
    ports: [{ name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' }],
    env: proxyEnvironment(proxy),
    readinessProbe: { ...probe, periodSeconds: 10 },
    startupProbe: {
      ...probe,
      periodSeconds: 1,
      failureThreshold: 60,
      successThreshold: 1,
      timeoutSeconds: 2,
    },
    resources: resources(parameters.resources),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: USER,
    },
    volumeMounts: proxyVolumes(proxy).map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true && { readOnly }),
    })),
  }
}

const resources = ({ requests, ...others }: ResourceParameters = {}): ResourceParameters => ({
  ...others,
  requests: { cpu: '100m', memory: '128Mi', ...requests },
})
