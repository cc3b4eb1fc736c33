import type { Exchange } from '../../../../model/exchange.ts'
import { deny, type Reply } from '../../../../model/reply.ts'
import { hostOf } from '../../../../model/request.ts'

/**
 * Refuses pages that have made a name of theirs point to this machine: the browser sends their name, as host or as
 * origin. Programs send a name of this machine, and no origin.
 */
export const checkRebinding = ({ request }: Exchange): Reply | undefined => {
  const origin = request.headers.get('origin')
  if (isLoopback(hostOf(request.received.authority)) && (origin === undefined || isLoopback(hostIn(origin))))
    return undefined
  return deny(403, 'mcp_dns_rebinding', {
    message: 'MCP DNS rebinding protection: Host/Origin must be localhost, 127.0.0.1, or [::1]',
    reason: 'MCP',
  })
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '[::1]'

const hostIn = (origin: string): string => {
  try {
    return new URL(origin).hostname
  } catch {
    return ''
  }
}
