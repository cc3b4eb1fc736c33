import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonObjectOr } from '../../../../src/protocols/json/json-object.ts'
import { BadReply, BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import {
  type LlmStreamFormat,
  type LlmStreamRule,
  type LlmStreamViolation,
  llmStreamViolations,
} from '../../../../src/testing/index.ts'
import { receivedEvents, cells, goldenJson, providerBytes } from './goldens.ts'
import { mutated, mutations } from './mutate.ts'
import { clientRequest, translated } from './translate.ts'

/** Runs a function that may fail in one way only. */
const mayThrow = (Refusal: new (message: string) => Error, act: () => void): void => {
  try {
    act()
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem
    assert.match(problem.message, /\S/)
  }
}

/**
 * Problems of a stream that are not the provider's content: arguments, reasons, usage, ids and names are its content.
 */
const brokenOrder = (format: LlmStreamFormat, stream: string): readonly LlmStreamViolation[] =>
  llmStreamViolations(format, stream).filter(
    ({ rule, message }) => !providersOwn.has(rule) && !/\b(?:id|call_id|name)\b/.test(message),
  )

const providersOwn: ReadonlySet<LlmStreamRule> = new Set(['arguments', 'finish', 'usage', 'identity'])

for (const cell of cells) {
  const [client, provider] = [codecs[cell.client], codecs[cell.provider]]
  test(`a client of ${cell.client} and a provider of ${cell.provider}`, async (t) => {
    await t.test('translate a changed request, or refuse it', () => {
      const body = goldenJson(`formats/${cell.client}/request.json`)
      const place = { model: 'anthropic.claude-1', streaming: true }
      fc.assert(
        fc.property(mutations, (changes) => {
          const wrong = jsonObjectOr(changes.reduce<unknown>(mutated, body))
          const losses = new Losses()
          mayThrow(BadRequest, () => {
            JSON.stringify(provider.encodeRequest(client.decodeRequest(wrong, place, losses), losses))
          })
          for (const field of losses.fields) assert.match(field, /^[a-zA-Z_]+(\.[a-zA-Z_]+)*$/)
        }),
        { numRuns: 1000 },
      )
    })

    await t.test('translate a changed response, or refuse it', () => {
      const body = goldenJson(`formats/${cell.provider}/reply.json`)
      fc.assert(
        fc.property(mutations, (changes) => {
          const wrong = jsonObjectOr(changes.reduce<unknown>(mutated, body))
          const losses = new Losses()
          mayThrow(BadReply, () => {
            JSON.stringify(client.encodeReply(provider.decodeReply(wrong, losses), clientRequest, losses))
          })
        }),
        { numRuns: 1000 },
      )
    })

    await t.test('produce a valid stream, whatever the provider sends in its events', () => {
      const all = receivedEvents(cell.provider, [providerBytes(cell.provider)])
      fc.assert(
        fc.property(mutations, fc.nat(all.length - 1), (changes, at) => {
          const { name, data = '' } = all[at] ?? {}
          if (data === '[DONE]') return
          const wrong = JSON.stringify(changes.reduce<unknown>(mutated, JSON.parse(data)))
          const seen = translated(cell, [...all.slice(0, at), { name, data: wrong }, ...all.slice(at + 1)])
          assert.deepEqual(brokenOrder(cell.client, seen), [], wrong)
        }),
        { numRuns: 2000 },
      )
    })

    await t.test('produce a valid stream, in whatever order the provider sends events', () => {
      const all = receivedEvents(cell.provider, [providerBytes(cell.provider)])
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...all), { maxLength: all.length * 2 }), (some) => {
          const seen = translated(cell, some)
          assert.deepEqual(brokenOrder(cell.client, seen), [], seen)
        }),
        { numRuns: 1000 },
      )
    })
  })
}
