import { request as requestHttp } from 'node:http'
import { connect as connectTcp, isIPv4, isIPv6, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { CurlRequest } from '../curl/curl-request.ts'

/** How long a request may take. Longer delays of a configuration are reported as failures. */
const LIMIT_MS = 30_000

/**
 * Sends a request to a port on loopback, on a connection of its own that begins with a PROXY header: the gateway sees
 * the recorded address of the client.
 *
 * @param destinationPort The port in the configuration.
 * @returns The status.
 * @throws Error if there is no response.
 */
export const sendRecorded = async (
  port: number,
  destinationPort: number,
  request: CurlRequest,
): Promise<number> => {
  const socket = connectTcp({ host: '127.0.0.1', port, noDelay: true })
  try {
    socket.write(proxyHeader(request.clientAddress, destinationPort))
    return await exchange(request, socket)
  } finally {
    socket.destroy()
  }
}

const exchange = (
  { method, target, rawHeaders, body, serverName }: CurlRequest,
  socket: Socket,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const stream =
      serverName === undefined
        ? socket
        : // The certificate is that of the configuration, and the connection does not leave the process.
          connectTls({ socket, servername: isIP(serverName) ? '' : serverName, rejectUnauthorized: false })
    socket.on('error', reject)
    stream.on('error', reject)
    const req = requestHttp(
      {
        method,
        path: target,
        headers: [...rawHeaders] as never,
        setHost: false,
        signal: AbortSignal.timeout(LIMIT_MS),
        createConnection: () => stream,
      },
      (res) => {
        res.on('error', reject).on('end', () => resolve(res.statusCode ?? 0))
        res.resume()
      },
    )
    req.on('error', reject).on('upgrade', (res, upgraded) => {
      upgraded.destroy()
      resolve(res.statusCode ?? 0)
    })
    req.end(body)
  })

const isIP = (text: string): boolean => isIPv4(text) || isIPv6(text)

/** Version 1 of the PROXY protocol. */
const proxyHeader = (client: string | undefined, port: number): string => {
  const destination = port === 0 ? 80 : port
  if (client !== undefined && isIPv6(client))
    return `PROXY TCP6 ${client} ::1 50000 ${String(destination)}\r\n`
  const source = client !== undefined && isIPv4(client) ? client : '127.0.0.1'
  return `PROXY TCP4 ${source} 127.0.0.1 50000 ${String(destination)}\r\n`
}
