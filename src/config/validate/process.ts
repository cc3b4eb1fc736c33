import type { ProcessVariables } from '../environment-variables.ts'
import { defaults } from '../defaults.ts'
import { isLogModule, logModuleNames } from '../../model/log/log-modules.ts'
import { checkRegexRules } from '../../operators/llm/guardrails/validate/guardrails.ts'
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
    examineLog(view)
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
    const hasControlPlane = (variables.xds?.address ?? config?.xdsAddress) !== undefined
    if (!hasControlPlane && [gateways, binds, mcp, llm].every((section) => section === undefined)) {
      view.warning('', 'no_listeners', 'there are neither gateways nor binds: no port is opened')
    }
  }

/** Files of the reference name its own modules, such as `agent_core=trace`: these have no effect here. */
function examineLog(view: ValidationContext): void {
  const { config, frontendPolicies } = view.file
  const names = [config?.logging?.level ?? []]
    .flat()
    .flatMap((level) => level.split(','))
    .filter((entry) => entry.includes('='))
    .map((entry) => entry.slice(0, entry.indexOf('=')).trim())
  for (const name of names.filter((one) => !isLogModule(one)))
    view.warning(
      '/config/logging/level',
      'unknown_log_module',
      `has a level for ${name}, which is no module of the log; modules are ${logModuleNames.join(', ')}`,
    )
  for (const field of ['accessLog', 'logging'] as const)
    checkRegexRules(
      view,
      frontendPolicies?.[field]?.payloads?.mask,
      `/frontendPolicies/${field}/payloads/mask`,
    )
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
