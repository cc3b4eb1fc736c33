/**
 * Simulated proxies in a process of their own. It is told what to expect (`{ expect, count }`), and reports when so many
 * proxies have received a response with these bytes (`{ received, firstAt, lastAt }`); `{ synced }` is reported when all
 * have their first complete set since the last `sync`.
 */
import { ProxyStream } from './proxy-stream.ts'

/** What the parent sends. */
export type FleetCommand = { readonly expect: string; readonly count: number } | { readonly sync: true }

/** What it is told. Times are those of `Date.now()`. */
export type FleetReport =
  | { readonly received: string; readonly firstAt: number; readonly lastAt: number }
  | { readonly syncedAt: number; readonly bytes: number }

const [port = 0, gateways = 0, proxies = 0] = process.argv.slice(2).map(Number)

const report = (message: FleetReport): void => {
  process.send?.(message)
}

let expected: Buffer | undefined
let count = 0
let receivers = new Set<number>()
let firstAt = 0
let unsynced = new Set<number>()
let bytesReceived = 0

const sync = (): void => {
  unsynced = new Set(streams.keys())
  bytesReceived = 0
}

const streams = Array.from(
  { length: proxies },
  (_, index) =>
    new ProxyStream({
      port,
      localAddress: `127.0.${1 + Math.floor(index / 200)}.${1 + (index % 200)}`,
      gateway: `gateway-${index % gateways}`,
      onResponse: (bytes, response) => {
        bytesReceived += bytes.length
        if (!response.more && unsynced.delete(index) && unsynced.size === 0)
          report({ syncedAt: Date.now(), bytes: bytesReceived })
        if (
          !expected ||
          receivers.has(index) ||
          !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(expected)
        )
          return
        if (receivers.size === 0) firstAt = Date.now()
        receivers.add(index)
        if (receivers.size < count) return
        const received = expected.toString()
        expected = undefined
        report({ received, firstAt, lastAt: Date.now() })
      },
    }),
)
sync()

process.on('message', (command: FleetCommand) => {
  if ('sync' in command) {
    sync()
    return
  }
  expected = Buffer.from(command.expect)
  count = command.count
  receivers = new Set()
})
