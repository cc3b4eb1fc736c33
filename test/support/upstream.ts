import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A real HTTP server on a free port. */
export interface Upstream extends AsyncDisposable {
  readonly server: Server
  /** `address:port`. */
  readonly host: string
}

/** Starts an upstream that responds with `handle`. */
export const startUpstream = async (
  handle: (req: IncomingMessage, res: ServerResponse) => void,
  address = '127.0.0.1',
): Promise<Upstream> => {
  // An idle connection must not end just as the gateway uses it, on a machine that is slow.
  const server = createServer({ keepAliveTimeout: 60_000 }, handle)
  server.listen(0, address)
  await once(server, 'listening')
  return {
    server,
    host: `${address}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}
