import type { Exchange } from '../../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../../model/exchange/reply.ts'
import { hostOf } from '../../../model/exchange/request.ts'

/**
 * Refuses web pages that use DNS rebinding, that is, point a name of theirs to this machine: the browser sends that
 * name as host or as origin. Programs send a name of this machine, and no origin.
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
