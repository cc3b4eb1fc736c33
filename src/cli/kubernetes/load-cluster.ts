import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'

/** Options of commands that work on a cluster. */
export interface ClusterOptions {
  readonly namespace?: string
  readonly kubeconfig?: string
  readonly context?: string
}

/** The access to a cluster, and the namespace that commands work in. */
export interface Cluster {
  readonly client: typeof import('./kubernetes-library.ts')
  readonly config: KubeConfig
  readonly namespace: string
}

/**
 * Loads the access to a cluster: the file of the option, `$KUBECONFIG`, `~/.kube/config` or the account of the pod.
 * The library is loaded here, because it is large.
 */
export const loadCluster = async (options: ClusterOptions): Promise<Cluster> => {
  if (options.kubeconfig === undefined && !hasDefaultConfig())
    throw new CommandFailure('failed to build Kubernetes client config: there is no kubeconfig file', {
      hint: '--local inspects the gateway of this machine; -k FILE or $KUBECONFIG gives access to a cluster.',
      exitCode: exitCode.unreachable,
    })
  const client = await import('./kubernetes-library.ts')
  const config = new client.KubeConfig()
  try {
    if (options.kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(options.kubeconfig)
    if (options.context !== undefined) useContext(config, options.context)
    if (config.getCurrentCluster() === null) throw new Error('the current context has no cluster')
  } catch (error) {
    throw new CommandFailure(`failed to build Kubernetes client config: ${messageOf(error)}`, {
      hint: '-k FILE chooses a kubeconfig file, --context NAME one of its contexts.',
      exitCode: exitCode.unreachable,
      cause: error,
    })
  }
  const ofContext = config.getContextObject(config.getCurrentContext())?.namespace
  return { client, config, namespace: options.namespace ?? ofContext ?? 'default' }
}

const hasDefaultConfig = (): boolean =>
  (process.env.KUBECONFIG ?? '') !== '' ||
  existsSync(join(homedir(), '.kube', 'config')) ||
  existsSync('/var/run/secrets/kubernetes.io/serviceaccount/token')

const useContext = (config: KubeConfig, name: string): void => {
  if (config.getContextObject(name) === null) {
    const names = config.getContexts().map((context) => context.name)
    throw new Error(`there is no context "${name}"; there are ${names.join(', ')}`)
  }
  config.setCurrentContext(name)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
