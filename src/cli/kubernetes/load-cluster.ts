import { existsSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { KubeConfig } from '@kubernetes/client-node'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'
import { kubeconfigFiles, readKubeconfigFiles } from './kubeconfig-files.ts'

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
 * Loads the access to a cluster, by the precedence of kubectl: the file of the option, those of `$KUBECONFIG`,
 * `~/.kube/config`; without any, the account of the pod. The library is loaded here, because it is large.
 *
 * @param alternative What the command can do without a cluster, for the hint: `--local inspects …`.
 */
export const loadCluster = async (options: ClusterOptions, alternative?: string): Promise<Cluster> => {
  if (options.namespace !== undefined) checkNamespace(options.namespace)
  const files = kubeconfigFiles(options.kubeconfig)
  if (!files.isRequired && !files.files.some((file) => existsSync(file)) && !isInPod())
    throw noAccess(files.files, alternative)
  const client = await import('./kubernetes-library.ts')
  try {
    const config = readKubeconfigFiles(client, files) ?? accountOfPod(client)
    if (!config) throw new Error(`nothing is configured in ${files.files.join(', ')}`)
    const context = contextOf(config, options.context)
    config.setCurrentContext(context.name)
    const target = config.getCurrentCluster()
    if (target === null)
      throw new Error(
        `the cluster "${context.cluster}" of context "${context.name}" is not there, or has no server`,
      )
    if (config.getCurrentUser() === null)
      throw new Error(`the user "${context.user}" of context "${context.name}" is not there`)
    // Credentials are for connections that nobody else reads.
    if (target.server.startsWith('http:')) config.users = [{ name: context.user }]
    if (!target.caData && !target.caFile) trustSystem()
    return { client, config, namespace: options.namespace ?? namespaceOf(context) }
  } catch (error) {
    throw new CommandFailure(`failed to build Kubernetes client config: ${messageOf(error)}`, {
      hint: '-k FILE chooses a kubeconfig file, --context NAME one of its contexts.',
      exitCode: exitCode.unreachable,
      cause: error,
    })
  }
}

/** A slash would be a path of its own at the API server, which then has no such kinds. */
const checkNamespace = (namespace: string): void => {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace))
    throw usageFailure(
      `invalid --namespace ${namespace}`,
      'Names of namespaces have small letters, digits and hyphens.',
    )
}

const noAccess = (files: readonly string[], alternative: string | undefined): CommandFailure =>
  new CommandFailure(
    `failed to build Kubernetes client config: there is no kubeconfig file${files.length > 0 ? `: ${files.join(', ')}` : ', and this user has no home folder for one'}`,
    {
      hint: [
        ...(alternative === undefined ? [] : [alternative]),
        '-k FILE or $KUBECONFIG gives access to a cluster.',
      ].join('; '),
      exitCode: exitCode.unreachable,
    },
  )

/** The authorities of this machine, which Node does not trust by itself. */
const trustSystem = (): void => {
  const all = ['default', 'system'] as const
  setDefaultCACertificates([...new Set(all.flatMap((kind) => getCACertificates(kind)))])
}

const isInPod = (): boolean =>
  (process.env.KUBERNETES_SERVICE_HOST ?? '') !== '' &&
  existsSync('/var/run/secrets/kubernetes.io/serviceaccount/token')

const accountOfPod = (client: typeof import('./kubernetes-library.ts')): KubeConfig | undefined => {
  if (!isInPod()) return undefined
  const config = new client.KubeConfig()
  config.loadFromCluster()
  return config
}

const contextOf = (config: KubeConfig, option: string | undefined) => {
  const name = option ?? config.getCurrentContext()
  const context = config.getContextObject(name)
  if (context) return context
  const names = config.getContexts().map((one) => one.name)
  const known = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`
  throw new Error(name === '' ? `no context is current; ${known}` : `there is no context "${name}"; ${known}`)
}

/** An empty one counts as none. */
const namespaceOf = ({ namespace = '' }: { readonly namespace?: string | null }): string =>
  namespace === null || namespace === '' ? 'default' : namespace

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
