import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from '../../../src/model/exchange/fault.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import type { McpStdio } from '../../../src/model/mcp/mcp-backend.ts'
import type { JsonObject, Notification, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import { ChildCount, type ChildLimits } from '../../../src/upstream/mcp/stdio/child-limits.ts'
import { StdioBackoff } from '../../../src/upstream/mcp/stdio/restart-backoff.ts'
import { type StdioLimits, stdioLimits } from '../../../src/upstream/mcp/stdio/limits.ts'
import type { StdioLine } from '../../../src/upstream/mcp/stdio/stderr.ts'
import { StdioTransport } from '../../../src/upstream/mcp/stdio/transport.ts'
import type { RequestContext } from '../../../src/upstream/mcp/transport.ts'

/** Transports do not use it. */
export const noContext: RequestContext = {
  headers: new Headers([]),
  send: () => {
    throw new Error('a child process is not sent anything over HTTP')
  },
}

/** How to start a program. */
export const command = (
  name: string,
  args: readonly string[] = [],
  more: Partial<McpStdio> = {},
): McpStdio => ({
  kind: 'stdio',
  command: name,
  args,
  env: {},
  clearEnv: false,
  ...more,
})

/** The scripted server. */
export const scripted = (more: Partial<McpStdio> = {}): McpStdio =>
  command(process.execPath, [new URL('stdio-server.ts', import.meta.url).pathname], more)

/** A server in a few lines of shell, which starts in a millisecond. */
export const shell = (script: string): McpStdio => command('sh', ['-c', script])

/** Responds to the first request that it reads, of any kind, with id 1. */
export const respondsOnce = shell(`while read -r line; do echo '{"jsonrpc":"2.0","id":1,"result":{}}'; done`)

/** The result of a call. */
export interface PendingCall {
  readonly messages: (Notification | JsonRpcRequest)[]
  /** Resolves with the result or the error; rejects with the fault. */
  readonly outcome: Promise<JsonObject>
  readonly cancel: () => void
  /** Resolves after so many messages. */
  count(least: number): Promise<void>
}

/** Sends a request. */
export const call = (transport: StdioTransport, method: string, params?: JsonObject): PendingCall => {
  const messages: (Notification | JsonRpcRequest)[] = []
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
  let wake = (): void => undefined
  const cancel = transport.call({ method, params }, noContext, {
    onMessage: (message) => {
      messages.push(message)
      wake()
    },
    reply: (outcome) => {
      resolve('error' in outcome ? { error: outcome.error } : outcome.result)
    },
    fail: reject,
  })
  const count = async (least: number): Promise<void> => {
    while (messages.length < least) await new Promise<void>((next) => (wake = next))
  }
  return { messages, outcome: promise, cancel, count }
}

/** Sends a request and waits for its result. */
export const callForResult = (
  transport: StdioTransport,
  method: string,
  params?: JsonObject,
): Promise<JsonObject> => call(transport, method, params).outcome

/** The fault of an outcome. */
export const faultOf = async (outcome: Promise<unknown>): Promise<Fault> => {
  try {
    await outcome
  } catch (error) {
    return error as Fault
  }
  throw new Error('there was an answer')
}

/** The messages of a listener. */
export interface Listening {
  readonly messages: (Notification | JsonRpcRequest)[]
  readonly closed: Promise<Fault | undefined>
  readonly stop: () => void
  /** Resolves after so many messages. */
  count(least: number): Promise<void>
}

export const listen = (transport: StdioTransport): Listening => {
  const messages: (Notification | JsonRpcRequest)[] = []
  const { promise, resolve } = Promise.withResolvers<Fault | undefined>()
  let wake = (): void => undefined
  const stop = transport.listen(noContext, {
    onMessage: (message) => {
      messages.push(message)
      wake()
    },
    closed: resolve,
  })
  const count = async (least: number): Promise<void> => {
    while (messages.length < least) await new Promise<void>((next) => (wake = next))
  }
  return { messages, closed: promise, stop, count }
}

/** Whether a process is running, and is no zombie. */
export const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z')
  } catch {
    return false
  }
}

/** Running processes that have this word in their environment, including all that inherit it. */
export const processesMarked = (word: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(word) && isRunning(pid)
      } catch {
        return false
      }
    })

/** Polls until the condition is true. */
export const until = async (isSo: () => boolean, withinMs = 60_000): Promise<void> => {
  const end = performance.now() + withinMs
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`${isSo.toString()} did not come true`)
    await wait(5)
  }
}

/** The owner of the transports of one test. At its end they are closed, and no child may be left. */
export class StdioTestContext implements AsyncDisposable {
  readonly lines: StdioLine[] = []
  readonly children: ChildCount
  readonly backoff: StdioBackoff
  readonly limits: StdioLimits
  readonly #wires: StdioTransport[] = []
  #wake = (): void => undefined

  constructor(options: { children?: ChildLimits; limits?: Partial<StdioLimits>; now?: () => number } = {}) {
    this.children = new ChildCount(options.children)
    this.backoff = new StdioBackoff(options.now)
    this.limits = { ...stdioLimits, ...options.limits }
  }

  readonly log = (line: StdioLine): void => {
    this.lines.push(line)
    this.#wake()
  }

  transport(stdio: McpStdio = scripted(), target = 'files'): StdioTransport {
    const transport = new StdioTransport(target, stdio, this)
    this.#wires.push(transport)
    return transport
  }

  /** Resolves when a line with this text has been logged. */
  async logged(text: string): Promise<StdioLine> {
    for (;;) {
      const line = this.lines.find((one) => one.text.includes(text))
      if (line) return line
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const transport of this.#wires) transport.close()
    await this.children.none()
  }
}
