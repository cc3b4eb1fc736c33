import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A stateless load balancer: each request goes to the next of some origins, unchanged. */
export interface RoundRobin extends AsyncDisposable {
  readonly origin: string
}

/** Starts it in front of some origins. */
export const startRoundRobin = async (origins: readonly string[]): Promise<RoundRobin> => {
  let turn = 0
  const server = createServer((incoming, response) => {
    const { hostname, port } = new URL(origins[turn++ % origins.length] ?? '')
    const onward = send(
      { hostname, port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.flushHeaders()
        answer.pipe(response)
        answer.once('error', () => response.destroy())
      },
    )
    onward.once('error', () => response.destroy())
    response.once('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
