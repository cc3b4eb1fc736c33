import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { freePort } from './free-port.ts'
import { keySetOf, type Signer } from './tokens.ts'

/** A server of a key set, whose keys can be changed and which can be restarted at its address. */
export interface KeyServer extends AsyncDisposable {
  readonly url: string
  /** Requests so far, in order. */
  readonly requests: readonly IncomingMessage[]
  /** Resolves after so many requests. */
  asked(count: number): Promise<void>
  show(...signers: readonly Signer[]): void
  /** Changes its responses; without an argument back to the default. */
  answer(how?: (req: IncomingMessage, res: ServerResponse) => void): void
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts one on 127.0.0.1. */
export const startKeyServer = async (...signers: readonly Signer[]): Promise<KeyServer> => {
  let document = keySetOf(...signers)
  let special: ((req: IncomingMessage, res: ServerResponse) => void) | undefined
  const requests: IncomingMessage[] = []
  let wake: (() => void)[] = []
  const make = () =>
    createServer((req, res) => {
      requests.push(req)
      const waiting = wake
      wake = []
      for (const one of waiting) one()
      if (special) special(req, res)
      else res.setHeader('content-type', 'application/jwk-set+json').end(document)
    })
  let server = make()
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  // Nobody else gets it while the server is stopped.
  const port = await open(await freePort())
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}/keys`,
    requests,
    asked: async (count) => {
      while (requests.length < count) await new Promise<void>((resolve) => wake.push(resolve))
    },
    show: (...next) => {
      document = keySetOf(...next)
    },
    answer: (how) => {
      special = how
    },
    stop,
    start: async () => {
      server = make()
      await open(port)
    },
    [Symbol.asyncDispose]: stop,
  }
}
