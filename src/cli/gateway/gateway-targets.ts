import { AdminClient } from './admin-client.ts'
import type { GatewaySelection } from './gateway-options.ts'
import type { GatewayTarget } from './gateway-target.ts'
import { parsePort } from './parse-port.ts'
import { readAdminAccess, type AdminAccess } from './admin-access.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { terminalText } from '../output/terminal-text.ts'

/**
 * The gateway that options and the argument `[resource]` name. Of several pods it is the newest that is ready, unless an
 * option names one; standard error says which.
 */
export const gatewayTarget = async (
  options: GatewaySelection,
  resource: string | undefined,
): Promise<GatewayTarget> => {
  const targets = await gatewayTargets(options, resource)
  const [first] = targets
  if (!first) throw new CommandFailure('no gateway found')
  process.stderr.write(terminalText(choiceText(first, targets)))
  return first
}

/** Which of several pods is used, and whether it is ready; nothing about a single one that is. */
const choiceText = ({ name, pod }: GatewayTarget, all: readonly GatewayTarget[]): string => {
  if (!pod || (all.length === 1 && pod.isReady)) return ''
  const ready = all.filter((one) => one.pod?.isReady).length
  const choice = all.length > 1 ? '; --pod chooses another' : ''
  if (!pod.isReady) {
    const reason = pod.problem === undefined ? '' : ` (${pod.problem})`
    const others = all.length > 1 ? ` of ${String(all.length)}, none of which is ready` : ' is not ready'
    return `pod ${name}${others}${reason}${choice}\n`
  }
  const why =
    ready > 1
      ? `the newest of ${String(ready)} that are ready`
      : `the only one that is ready of ${String(all.length)}`
  return `pod ${name}, ${why}${choice}\n`
}

/**
 * The gateways that options and the argument `[resource]` name: the local one, or the pods of the resource.
 *
 * @throws CommandFailure if they contradict each other, or if there is none.
 */
export const gatewayTargets = async (
  options: GatewaySelection,
  resource: string | undefined,
): Promise<readonly GatewayTarget[]> => {
  const port = parsePort('--proxy-admin-port', options.proxyAdminPort)
  const isLocal = options.local ?? false
  if (isLocal && options.adminUrl !== undefined)
    throw usageFailure('at most one of --local and --admin-url may be passed')
  if (isLocal && resource !== undefined) throw usageFailure('--local does not accept a resource argument')
  if (options.adminUrl !== undefined && resource !== undefined)
    throw usageFailure('--admin-url does not accept a resource argument')
  if ((isLocal || options.adminUrl !== undefined) && options.pod !== undefined)
    throw usageFailure('--pod is for gateways in Kubernetes')
  const access = readAdminAccess(options, port)
  if (isLocal || options.adminUrl !== undefined) return [addressTarget(access)]
  const { podTargets } = await import('../kubernetes/pod-targets.ts')
  return podTargets(options, resource, access, port)
}

/** A gateway whose ports are where its admin server is. */
const addressTarget = (access: AdminAccess): GatewayTarget => {
  const admin = new AdminClient(access)
  const host = access.socketPath === undefined ? access.url.hostname.replace(/^\[|\]$/g, '') : '127.0.0.1'
  return {
    name: admin.name,
    reach: (port) => Promise.resolve({ host, port, close: () => undefined }),
    withAdmin: (use) => use(admin),
  }
}
