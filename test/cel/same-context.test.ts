import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compile } from '../../src/cel/compile.ts'
import { ExchangeContext } from '../../src/cel/context/exchange-context.ts'
import { envAttributes } from '../../src/cel/context/process-env.ts'
import { toPlain } from '../../src/cel/values/values.ts'
import { variables } from '../../src/cel/variables.ts'
import { expressions } from '../../src/config/compile/expressions.ts'
import { formats } from '../../src/config/format/formats.ts'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { respond } from '../../src/model/exchange/reply.ts'
import { exchange } from '../../src/testing/exchange.ts'

/** Policy → the values that it provides to other expressions, and their variable. */
const writers: Readonly<Record<string, readonly [variable: string, write: (x: Exchange) => void]>> = {
  jwtAuth: ['jwt', (x) => (x.identity = { ...x.identity, jwt: { sub: 'alice' }, token: 'abc' })],
  apiKey: ['apiKey', (x) => (x.identity = { ...x.identity, apiKey: { team: 'blue' } })],
  basicAuth: ['basicAuth', (x) => (x.identity = { ...x.identity, basicAuth: { username: 'bob' } })],
  transformations: ['metadata', (x) => (x.policy.metadata = { tenant: 'a' })],
  extAuthz: ['extauthz', (x) => (x.policy.extAuthz = { user: 'carol' })],
  mcpGuardrails: ['mcpGuardrails', (x) => (x.policy.mcpGuardrails = { score: 1 })],
  extProc: ['extproc', (x) => (x.policy.extProc = { score: 1 })],
  backend: [
    'backend',
    (x) => (x.upstream.backend = { name: 'default/api', type: 'static', protocol: 'http' }),
  ],
  directResponse: ['response', (x) => (x.reply = respond(200, 'ok'))],
}

/** Attributes that are always present. */
const always = ['request', 'source', 'destination', 'proxy', 'env']

/** How an expression of a policy sees the variables: through the only code path from exchange to function. */
const seen = (x: Exchange): unknown => {
  const result = expressions({ env: envAttributes({}) })('variables().map(name, name)')(x)
  return 'value' in result ? (toPlain(result.value) as string[]).sort() : result.error
}

test('every expression sees the same variables', async (t) => {
  for (const [first, [one, writeOne]] of Object.entries(writers))
    for (const [second, [other, writeOther]] of Object.entries(writers))
      if (first !== second)
        await t.test(`after ${first} and ${second}`, () => {
          const x = exchange()
          writeOne(x)
          writeOther(x)
          assert.deepEqual(seen(x), [...always, one, other].sort())
        })

  await t.test('in conditions and in values, in policies, the log and the trace', () => {
    const x = exchange()
    for (const [, write] of Object.values(writers)) write(x)
    const context = new ExchangeContext(x, { env: envAttributes({}) })
    const all = Object.values(writers).map(([variable]) => variable)
    assert.deepEqual(seen(x), [...always, ...all].sort())
    for (const name of [...always, ...all]) assert.equal(compile(`has(${name})`).decide(context), true, name)
    assert.deepEqual(
      toPlain(compile('variables().map(name, name).size()').evaluate(context).value),
      always.length + all.length,
    )
  })

  await t.test('in every field that takes an expression, whatever its type', () => {
    for (const { name } of variables) {
      assert.equal(formats.cel?.(`has(${name})`), undefined, name)
      assert.equal(formats.celBool?.(`has(${name})`), undefined, name)
      assert.equal(formats.celText?.(`has(${name}) ? "" : ""`), undefined, name)
      // A rule is evaluated before there is a reply.
      assert.equal(formats.celRule?.(`has(${name})`) === undefined, name !== 'response', name)
    }
  })

  await t.test('because an exchange becomes a context in only two places', () => {
    const makers = globSync('src/**/*.ts').filter((file) =>
      readFileSync(file, 'utf8').includes('new ExchangeContext('),
    )
    assert.deepEqual(makers.sort(), ['src/config/compile/expressions.ts', 'src/telemetry/telemetry.ts'])
  })
})
