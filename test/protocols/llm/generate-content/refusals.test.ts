import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { BadReply, BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'
import { converse } from '../../../../src/protocols/llm/converse/codec.ts'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { goldensOf } from '../goldens.ts'

const place = { model: 'm' }
const refusal = (body: JsonObject): string => {
  try {
    generateContent.decodeRequest(body, place, new Losses())
  } catch (thrown) {
    assert.ok(thrown instanceof BadRequest)
    return thrown.message
  }
  return 'taken'
}
const said = [{ parts: [{ text: 'Hi' }] }]

test('refuses requests with the name of the field', () => {
  assert.equal(refusal({}), 'contents is missing')
  assert.equal(refusal({ contents: [1] }), 'contents[0] must be an object')
  assert.equal(
    refusal({ contents: [{ role: 'judge', parts: [] }] }),
    'contents[0].role must be user or model',
  )
  assert.equal(
    refusal({ contents: [{ parts: [{ text: 1 }] }] }),
    'contents[0].parts[0].text must be a string',
  )
  assert.equal(
    refusal({ contents: [{ parts: [{}] }] }),
    'contents[0].parts[0].text is missing, and so is any other kind of part',
  )
  assert.equal(
    refusal({ contents: [{ parts: [{ functionCall: {} }] }] }),
    'contents[0].parts[0].functionCall.name is missing',
  )
  assert.equal(
    refusal({ contents: [{ parts: [{ functionResponse: { name: 'f' } }] }] }),
    'contents[0].parts[0].functionResponse.name is not that of a function that was called before',
  )
  assert.equal(
    refusal({ contents: said, generationConfig: { temperature: '1' } }),
    'generationConfig.temperature must be a number',
  )
  assert.equal(
    refusal({ contents: said, generationConfig: { stopSequences: [1] } }),
    'generationConfig.stopSequences[0] must be a string',
  )
  assert.equal(
    refusal({ contents: said, generationConfig: { thinkingConfig: { thinkingLevel: 'ALL' } } }),
    'generationConfig.thinkingConfig.thinkingLevel must be MINIMAL, LOW, MEDIUM or HIGH',
  )
  assert.equal(
    refusal({ contents: said, toolConfig: { functionCallingConfig: { mode: 'SOME' } } }),
    'toolConfig.functionCallingConfig.mode must be AUTO, ANY, NONE or VALIDATED',
  )
  assert.equal(refusal({ contents: said, systemInstruction: 'x' }), 'systemInstruction must be an object')
  assert.throws(() => generateContent.decodeRequest({ contents: said }, {}, new Losses()), /model is missing/)
})

test('refuses to encode calls without a valid form', () => {
  const request = (parts: ChatRequest['turns'][number]['parts']): ChatRequest => ({
    model: 'm',
    instructions: [],
    turns: [{ role: 'assistant', parts }],
    tools: [],
    stop: [],
    streaming: false,
    includeUsage: true,
  })
  const broken = request([{ type: 'toolCall', id: 'c', name: 'f', arguments: '{"a' }])
  for (const codec of [generateContent, converse])
    assert.throws(
      () => codec.encodeRequest(broken, new Losses()),
      new BadRequest('the arguments of the call c are not a JSON object'),
    )
  assert.throws(
    () => generateContent.encodeRequest(request([{ type: 'toolResult', id: 'c', parts: [] }]), new Losses()),
    new BadRequest('there is no call c before its result'),
  )
})

test('refuses invalid responses', () => {
  assert.throws(() => generateContent.decodeReply({}, new Losses()), new BadReply('candidates is missing'))
  assert.throws(() => converse.decodeReply({}, new Losses()), new BadReply('output is missing'))
})

/** A golden with one value changed, anywhere. */
const damaged = (golden: JsonObject): fc.Arbitrary<JsonObject> =>
  fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 })).map(([n, value]) => {
    const copy = structuredClone(golden)
    const places: [JsonObject, string][] = []
    const walk = (object: JsonObject): void => {
      for (const key of Object.keys(object)) {
        places.push([object, key])
        if (typeof object[key] === 'object' && object[key] !== null) walk(object[key] as JsonObject)
      }
    }
    walk(copy)
    const [object, key] = places[n % places.length]!
    object[key] = value
    return copy
  })

for (const codec of [generateContent, converse]) {
  const format = codec.format === 'converse' ? 'converse' : 'generate-content'
  const folder = new URL(`../${format}/golden/`, import.meta.url)

  for (const { name, golden } of goldensOf<{ readonly wire: JsonObject }>(folder, 'request'))
    test(`decodes or refuses ${format} ${name} with any changed value, and never throws otherwise`, () => {
      fc.assert(
        fc.property(damaged(golden.wire), (body) => {
          codec.requestAttributes(body, place)
          try {
            const request = codec.decodeRequest(body, place, new Losses())
            codec.encodeRequest(request, new Losses())
          } catch (thrown) {
            if (!(thrown instanceof BadRequest)) throw thrown
          }
        }),
        { numRuns: 500 },
      )
    })

  for (const { name, golden } of goldensOf<{ readonly wire: JsonObject }>(folder, 'reply'))
    test(`decodes or refuses ${format} ${name} with any changed value, and never throws otherwise`, () => {
      fc.assert(
        fc.property(damaged(golden.wire), (body) => {
          codec.replyAttributes(body)
          try {
            const reply = codec.decodeReply(body, new Losses())
            codec.encodeReply(reply, { model: 'm', includeUsage: true }, new Losses())
          } catch (thrown) {
            if (!(thrown instanceof BadReply)) throw thrown
          }
        }),
        { numRuns: 500 },
      )
    })
}
