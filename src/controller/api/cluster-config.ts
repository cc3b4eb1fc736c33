import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'

/** What an API server is reached with. */
export interface ClusterConfig {
  readonly server: string
  /** Of the context or of the pod. */
  readonly namespace: string | undefined
  /** Of the proxy before the API server. */
  readonly proxyUrl: string | undefined
  /** The certificates and headers of now: files and plugins are consulted again. */
  credentials(): Promise<RequestOptions>
}

/** A configuration that the library has read: plugins and providers of credentials included. */
export const libraryConfig = (config: KubeConfig): ClusterConfig => {
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new Error('the current context of the kubeconfig has no cluster')
  return {
    server: cluster.server,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    proxyUrl: cluster.proxyUrl,
    credentials: async () => {
      const options: RequestOptions = {}
      await config.applyToHTTPSOptions(options)
      return options
    },
  }
}
