import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitsTemplate } from '../../../src/protocols/mcp/uri-template.ts'

const fitting: readonly (readonly [template: string, uri: string])[] = [
  ['test://{id}/data', 'test://7/data'],
  ['test://{a}/{b}', 'test://x/y/z'],
  ['file:///{+path}', 'file:///etc/hosts'],
  ['note://all', 'note://all'],
  ['{scheme}://x', 'a://x'],
]
const others: readonly (readonly [template: string, uri: string])[] = [
  ['test://{id}/data', 'test:///data'],
  ['test://{id}/data', 'test://7/date'],
  ['test://{id}/data', 'best://7/data'],
  ['note://all', 'note://all/of'],
  ['a{x}ba{y}b', 'axbab'],
]

test('a URI template', async (t) => {
  for (const [template, uri] of fitting)
    await t.test(`${template} matches ${uri}`, () => {
      assert.ok(fitsTemplate(template, uri))
    })
  for (const [template, uri] of others)
    await t.test(`${template} does not match ${uri}`, () => {
      assert.ok(!fitsTemplate(template, uri))
    })
  await t.test('with many expressions is matched in a short time', () => {
    assert.ok(!fitsTemplate('{x}a'.repeat(2_000), `${'a'.repeat(100_000)}b`))
  })
})
