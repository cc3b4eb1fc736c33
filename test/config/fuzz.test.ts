import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { dumpConfig } from '../../src/config/dump.ts'
import { ConfigError } from '../../src/config/errors.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { schema } from '../../src/config/schema/root.ts'
import { fixtureEnvironment, fixtures } from './fixtures.ts'

/** Loads and dumps, or refuses with at least one problem at an existing location. Anything else is a bug. */
const isHandled = (text: string): boolean => {
  try {
    const loaded = parseConfig(text, 'fuzz.yaml', fixtureEnvironment)
    JSON.stringify(dumpConfig(loaded, { version: '0', gitRevision: '0' }))
    return true
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = text.split('\n').length
    assert.ok(error.problems.length > 0)
    for (const { line, column, expectation } of error.problems) {
      assert.ok(line >= 1 && line <= lines && column >= 1 && expectation !== '', error.message)
    }
    return true
  }
}

/** Every field name of the schema, and some words for values. */
const names = [...new Set(JSON.stringify(schema).match(/"[a-zA-Z0-9]+":\{/g))].map((key) => key.slice(1, -3))
const scalar = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    '/',
    '/a',
    'a:80',
    'unix:/a',
    '10s',
    'HTTP',
    'TLS',
    'default',
    'request.path',
    '$PORT',
    '${GONE}',
    'null',
    '{}',
  ),
  fc.constantFrom<unknown>(0, 1, -1, 3000, 1.5, 1e300, true, false, null),
  fc.string({ maxLength: 8 }),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 4 })), tie('value'), {
    maxKeys: 5,
  }),
}))

/** Replaces a value at a random position. */
const mutate = (root: unknown, path: readonly number[], replacement: unknown): unknown => {
  const [step, ...rest] = path
  if (step === undefined || typeof root !== 'object' || root === null) return replacement
  if (Array.isArray(root)) {
    const list: readonly unknown[] = root
    const at = step % (list.length + 1)
    return [...list.slice(0, at), mutate(list[at], rest, replacement), ...list.slice(at + 1)]
  }
  const keys = Object.keys(root)
  const key = keys[step % Math.max(1, keys.length)] ?? 'routes'
  return { ...root, [key]: mutate((root as Record<string, unknown>)[key], rest, replacement) }
}

const good = fixtures('good', '.normalized.json').map(({ text }) => parse(text, { merge: true }) as unknown)

test('arbitrary input', { timeout: 120_000 }, async (t) => {
  await t.test('as text is loaded or refused', () => {
    const token = fc.constantFrom(
      ...'{}[]:,-?&*!|>\'"#%@`~$\n\t '.split(''),
      '- ',
      ': ',
      '<<: *a',
      '&a ',
      '*a',
      '\n  ',
      '---\n',
      ...names.slice(0, 40),
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) => isHandled(tokens.join(''))),
      { numRuns: 500 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), isHandled), { numRuns: 300 })
  })

  await t.test('as a value is loaded or refused', () => {
    fc.assert(
      fc.property(value, (one) => isHandled(JSON.stringify(one))),
      { numRuns: 300 },
    )
  })

  await t.test('in place of a part of a valid file is loaded or refused', () => {
    const place = fc.array(fc.nat(20), { maxLength: 9 })
    fc.assert(
      fc.property(fc.constantFrom(...good), place, value, (config, path, replacement) =>
        isHandled(stringify(mutate(config, path, replacement))),
      ),
      { numRuns: 500 },
    )
  })
})
