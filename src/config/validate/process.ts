import type { ProcessVariables } from '../environment-variables.ts'
import { defaults } from '../defaults.ts'
import { parseDuration } from '../format/duration.ts'
import type { Check, ValidationContext } from './context.ts'

/** Checks settings of the process that contradict one another. */
export const checkProcess =
  (variables: ProcessVariables): Check =>
  (view) => {
    const { config, frontendPolicies } = view.file
    const older = config?.logging?.filter !== undefined || config?.logging?.fields !== undefined
    if (older && (frontendPolicies?.accessLog ?? frontendPolicies?.logging) !== undefined) {
      view.problem(
        '/config/logging',
        'cannot use deprecated config.logging.filter or fields together with frontendPolicies.accessLog',
      )
    }
    const least = parseDuration(config?.connectionMinTerminationDeadline ?? '0')
    const most = parseDuration(config?.connectionTerminationDeadline ?? '')
    if (least !== undefined && most !== undefined && least > most) {
      view.problem(
        '/config/connectionMinTerminationDeadline',
        'is longer than connectionTerminationDeadline, which ends the wait',
      )
    }
    const { key, address } = config?.session ?? {}
    if (
      address !== undefined &&
      [key, variables.sessionKeys, variables.cookieKeys].every((one) => !one?.length)
    )
      view.problem(
        '/config/session/address',
        'needs a key that all replicas have',
        'set config.session.key or the variable SESSION_KEY',
      )
    if (address !== undefined) examineAddress(view, address, { ...config, ...variables })
    const { gateways, binds, mcp, llm } = view.file
    if ([gateways, binds, mcp, llm].every((section) => section === undefined)) {
      view.warning('', 'no_listeners', 'there are neither gateways nor binds: no port is opened')
    }
  }

/** The servers of the process itself have no routes: a request forwarded to them finds none. */
function examineAddress(
  view: ValidationContext,
  address: string,
  given: Partial<Record<OwnServer, string>>,
): void {
  const url = URL.parse(address)
  const port = url?.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url?.port
  const own = ownServers.find((name) => (given[name] ?? defaults[name]).endsWith(`:${String(port)}`))
  if (own)
    view.warning(
      '/config/session/address',
      'session_address_no_routes',
      `leads to the port of ${own}, which has no routes`,
    )
}

const ownServers = ['adminAddr', 'statsAddr', 'readinessAddr'] as const
type OwnServer = (typeof ownServers)[number]
