import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteRule } from '../../kinds/http-route.ts'
import { parseGatewayDuration } from './gateway-duration.ts'
import { checked } from './route-match.ts'
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
  const name = JSON.stringify(checked('headerName', sessionName, 'session name', context))
  const received =
    type === 'Cookie' ? `request.headers.cookie(${name})` : `request.headers[${name.toLowerCase()}]`
  if (type === 'Header' && persistence.absoluteTimeout !== undefined)
    addUnsupported(context, 'sessionPersistence.absoluteTimeout requires a permanent cookie')
  return {
    transformations: {
      request: { metadata: { sessionToken: `default(${received}, uuid())` } },
      response:
        type === 'Cookie'
          ? { add: { 'set-cookie': cookie(sessionName, persistence, context) } }
          : { set: { [sessionName.toLowerCase()]: TOKEN } },
    },
    loadBalancing: { ringHash: { key: TOKEN } },
  }
}

const cookie = (
  name: string,
  { absoluteTimeout, cookieConfig }: SessionPersistence,
  context: RuleContext,
): string => {
  const isPermanent = cookieConfig?.lifetimeType === 'Permanent'
  const lifetimeMs = absoluteTimeout === undefined ? undefined : parseGatewayDuration(absoluteTimeout)
  if (absoluteTimeout !== undefined && lifetimeMs === undefined)
    addUnsupported(context, `session timeout "${absoluteTimeout}" is not a duration such as 10s or 1m30s`)
  // The token does not contain the start of the session.
  if (absoluteTimeout !== undefined && !isPermanent)
    addUnsupported(context, 'sessionPersistence.absoluteTimeout requires a permanent cookie')
  const age = lifetimeMs === undefined ? '' : `; Max-Age=${Math.ceil(lifetimeMs / 1000)}`
  return `${JSON.stringify(`${name}=`)} + ${TOKEN} + "; Path=/; HttpOnly${age}"`
}

const TOKEN = 'metadata.sessionToken'
