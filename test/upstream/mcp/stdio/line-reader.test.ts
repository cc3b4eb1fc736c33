import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StdioLines } from '../../../../src/upstream/mcp/stdio/line-reader.ts'

/** Lines of a text in chunks of so many bytes. */
const linesOf = (text: string, chunkBytes: number, limitBytes = 1_000): [string, boolean][] => {
  const found: [string, boolean][] = []
  const lines = new StdioLines(limitBytes, (line, whole) => found.push([line, whole]))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) lines.push(bytes.subarray(at, at + chunkBytes))
  lines.end()
  return found
}

test('lines of a stream', async (t) => {
  await t.test('are the same however the stream is split', () => {
    const text = 'first\r\n\n  \r\nzweite: größer 🎉🎉\n{"a":"\u2028"}\nend\nno end'
    const whole = linesOf(text, 1_000)
    assert.deepEqual(whole, [
      ['first', true],
      ['zweite: größer 🎉🎉', true],
      ['{"a":"\u2028"}', true],
      ['end', true],
      ['no end', true],
    ])
    for (let bytes = 1; bytes < 70; bytes++) assert.deepEqual(linesOf(text, bytes), whole)
  })

  await t.test('that are too long are truncated at the limit, and the next ones are complete', () => {
    const text = `${'a'.repeat(10)}\n${'b'.repeat(11)}\n${'c'.repeat(50)}\nd\n${'e'.repeat(11)}`
    for (let bytes = 1; bytes < 100; bytes++)
      assert.deepEqual(linesOf(text, bytes, 10), [
        ['aaaaaaaaaa', true],
        ['bbbbbbbbbb', false],
        ['cccccccccc', false],
        ['d', true],
        ['eeeeeeeeee', false],
      ])
  })

  await t.test('cost no more than their bytes when they arrive byte by byte', () => {
    const lines = new StdioLines(10_000_000, () => undefined)
    const byte = Buffer.from('x')
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 1_000_000; i++) lines.push(byte)
    const grown = process.memoryUsage().arrayBuffers - before
    assert.ok(grown < 20_000_000, `${grown} bytes`)
  })
})
