import { resolve } from 'node:path'
import { isThisMachine } from '../../protocols/ip/this-machine.ts'

/**
 * Servers of this process that no upstream may be at. Its admin server trusts whoever is on this machine; whoever writes
 * backends of a cluster, or the names that they resolve to, must not become one by way of the proxy.
 */
const servers = new Map<string, number>()

/**
 * Refuses connections of upstreams to servers of this process, however their addresses are written.
 *
 * @param addresses As `127.0.0.1:15000`, `[::1]:15000` or `unix:/path`.
 * @returns Ends that.
 */
export const refuseUpstreamsAt = (addresses: readonly string[]): (() => void) => {
  const keys = addresses.map((address) =>
    address.startsWith('unix:') ? address : address.slice(address.lastIndexOf(':') + 1),
  )
  for (const key of keys) servers.set(key, (servers.get(key) ?? 0) + 1)
  return () => {
    for (const key of keys.splice(0)) {
      const others = (servers.get(key) ?? 1) - 1
      if (others > 0) servers.set(key, others)
      else servers.delete(key)
    }
  }
}

/** Whether an address is that of a server of this process that no upstream may be at. */
export const isOwnServer = ({ unix, ip, port }: SocketTarget): boolean => {
  if (servers.size === 0) return false
  if (unix !== undefined) return servers.has(`unix:${resolve(unix)}`)
  return ip !== undefined && servers.has(String(port)) && isThisMachine(ip)
}

/** A unix socket, or an IP address and a port; of a name nothing is known. */
interface SocketTarget {
  readonly unix?: string
  readonly ip?: string
  readonly port?: number
}
