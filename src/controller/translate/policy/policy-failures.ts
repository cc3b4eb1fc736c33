import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { translatedBackend } from '../backend/translated-backend.ts'
import { translatedModel } from '../model/translated-model.ts'
import type { TranslationFailure } from '../translation-failure.ts'
import { translatedPolicy } from './translated-policy.ts'

/** The policies of ProxyPolicies, ProxyBackends and ProxyModels that could not be translated, while the rest was. */
export const policyFailures: Query<readonly TranslationFailure[]> = defineQuery('policyFailures', (reads) => [
  ...reads
    .objects('ProxyPolicy')
    .map(objectKey)
    .flatMap((key) =>
      (reads.tryQuery(translatedPolicy, key)?.forms ?? []).flatMap(({ failure }) =>
        failure === undefined ? [] : [{ kind: 'ProxyPolicy' as const, key, error: failure }],
      ),
    ),
  ...failuresOf(reads, 'ProxyBackend', translatedBackend),
  ...failuresOf(reads, 'ProxyModel', translatedModel),
])

const failuresOf = (
  reads: GraphReads,
  kind: 'ProxyBackend' | 'ProxyModel',
  translated: Query<{ readonly failures: readonly unknown[] } | undefined>,
): readonly TranslationFailure[] =>
  reads
    .objects(kind)
    .map(objectKey)
    .flatMap((key) =>
      (reads.tryQuery(translated, key)?.failures ?? []).map((error) => ({ kind, key, error })),
    )
