import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { addressLookup } from '../../upstream/connect/address-lookup.ts'

/**
 * Opens a socket for datagrams. `::` is every address of both families, or every IPv4 address where there is no IPv6.
 *
 * Rejects with the system's error, such as `EADDRINUSE`.
 */
export const openDatagramSocket = async (
  address: string,
  port: number,
  ipv6Enabled: boolean,
): Promise<Socket> => {
  if (address !== '::' || !ipv6Enabled) return bound(address === '::' ? '0.0.0.0' : address, port)
  return bound('::', port).catch((error: unknown) => {
    if (!NO_IPV6.has(String((error as NodeJS.ErrnoException).code))) throw error
    return bound('0.0.0.0', port)
  })
}

const NO_IPV6: ReadonlySet<string> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])

const bound = (address: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const type = isIPv6(address) ? 'udp6' : 'udp4'
    // For bursts. The system gives less where its own limit is lower.
    const socket = createSocket({ type, lookup: addressLookup(type), recvBufferSize: 4_194_304 })
    const failed = (error: Error) => {
      socket.close()
      reject(error)
    }
    socket.once('error', failed)
    socket.bind({ address, port }, () => {
      socket.off('error', failed)
      resolve(socket)
    })
  })
