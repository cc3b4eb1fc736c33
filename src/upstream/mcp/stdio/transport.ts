import { Fault } from '../../model/fault.ts'
import type { McpStdio } from '../../model/mcp.ts'
import { encodeNotification, encodeRequest, encodeResponse } from '../../protocols/json-rpc/encode.ts'
import {
  type Id,
  isResponse,
  type Message,
  type Notification,
  type Outcome,
} from '../../protocols/json-rpc/message.ts'
import { parseMessages } from '../../protocols/json-rpc/parse.ts'
import type { ChildCount } from './child-count.ts'
import { answerMalformed, sessionClosed } from './http-faults.ts'
import type { StdioBackoff } from './stdio-backoff.ts'
import { StdioCalls } from './stdio-calls.ts'
import { StdioChild } from './stdio-child.ts'
import { type StdioLimits, stdioLimits } from './stdio-limits.ts'
import { type StdioLine, StdioLog } from './stdio-log.ts'
import { StdioMailbox } from './stdio-mailbox.ts'
import type { Behalf, Call, CallSink, ListenSink, Taken, Wire } from './wire.ts'

/** What child processes share. */
export interface StdioPlace {
  readonly children: ChildCount
  readonly backoff: StdioBackoff
  readonly log: (line: StdioLine) => void
  /** `stdioLimits` if nothing else is said. */
  readonly limits?: StdioLimits | undefined
  /** Several clients may use the wire: what names no call is given to none of several. */
  readonly isShared?: boolean | undefined
}

/**
 * A server that is a child process and speaks a message a line. It is started by whatever is sent first, and there is one
 * process for one wire: once that has died, everything fails with its fault, and whoever wants another session makes
 * another wire.
 *
 * Messages that name no call go to the youngest one, since that is the one that is most likely meant, and to the listener
 * if there is none. Failures are told after the method that led to them has returned.
 */
export class StdioWire implements Wire {
  readonly sessionId = undefined
  readonly #target: string
  readonly #stdio: McpStdio
  readonly #place: StdioPlace
  readonly #limits: StdioLimits
  readonly #log: StdioLog
  readonly #calls: StdioCalls
  readonly #mailbox: StdioMailbox
  #child: StdioChild | undefined = undefined
  #dead: Fault | undefined = undefined
  #answered = false

  constructor(target: string, stdio: McpStdio, place: StdioPlace) {
    const limits = place.limits ?? stdioLimits
    this.#target = target
    this.#stdio = stdio
    this.#place = place
    this.#limits = limits
    this.#calls = new StdioCalls(place.isShared)
    this.#log = new StdioLog(target, limits.logLinesPerSecond, place.log)
    this.#mailbox = new StdioMailbox(limits.waitingMessages, ({ method }) =>
      this.#remark(`nobody listens: a message was dropped (${method})`),
    )
  }

  /** Why nothing can be sent any more. */
  get closed(): Fault | undefined {
    return this.#dead
  }

  /** The process, once it was started. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Answers of the server's that nobody waited for, and progress of nothing. */
  get strays(): number {
    return this.#calls.strays
  }

  call(call: Call, _behalf: Behalf, sink: CallSink): () => void {
    const begun = this.#calls.begin(call, sink)
    const fault = this.#send(encodeRequest(begun.id, begun.method, begun.params))
    if (fault) this.#calls.fail(begun, fault)
    return () => {
      // A handshake must not be cancelled, and what was never sent need not be.
      if (!this.#calls.end(begun) || fault || this.#dead || begun.method === 'initialize') return
      this.#send(encodeNotification('notifications/cancelled', { requestId: begun.id }))
    }
  }

  notify(notification: Omit<Notification, 'jsonrpc'>, _behalf: Behalf, taken: Taken): void {
    const fault = this.#send(encodeNotification(notification.method, notification.params))
    queueMicrotask(() => taken(fault))
  }

  answer(id: Id, outcome: Outcome, _behalf: Behalf, taken: Taken): void {
    const fault = this.#send(encodeResponse(id, outcome))
    queueMicrotask(() => taken(fault))
  }

  listen(_behalf: Behalf, sink: ListenSink): () => void {
    this.#running()
    return this.#mailbox.listen(sink)
  }

  agreed(): void {
    // There is no place for a revision but in the messages.
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
    const { children, backoff } = this.#place
    const refusal = backoff.refusal(this.#target, this.#stdio)
    if (refusal) return refusal
    const place = children.enter(this.#target)
    if (place instanceof Fault) return place
    try {
      return new StdioChild(this.#target, this.#stdio, this.#limits, this.#log, place, {
        line: (text) => this.#read(text),
        died: (fault) => this.#died(fault),
      })
    } catch (error) {
      place.left()
      if (!(error instanceof Fault)) throw error
      backoff.died(this.#stdio)
      return error
    }
  }

  #died(fault: Fault): void {
    if (!this.#answered) this.#place.backoff.died(this.#stdio)
    this.#end(fault, fault)
  }

  /** @param why What a listener is told: nothing if the end was wanted. */
  #end(fault: Fault, why: Fault | undefined): void {
    this.#dead = fault
    this.#calls.failAll(fault)
    this.#mailbox.close(why)
  }

  #read(text: string): void {
    const parsed = parseMessages(text)
    if ('error' in parsed) {
      const call = this.#calls.named(parsed.id)
      if (call)
        this.#calls.fail(
          call,
          answerMalformed(this.#target, `sent a malformed answer: ${parsed.error.message}`),
        )
      this.#log.write(this.pid ?? 0, 'stdout', text.slice(0, this.#limits.logLineBytes))
      return
    }
    for (const message of parsed.messages) if (!this.#dead) this.#take(message)
  }

  #take(message: Message): void {
    if (!isResponse(message)) {
      this.#calls.said(message, (rest) => this.#mailbox.put(rest))
    } else if (this.#calls.answer(message) && !this.#answered) {
      this.#answered = true
      this.#place.backoff.worked(this.#stdio)
    }
  }

  #remark(text: string): void {
    this.#log.write(this.pid ?? 0, 'gateway', text)
  }
}

/** Line ends that JSON may contain as they are: Node's readline, which servers read with, breaks lines at them. */
const oneLine = (json: string): string =>
  json.includes('\u2028') || json.includes('\u2029')
    ? json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : json
