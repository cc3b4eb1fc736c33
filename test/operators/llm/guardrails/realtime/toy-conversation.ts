import { type Duplex, duplexPair } from 'node:stream'
import { Headers } from '../../../../../src/model/exchange/headers.ts'
import { emptyBody } from '../../../../../src/model/exchange/body.ts'
import { Reply } from '../../../../../src/model/exchange/reply.ts'
import type { GuardCheck, Guards } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { GuardedSession } from '../../../../../src/operators/llm/guardrails/realtime/guarded-session.ts'
import { MessageReader } from '../../../../../src/protocols/websocket/message-reader.ts'
import {
  type FrameWriter,
  writeFrame,
  writeText,
} from '../../../../../src/protocols/websocket/write-frame.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { settle, windows } from '../stream/toy-stream.ts'

/** One end of a session: what it receives, and what it sends. */
export interface Side {
  /** Events, and control frames as `close 1000`, `ping` … */
  readonly got: unknown[]
  readonly end: Duplex
  send(event: unknown): void
  frame(opcode: number, payload?: Buffer): void
}

/** A guarded session between a client and a provider that the test plays. */
export const session = (guards: Partial<Guards> = {}, limitBytes = 100_000) => {
  const settled: GuardCheck[] = []
  const [provider, upstream] = duplexPair()
  const x = exchange()
  const clientExchange = exchange()
  const tunnel = new GuardedSession(upstream, {
    x,
    clientExchange,
    reply: new Reply(101, new Headers([]), emptyBody, 'Upstream'),
    guards: {
      request: [],
      response: [],
      streaming: windows,
      onGuardEnd: (_x, checked) => settled.push(checked),
      ...guards,
    },
    kept: (guards.response ?? []).map(() => undefined),
    limitBytes,
  })
  return {
    x,
    clientExchange,
    tunnel,
    settled,
    client: side('client', tunnel),
    provider: side('server', provider),
    actions: () => settled.map(({ guard, phase, action }) => `${phase} ${guard} ${action}`),
  }
}

/** Runs everything that is not pending. */
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
    send: (event) => end.write(writeText(writer, typeof event === 'string' ? event : JSON.stringify(event))),
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

/** An event of the client: one message of a user. */
export const userItem = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})

/** A delta of the model's response. */
export const delta = (text: string, id = 'resp_1', more: object = {}) => ({
  type: 'response.output_text.delta',
  response_id: id,
  item_id: `item_of_${id}`,
  output_index: 0,
  content_index: 0,
  delta: text,
  ...more,
})

/** The end of a response that consists of one text. */
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

/** What is left of the end of a blocked response. */
export const doneBlocked = (id = 'resp_1') => ({
  type: 'response.done',
  response: { id, output: [], usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
})

/** The event that a client gets in place of blocked content. */
export const blocked = (message: string) => ({
  type: 'error',
  error: { type: 'guardrail_blocked', code: 'guardrail_intervention', message },
})
