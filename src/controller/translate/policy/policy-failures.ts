import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { translatedBackend } from '../backend/translated-backend.ts'
import type { TranslationFailure } from '../translation-failure.ts'
import { translatedPolicy } from './translated-policy.ts'

/** The policies of ProxyPolicies and ProxyBackends that could not be translated, while the rest was. */
export const policyFailures: Query<readonly TranslationFailure[]> = defineQuery('policyFailures', (reads) => [
  ...reads
    .objects('ProxyPolicy')
    .map(objectKey)
    .flatMap((key) =>
      (reads.tryQuery(translatedPolicy, key)?.forms ?? []).flatMap(({ failure }) =>
        failure === undefined ? [] : [{ kind: 'ProxyPolicy' as const, key, error: failure }],
      ),
    ),
  ...reads
    .objects('ProxyBackend')
    .map(objectKey)
    .flatMap((key) =>
      (reads.tryQuery(translatedBackend, key)?.failures ?? []).map((error) => ({
        kind: 'ProxyBackend' as const,
        key,
        error,
      })),
    ),
])
