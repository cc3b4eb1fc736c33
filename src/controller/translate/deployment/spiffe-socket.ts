import type { MergedParameters } from '../parameters/merge-parameters.ts'

/** The socket of the SPIFFE Workload API in a pod. */
export interface SpiffeSocket {
  readonly mountPath: string
  readonly endpoint: string
  /** The volume, without its name. */
  readonly source: object
}

/** Where the socket comes from; undefined without parameters for it. */
export const spiffeSocket = ({ spiffe }: MergedParameters): SpiffeSocket | undefined => {
  if (!spiffe || spiffe.enabled === false) return undefined
  const {
    csi,
    hostPath,
    mountPath = '/spiffe-workload-api',
    socketName = 'spire-agent.sock',
  } = spiffe.source ?? {}
  return {
    mountPath,
    endpoint: `unix://${mountPath.replace(/\/+$/, '')}/${socketName}`,
    source: hostPath
      ? { hostPath: { path: hostPath.path, type: 'Directory' } }
      : { csi: { driver: csi?.driver ?? 'csi.spiffe.io', readOnly: true } },
  }
}
