import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Observable, of, pipe } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { delegate } from '../../src/pipeline/delegate.ts'
import { onRequest } from '../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, operatorLaws, run } from '../../src/testing/index.ts'

test('delegate', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(delegate((x) => onRequest(x.request.path, () => undefined))),
  )

  await t.test('continues in the operator chosen for the exchange', () => {
    const byPath = delegate((x) => (x.request.path === '/teapot' ? fakeUpstream(418) : fakeUpstream(404)))
    assert.equal(run(byPath, exchange({ path: '/teapot' })).reply?.status, 418)
    assert.equal(run(byPath, exchange({ path: '/cup' })).reply?.status, 404)
  })

  await t.test('chooses nothing for an exchange with a reply', () => {
    const never = delegate(() => assert.fail('it chose'))
    assert.equal(run(pipe(fakeUpstream(204), never), exchange()).reply?.status, 204)
  })

  await t.test('turns a choice that throws into an error', () => {
    const bug = new TypeError('no such thing')
    assert.throws(
      () =>
        run(
          delegate(() => {
            throw bug
          }),
          exchange(),
        ),
      bug,
    )
  })

  await t.test('releases the chosen operator when the client disconnects', () => {
    let released = false
    const parked = new Observable<Exchange>(() => () => {
      released = true
    })
    delegate(() => () => parked)(of(exchange()))
      .subscribe()
      .unsubscribe()
    assert.ok(released)
  })
})
