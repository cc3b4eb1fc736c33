import { Fault } from '../../../model/exchange/fault.ts'
import type { McpStdio } from '../../../model/mcp/mcp-backend.ts'
import { encodeNotification, encodeRpcRequest, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import {
  type Id,
  isResponse,
  type Message,
  type Notification,
  type Outcome,
} from '../../../protocols/json-rpc/message.ts'
import { parseMcpMessages } from '../../../protocols/mcp/parse-messages.ts'
import { isModern } from '../../../protocols/mcp/revisions.ts'
import type { ChildCount } from './child-limits.ts'
import { responseMalformed, sessionClosed } from '../http/faults.ts'
import type { StdioBackoff } from './restart-backoff.ts'
import { StdioCalls } from './pending-calls.ts'
import { StdioChild } from './child-process.ts'
import { type StdioLimits, stdioLimits } from './limits.ts'
import { type StdioLine, StdioLog } from './stderr.ts'
import { NotificationQueue } from './notification-queue.ts'
import type { RequestContext, McpCall, CallSink, ListenSink, OnSent, Transport } from '../transport.ts'

/** Options that child processes share. */
export interface StdioOptions {
  readonly children: ChildCount
  readonly backoff: StdioBackoff
  readonly log: (line: StdioLine) => void
  /** Called for each message that was dropped because nobody reads them. */
  readonly onMessageDropped?: (() => void) | undefined
  /** `stdioLimits` by default. */
  readonly limits?: StdioLimits | undefined
  /** Several clients share the transport: a message that names no call is passed to none of them. */
  readonly isShared?: boolean | undefined
}

/**
 * A server that is a child process with one message a line. The first message starts it, and a transport has one
 * process: once that has died, everything fails with its fault, and another session needs another transport.
 *
 * Messages that name no call go to the youngest one, the most likely, else to the listener. Faults are reported after
 * the method that caused them has returned.
 */
export class StdioTransport implements Transport {
  readonly sessionId = undefined
  readonly #target: string
  readonly #stdio: McpStdio
  readonly #options: StdioOptions
  readonly #limits: StdioLimits
  readonly #log: StdioLog
  readonly #calls: StdioCalls
  readonly #mailbox: NotificationQueue
  #child: StdioChild | undefined = undefined
  #dead: Fault | undefined = undefined
  #hasResponded = false

  constructor(target: string, stdio: McpStdio, options: StdioOptions) {
    const limits = options.limits ?? stdioLimits
    this.#target = target
    this.#stdio = stdio
    this.#options = options
    this.#limits = limits
    this.#calls = new StdioCalls(options.isShared)
    this.#log = new StdioLog(target, limits.logLinesPerSecond, options.log)
    this.#mailbox = new NotificationQueue(limits.waitingMessages, ({ method }) => {
      options.onMessageDropped?.()
      this.#remark(`nobody listens: a message was dropped (${method})`)
    })
  }

  /** Why nothing more can be sent. */
  get closed(): Fault | undefined {
    return this.#dead
  }

  get isIdle(): boolean {
    return this.#calls.pending === 0 && !this.#mailbox.hasListener
  }

  /** The process id, once it was started. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Responses and progress of the server that matched no request. */
  get unmatched(): number {
    return this.#calls.unmatched
  }

  call(call: McpCall, _context: RequestContext, sink: CallSink): () => void {
    const begun = this.#calls.begin(call, sink)
    const fault = this.#send(encodeRpcRequest(begun.id, begun.method, begun.params))
    if (fault) this.#calls.fail(begun, fault)
    return () => {
      // `initialize` must not be cancelled, and an unsent request need not be.
      if (!this.#calls.end(begun) || fault || this.#dead || begun.method === 'initialize') return
      this.#send(encodeNotification('notifications/cancelled', { requestId: begun.id }))
    }
  }

  notify(notification: Omit<Notification, 'jsonrpc'>, _context: RequestContext, onSent: OnSent): void {
    const fault = this.#send(encodeNotification(notification.method, notification.params))
    queueMicrotask(() => onSent(fault))
  }

  respond(id: Id, outcome: Outcome, _context: RequestContext, onSent: OnSent): void {
    const fault = this.#send(encodeResponse(id, outcome))
    queueMicrotask(() => onSent(fault))
  }

  listen(_context: RequestContext, sink: ListenSink): () => void {
    this.#running()
    return this.#mailbox.listen(sink)
  }

  agreed(revision: string): void {
    // A process that was probed without a handshake now belongs to one session.
    if (!isModern(revision)) this.#calls.isShared = false
  }

  close(): void {
    if (this.#dead) return
    this.#child?.end()
    this.#end(sessionClosed(this.#target), undefined)
  }

  #send(text: string): Fault | undefined {
    const child = this.#running()
    return child instanceof Fault ? child : child.send(oneLine(text))
  }

  #running(): StdioChild | Fault {
    if (this.#dead) return this.#dead
    if (this.#child) return this.#child
    const started = this.#start()
    if (started instanceof Fault) this.#end(started, started)
    else this.#child = started
    return started
  }

  #start(): StdioChild | Fault {
    const { children, backoff } = this.#options
    const refusal = backoff.refusal(this.#target, this.#stdio)
    if (refusal) return refusal
    const options = children.enter(this.#target)
    if (options instanceof Fault) return options
    try {
      return new StdioChild(this.#target, this.#stdio, this.#limits, this.#log, options, {
        line: (text) => this.#read(text),
        died: (fault) => this.#died(fault),
      })
    } catch (error) {
      options.left()
      if (!(error instanceof Fault)) throw error
      backoff.died(this.#stdio)
      return error
    }
  }

  #died(fault: Fault): void {
    if (!this.#hasResponded) this.#options.backoff.died(this.#stdio)
    this.#end(fault, fault)
  }

  /** @param why The fault for a listener: none after `close`. */
  #end(fault: Fault, why: Fault | undefined): void {
    this.#dead = fault
    this.#calls.failAll(fault)
    this.#mailbox.close(why)
  }

  #read(text: string): void {
    const parsed = parseMcpMessages(text)
    if ('error' in parsed) {
      const call = this.#calls.named(parsed.id)
      if (call)
        this.#calls.fail(
          call,
          responseMalformed(this.#target, `sent a malformed answer: ${parsed.error.message}`),
        )
      this.#log.write(this.pid ?? 0, 'stdout', text.slice(0, this.#limits.logLineBytes))
      return
    }
    for (const message of parsed.messages) if (!this.#dead) this.#take(message)
  }

  #take(message: Message): void {
    if (!isResponse(message)) {
      this.#calls.route(message, (rest) => this.#mailbox.put(rest))
    } else if (this.#calls.resolve(message) && !this.#hasResponded) {
      this.#hasResponded = true
      this.#options.backoff.worked(this.#stdio)
    }
  }

  #remark(text: string): void {
    this.#log.write(this.pid ?? 0, 'gateway', text)
  }
}

/** Line separators that JSON may contain unescaped: Node's readline, which servers use, breaks lines at them. */
const oneLine = (json: string): string =>
  json.includes('\u2028') || json.includes('\u2029')
    ? json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : json
