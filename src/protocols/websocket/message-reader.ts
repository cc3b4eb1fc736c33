import { isUtf8 } from 'node:buffer'
import { type FrameHead, frameHead, opcodes } from './frame-head.ts'
import { PayloadBuffer } from './payload-buffer.ts'
import type { FrameWriter } from './write-frame.ts'

/** Receives the messages of one side of a connection, in order. */
export interface MessageListener {
  /** A whole message, joined from its frames. */
  message(payload: Buffer, isText: boolean): void
  control(opcode: number, payload: Buffer): void
  /** The side violates the protocol. Nothing more is read. */
  broken(problem: ProtocolProblem): void
}

/** The reason for closing a connection, as in its close frame (RFC 6455 §7.4.1). */
export interface ProtocolProblem {
  readonly code: 1002 | 1003 | 1007 | 1009
  readonly reason: string
}

/** The side that a reader reads, and its limits. */
export interface MessageReaderOptions {
  readonly writer: FrameWriter
  /** Maximum length of a message. */
  readonly limitBytes: number
  readonly takesBinary: boolean
}

/**
 * Reads the messages of one side of a WebSocket connection without extensions (RFC 6455 §5), from chunks of
 * any size. Strict: input that the two ends could interpret in two ways is an error.
 */
export class MessageReader {
  readonly #listener: MessageListener
  readonly #options: MessageReaderOptions
  /** An incomplete header. */
  #begun: Buffer = nothing
  #frame: FrameHead | undefined = undefined
  /** Received bytes of the frame's payload. */
  #came = 0
  /** The opcode of the current message; undefined between messages. */
  #kind: number | undefined = undefined
  #message = new PayloadBuffer()
  /** Control frames may come between the frames of a message. */
  #control = new PayloadBuffer()
  #isOver = false

  constructor(listener: MessageListener, options: MessageReaderOptions) {
    this.#listener = listener
    this.#options = options
  }

  /** Ignores all further input. */
  stop(): void {
    this.#isOver = true
    this.#message = new PayloadBuffer()
  }

  push(chunk: Buffer): void {
    let rest = chunk
    while (!this.#isOver) {
      if (!this.#frame) {
        const bytes = this.#begun.length ? Buffer.concat([this.#begun, rest]) : rest
        const head = frameHead(bytes)
        this.#begun = head ? nothing : Buffer.from(bytes)
        if (!head) return
        rest = bytes.subarray(head.bytes)
        this.#begin(head)
      } else if (this.#came < this.#frame.payloadBytes) {
        if (rest.length === 0) return
        rest = this.#gather(this.#frame, rest)
      } else this.#end(this.#frame)
    }
  }

  #begin(head: FrameHead): void {
    const problem = this.#problemWith(head)
    if (problem) {
      this.#break(problem)
      return
    }
    this.#frame = head
    this.#came = 0
    if (head.opcode < opcodes.close && head.opcode !== opcodes.continuation) this.#kind = head.opcode
  }

  #problemWith(head: FrameHead): ProtocolProblem | undefined {
    const { opcode, isFinal, isReserved, mask, payloadBytes } = head
    const { writer, limitBytes, takesBinary } = this.#options
    if (isReserved) return protocolError('reserved bits are set')
    if ((mask !== undefined) !== (writer === 'client')) return protocolError('masked by the wrong side')
    if (opcode >= opcodes.close) {
      const isFit = opcode <= opcodes.pong && isFinal && payloadBytes <= LONGEST_CONTROL_BYTES
      return isFit ? undefined : protocolError('no such control frame')
    }
    if (opcode > opcodes.binary) return protocolError('no such frame')
    if ((opcode === opcodes.continuation) !== (this.#kind !== undefined))
      return protocolError('frames of a message are out of order')
    if (opcode === opcodes.binary && !takesBinary)
      return { code: 1003, reason: 'binary messages cannot be guarded' }
    if (this.#message.length + payloadBytes > limitBytes)
      return { code: 1009, reason: `a message of more than ${String(limitBytes)} bytes` }
    return undefined
  }

  /** @returns The bytes after the frame. */
  #gather(frame: FrameHead, bytes: Buffer): Buffer {
    const missing = frame.payloadBytes - this.#came
    const part = bytes.subarray(0, missing)
    const payload = frame.opcode >= opcodes.close ? this.#control : this.#message
    payload.add(part, missing, frame.mask, this.#came)
    this.#came += part.length
    return bytes.subarray(part.length)
  }

  #end({ opcode, isFinal }: FrameHead): void {
    this.#frame = undefined
    if (opcode >= opcodes.close) this.#listener.control(opcode, this.#control.take())
    else if (isFinal) {
      const isText = this.#kind === opcodes.text
      this.#kind = undefined
      const payload = this.#message.take()
      if (isText && !isUtf8(payload)) this.#break({ code: 1007, reason: 'a text that is not UTF-8' })
      else this.#listener.message(payload, isText)
    }
  }

  #break(problem: ProtocolProblem): void {
    this.stop()
    this.#listener.broken(problem)
  }
}

const protocolError = (reason: string): ProtocolProblem => ({ code: 1002, reason })

const LONGEST_CONTROL_BYTES = 125
const nothing = Buffer.alloc(0)
