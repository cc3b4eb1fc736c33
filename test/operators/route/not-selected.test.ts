import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Match } from '../../../src/model/resources/resources.ts'
import { notSelected, type NamedRoute, whyNotSelected } from '../../../src/operators/route/not-selected.ts'
import { exchange } from '../../../src/testing/exchange.ts'

const route = (key: string, matches: readonly Match[], ...hostnames: string[]): NamedRoute => ({
  key,
  matches,
  hostnames,
})
const all = route('all', [{ path: { pathPrefix: '/' } }])

test('reasons why routes were not selected', async (t) => {
  const x = exchange({ method: 'POST', path: '/cart?key=s3cret', authority: 'shop.test' }).request
  const why = (one: NamedRoute, selected: NamedRoute | undefined = all) =>
    notSelected([one], selected, x)[one.key]

  await t.test('name the first condition that is not met', () => {
    const matching = (match: Partial<Match>) => why(route('one', [{ path: { pathPrefix: '/' }, ...match }]))
    assert.equal(matching({ path: { exact: '/v1' } }), 'path: is "/cart", expected exact "/v1"')
    assert.equal(matching({ path: { regex: '/a+' } }), 'path: is "/cart", expected regex "/a+"')
    assert.equal(matching({ method: 'GET' }), 'method: is "POST", expected GET')
    assert.equal(
      matching({ headers: [{ name: 'x-team', value: { exact: 'blue' } }] }),
      'header x-team: is absent, expected exact "blue"',
    )
    assert.match(why(route('one', all.matches, 'other.test')) ?? '', /^host: .* is not among its host names/)
  })

  await t.test('do not quote values of query parameters, which may be credentials', () => {
    const keyed = route('keyed', [
      { path: { pathPrefix: '/' }, query: [{ name: 'key', value: { exact: 'other' } }] },
    ])
    assert.equal(why(keyed), 'query key: is not exact "other"')
    assert.equal(whyNotSelected(keyed, all, x), 'query key: is "s3cret", expected exact "other"')
  })

  await t.test('name what decides between routes that match', () => {
    const longer = route('longer', [{ path: { pathPrefix: '/cart' } }])
    assert.equal(why(all, longer), 'precedence: it matches, but longer wins by longer path')
    assert.equal(
      why(route('again', all.matches)),
      'precedence: it matches as well, but all comes first in the file',
    )
  })

  await t.test('are limited, and leave out the selected route', () => {
    const many = Array.from({ length: 100 }, (_, i) => route(`r${i}`, [{ path: { exact: `/${i}` } }]))
    const reasons = notSelected([all, ...many], all, x)
    assert.equal(Object.keys(reasons).length, 32)
    assert.equal('all' in reasons, false)
    assert.equal(Object.keys(notSelected(many, undefined, x)).length, 32)
  })
})
