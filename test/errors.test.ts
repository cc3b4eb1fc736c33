import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import ts from 'typescript'
import { headRefusals } from '../src/protocols/http/head-refusal.ts'

/** One row of the table. */
interface Row {
  readonly code: string
  readonly status: string
  readonly reason: string
  readonly meaning: string
}

const rowsOf = (page: string): Row[] =>
  [...page.matchAll(/^\| `(\w+)` +\| ([^|]+)\| ([^|]+)\| (.+?) *\|$/gm)].map(
    ([, code = '', status = '', reason = '', meaning = '']) => ({
      code,
      status: status.trim(),
      reason: reason.trim(),
      meaning: meaning.trim(),
    }),
  )

/** Codes given as literals: to `deny`, to `Fault` and what makes one, and in refusals made before an exchange begins. */
const codesIn = (path: string, text: string): string[] => {
  const codes: string[] = []
  const take = (node: ts.Node | undefined) => {
    if (node && ts.isStringLiteral(node)) codes.push(node.text)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'deny') take(node.arguments[1])
    if (ts.isCallExpression(node) && node.expression.getText() === 'deny.bind') take(node.arguments[2])
    if (ts.isCallExpression(node) && node.expression.getText() === 'failed') take(node.arguments[0])
    if (ts.isNewExpression(node) && node.expression.getText() === 'Fault') take(node.arguments?.[0])
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'code' && hasStatus(node.parent))
      take(node.initializer)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return codes
}

const hasStatus = (object: ts.ObjectLiteralExpression): boolean =>
  object.properties.some((property) => property.name?.getText() === 'status')

const rows = rowsOf(readFileSync('docs/reference/errors.md', 'utf8'))
const sources = globSync('src/**/*.ts')
  .filter((path) => !path.startsWith('src/testing'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

test('docs/reference/errors.md', async (t) => {
  const documented = new Set(rows.map(({ code }) => code))

  await t.test('has a row for every code in the sources', () => {
    const missing = sources.flatMap(({ path, text }) =>
      codesIn(path, text)
        .filter((code) => !documented.has(code))
        .map((code) => `${path}: ${code}`),
    )
    assert.deepEqual(missing, [])
    assert.deepEqual(
      Object.keys(headRefusals).filter((code) => !documented.has(code)),
      [],
    )
  })

  await t.test('would miss a code that is new', () => {
    const text = `
      // deny(400, 'in_a_comment')
      deny(403, 'one', { message: 'no' })
      throw new Fault('two', 'broken')
      const refusal = { status: 400, code: 'three', message: '' }
      const error = { code: 'ECONNRESET' }`
    assert.deepEqual(codesIn('planted.ts', text), ['one', 'two', 'three'])
  })

  await t.test('has no row for a code that is gone', () => {
    const words = new Set(
      sources.flatMap(({ text }) => text.match(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*\b/g) ?? []),
    )
    assert.deepEqual(
      [...documented].filter((code) => !words.has(code)),
      [],
    )
  })

  await t.test('explains each code once, in order', () => {
    const codes = rows.map(({ code }) => code)
    assert.deepEqual(codes, [...documented].toSorted())
    assert.ok(rows.every(({ meaning }) => meaning.length > 10))
  })

  await t.test('knows statuses and reasons', () => {
    const reasons = /reason: Reason\b|'(\w+)'/g
    const fault = readFileSync('src/model/fault.ts', 'utf8')
    const union = fault.slice(
      fault.indexOf('export type Reason'),
      fault.indexOf('/**', fault.indexOf('export type Reason')),
    )
    const known = new Set([...union.matchAll(reasons)].map(([, word]) => word))
    assert.deepEqual(
      rows.filter(({ reason }) => !known.has(reason)),
      [],
    )
    assert.deepEqual(
      rows.filter(({ status }) => !/^\d{3}(?:, \d{3})*$|^–$/.test(status)),
      [],
    )
  })
})
