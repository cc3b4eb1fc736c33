import { opcodes } from '../../protocols/websocket/frame-head.ts'
import { MessageReader, type ProtocolProblem } from '../../protocols/websocket/message-reader.ts'
import type { FrameWriter } from '../../protocols/websocket/write-frame.ts'
import type { ClientEvents } from './client-events.ts'
import type { ProviderEvents } from './provider-events.ts'
import type { WorkLine } from './work-line.ts'

/** Where messages go. */
export interface ConversationOutlet {
  /** Longest message that is read. */
  readonly limitBytes: number
  /** Writes as that side does: to the other one. */
  send(writer: FrameWriter, opcode: number, payload: Buffer): void
  /** Ends the conversation, which that side has broken. */
  cut(broken: FrameWriter, problem: ProtocolProblem): void
}

/**
 * Reads what a client says. Messages wait in line for those before them.
 *
 * @param events Looks at them; undefined if nobody does.
 */
export const clientReader = (
  outlet: ConversationOutlet,
  line: WorkLine,
  events: ClientEvents | undefined,
): MessageReader => {
  const passing = (opcode: number, payload: Buffer) => () => {
    outlet.send('client', opcode, payload)
  }
  const reader: MessageReader = new MessageReader(
    {
      message: (payload, isText) => {
        const pass = passing(isText ? opcodes.text : opcodes.binary, payload)
        line.push(events && isText ? () => events.check(payload) : pass, payload.length)
      },
      control: (opcode, payload) => {
        const pass = passing(opcode, payload)
        if (opcode !== opcodes.close) pass()
        else {
          reader.stop()
          line.push(pass, payload.length)
        }
      },
      broken: (problem) => {
        outlet.cut('client', problem)
      },
    },
    { writer: 'client', limitBytes: outlet.limitBytes, takesBinary: !events },
  )
  return reader
}

/**
 * Reads what a provider says.
 *
 * @param events Looks at it; undefined if nobody does.
 */
export const providerReader = (
  outlet: ConversationOutlet,
  events: ProviderEvents | undefined,
): MessageReader => {
  const reader: MessageReader = new MessageReader(
    {
      message: (payload, isText) => {
        if (events && isText) events.message(payload)
        else outlet.send('server', isText ? opcodes.text : opcodes.binary, payload)
      },
      control: (opcode, payload) => {
        const pass = () => {
          outlet.send('server', opcode, payload)
        }
        if (opcode !== opcodes.close || !events) pass()
        else {
          reader.stop()
          events.end()
          events.whenThrough(pass)
        }
      },
      broken: (problem) => {
        outlet.cut('server', problem)
      },
    },
    { writer: 'server', limitBytes: outlet.limitBytes, takesBinary: !events },
  )
  return reader
}
