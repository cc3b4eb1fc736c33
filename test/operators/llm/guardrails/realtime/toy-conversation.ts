import { type Duplex, duplexPair } from 'node:stream'
import { Headers } from '../../../src/model/headers.ts'
import { emptyBody } from '../../../src/model/body.ts'
import { Reply } from '../../../src/model/reply.ts'
import type { Checked, Guards } from '../../../src/operators/guard/guards.ts'
import { GuardedConversation } from '../../../src/operators/guard-realtime/guarded-conversation.ts'
import { MessageReader } from '../../../src/protocols/websocket/message-reader.ts'
import { type FrameWriter, writeFrame, writeText } from '../../../src/protocols/websocket/write-frame.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { settle, windows } from '../guard-response/toy-stream.ts'

/** One end of a conversation: what it gets, and what it says. */
export interface Side {
  /** Events, and control frames as `close 1000`, `ping` … */
  readonly got: unknown[]
  readonly end: Duplex
  say(event: unknown): void
  frame(opcode: number, payload?: Buffer): void
}

/** A guarded conversation between a client and a provider that say what the test says. */
export const conversation = (guards: Partial<Guards> = {}, limitBytes = 100_000) => {
  const settled: Checked[] = []
  const [provider, upstream] = duplexPair()
  const x = exchange()
  const asked = exchange()
  const tunnel = new GuardedConversation(upstream, {
    x,
    asked,
    reply: new Reply(101, new Headers([]), emptyBody, 'Upstream'),
    guards: {
      request: [],
      response: [],
      streaming: windows,
      settle: (_x, checked) => settled.push(checked),
      ...guards,
    },
    kept: (guards.response ?? []).map(() => undefined),
    limitBytes,
  })
  return {
    x,
    asked,
    tunnel,
    settled,
    client: side('client', tunnel),
    provider: side('server', provider),
    actions: () => settled.map(({ guard, phase, action }) => `${phase} ${guard} ${action}`),
  }
}

/** Lets everything happen that does not wait for anything. */
export const atRest = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await settle()
}

const side = (writer: FrameWriter, end: Duplex): Side => {
  const got: unknown[] = []
  const reader = new MessageReader(
    {
      message: (payload, isText) => got.push(isText ? parsed(payload.toString()) : payload),
      control: (opcode, payload) =>
        got.push(
          opcode === 8 ? `close ${payload.length ? payload.readUInt16BE() : ''}` : (names[opcode] ?? opcode),
        ),
      broken: ({ reason }) => got.push(`broken: ${reason}`),
    },
    { writer: writer === 'client' ? 'server' : 'client', limitBytes: 10_000_000, takesBinary: true },
  )
  end.on('data', (chunk: Buffer) => {
    reader.push(chunk)
  })
  end.on('end', () => got.push('end'))
  end.on('error', () => undefined)
  return {
    got,
    end,
    say: (event) => end.write(writeText(writer, typeof event === 'string' ? event : JSON.stringify(event))),
    frame: (opcode, payload = Buffer.alloc(0)) => end.write(writeFrame(writer, opcode, payload)),
  }
}

const names: Readonly<Record<number, string>> = { 9: 'ping', 10: 'pong' }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What a client says: one message of a user. */
export const userSays = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})

/** More of the answer of a model. */
export const delta = (text: string, id = 'resp_1', more: object = {}) => ({
  type: 'response.output_text.delta',
  response_id: id,
  item_id: `item_of_${id}`,
  output_index: 0,
  content_index: 0,
  delta: text,
  ...more,
})

/** The end of an answer that consists of one text. */
export const done = (text: string, id = 'resp_1') => ({
  type: 'response.done',
  response: {
    id,
    output: [
      {
        id: `item_of_${id}`,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  },
})

/** What is left of the end of an answer that was blocked. */
export const doneBlocked = (id = 'resp_1') => ({
  type: 'response.done',
  response: { id, output: [], usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
})

/** What a client is told in place of what is blocked. */
export const blocked = (message: string) => ({
  type: 'error',
  error: { type: 'guardrail_blocked', code: 'guardrail_intervention', message },
})
