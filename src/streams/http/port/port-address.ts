import { unlink } from 'node:fs/promises'
import { connect, type ListenOptions, type Server } from 'node:net'
import type { InheritedSockets } from '../../systemd/inherited-sockets.ts'

/** The listening address of a bind. */
export type PortAddress =
  | { readonly bind: string; readonly host: string; readonly port: number }
  | { readonly bind: string; readonly unix: string }

/** Properties of the machine that listening depends on. */
export interface SocketOptions {
  /** Whether `::` may be tried; without it every address means every IPv4 address. */
  readonly ipv6Enabled: boolean
  /** Sockets that the service manager has opened; an address that one of them has is not opened again. */
  readonly inherited?: InheritedSockets
}

/**
 * Makes a server listen.
 *
 * - `unix:/path`: a socket file without a listening process is removed first.
 * - `::` is every address of both families, or every IPv4 address where there is no IPv6.
 *
 * Rejects with the system's error, such as `EADDRINUSE`.
 */
export const openSocket = async (
  server: Server,
  address: string,
  port: number | undefined,
  { ipv6Enabled, inherited }: SocketOptions,
): Promise<void> => {
  const socket = inherited?.take(address, port, 'tcp')
  if (socket) {
    await listen(server, { fd: socket.fd })
    return
  }
  if (address.startsWith('unix:')) {
    const path = address.slice('unix:'.length)
    await removeStaleSocket(path)
    await listen(server, { path })
    return
  }
  const options = { port: port ?? 0 }
  if (address !== '::') await listen(server, { ...options, host: address })
  else if (!ipv6Enabled) await listen(server, { ...options, host: '0.0.0.0' })
  else {
    await listen(server, { ...options, host: '::' }).catch(async (error: unknown) => {
      if (!isUnsupportedFamily(error)) throw error
      await listen(server, { ...options, host: '0.0.0.0' })
    })
  }
}

const listen = (server: Server, options: ListenOptions | { readonly fd: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      server.off('listening', opened)
      reject(error)
    }
    const opened = () => {
      server.off('error', failed)
      resolve()
    }
    server.once('error', failed).once('listening', opened).listen(options)
  })

/** A socket file outlives a process that crashed; one that accepts connections is in use. */
const removeStaleSocket = async (path: string): Promise<void> => {
  const outcome = await new Promise<string>((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve('listening')
    })
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
  if (outcome === 'ECONNREFUSED') await unlink(path)
}

const isUnsupportedFamily = (error: unknown): boolean => {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' || code === 'EINVAL'
}
