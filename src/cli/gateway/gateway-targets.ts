import { AdminClient } from './admin-client.ts'
import type { GatewaySelection } from './gateway-options.ts'
import type { GatewayTarget } from './gateway-target.ts'
import { parsePort } from './parse-port.ts'
import { readAdminAccess, type AdminAccess } from './admin-access.ts'
import { usageFailure } from '../command-failure.ts'

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
    isPod: false,
    reach: (port) => Promise.resolve({ host, port, close: () => undefined }),
    withAdmin: (use) => use(admin),
  }
}
