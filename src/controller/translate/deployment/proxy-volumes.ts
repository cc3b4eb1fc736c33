import type { DeployedProxy } from './deployed-proxy.ts'
import { modelCatalogs } from './model-catalogs.ts'
import { deploymentName, xdsCaName } from './names.ts'
import { mountPaths } from './proxy-environment.ts'
import { spiffeSocket } from './spiffe-socket.ts'

/** A volume of a pod, and where its container has it. */
interface MountedVolume {
  readonly name: string
  readonly mountPath: string
  /** The volume, without its name. */
  readonly source: object
  readonly readOnly?: boolean
}

const TOKEN_SECONDS = 43_200

/** The volumes of proxies. */
export const proxyVolumes = ({
  gateway: { metadata },
  settings: { xds },
  parameters,
  mesh,
}: DeployedProxy): readonly MountedVolume[] => {
  const socket = spiffeSocket(parameters)
  return [
    {
      name: 'config-volume',
      mountPath: mountPaths.config,
      source: { configMap: { name: deploymentName(metadata.name) } },
    },
    { name: 'tmp', mountPath: mountPaths.temporary, source: { emptyDir: {} } },
    { name: 'xds-token', mountPath: mountPaths.xdsToken, source: token('agentgateway', 'xds-token') },
    ...(xds.certificateSecret === undefined
      ? []
      : [
          {
            name: 'xds-ca',
            mountPath: mountPaths.xdsCa,
            source: { configMap: { name: xdsCaName(metadata.name) } },
          },
        ]),
    ...(mesh ? meshVolumes : []),
    ...modelCatalogs(parameters).map(({ configMap, volume, mountPath, items }) => ({
      name: volume,
      mountPath,
      source: { configMap: { name: configMap, items } },
      readOnly: true,
    })),
    ...(socket
      ? [
          {
            name: 'spiffe-workload-api',
            mountPath: socket.mountPath,
            source: socket.source,
            readOnly: true,
          },
        ]
      : []),
  ]
}

const token = (audience: string, path: string): object => ({
  projected: {
    sources: [{ serviceAccountToken: { audience, expirationSeconds: TOKEN_SECONDS, path } }],
  },
})

const meshVolumes: readonly MountedVolume[] = [
  {
    name: 'istiod-ca-cert',
    mountPath: '/var/run/secrets/istio',
    source: { configMap: { name: 'istio-ca-root-cert' } },
  },
  { name: 'istio-token', mountPath: '/var/run/secrets/tokens', source: token('istio-ca', 'istio-token') },
]
