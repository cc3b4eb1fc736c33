import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deploymentName } from '../../../../src/controller/translate/deployment/names.ts'

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 12)

suite('the name of the objects of a Gateway', () => {
  const cases: readonly (readonly [gateway: string, stem: string])[] = [
    ['shop.example', 'shop-example'],
    ['shop-example.', 'shop-example'],
    ['1', 'gateway-1'],
    ['1.shop', 'gateway-1-shop'],
    ['a'.repeat(64), 'a'.repeat(50)],
    [`${'a'.repeat(49)}.${'b'.repeat(20)}`, 'a'.repeat(49)],
    ['1'.repeat(63), `gateway-${'1'.repeat(42)}`],
  ]
  for (const [gateway, stem] of cases)
    test(`is ${stem} with a hash, of ${gateway}`, () => {
      assert.equal(deploymentName(gateway), `${stem}-${hashOf(gateway)}`)
    })

  test('is that of the Gateway if Services may have it', () => {
    for (const name of ['a', 'web', 'web-1', 'a'.repeat(63)]) assert.equal(deploymentName(name), name)
  })

  test('is a label that Services may have, and differs between Gateways', () => {
    const label = fc.stringMatching(/^[a-z0-9](?:[-a-z0-9]{0,20}[a-z0-9])?$/)
    const subdomain = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'))
    fc.assert(
      fc.property(subdomain, subdomain, (one, other) => {
        assert.match(deploymentName(one), /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/)
        assert.equal(deploymentName(one) === deploymentName(other), one === other)
      }),
    )
  })
})
