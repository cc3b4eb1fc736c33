import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'

/** Where access to a cluster may be described, as kubectl reads it. */
export interface KubeconfigFiles {
  readonly files: readonly string[]
  /** The file of an option has to be there; others may be absent. */
  readonly isRequired: boolean
}

/** The file of the option, else those of `$KUBECONFIG`, else `~/.kube/config`. */
export const kubeconfigFiles = (option: string | undefined): KubeconfigFiles => {
  if (option !== undefined) return { files: [option], isRequired: true }
  const listed = (process.env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '')
  return { files: listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')], isRequired: false }
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
  const merged = new client.KubeConfig()
  merged.loadFromOptions({
    clusters: firstOfName(configs.map((config) => config.getClusters())),
    users: firstOfName(configs.map((config) => config.getUsers())),
    contexts: firstOfName(configs.map((config) => config.getContexts())),
    currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean) ?? '',
  })
  return merged
}

/** Paths in a file are relative to it. An empty file has nothing. */
const readOne = (client: typeof import('./kubernetes-library.ts'), file: string): KubeConfig | undefined => {
  try {
    if (readFileSync(file, 'utf8').trim() === '') return undefined
    const config = new client.KubeConfig()
    config.loadFromFile(file)
    return config
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(reason.includes(file) ? reason : `${file}: ${reason}`, { cause: error })
  }
}

const firstOfName = <T extends { readonly name: string }>(lists: readonly (readonly T[])[]): readonly T[] => {
  const byName = new Map<string, T>()
  for (const one of lists.flat()) if (!byName.has(one.name)) byName.set(one.name, one)
  return [...byName.values()]
}
