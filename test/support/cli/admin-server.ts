import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server in the role of an admin server, for replies that ours does not make. */
export interface StandInAdmin extends AsyncDisposable {
  readonly port: number
  /** `METHOD /path` of each call. */
  readonly calls: readonly string[]
}

/** Starts it. */
export const startStandInAdmin = async (
  reply: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<StandInAdmin> => {
  const calls: string[] = []
  const server = createServer((req, res) => {
    calls.push(`${req.method ?? ''} ${req.url ?? ''}`)
    reply(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
