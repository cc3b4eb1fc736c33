import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { environment } from '../../src/cel/environment.ts'
import { macros } from '../../src/cel/macros/macros.ts'
import { functionGroups } from '../../src/cel/functions/functions.ts'
import { variables } from '../../src/cel/variables.ts'
import { signaturesOf } from '../../scripts/cel-reference/signatures.ts'
import { celReference } from '../../scripts/generate-cel-reference.ts'

test('docs/reference/cel.md', async (t) => {
  const written = readFileSync(new URL('../../docs/reference/cel.md', import.meta.url), 'utf8')

  await t.test('equals the generated text', async () => {
    assert.equal(written, await celReference())
  })

  await t.test('names every variable, field and function', () => {
    const fields = variables.flatMap(({ name, record }) =>
      record ? Object.keys(record.fields).map((field) => `${name}.${field}`) : [`### ${name}`],
    )
    const usages = [...macros, ...functionGroups.flatMap(({ functions }) => functions)].map(
      ({ usage }) => usage,
    )
    const missing = [...fields, ...usages.map((usage) => usage.split(', ')[0] as string)].filter(
      (name) => !written.includes(name.replaceAll('|', '\\|')),
    )
    assert.deepEqual(missing, [])
  })

  await t.test('has the types of every function', () => {
    const usages = functionGroups.flatMap(({ functions }) => functions.map(({ usage }) => usage))
    assert.deepEqual(
      usages.filter((usage) => signaturesOf(usage).length === 0),
      [],
    )
    assert.deepEqual(signaturesOf('string.trim()'), ['string.trim(): string'])
    assert.deepEqual(signaturesOf('headers.join()'), ['headers.join(): headers'])
    assert.deepEqual(signaturesOf('cidr(x).ip()'), ['CIDR.ip(): IP'])
    assert.deepEqual(signaturesOf('math.sqrt(x)'), ['math.sqrt(double): double', 'math.sqrt(int): double'])
  })

  await t.test('names only functions that exist', () => {
    const known = new Set([
      ...environment.getDefinitions().functions.map(({ name }) => name),
      ...macros.map(({ name }) => name),
    ])
    const usages = functionGroups.flatMap(({ functions }) => functions.map(({ usage }) => usage))
    const names = usages.flatMap((usage) =>
      Array.from(usage.matchAll(/(\w+)\(/g), ([, name]) => name as string),
    )
    assert.ok(names.length > 100)
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
    )
  })
})
