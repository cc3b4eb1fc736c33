import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventTemplate } from '../../../../../src/operators/llm/guardrails/stream/event-template.ts'
import { jsonObjectIn, type JsonObject } from '../../../../../src/protocols/json/json-object.ts'

const event = (data: string) => Buffer.from(`event: piece\ndata: ${data}\n\n`)

/** Creates a template from data in which the member `text` is the piece. */
const learned = (data: string) => {
  const json = jsonObjectIn(JSON.parse(data)) as JsonObject
  const text = json.text as string
  const piece = { role: 'assistant', scope: 'messages', channel: 'a', text, set: () => undefined } as const
  return EventTemplate.of(event(data), data, json, piece)
}

const recognized = (shape: EventTemplate | undefined, bytes: Buffer, joins = false) =>
  shape?.match(bytes, bytes.toString('latin1'), 0, { joins, limitBytes: 200 })

test('the template of an event', async (t) => {
  await t.test('is matched whatever the text is, and changed nowhere else', () => {
    const shape = learned('{"n": 1.0, "text": "one", "rest": ["ü", null]}')
    for (const [words, mask] of [
      ['two', '<masked>'],
      ['Grüße 👋', '"\\'],
      [' ', ''],
      ['one', 'ü'],
    ] as const) {
      const bytes = event(`{"n": 1.0, "text": "${words}", "rest": ["ü", null]}`)
      const found = recognized(shape, bytes)
      assert.ok(found, words)
      assert.deepEqual(
        [found.text.text, found.text.slot.text, found.text.channel, found.text.slot.scope],
        [words, words, 'a', 'messages'],
      )
      found.text.text = mask
      found.event.clear(found.text)
      assert.equal(
        found.event.written().toString(),
        event(`{"n": 1.0, "text": ${JSON.stringify(mask)}, "rest": ["ü", null]}`).toString(),
      )
    }
  })

  await t.test('is matched in several adjacent events, whose texts may become one piece', () => {
    const bytes = Buffer.concat(['two ', 'grü', 'ne', ' Äpfel'].map((words) => event(`{"text":"${words}"}`)))
    const shape = learned('{"text":"one"}')
    assert.equal(recognized(shape, bytes)?.text.text, 'two ')
    const found = recognized(shape, Buffer.concat([bytes, event('{"text":"a","b":1}')]), true)
    assert.ok(found)
    assert.deepEqual([found.text.text, found.end], ['two grüne Äpfel', bytes.length])
    found.text.text = 'two <masked> Äpfel'
    found.event.clear(found.text)
    assert.deepEqual(
      found.event.written().toString(),
      ['two ', '<masked>', '', ' Äpfel'].map((words) => event(`{"text":"${words}"}`).toString()).join(''),
    )
  })

  await t.test('keeps its bytes where nothing was changed', () => {
    const bytes = event('{"text":"b"}')
    const found = recognized(learned('{"text":"a"}'), bytes)
    if (found) found.event.clear(found.text)
    assert.equal(found?.event.written(), bytes)
  })

  await t.test(
    'is not that of events that differ in anything else, or have words that have to be read',
    () => {
      const shape = learned('{"text":"one","end":null}')
      assert.ok(shape)
      for (const data of [
        '{"text":"one","end":"x"}',
        '{"text":"a\\u0062c","end":null}',
        '{"text":"a\\"","end":null}',
        '{"text":"a","text":"b","end":null}',
        '{"text":"","end":null}',
        '{"text":null,"end":null}',
        '{"text":"a" ,"end":null}',
        '{"text":["a"],"end":null}',
      ])
        assert.equal(recognized(shape, event(data)), undefined, data)
      assert.equal(recognized(shape, Buffer.from('data: {"text":"one","end":null}\n\n')), undefined)
    },
  )

  await t.test('is not created if the position of the text is not certain', () => {
    for (const data of [
      '{"text":"text"}',
      '{"text":"a","other":"a"}',
      '{"text":"\\u0061","b":{"a":1}}',
      '{"text":"\\u0061"}',
      '{"text":"a\\nb"}',
      '{"b":{"c":"x"},"text":"\\u0063"}',
    ])
      assert.equal(learned(data), undefined, data)
  })
})
