import { type BindOptions, createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { SocketOptions } from '../http/port/port-address.ts'
import { addressLookup } from '../../upstream/connect/address-lookup.ts'

/**
 * Opens a socket for datagrams, or takes one that the service manager has opened over. `::` is every address of both families, or every IPv4 address where there is no IPv6.
 *
 * Rejects with the system's error, such as `EADDRINUSE`.
 */
export const openDatagramSocket = async (
  address: string,
  port: number,
  { ipv6Enabled, inherited }: SocketOptions,
): Promise<Socket> => {
  const socket = inherited?.take(address, port, 'udp')
  if (socket) return bound(socket.address?.startsWith('[') ? '::' : '0.0.0.0', { fd: socket.fd })
  if (address !== '::' || !ipv6Enabled) return open(address === '::' ? '0.0.0.0' : address, port)
  return open('::', port).catch((error: unknown) => {
    if (!NO_IPV6.has(String((error as NodeJS.ErrnoException).code))) throw error
    return open('0.0.0.0', port)
  })
}

const NO_IPV6: ReadonlySet<string> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])

const open = (address: string, port: number): Promise<Socket> => bound(address, { address, port })

/** @param address Of the family that the socket has. */
const bound = (address: string, options: BindOptions): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const type = isIPv6(address) ? 'udp6' : 'udp4'
    // For bursts. The system gives less where its own limit is lower.
    const socket = createSocket({ type, lookup: addressLookup(type), recvBufferSize: 4_194_304 })
    const failed = (error: Error) => {
      socket.close()
      reject(error)
    }
    socket.once('error', failed)
    socket.bind(options, () => {
      socket.off('error', failed)
      resolve(socket)
    })
  })
