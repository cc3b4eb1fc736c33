import { objectKey } from '../kinds/object.ts'
import { defineQuery, type Query } from '../graph/query.ts'
import { gatewayListeners } from './listener/gateway-listeners.ts'
import { routeParentFailures } from './route/route-parents.ts'
import { servedRoutes } from './route/route-resources.ts'
import { httpRouteRules } from './rule/http-route-rules.ts'
import type { TranslationFailure } from './translation-failure.ts'

/**
 * The listeners of a Gateway and the rules of its routes that could not be translated, while the rest of their objects
 * was. Key: that of the Gateway.
 */
export const partialFailures: Query<readonly TranslationFailure[]> = defineQuery(
  'partialFailures',
  (reads, gateway) => [
    ...failures('Gateway', gateway, reads.query(gatewayListeners, gateway)),
    ...reads
      .query(servedRoutes, gateway)
      .flatMap((route) => failures('HTTPRoute', route, reads.tryQuery(httpRouteRules, route) ?? [])),
  ],
)

/** The parentRefs of routes that could not be evaluated: no Gateway is known to have them. */
export const parentFailures: Query<readonly TranslationFailure[]> = defineQuery('parentFailures', (reads) =>
  reads
    .objects('HTTPRoute')
    .map(objectKey)
    .flatMap((key) =>
      (reads.tryQuery(routeParentFailures, key) ?? []).map((error): TranslationFailure => ({
        kind: 'HTTPRoute',
        key,
        error,
      })),
    ),
)

const failures = (
  kind: TranslationFailure['kind'],
  key: string,
  parts: readonly { readonly failure?: unknown }[],
): readonly TranslationFailure[] =>
  parts.flatMap(({ failure }) => (failure === undefined ? [] : [{ kind, key, error: failure }]))
