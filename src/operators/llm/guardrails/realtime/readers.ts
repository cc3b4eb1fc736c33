import { opcodes } from '../../../../protocols/websocket/frame-head.ts'
import { MessageReader, type ProtocolProblem } from '../../../../protocols/websocket/message-reader.ts'
import type { FrameWriter } from '../../../../protocols/websocket/write-frame.ts'
import type { ClientEvents } from './client-events.ts'
import type { ProviderEvents } from './provider-events.ts'
import type { SerialQueue } from './serial-queue.ts'

/** Where messages are sent. */
export interface SessionOutput {
  /** Longest message. */
  readonly limitBytes: number
  /** Sends as one side, to the other one. */
  send(writer: FrameWriter, opcode: number, payload: Buffer): void
  /** Ends the session after a protocol error of one side. */
  cut(broken: FrameWriter, problem: ProtocolProblem): void
}

/**
 * Reads the client's messages, which are processed in order.
 *
 * @param events Checks them; undefined if nothing does.
 */
export const clientReader = (
  output: SessionOutput,
  queue: SerialQueue,
  events: ClientEvents | undefined,
): MessageReader => {
  const passing = (opcode: number, payload: Buffer) => () => {
    output.send('client', opcode, payload)
  }
  const reader: MessageReader = new MessageReader(
    {
      message: (payload, isText) => {
        const pass = passing(isText ? opcodes.text : opcodes.binary, payload)
        queue.push(events && isText ? () => events.check(payload) : pass, payload.length)
      },
      control: (opcode, payload) => {
        const pass = passing(opcode, payload)
        if (opcode !== opcodes.close) pass()
        else {
          reader.stop()
          queue.push(pass, payload.length)
        }
      },
      broken: (problem) => {
        output.cut('client', problem)
      },
    },
    { writer: 'client', limitBytes: output.limitBytes, takesBinary: !events },
  )
  return reader
}

/**
 * Reads the provider's messages.
 *
 * @param events Checks them; undefined if nothing does.
 */
export const providerReader = (output: SessionOutput, events: ProviderEvents | undefined): MessageReader => {
  const reader: MessageReader = new MessageReader(
    {
      message: (payload, isText) => {
        if (events && isText) events.message(payload)
        else output.send('server', isText ? opcodes.text : opcodes.binary, payload)
      },
      control: (opcode, payload) => {
        const pass = () => {
          output.send('server', opcode, payload)
        }
        if (opcode !== opcodes.close || !events) pass()
        else {
          reader.stop()
          events.end()
          events.afterFlush(pass)
        }
      },
      broken: (problem) => {
        output.cut('server', problem)
      },
    },
    { writer: 'server', limitBytes: output.limitBytes, takesBinary: !events },
  )
  return reader
}
