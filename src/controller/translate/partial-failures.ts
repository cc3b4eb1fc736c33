import { objectKey } from '../kinds/object.ts'
import { defineQuery, type Query } from '../graph/query.ts'
import { reachedRoutes, tooLargeGroups, tooManyRules } from './delegation/delegated-routes.ts'
import { parseRouteGroupName } from './delegation/route-group.ts'
import { gatewayListeners } from './listener/gateway-listeners.ts'
import { routeParentFailures } from './route/route-candidates.ts'
import { parseRouteId, routeId, routeObjectKinds } from './route/route-id.ts'
import { routeRules } from './rule/route-rules.ts'
import type { TranslationFailure } from './translation-failure.ts'

/**
 * The listeners of a Gateway and the rules of its routes that could not be translated, while the rest of their objects
 * was. Key: that of the Gateway.
 */
export const partialFailures: Query<readonly TranslationFailure[]> = defineQuery(
  'partialFailures',
  (reads, gateway) => [
    ...failures('Gateway', gateway, reads.query(gatewayListeners, gateway)),
    ...reads.query(reachedRoutes, gateway).flatMap((route) => {
      const { kind, key } = parseRouteId(route)
      return failures(kind, key, reads.tryQuery(routeRules, route) ?? [])
    }),
    ...reads.query(tooLargeGroups, gateway).map(tooLarge),
  ],
)

/** The parentRefs of routes that could not be evaluated: no Gateway is known to have them. */
export const parentFailures: Query<readonly TranslationFailure[]> = defineQuery('parentFailures', (reads) =>
  routeObjectKinds.flatMap((kind) =>
    reads
      .objects(kind)
      .map(objectKey)
      .flatMap((key) =>
        (reads.tryQuery(routeParentFailures, routeId(kind, key)) ?? []).map((error): TranslationFailure => ({
          kind,
          key,
          error,
        })),
      ),
  ),
)

const tooLarge = (group: string): TranslationFailure => ({
  kind: 'HTTPRoute',
  key: parseRouteGroupName(group).source,
  error: new Error(tooManyRules([group])),
})

const failures = (
  kind: TranslationFailure['kind'],
  key: string,
  parts: readonly { readonly failure?: unknown }[],
): readonly TranslationFailure[] =>
  parts.flatMap(({ failure }) => (failure === undefined ? [] : [{ kind, key, error: failure }]))
