import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ChatFormat } from '../../../src/protocols/llm/format.ts'
import { type LlmStreamFormat, llmStreamViolations } from '../../../src/testing/index.ts'
import { streams } from './responses/golden/streams.ts'
import { sse } from './responses/golden/wire.ts'
import { type ReceivedEvent, receivedEvents, cells } from './translation/goldens.ts'
import { translated } from './translation/translate.ts'

/** A test stream of a codec, with its peculiarity. */
interface Golden {
  readonly name: string
  readonly arrivals: readonly ReceivedEvent[]
  readonly text?: string
}

const root = new URL('./', import.meta.url)

const inFolder = (format: ChatFormat, folder: string): Golden[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => {
      const text = readFileSync(new URL(`${folder}/${name}`, root), 'utf8')
      return { name, text, arrivals: receivedEvents(format, [Buffer.from(text)]) }
    })

const framesIn = (folder: string): Golden[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.startsWith('stream-'))
    .map((name) => {
      const golden = JSON.parse(readFileSync(new URL(`${folder}/${name}`, root), 'utf8')) as {
        readonly wire: readonly (readonly [name: string, payload: object])[]
      }
      return {
        name,
        arrivals: golden.wire.map(([event, payload]) => ({ name: event, data: JSON.stringify(payload) })),
      }
    })

const goldens: Readonly<Record<ChatFormat, readonly Golden[]>> = {
  completions: inFolder('completions', 'completions/golden/streams'),
  messages: inFolder('messages', 'messages/golden/streams'),
  responses: Object.entries(streams).map(([name, { wire }]) => {
    const text = sse(wire)
    return { name, text, arrivals: receivedEvents('responses', [Buffer.from(text)]) }
  }),
  generateContent: inFolder('generateContent', 'generate-content/golden'),
  converse: framesIn('converse/golden'),
}

/** Streams of providers with missing, repeated or additional parts, or that are truncated. */
const peculiar: Readonly<Record<ChatFormat, readonly string[]>> = {
  completions: ['azure.sse', 'cut.sse', 'other-providers.sse'],
  messages: ['cut.sse', 'pause-with-server-tools.sse'],
  responses: [
    'thoughts, hidden thoughts and calls that overlap',
    'a refusal in the middle of a message',
    'one that runs out of tokens after a search',
  ],
  generateContent: ['stream-cut.sse'],
  converse: [],
}

test('golden streams', async (t) => {
  for (const [format, all] of Object.entries(goldens) as [ChatFormat, readonly Golden[]][])
    for (const { name, arrivals, text } of all) {
      if (text !== undefined)
        await t.test(`${name} of ${format} is as valid as its provider`, () => {
          const found = llmStreamViolations(format as LlmStreamFormat, text)
          assert.equal(found.length > 0, peculiar[format].includes(name), JSON.stringify(found))
        })
      for (const cell of cells)
        if (cell.provider === format)
          await t.test(`${name} of ${format} becomes a valid stream for a client of ${cell.client}`, () => {
            const seen = translated(cell, arrivals)
            assert.deepEqual(llmStreamViolations(cell.client, seen), [], seen)
          })
    }

  await t.test('exist for every format', () => {
    for (const all of Object.values(goldens)) assert.ok(all.length > 3)
  })
})
