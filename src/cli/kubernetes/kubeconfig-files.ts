import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Cluster, Context, KubeConfig, User } from '@kubernetes/client-node'
import { parse } from 'yaml'
import { environmentProxy } from './environment-proxy.ts'
import { type KubeconfigUser, userExtras } from './kubeconfig-user.ts'
import { kubectlConfig, withExtras } from './kubectl-config.ts'

/** Where access to a cluster may be described, as kubectl reads it. */
export interface KubeconfigFiles {
  readonly files: readonly string[]
  /** The file of an option has to be there; others may be absent. */
  readonly isRequired: boolean
}

/** The file of the option, else those of `$KUBECONFIG`, else `~/.kube/config`, for users that have a home. */
export const kubeconfigFiles = (option: string | undefined): KubeconfigFiles => {
  if (option !== undefined) return { files: [option], isRequired: true }
  const listed = (process.env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '')
  return { files: listed.length > 0 ? listed : filesOfUser(), isRequired: false }
}

const filesOfUser = (): readonly string[] => {
  try {
    return [join(homedir(), '.kube', 'config')]
  } catch {
    // A user that the system does not know, as in many containers.
    return []
  }
}

/**
 * Reads files into one configuration, as kubectl does: of clusters, users, contexts and the current context, the first
 * file that has one wins. The library would refuse duplicates and absent files, and let the last current context win.
 *
 * @returns Undefined if the files have nothing.
 */
export const readKubeconfigFiles = (
  client: typeof import('./kubernetes-library.ts'),
  { files, isRequired }: KubeconfigFiles,
): KubeConfig | undefined => {
  const configs = files
    .filter((file) => isRequired || existsSync(file))
    .flatMap((file) => readOne(client, file) ?? [])
  if (configs.length === 0) return undefined
  const merged = kubectlConfig(client)
  const users = firstOfName(configs.map((config) => config.getUsers()))
  merged.loadFromOptions({
    clusters: firstOfName(configs.map((config) => config.getClusters())).map(reachedCluster),
    users: [...users, anonymous],
    contexts: firstOfName(configs.map((config) => config.getContexts())).map(userOfContext),
    currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean) ?? '',
  })
  return merged
}

/**
 * Paths in a file are relative to it. A file that is empty, or has comments only, has nothing. Entries that are not
 * complete are as if they were not there: `kubectl config set-cluster` writes such ones, and others may be current.
 */
const readOne = (client: typeof import('./kubernetes-library.ts'), file: string): KubeConfig | undefined => {
  try {
    const document: unknown = parse(readFileSync(file, 'utf8'))
    if (document === null) return undefined
    const config = new client.KubeConfig()
    config.loadFromFile(file, { onInvalidEntry: 'filter' })
    const written = usersIn(document)
    config.users = config.users.map((user) => usableUser(user, written.get(user.name) ?? {}, file))
    return config
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(reason.includes(file) ? reason : `${file}: ${reason}`, { cause: error })
  }
}

interface WrittenUser {
  readonly name: string
  readonly user?: KubeconfigUser | null
}

const usersIn = (document: unknown): ReadonlyMap<string, KubeconfigUser> => {
  const { users } = document as { readonly users?: readonly WrittenUser[] | null }
  return new Map((users ?? []).map(({ name, user }) => [name, user ?? {}]))
}

/** Data precede files. Providers of clouds are the library's. */
const usableUser = (user: User, written: KubeconfigUser, file: string): User => {
  const own = withoutFiles(user)
  return user.authProvider === undefined || user.authProvider === null
    ? withExtras(own, userExtras(written, file))
    : own
}

const withoutFiles = ({ certFile, keyFile, ...user }: User): User => ({
  ...user,
  ...(!user.certData && certFile && { certFile }),
  ...(!user.keyData && keyFile && { keyFile }),
})

/** The user of contexts that have none: without one, the library would not look at the authority of the cluster. */
const anonymous: User = { name: '' }

const userOfContext = (context: Context): Context => ({
  ...context,
  user: (context as Partial<Context>).user ?? anonymous.name,
})

/** Data precede the file, and the proxy of the file that of the environment. */
const reachedCluster = ({ caFile, ...cluster }: Cluster): Cluster => {
  const proxyUrl = cluster.proxyUrl ?? environmentProxy(cluster.server, process.env)
  return {
    ...cluster,
    // The library refuses servers without TLS otherwise, such as `kubectl proxy`.
    ...(cluster.server.startsWith('http:') && { skipTLSVerify: true }),
    ...(!cluster.caData && caFile !== undefined && { caFile }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  }
}

const firstOfName = <T extends { readonly name: string }>(lists: readonly (readonly T[])[]): readonly T[] => {
  const byName = new Map<string, T>()
  for (const one of lists.flat()) if (!byName.has(one.name)) byName.set(one.name, one)
  return [...byName.values()]
}
