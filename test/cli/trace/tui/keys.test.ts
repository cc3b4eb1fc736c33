import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { lastValueFrom, toArray } from 'rxjs'
import { keysOf } from '../../../../src/cli/trace/tui/keys.ts'
import { printableText } from '../../../../src/cli/trace/tui/printable-text.ts'
import { cellWidth, clipCells, wrapCells } from '../../../../src/cli/trace/tui/cell-width.ts'

const pressed = async (...chunks: string[]): Promise<string[]> => {
  const input = new PassThrough()
  const keys = lastValueFrom(keysOf(input).pipe(toArray()))
  for (const chunk of chunks) input.write(Buffer.from(chunk, 'latin1'))
  input.end()
  return keys
}

test('keys of a terminal have names, also if their sequences arrive in pieces', async () => {
  assert.deepEqual(await pressed('q\u001b[A\u001b[', '5~\r\t\u001b[Z\u0003\u007f G?'), [
    'q',
    'up',
    'pageup',
    'return',
    'tab',
    'shift-tab',
    'ctrl-c',
    'backspace',
    ' ',
    'G',
    '?',
  ])
  assert.deepEqual(await pressed('\u00c3', '\u00b6\u001bOB\u001b[H'), ['ö', 'down', 'home'])
})

test('text from the network', async (t) => {
  await t.test('cannot control the terminal or hide', () => {
    assert.equal(printableText('a\u001b[31m\u0000\u007f\r\n'), 'a␛[31m␀␡␍␊')
    assert.equal(
      printableText('\u009b1A\u202eabc\u200b\ud800\u2028'),
      '\\u{9b}1A\\u{202e}abc\\u{200b}\ufffd\\u{2028}',
    )
    assert.equal(printableText('Grüße, 漢字 👍'), 'Grüße, 漢字 👍')
  })

  await t.test('is measured, clipped and wrapped in cells', () => {
    const text = printableText('a漢字e\u0301👍')
    assert.equal(cellWidth(text), 8)
    assert.deepEqual(
      [2, 3, 4, 5, 8].map((cells) => clipCells(text, cells)),
      ['a…', 'a…', 'a漢…', 'a漢…', 'a漢字e\u0301👍'],
    )
    assert.deepEqual(wrapCells(text, 4), ['a漢', '字e\u0301', '👍'])
    assert.deepEqual(wrapCells(printableText(''), 4), [''])
  })
})
