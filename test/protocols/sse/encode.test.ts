import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeSseComment, encodeSseEvent } from '../../../src/protocols/sse/encode.ts'

test('encodeSseEvent', async (t) => {
  await t.test('writes the given fields, and a blank line', () => {
    assert.equal(encodeSseEvent({ data: '{"a":1}' }), 'data: {"a":1}\n\n')
    assert.equal(
      encodeSseEvent({ event: 'tick', id: '7', retryMs: 1500.7, data: '' }),
      'event: tick\nid: 7\nretry: 1500\ndata: \n\n',
    )
    assert.equal(encodeSseEvent({ retryMs: -1 }), 'retry: 0\n\n')
  })

  await t.test('writes every line of the data as a field', () => {
    assert.equal(encodeSseEvent({ data: 'a\nb\r\nc\rd\n' }), 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n')
  })

  await t.test('prevents injected fields', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '\r', '\0', 'data', 'id') })
    fc.assert(
      fc.property(text, text, text, (event, id, data) => {
        const lines = encodeSseEvent({ event, id, data }).split(/\r\n|\r|\n/)
        const names = lines.map((line) => line.slice(0, line.indexOf(':') + 1))
        const expected = ['event:', 'id:', ...data.split(/\r\n|\r|\n/).map(() => 'data:'), '', '']
        assert.deepEqual(names, expected)
      }),
    )
  })
})

test('encodeSseComment writes lines that clients ignore', () => {
  assert.equal(encodeSseComment(), ': \n\n')
  assert.equal(encodeSseComment('dropped 3\nof 5'), ': dropped 3\n: of 5\n\n')
})
