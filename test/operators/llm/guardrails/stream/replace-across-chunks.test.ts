import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endOfText } from '../../../../../src/operators/llm/guardrails/stream/windowed-guard.ts'
import { replaceAcross } from '../../../../../src/operators/llm/guardrails/stream/replace-across-chunks.ts'
import { withData } from '../../../../../src/operators/llm/guardrails/stream/event-reader.ts'

test('the replacement of a text in pieces', async (t) => {
  await t.test('touches only the pieces that differ', () => {
    const pieces = ['call ', '555-', '1234', ' now']
    assert.deepEqual(replaceAcross(pieces, 'call <PHONE> now'), ['call ', '<PHONE>', '', ' now'])
    assert.deepEqual(replaceAcross(pieces, 'call 555-1234 now!'), ['call ', '555-', '1234', ' now!'])
    assert.deepEqual(replaceAcross(pieces, ''), ['', '', '', ''])
    assert.deepEqual(replaceAcross(['a', 'c'], 'abc'), ['a', 'bc'])
    assert.deepEqual(replaceAcross(['', 'a', ''], 'b'), ['', 'b', ''])
    assert.deepEqual(replaceAcross(['aa', 'aa'], 'aaa'), ['aa', 'a'])
  })

  await t.test('is that text, in as many pieces', () => {
    const text = fc.stringMatching(/^[ab]{0,6}$/)
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), text, (pieces, other) => {
        const made = replaceAcross(pieces, other)
        assert.deepEqual([made.length, made.join('')], [pieces.length, other])
      }),
    )
  })
})

test('the end of a text has at most so many bytes, and as many as whole characters allow', () => {
  assert.equal(endOfText('dünn', 3), 'nn')
  assert.equal(endOfText('dünn', 4), 'ünn')
  assert.equal(endOfText('dünn', 0), '')
  assert.equal(endOfText('a\u{1f600}', 3), '')
  assert.equal(endOfText('a\u{1f600}', 4), '\u{1f600}')
  assert.equal(endOfText('a\ude00', 3), '\ude00')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, limit) => {
      const end = endOfText(text, limit)
      const more = Array.from(text)
        .slice(-Array.from(end).length - 1)
        .join('')
      assert.ok(text.endsWith(end) && Buffer.byteLength(end) <= limit)
      assert.ok(end === text || Buffer.byteLength(more) > limit)
    }),
  )
})

test('other data in an event leaves the rest of it alone', () => {
  const put = (event: string, data: string) => withData(Buffer.from(event), data).toString()
  assert.equal(put('event: a\ndata: 1\nid: 7\n\n', '2'), 'event: a\ndata: 2\nid: 7\n\n')
  assert.equal(put('data:1\r\n: data: x\r\ndata\r\ndata: 3\r\n\r\n', '2'), 'data: 2\r\n: data: x\r\n\r\n')
  assert.equal(put('data: 1\rdatum: 2\r\r', 'ü'), 'data: ü\rdatum: 2\r\r')
  assert.equal(put('data: 1', '2'), 'data: 2')
  assert.equal(put('data: 1\n\n', '2\n3'), 'data: 2\ndata: 3\n\n')
})
