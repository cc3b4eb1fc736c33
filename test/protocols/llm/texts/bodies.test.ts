import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { replyTexts, requestTexts } from '../../../../src/protocols/llm/texts/extract-texts.ts'
import type { TextSlot } from '../../../../src/protocols/llm/texts/text-slot.ts'
import { goldenReplies, goldenRequests } from './goldens.ts'
import { isRepeated, isNoContent, leavesOf } from './leaves.ts'

const CANARY = 'tweet 123-45-6789'

/** The same body repeated. */
type Views = (body: JsonObject) => readonly TextSlot[]

const findsAll = (body: JsonObject, views: Views, isReply: boolean): void => {
  const missed = leavesOf(body).filter((leaf) => {
    if (isNoContent(leaf) || (isReply && isRepeated(leaf))) return false
    const copy = structuredClone(body)
    put(copy, leaf.path, CANARY)
    return !views(copy).some(({ text }) => text === CANARY)
  })
  assert.deepEqual(missed, [])
}

const changesOne = (body: JsonObject, views: Views): void => {
  for (const [i] of views(body).entries()) {
    const copy = structuredClone(body)
    const slot = views(copy)[i]
    assert.ok(slot)
    slot.set(CANARY)
    const before = new Map(leavesOf(body).map(({ path, text }) => [path, text]))
    const after = leavesOf(copy)
    const changed = after.filter(({ path, text }) => text !== before.get(path))
    for (const { path } of after) before.delete(path)
    for (const path of before.keys()) assert.match(path, /\/logprobs\//)
    const inBase64 = Buffer.from(CANARY).toString('base64')
    assert.equal(changed.length, 1, JSON.stringify(changed))
    assert.ok(changed[0]?.text === CANARY || changed[0]?.text.endsWith(inBase64), changed[0]?.path)
  }
}

const put = (body: JsonObject, path: string, text: string): void => {
  const steps = path.split('/')
  const last = steps.pop() ?? ''
  let place: JsonObject = body
  for (const step of steps) place = place[step] as JsonObject
  place[last] = text
}

test('texts of requests', async (t) => {
  for (const { format, name, body } of goldenRequests) {
    const views: Views = (it) => requestTexts(format, it)
    await t.test(`${name} of ${format}: all content for the model is found`, () => {
      findsAll(body, views, false)
    })
    await t.test(`${name} of ${format}: each is changed in place, and nothing else`, () => {
      changesOne(body, views)
    })
  }
})

test('texts of responses', async (t) => {
  for (const { format, name, body } of goldenReplies) {
    const views: Views = (it) => replyTexts(format, it)
    await t.test(`${name} of ${format}: all content of the model is found`, () => {
      findsAll(body, views, true)
    })
    await t.test(`${name} of ${format}: each is changed in place, and nothing else`, () => {
      changesOne(body, views)
    })
  }
})
