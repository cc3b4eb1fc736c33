import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { translations } from '../../src/protocols/llm/translations.ts'

const page = readFileSync('docs/reference/llm-translations.md', 'utf8')

/** Rows of the table: the client's format, and its cells, each with their formats. */
const rows = [...page.matchAll(/^\| `(\w+)` +\|(.*)\|$/gm)].map(([, client = '', cells = '']) => ({
  client,
  formats: cells
    .split('|')
    .map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, format]) => format))
    .filter((cell) => cell.length > 0),
}))

test('the page about translations', async (t) => {
  await t.test('lists which format serves which', () => {
    assert.deepEqual(
      rows.map(({ client }) => client),
      ['completions', 'messages', 'responses', 'generateContent', 'converse'],
    )
    for (const { client, formats } of rows)
      assert.deepEqual(formats, translations[client as keyof typeof translations], client)
  })
})
