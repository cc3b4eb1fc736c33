import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../src/cel/compile.ts'
import { sampleRequest } from './sample-context.ts'
import { Headers } from '../../src/model/exchange/headers.ts'

const role = "request.headers['x-role']"
const headers = { raw: ['x-role', 'admin', 'x-role', 'guest', 'x-one', 'admin'] }
const outcome = (expression: string): unknown => {
  const request = sampleRequest({ headers: new Headers([...headers.raw]) })
  const { value, error } = compile(expression).evaluate({ request })
  return error ? error.code : value
}

test('a repeated header', async (t) => {
  const asOneText = [
    `${role} == 'guest'`,
    `'guest' == ${role}`,
    `${role} != 'guest'`,
    `${role} == request.headers['x-one']`,
    `${role} in ['guest', 'nobody']`,
    `!(${role} in ['guest'])`,
    `${role} in {'guest': 1}`,
    `${role} in request.headers`,
    `request.headers['x-one'] in [${role}]`,
    `{'guest': true}[${role}]`,
    `default({'guest': true}[${role}], false)`,
    `default(${role}, '') != 'guest'`,
    `['guest'].exists(one, one == ${role})`,
    `['guest'].contains(${role})`,
    `${role}.contains('gue')`,
    `[${role}] == ['guest']`,
    `{'a': ${role}} == {'a': 'guest'}`,
    `${role}.with(one, one == 'guest')`,
    `request.headers.redacted()['x-role'] != 'guest'`,
    `request.headers.mapValues(one, one)['x-role'] != 'guest'`,
    `variables().request.headers['x-role'] != 'guest'`,
  ]
  for (const expression of asOneText)
    await t.test(`fails if read as one text: ${expression}`, () => {
      assert.equal(outcome(expression), 'repeated_field')
    })

  const asWhatItIs: readonly (readonly [expression: string, value: unknown])[] = [
    [`${role} == ['admin', 'guest']`, true],
    [`${role} != null && has(${role})`, true],
    [`'guest' in ${role}`, true],
    [`'guest' in request.headers.raw()['x-role']`, true],
    [`request.headers.raw()['x-role'] == 'guest'`, false],
    [`request.headers.raw()['x-role'].contains('guest')`, true],
    [`request.headers.split()['x-role'].exists(one, one == 'guest')`, true],
    [`request.headers.join()['x-role'] == 'admin,guest'`, true],
    [`${role}.exists(one, one == 'guest')`, true],
    [`request.headers['x-one'] in ['admin'] && request.headers['x-one'] != 'guest'`, true],
  ]
  for (const [expression, value] of asWhatItIs)
    await t.test(`can be inspected: ${expression}`, () => {
      assert.equal(outcome(expression), value)
    })
})
