import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import type { TranslationFailure } from '../translation-failure.ts'
import { translatedPolicy } from './translated-policy.ts'

/** The policies of ProxyPolicies that could not be translated, while the rest was. */
export const policyFailures: Query<readonly TranslationFailure[]> = defineQuery('policyFailures', (reads) =>
  reads
    .objects('ProxyPolicy')
    .map(objectKey)
    .flatMap((key) =>
      (reads.tryQuery(translatedPolicy, key)?.forms ?? []).flatMap(({ failure }) =>
        failure === undefined ? [] : [{ kind: 'ProxyPolicy' as const, key, error: failure }],
      ),
    ),
)
