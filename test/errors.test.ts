import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import ts from 'typescript'
import { headRefusals } from '../src/protocols/http/head-error.ts'

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

/** A code in the sources, with its status if that is a literal too. */
interface Given {
  readonly code: string
  readonly status?: number
}

/** Functions that create refusals with a default status. */
const usualStatus = new Map([
  ['requestFailed', 400],
  ['replyFailed', 502],
])

/**
 * Codes that are literals: beside a status, in calls of `Fault` and its factories, and in refusals before an exchange
 * begins.
 */
const codesIn = (path: string, text: string): Given[] => {
  const found: Given[] = []
  const take = (code: ts.Node | undefined, status: number | undefined) => {
    // Texts for people are not codes.
    if (code && ts.isStringLiteral(code) && /^[a-z][a-z0-9_]*$/.test(code.text))
      found.push(status === undefined ? { code: code.text } : { code: code.text, status })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText()
      const [first, second, third] = node.arguments
      if ((numberOf(first) ?? 0) >= 400 || name === 'deny') take(second, numberOf(first))
      if (name === 'deny.bind') take(third, numberOf(second))
      if (name === 'failed') take(first, undefined)
      const usual = usualStatus.get(name)
      if (usual !== undefined) take(first, numberOf(third) ?? usual)
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'Fault') {
      const [code, , options] = node.arguments ?? []
      take(code, options ? statusIn(options) : 500)
    }
    if (ts.isObjectLiteralExpression(node) && propertyOf(node, 'status'))
      take(propertyOf(node, 'code')?.initializer, statusIn(node))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

const numberOf = (node: ts.Node | undefined): number | undefined =>
  node && ts.isNumericLiteral(node) ? Number(node.text) : undefined

const propertyOf = (object: ts.ObjectLiteralExpression, name: string): ts.PropertyAssignment | undefined =>
  object.properties.filter(ts.isPropertyAssignment).find((property) => property.name.getText() === name)

const statusIn = (options: ts.Node): number | undefined =>
  ts.isObjectLiteralExpression(options) ? numberOf(propertyOf(options, 'status')?.initializer) : undefined

const rows = rowsOf(readFileSync('docs/reference/errors.md', 'utf8'))
const sources = globSync('src/**/*.ts')
  .filter((path) => !path.startsWith('src/testing'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

test('docs/reference/errors.md', async (t) => {
  const documented = new Set(rows.map(({ code }) => code))

  await t.test('has a row for every code in the sources', () => {
    const missing = sources.flatMap(({ path, text }) =>
      codesIn(path, text)
        .filter(({ code }) => !documented.has(code))
        .map(({ code }) => `${path}: ${code}`),
    )
    assert.deepEqual(missing, [])
    assert.deepEqual(
      Object.keys(headRefusals).filter((code) => !documented.has(code)),
      [],
    )
  })

  await t.test('has every status of a code', () => {
    const statuses = new Map(rows.map(({ code, status }) => [code, status.split(', ')]))
    const heads = Object.values(headRefusals).map(({ refused, status }) => ({ code: refused, status }))
    const given = [...sources.flatMap(({ path, text }) => codesIn(path, text)), ...heads]
    const wrong = given.filter(({ code, status }) => {
      const named = statuses.get(code) ?? []
      return status !== undefined && !named.includes('–') && !named.includes(String(status))
    })
    assert.deepEqual(wrong, [])
  })

  await t.test('fails the test if a new code is missing', () => {
    const text = `
      // deny(400, 'in_a_comment')
      deny(403, 'one', { message: 'no' })
      throw new Fault('two', 'broken')
      const refusal = { status: 400, code: 'three', message: '' }
      this.#note(501, 'four')
      this.#fail(502, 'the stream ended')
      requestFailed('seven', 'no')
      throw new Fault('five', 'broken', { status: 502 })
      const error = { code: 'ECONNRESET' }`
    assert.deepEqual(codesIn('planted.ts', text), [
      { code: 'one', status: 403 },
      { code: 'two', status: 500 },
      { code: 'three', status: 400 },
      { code: 'four', status: 501 },
      { code: 'seven', status: 400 },
      { code: 'five', status: 502 },
    ])
  })

  await t.test('has no row for a removed code', () => {
    const words = new Set(
      sources.flatMap(({ text }) => text.match(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*\b/g) ?? []),
    )
    assert.deepEqual(
      [...documented].filter((code) => !words.has(code)),
      [],
    )
  })

  await t.test('explains each code once, in alphabetical order', () => {
    const codes = rows.map(({ code }) => code)
    assert.deepEqual(codes, [...documented].toSorted())
    assert.ok(rows.every(({ meaning }) => meaning.length > 10))
  })

  await t.test('parses statuses and reasons', () => {
    const reasons = /reason: Reason\b|'(\w+)'/g
    const fault = readFileSync('src/model/exchange/fault.ts', 'utf8')
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
