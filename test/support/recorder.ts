import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A request as a naive upstream reads it. */
export interface RecordedRequest {
  readonly head: string
  readonly body: string
  /** Whether an upstream would consider the body complete. */
  readonly isComplete: boolean
}

/** An upstream that is a raw socket: it records its input, and responds to every head with 200. */
export interface Recorder extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** The input of each connection since the last `forget`, as Latin-1. */
  readonly connections: readonly { readonly received: string; readonly closed: boolean }[]
  requests(): RecordedRequest[]
  /** Resolves once `condition` is true, checked after every event. */
  until(condition: () => boolean): Promise<void>
  /** Drops the records and the connections. */
  forget(): void
}

/** @param answer Written once a head is complete, once per head. */
export const startRecorder = async (
  answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
): Promise<Recorder> => {
  let connections: { received: string; closed: boolean; answered: number; socket: Socket }[] = []
  let waiting: (() => void)[] = []
  const wake = () => {
    const before = waiting
    waiting = []
    for (const one of before) one()
  }
  const server = createServer((socket) => {
    const connection = { received: '', closed: false, answered: 0, socket }
    connections.push(connection)
    socket.on('data', (chunk) => {
      connection.received += chunk.toString('latin1')
      for (; connection.answered < requestsIn(connection.received).length; connection.answered++)
        socket.write(answer)
      wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      connection.closed = true
      wake()
    })
    wake()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    requests: () => connections.flatMap(({ received }) => requestsIn(received)),
    async until(condition) {
      while (!condition()) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    forget() {
      for (const { socket } of connections) socket.destroy()
      connections = []
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of connections) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Splits the input of a connection into requests, whose heads must be complete. */
export const requestsIn = (received: string): RecordedRequest[] => {
  const requests: RecordedRequest[] = []
  let rest = received
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return requests
    const head = rest.slice(0, end)
    rest = rest.slice(end + 4)
    const { body, taken, isComplete } = bodyOf(head, rest)
    requests.push({ head, body, isComplete })
    if (!isComplete) return requests
    rest = rest.slice(taken)
  }
}

const bodyOf = (head: string, rest: string): { body: string; taken: number; isComplete: boolean } => {
  if (/^transfer-encoding: *chunked/im.test(head)) return chunkedBody(rest)
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  return { body: rest.slice(0, length), taken: length, isComplete: rest.length >= length }
}

const chunkedBody = (rest: string): { body: string; taken: number; isComplete: boolean } => {
  let body = ''
  let at = 0
  for (;;) {
    const line = /^([0-9a-f]+)[^\r\n]*\r\n/i.exec(rest.slice(at))
    if (!line) return { body, taken: at, isComplete: false }
    at += line[0].length
    const size = parseInt(line[1]!, 16)
    if (size === 0) {
      const end = rest.startsWith('\r\n', at) ? at + 2 : rest.indexOf('\r\n\r\n', at) + 4
      return { body, taken: end, isComplete: end > 3 && rest.length >= end }
    }
    body += rest.slice(at, at + size)
    at += size + 2
    if (rest.length < at) return { body, taken: at, isComplete: false }
  }
}
