import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterObject } from './cluster-objects.ts'
import type { Unchecked } from './cluster-finding.ts'
import { clusterFailure, isApiStatus, permissionText, receivedList } from '../kubernetes/cluster-failure.ts'
import type { Cluster } from '../kubernetes/load-cluster.ts'

/** Where the API server serves a kind. */
export interface CheckedKind {
  readonly kind: string
  readonly group: string
  /** The first one that is served is read. */
  readonly versions: readonly string[]
  readonly plural: string
  readonly isClusterScoped?: boolean
}

/** Reads objects for a check, each once. What the account may not read is left out, and recorded. */
export class ClusterReader {
  readonly cluster: Cluster
  /** Undefined for all. */
  readonly namespace: string | undefined
  readonly #unchecked = new Map<string, string>()
  readonly #objects = new Map<string, Promise<unknown>>()

  constructor(cluster: Cluster, namespace: string | undefined) {
    this.cluster = cluster
    this.namespace = namespace
  }

  /** What could not be looked at so far. */
  get unchecked(): readonly Unchecked[] {
    return Array.from(this.#unchecked, ([subject, reason]) => ({ subject, reason }))
  }

  /** Records that something could not be looked at. */
  skip(subject: string, reason: string): void {
    this.#unchecked.set(subject, reason)
  }

  /** The objects of a kind; undefined if the kind is not served, or may not be read. */
  async list(kind: CheckedKind): Promise<readonly ClusterObject[] | undefined> {
    const { client, config } = this.cluster
    const custom = config.makeApiClient(client.CustomObjectsApi)
    const { group, plural, isClusterScoped = false } = kind
    const { namespace } = this
    const version = await this.#servedVersion(kind)
    if (version === undefined) return undefined
    const resource = { group, version, plural }
    const list = (await this.#allowed(plural, () =>
      namespace === undefined || isClusterScoped
        ? custom.listClusterCustomObject(resource)
        : custom.listNamespacedCustomObject({ ...resource, namespace }),
    )) as { readonly items?: readonly ClusterObject[] } | undefined
    return list && (list.items ?? [])
  }

  /** Of kinds that are not served, the API server would say that they may not be read. Discovery is for everybody. */
  async #servedVersion({ group, versions, plural }: CheckedKind): Promise<string | undefined> {
    const { client, config } = this.cluster
    const custom = config.makeApiClient(client.CustomObjectsApi)
    for (const version of versions) {
      const served = (await this.#once(`${group}/${version}`, async () =>
        receivedList((await custom.getAPIResources({ group, version })).resources),
      )) as readonly { readonly name: string }[] | 'hidden' | undefined
      if (served === 'hidden') return version
      if (served?.some(({ name }) => name === plural)) return version
    }
    return undefined
  }

  /** An object of a namespace; undefined if there is none, `hidden` if it may not be read. */
  async object(
    kind: CheckedKind,
    namespace: string,
    name: string,
  ): Promise<ClusterObject | 'hidden' | undefined> {
    const { client, config } = this.cluster
    const custom = config.makeApiClient(client.CustomObjectsApi)
    const [version = 'v1'] = kind.versions
    const { group, plural } = kind
    return (await this.#once(`${plural} ${namespace}/${name}`, () =>
      custom.getNamespacedCustomObject({ group, version, plural, namespace, name }),
    )) as ClusterObject | 'hidden' | undefined
  }

  /** The data of a Secret or a ConfigMap, as text; undefined if there is none, or it may not be read. */
  async data(kind: 'Secret' | 'ConfigMap', namespace: string, name: string): Promise<DataFields | undefined> {
    const { client, config } = this.cluster
    const core = config.makeApiClient(client.CoreV1Api)
    const found = (await this.#once(`${kind} ${namespace}/${name}`, () =>
      kind === 'Secret'
        ? core.readNamespacedSecret({ namespace, name })
        : core.readNamespacedConfigMap({ namespace, name }),
    )) as { readonly data?: DataFields } | 'hidden' | undefined
    if (found === undefined || found === 'hidden' || kind === 'ConfigMap')
      return found === 'hidden' ? undefined : found?.data
    return Object.fromEntries(
      Object.entries(found.data ?? {}).map(([field, text]) => [
        field,
        Buffer.from(text ?? '', 'base64').toString(),
      ]),
    )
  }

  #once(subject: string, read: () => Promise<unknown>): Promise<unknown> {
    const known = this.#objects.get(subject)
    if (known) return known
    const reading = this.#allowed(subject, read).then((found) =>
      found === undefined && this.#unchecked.has(subject) ? 'hidden' : found,
    )
    this.#objects.set(subject, reading)
    return reading
  }

  async #allowed(subject: string, read: () => Promise<unknown>): Promise<unknown> {
    try {
      return await retried(read)
    } catch (error) {
      if (isApiStatus(error, 404)) return undefined
      if (!isApiStatus(error, 403)) throw clusterFailure(`failed reading ${subject}`, error)
      this.#unchecked.set(subject, permissionText(error))
      return undefined
    }
  }
}

const ATTEMPTS = 10

/** An API server that is busy, or has not loaded a kind yet, asks for another attempt; kubectl does the same. */
const retried = async (read: () => Promise<unknown>): Promise<unknown> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (attempt === ATTEMPTS || !isApiStatus(error, 429)) throw error
      await pause(1_000)
    }
  }
}

type DataFields = Readonly<Partial<Record<string, string>>>
