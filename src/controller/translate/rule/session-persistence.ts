import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteRule } from '../../kinds/http-route.ts'
import { parseGatewayDuration } from './gateway-duration.ts'
import { checkedFormat } from './route-match.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

type SessionPersistence = NonNullable<HTTPRouteRule['sessionPersistence']>

/**
 * Keeps the requests of a session at one endpoint: the first reply gives the client a random token, in a cookie or a
 * header, and requests are distributed by the hash of their token. So replicas need to share nothing; when endpoints
 * come or go, the sessions of few of them move.
 */
export const sessionPolicies = (
  persistence: SessionPersistence | undefined,
  context: RuleContext,
): Pick<File.RoutePolicies, 'transformations' | 'loadBalancing'> => {
  if (!persistence) return {}
  const { type = 'Cookie', sessionName = 'agentgateway-session' } = persistence
  const name = JSON.stringify(checkedFormat('headerName', sessionName, 'session name', context))
  const received =
    type === 'Cookie' ? `request.headers.cookie(${name})` : `request.headers[${name.toLowerCase()}]`
  checkLifetimes(type, persistence, context)
  return {
    transformations: {
      request: {
        metadata: {
          sessionToken: `default(${received}, uuid())`,
          ...(persistence.absoluteTimeout === undefined
            ? {}
            : { sessionBegins: `default(${received}, "") == ""` }),
        },
      },
      response:
        type === 'Cookie'
          ? { add: { 'set-cookie': cookie(sessionName, persistence) } }
          : { set: { [sessionName.toLowerCase()]: TOKEN } },
    },
    loadBalancing: { ringHash: { key: TOKEN } },
  }
}

const cookie = (name: string, { absoluteTimeout, idleTimeout }: SessionPersistence): string => {
  const lifetimeMs = parseGatewayDuration(absoluteTimeout ?? idleTimeout ?? '')
  const age = lifetimeMs === undefined ? '' : `; Max-Age=${Math.ceil(lifetimeMs / 1000)}`
  const text = `${JSON.stringify(`${name}=`)} + ${TOKEN} + "; Path=/; HttpOnly${age}"`
  // Each reply extends an idle time; it must not extend the life of the session.
  return absoluteTimeout === undefined ? text : `metadata.sessionBegins ? ${text} : null`
}

/** The token does not contain the start of the session: only the age of the cookie tells. */
const checkLifetimes = (
  type: string,
  { absoluteTimeout, idleTimeout, cookieConfig }: SessionPersistence,
  context: RuleContext,
): void => {
  const isPermanent = type === 'Cookie' && cookieConfig?.lifetimeType === 'Permanent'
  for (const [field, timeout] of Object.entries({ absoluteTimeout, idleTimeout })) {
    if (timeout === undefined) continue
    if (parseGatewayDuration(timeout) === undefined)
      addUnsupported(context, `session timeout "${timeout}" is not a duration such as 10s or 1m30s`)
    if (!isPermanent) addUnsupported(context, `sessionPersistence.${field} requires a permanent cookie`)
  }
  if (absoluteTimeout !== undefined && idleTimeout !== undefined)
    addUnsupported(context, 'sessionPersistence.absoluteTimeout and idleTimeout cannot be combined')
}

const TOKEN = 'metadata.sessionToken'
