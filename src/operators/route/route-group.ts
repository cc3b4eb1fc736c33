import { deny } from '../../model/exchange/reply.ts'
import { perExchange } from '../../pipeline/per-exchange.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'

/**
 * Passes each exchange to the routes of a group; 500 `route_cycle` if it is within that group already. Belongs in the
 * place of a backend.
 *
 * @param depth The number of groups around it. What an exchange records beyond is of an earlier attempt.
 */
export const routeGroup = (name: string, depth: number, routes: Operator): Operator =>
  perExchange((x) => {
    if (x.reply) return undefined
    const around = x.routeGroups.slice(0, depth)
    if (around.includes(name)) return routeCycle
    x.routeGroups = [...around, name]
    return routes
  })

/** In the place of a group that is not compiled: 500 `route_group_limit`. */
export const routeGroupLimit = (message: string): Operator =>
  onRequest('backend', () => deny(500, 'route_group_limit', { message }))

const routeCycle = onRequest('backend', () =>
  deny(500, 'route_cycle', { message: 'route delegation cycle detected' }),
)
