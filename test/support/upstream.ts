import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A real HTTP server on a free port. */
export interface Upstream extends AsyncDisposable {
  readonly server: Server
  /** `127.0.0.1:port`. */
  readonly host: string
}

/** Starts an upstream that responds with `handle`. */
export const startUpstream = async (
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Upstream> => {
  const server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}
