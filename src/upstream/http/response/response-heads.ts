import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import type { Fault } from '../../../model/exchange/fault.ts'
import { BufferedBytes } from '../../../model/exchange/buffered-bytes.ts'
import { malformedResponse } from '../../faults.ts'
import { informationalTooLarge, isTooMuch } from './informational.ts'

/** Waits for the response on a connection. */
export interface ResponseHeadWaiter {
  /**
   * An informational response was received: its status, names and values as they were sent. Nothing more is read while
   * this returns false, until `resume` is called.
   */
  informed(status: number, fields: readonly string[], resume: () => void): boolean
  /** The bytes are no valid response. The waiter releases the connection. */
  spoiled(fault: Fault): void
}

/**
 * Reads what an HTTP/1.1 connection sends before each final response, so that the HTTP client behind it sees final
 * responses only: informational ones (1xx, but not 101) go to the waiter, one at a time; anything but HTTP/1.x is
 * refused.
 *
 * undici closes the connection of an upstream that sends `100 Continue` unasked, reads informational responses without
 * backpressure, and takes `RTSP/1.0 200 OK` for a response, as `node:http` does.
 */
export class ResponseHeads {
  readonly #deliver: (bytes: Buffer | undefined) => void
  #waiter: ResponseHeadWaiter | undefined = undefined
  /** Bytes that are incomplete, or may not be read yet. */
  readonly #buffered = new BufferedBytes()
  /** They are an incomplete informational head. */
  #isHeadOpen = false
  #isPaused = false
  readonly #resume = (): void => {
    if (!this.#isPaused) return
    this.#isPaused = false
    const rest = this.#buffered.length > 0 ? this.take(noBytes) : undefined
    if (!this.isPaused) this.#deliver(rest)
  }

  /** @param deliver Gets the buffered bytes for the client, if any: passes them on, and resumes reading. */
  constructor(deliver: (bytes: Buffer | undefined) => void) {
    this.#deliver = deliver
  }

  /** Nothing more may be read. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** A request is sent: the next bytes are a final or an informational response. */
  await(waiter: ResponseHeadWaiter): void {
    this.#waiter = waiter
  }

  /** Bytes were received. Returns those for the client. */
  take(chunk: Buffer): Buffer | undefined {
    const waiter = this.#waiter
    if (!waiter) return chunk
    let bytes = chunk
    if (this.#buffered.length > 0) {
      if (this.#mustWait(chunk)) return undefined
      bytes = this.#buffered.take()
    }
    this.#isHeadOpen = false
    while (!this.#isPaused) {
      bytes = withoutBlankLines(bytes)
      const kind = kindOf(bytes)
      if (kind === 'answer') {
        this.#waiter = undefined
        return bytes
      }
      if (kind === 'foreign') return this.#spoil(waiter, malformedResponse('the answer is not in HTTP/1.x'))
      const end = kind === 'informational' ? bytes.indexOf(END_OF_HEAD) : -1
      if (isTooMuch(end < 0 ? bytes.length : end)) return this.#spoil(waiter, informationalTooLarge())
      if (end < 0) {
        this.#isHeadOpen = kind === 'informational'
        break
      }
      const head = readHead(bytes.toString('latin1', 0, end))
      bytes = bytes.subarray(end + END_OF_HEAD.length)
      if (!head) return this.#spoil(waiter, malformedResponse('an informational response is malformed'))
      this.#isPaused = !waiter.informed(head.status, head.fields, this.#resume)
      // The waiter may have been removed because of it.
      if (this.#waiter !== waiter) return undefined
    }
    if (bytes.length > 0) this.#buffered.add(bytes)
    return undefined
  }

  /** The connection has ended. Returns the bytes that show the client where it broke off. */
  end(): Buffer | undefined {
    this.#waiter = undefined
    return this.#buffered.length > 0 ? this.#buffered.take() : undefined
  }

  /** The waiter is gone: further bytes are discarded. */
  abandon(): void {
    this.#waiter = undefined
    this.#buffered.clear()
  }

  /** Buffers a chunk too. Returns whether the head is still incomplete; only new bytes are searched. */
  #mustWait(chunk: Buffer): boolean {
    const from = Math.max(0, this.#buffered.length - END_OF_HEAD.length + 1)
    this.#buffered.add(chunk)
    if (this.#isPaused) return true
    if (!this.#isHeadOpen || isTooMuch(this.#buffered.length)) return false
    return this.#buffered.bytes.indexOf(END_OF_HEAD, from) < 0
  }

  #spoil(waiter: ResponseHeadWaiter, fault: Fault): Buffer | undefined {
    this.abandon()
    waiter.spoiled(fault)
    return undefined
  }
}

/** The reader of heads between a connection and its client; installed on first use. */
export const responseHeads = (socket: Socket): ResponseHeads => {
  const known = interposed.get(socket)
  if (known) return known
  const heads = interpose(socket)
  interposed.set(socket, heads)
  return heads
}

const interposed = new WeakMap<Socket, ResponseHeads>()

const interpose = (socket: Socket): ResponseHeads => {
  const push = socket.push.bind(socket)
  const heads = new ResponseHeads((bytes) => {
    if (bytes) push(bytes)
    readOn(socket)
  })
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk !== null) {
      const rest = heads.take(chunk)
      return rest ? push(rest, encoding) : !heads.isPaused
    }
    const rest = heads.end()
    if (rest) push(rest)
    return push(null)
  }
  return heads
}

/** Resumes reading after a push that returned false, as a client would do if it had seen the bytes. */
export const readOn = (socket: Socket): void => {
  if (!socket.destroyed) socket._read(0)
}

type Kind = 'answer' | 'informational' | 'foreign' | 'unclear'

const kindOf = (bytes: Buffer): Kind => {
  const length = Math.min(bytes.length, VERSION.length)
  if (bytes.compare(VERSION, 0, length, 0, length) !== 0) return 'foreign'
  // `HTTP/1.1 1xx`
  if (bytes.length < 12) return 'unclear'
  if (bytes[9] !== ONE) return 'answer'
  return bytes[10] === ZERO && bytes[11] === ONE ? 'answer' : 'informational'
}

/** Some servers send an empty line after the previous body (RFC 9112 section 2.2). */
const withoutBlankLines = (bytes: Buffer): Buffer => {
  let start = 0
  while (bytes[start] === CR || bytes[start] === LF) start++
  return start === 0 ? bytes : bytes.subarray(start)
}

const readHead = (
  text: string,
): { readonly status: number; readonly fields: readonly string[] } | undefined => {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.[01] (1\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(first)?.[1]
  if (status === undefined) return undefined
  const fields: string[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) return undefined
    fields.push(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return { status: Number(status), fields }
}

const VERSION = Buffer.from('HTTP/1.')
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const CR = 0x0d
const LF = 0x0a
const ZERO = 0x30
const ONE = 0x31
const noBytes = Buffer.alloc(0)
