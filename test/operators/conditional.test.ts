import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import type { Evaluate } from '../../src/model/exchange/expression.ts'
import { conditional } from '../../src/operators/conditional.ts'
import { onReply, onRequest } from '../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, ManualBody, operatorLaws, run, runAsync } from '../../src/testing/index.ts'
import { fails, gives } from '../support/evaluate.ts'

const mark = (text: string) => ({
  request: onRequest(text, (x) => {
    x.request.headers.append('x-chosen', text)
  }),
  reply: onReply(text, (x) => x.reply?.headers.append('x-chosen', text)),
})
const isPost: Evaluate = (x) => ({ value: x.request.method === 'POST' })
const saysYes: Evaluate = Object.assign(
  (x: Parameters<Evaluate>[0]) => ({ value: String(x.request.body.source() as Buffer) === 'yes' }),
  { reads: { requestBody: true } },
)

test('conditional', async (t) => {
  await t.test('obeys the laws of operators in both directions', async () => {
    await operatorLaws(conditional([{ when: gives(true), ...mark('a') }], 8).request)
    await operatorLaws(conditional([{ when: gives(true), ...mark('a') }], 8).reply)
    await operatorLaws(conditional([{ when: gives(false), ...mark('a') }], 8).request, { untraced: true })
  })

  await t.test('applies the first policy whose condition is true', () => {
    const { request } = conditional(
      [
        { when: gives(false), ...mark('a') },
        { when: isPost, ...mark('b') },
        { when: gives(true), ...mark('c') },
      ],
      8,
    )
    const chosen = (method: string) => run(request, exchange({ method })).request.headers.all('x-chosen')
    assert.deepEqual([chosen('POST'), chosen('GET')], [['b'], ['c']])
  })

  await t.test('treats a condition that fails, or is not boolean, as false', () => {
    const { request } = conditional(
      [
        { when: fails(), ...mark('a') },
        { when: gives('true'), ...mark('b') },
        { when: gives(1n), ...mark('c') },
        mark('rest'),
      ],
      8,
    )
    assert.equal(run(request, exchange()).request.headers.get('x-chosen'), 'rest')
  })

  await t.test('refuses an exchange whose condition for a guard cannot be evaluated', () => {
    const suspect: Evaluate = () => ({ error: 'twice', isSuspect: true })
    const choices = [{ when: fails() }, { when: suspect, ...mark('a') }, mark('b')]
    const { reply } = run(conditional(choices, 8, true).request, exchange())
    assert.deepEqual([reply?.status, reply?.code], [400, 'condition_unclear'])
    assert.equal(run(conditional(choices, 8).request, exchange()).request.headers.get('x-chosen'), 'b')
    const holding = conditional([{ when: gives(true), ...mark('a') }, { when: suspect }], 8, true)
    assert.equal(run(holding.request, exchange()).request.headers.get('x-chosen'), 'a')
    const answered = run(pipe(fakeUpstream(401), conditional(choices, 8, true).reply), exchange())
    assert.equal(answered.reply?.headers.has('x-chosen'), false)
  })

  await t.test('applies no policy if no condition is true', () => {
    assert.equal(
      run(conditional([{ when: fails(), ...mark('a') }], 8).request, exchange()).request.headers.has(
        'x-chosen',
      ),
      false,
    )
  })

  await t.test('keeps its choice for the reply, even if the request has changed', () => {
    const { request, reply } = conditional([{ when: isPost, ...mark('post') }, mark('other')], 8)
    const change = onRequest('change', (x) => {
      x.request.method = 'GET'
    })
    const x = run(pipe(request, change, fakeUpstream(200), reply), exchange({ method: 'POST' }))
    assert.equal(x.reply?.headers.get('x-chosen'), 'post')
  })

  await t.test('chooses at the reply for exchanges that got a reply earlier', () => {
    const { reply } = conditional([{ when: isPost, ...mark('post') }, mark('other')], 8)
    const x = run(pipe(fakeUpstream(401), reply), exchange({ method: 'POST' }))
    assert.equal(x.reply?.headers.get('x-chosen'), 'post')
  })

  await t.test('buffers the request body if a condition reads it', async () => {
    const { request } = conditional([{ when: saysYes, ...mark('yes') }, mark('no')], 8)
    const chosen = async (text: string) =>
      (await runAsync(request, exchange({ body: new ManualBody().send(text).end() }))).request.headers.get(
        'x-chosen',
      )
    assert.deepEqual([await chosen('yes'), await chosen('no')], ['yes', 'no'])
  })

  await t.test('refuses a longer request body than conditions may read', async () => {
    const { request } = conditional([{ when: saysYes, ...mark('yes') }], 8)
    const x = await runAsync(request, exchange({ body: new ManualBody().send('123456789') }))
    assert.deepEqual([x.reply?.status, x.request.headers.has('x-chosen')], [413, false])
  })
})
