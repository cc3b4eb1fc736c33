import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import { authorization } from '../../../src/operators/authorization/authorization.ts'
import type { CompiledRule } from '../../../src/operators/authorization/exchange-rule.ts'
import {
  exchange,
  type ExchangeOverrides,
  ManualBody,
  operatorLaws,
  run,
  runAsync,
  TraceRecorder,
} from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const rule = (mode: CompiledRule['mode'], expression: Evaluate, text = 'its text'): CompiledRule => ({
  mode,
  text,
  expression,
})
const policy = (...rules: readonly CompiledRule[]) => authorization({ rules, bufferLimitBytes: 8 })
const ofBody = { requestBody: true }

test('authorization', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(policy())
    await operatorLaws(policy(rule('allow', gives(true))))
    await operatorLaws(policy(rule('deny', gives(true))))
    await operatorLaws(policy(rule('allow', gives(true, ofBody))), { exchange: { body: 'a' } })
  })

  for (const [what, one, passes] of [
    ['an allow rule that holds', rule('allow', gives(true)), true],
    ['an allow rule that does not', rule('allow', gives(false)), false],
    ['an allow rule that cannot be evaluated', rule('allow', fails()), false],
    ['an allow rule that gives a text', rule('allow', gives('true')), false],
    ['a deny rule that holds', rule('deny', gives(true)), false],
    ['a deny rule that does not', rule('deny', gives(false)), true],
    ['a deny rule that cannot be evaluated', rule('deny', fails()), false],
    ['a deny rule that gives null', rule('deny', gives(null)), false],
    ['a require rule that holds', rule('require', gives(true)), true],
    ['a require rule that does not', rule('require', gives(false)), false],
    ['a require rule that cannot be evaluated', rule('require', fails()), false],
    ['a require rule that gives a number', rule('require', gives(1)), false],
  ] as const)
    await t.test(`${passes ? 'allows' : 'refuses'} a request with ${what}`, () => {
      assert.equal(run(policy(one), exchange()).reply?.status, passes ? undefined : 403)
    })

  await t.test('reports a refusal in the same words for every rule', async () => {
    const { reply } = run(policy(rule('deny', fails())), exchange())
    assert.deepEqual(
      [reply?.status, reply?.reason, reply?.code, String(await reply?.body.read(100))],
      [403, 'Authorization', 'authorization_failed', 'authorization failed'],
    )
  })

  await t.test('buffers a body only if a rule reads it', async () => {
    const seen = (x: Parameters<Evaluate>[0]) => ({ value: x.request.body.lengthBytes === 2 })
    const reading = rule('allow', Object.assign(seen, { reads: ofBody }))
    const asked = (body: ManualBody): ExchangeOverrides => ({ method: 'POST', body })
    const passed = new ManualBody()
    const x = runAsync(policy(reading), exchange(asked(passed)))
    passed.send('a').send('b').end()
    assert.equal((await x).reply, undefined)
    assert.equal(run(policy(rule('allow', gives(true))), exchange(asked(new ManualBody()))).reply, undefined)
  })

  await t.test('refuses a body that is longer than rules may read with 413', async () => {
    const reading = rule('allow', gives(true, ofBody))
    const { reply } = await runAsync(policy(reading), exchange({ method: 'POST', body: '123456789' }))
    assert.deepEqual([reply?.status, reply?.code], [413, 'body_too_large'])
  })

  await t.test('reads no body if other rules refuse the caller', () => {
    const reading = rule('deny', gives(false, ofBody))
    for (const refusing of [rule('deny', gives(true)), rule('require', gives(false))]) {
      const x = exchange({ method: 'POST', body: new ManualBody() })
      assert.equal(run(policy(reading, refusing), x).reply?.status, 403)
    }
  })

  await t.test('traces every evaluated rule, and which one decided', () => {
    const trace = new TraceRecorder()
    const rules = [
      rule('allow', gives(true), 'isStaff'),
      rule('require', gives(true), 'isHuman'),
      rule('deny', fails(), 'jwt.banned'),
    ]
    run(policy(...rules), exchange({ trace }))
    assert.deepEqual(trace.stages, ['authorization'])
    assert.deepEqual(trace.entries, [
      {
        type: 'authorizationResult',
        rules: [{ name: 'jwt.banned', index: 2, mode: 'deny', matched: false, error: 'no such key: secret' }],
        result: 'deny',
      },
      {
        type: 'policy',
        kind: 'authorization',
        result: { type: 'apply', details: 'refused by rules[2], deny: jwt.banned', snapshot: null },
      },
    ])
  })

  for (const [details, ...rules] of [
    ['allowed by rules[1], allow: isBoss', rule('allow', gives(false)), rule('allow', gives(true), 'isBoss')],
    ['allowed: no rule refuses', rule('deny', gives(false))],
    ['refused: no allow rule holds', rule('allow', gives(false))],
    ['refused by rules[0], require: isHuman', rule('require', gives(false, ofBody), 'isHuman')],
    ['allowed by rules[1], allow: ok', rule('deny', gives(false)), rule('allow', gives(true, ofBody), 'ok')],
  ] as const)
    await t.test(`traces ${details}`, () => {
      const trace = new TraceRecorder()
      run(policy(...rules), exchange({ trace }))
      const told = trace.entries.flatMap((note) => (note.type === 'policy' ? [note.result] : []))
      assert.deepEqual(told, [{ type: 'apply', details, snapshot: null }])
    })

  await t.test('traces the last 64 of many rules', () => {
    const trace = new TraceRecorder()
    run(policy(...Array.from({ length: 100 }, (_, i) => rule('allow', gives(i === 99)))), exchange({ trace }))
    const [result] = trace.entries.filter((note) => note.type === 'authorizationResult')
    assert.deepEqual([result?.rules.length, result?.rules.at(-1)?.index, result?.omitted], [64, 99, 36])
  })
})
