import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ConfigMap } from '../../kinds/core.ts'

/** The key of the document in a ConfigMap of the store. */
export const KEY_SET_ENTRY = 'jwks-store'

/** The labels of the ConfigMaps of the store. */
export const keySetLabels = {
  'app.kubernetes.io/managed-by': 'agentgateway',
  'app.kubernetes.io/component': KEY_SET_ENTRY,
}

/** The annotation that says which control plane has fetched it. */
export const KEY_SET_OWNER = 'agentgateway.dev/controller-name'

/** A fetched key set. */
export interface StoredKeySet {
  readonly url: string
  /** RFC 3339. */
  readonly fetchedAt: string
  /** The key set, as text. */
  readonly jwks: string
}

/** The key set of a ConfigMap of the store; undefined if it has none. */
export const storedKeySet = ({ data }: Pick<ConfigMap, 'data'>): StoredKeySet | undefined => {
  const text = data?.[KEY_SET_ENTRY]
  if (text === undefined) return undefined
  try {
    const { url, fetchedAt, jwks } = JSON.parse(text) as Readonly<Record<string, unknown>>
    return typeof url === 'string' && typeof fetchedAt === 'string' && typeof jwks === 'string'
      ? { url, fetchedAt, jwks }
      : undefined
  } catch {
    return undefined
  }
}

/** The text of a key set of the store, by the name of its ConfigMap. What else has changed with it changes nothing. */
export const storedKeys: Query<string | undefined> = defineQuery('storedKeys', (reads, name) => {
  const found = reads.object('ConfigMap', `${systemNamespace(reads)}/${name}`)
  return found && isOfStore(found, reads) ? storedKeySet(found)?.jwks : undefined
})

/** The names of the ConfigMaps of the store that this control plane has made. */
export const storedKeySetNames: Query<readonly string[]> = defineQuery('storedKeySetNames', (reads) =>
  reads
    .indexed(storeByNamespace, systemNamespace(reads))
    .filter((one) => isOfStore(one, reads))
    .map(({ metadata }) => metadata.name)
    .sort(),
)

const isOfStore = ({ metadata }: ConfigMap, reads: GraphReads): boolean =>
  metadata.annotations?.[KEY_SET_OWNER] === reads.settings.controllerName

const systemNamespace = ({ settings }: GraphReads): string =>
  settings.systemNamespace ?? 'agentgateway-system'

const storeByNamespace = defineIndex('ConfigMap', 'keySets', ({ metadata }) =>
  metadata.labels?.['app.kubernetes.io/component'] === KEY_SET_ENTRY ? [metadata.namespace ?? ''] : [],
)
