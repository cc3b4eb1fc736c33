import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { translatedBackend } from '../backend/translated-backend.ts'
import { translatedModel } from '../model/translated-model.ts'
import { translatedPolicy } from '../policy/translated-policy.ts'
import type { KeySetSource } from './key-set-source.ts'
import { storedKeySetNames } from './stored-key-set.ts'

/** A ConfigMap of the store; without a source it is to be deleted. */
export interface WantedKeySet {
  readonly name: string
  readonly source: KeySetSource | undefined
}

/** The key sets that policies and backends refer to, each fetched as often as the most demanding of them asks for, and the orphans. */
export const wantedKeySets: Query<readonly WantedKeySet[]> = defineQuery('wantedKeySets', (reads) => {
  const sources = new Map<string, KeySetSource>()
  const holders = [
    ...reads.objects('ProxyPolicy').map((policy) => reads.tryQuery(translatedPolicy, objectKey(policy))),
    ...reads.objects('ProxyBackend').map((backend) => reads.tryQuery(translatedBackend, objectKey(backend))),
    ...reads.objects('ProxyModel').map((model) => reads.tryQuery(translatedModel, objectKey(model))),
  ]
  for (const source of holders.flatMap((holder) => holder?.keySets ?? [])) {
    const known = sources.get(source.name)
    if (!known || source.refreshMs < known.refreshMs) sources.set(source.name, source)
  }
  const orphans = reads.query(storedKeySetNames, '').filter((name) => !sources.has(name))
  return [
    ...[...sources].map(([name, source]) => ({ name, source })),
    ...orphans.map((name) => ({ name, source: undefined })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
})
