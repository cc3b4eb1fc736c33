import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { routeTable, type Routable } from '../../../src/operators/route/table.ts'
import { pathText, trimSlash } from '../../../src/operators/route/match.ts'
import type { Match } from '../../../src/model/resources/resources.ts'
import { exchange, type ExchangeOverrides } from '../../../src/testing/exchange.ts'

interface Named extends Routable {
  readonly name: string
}

const named = (name: string, match: Partial<Match> = {}, hostnames: readonly string[] = []): Named => ({
  name,
  hostnames,
  matches: [{ path: { pathPrefix: '/' }, ...match }],
})

const select = (
  routes: readonly Named[],
  url: string,
  options: Pick<ExchangeOverrides, 'method' | 'headers'> = {},
) => {
  const [, authority = 'gateway.test', path = '/'] = /^(?:http:\/\/([^/]+))?(.*)$/.exec(url) ?? []
  return routeTable(routes).select(exchange({ authority, path, ...options }).request)?.route.name
}

test('the route table', async (t) => {
  await t.test('matches prefixes at segment boundaries', () => {
    const routes = [named('foo', { path: { pathPrefix: '/foo' } })]
    const paths = ['/foo', '/foo/', '/foo/x', '/foobar', '/fo', '/']
    assert.deepEqual(
      paths.map((path) => select(routes, path)),
      ['foo', 'foo', 'foo', undefined, undefined, undefined],
    )
  })

  await t.test('ignores a trailing slash of a prefix', () => {
    assert.equal(select([named('foo', { path: { pathPrefix: '/foo/' } })], '/foo'), 'foo')
  })

  await t.test('prefers exact paths, then longer ones, whether prefix or regular expression', () => {
    const routes = [
      named('root'),
      named('regex', { path: { regex: '/api/v[0-9]+/.*' } }),
      named('prefix', { path: { pathPrefix: '/api' } }),
      named('exact', { path: { exact: '/api/v1/me' } }),
      named('long', { path: { pathPrefix: '/api/v1/a-rather-long-prefix' } }),
    ]
    assert.equal(select(routes, '/api/v1/me'), 'exact')
    assert.equal(select(routes, '/api/v1/you'), 'regex')
    assert.equal(select(routes, '/api/v1/a-rather-long-prefix/x'), 'long')
    assert.equal(select(routes, '/api/other'), 'prefix')
    assert.equal(select(routes, '/else'), 'root')
  })

  await t.test(
    'prefers matchers with a method, then more headers, then more query parameters, then the first',
    () => {
      const x = { name: 'x', value: { exact: '1' } }
      const routes = [
        named('plain'),
        named('second plain'),
        named('query', { query: [{ name: 'q', value: { exact: '1' } }] }),
        named('header', { headers: [x] }),
        named('method', { method: 'POST' }),
      ]
      assert.equal(select(routes, '/'), 'plain')
      assert.equal(select(routes, '/?q=1'), 'query')
      assert.equal(select(routes, '/?q=1', { headers: { x: '1' } }), 'header')
      assert.equal(select(routes, '/?q=1', { headers: { x: '1' }, method: 'POST' }), 'method')
    },
  )

  await t.test('uses the last of repeated query parameters, form-decoded', () => {
    const routes = [named('hit', { query: [{ name: 'a b', value: { exact: 'c d' } }] })]
    assert.equal(select(routes, '/?a+b=x&a%20b=c+d'), 'hit')
    assert.equal(select(routes, '/?a+b=c+d&a%20b=x'), undefined)
  })

  await t.test('matches pseudo-headers', () => {
    assert.equal(
      select([named('hit', { headers: [{ name: ':method', value: { regex: 'GET|HEAD' } }] })], '/'),
      'hit',
    )
  })

  await t.test('prefers exact hosts, then the longest wildcard, then none, and falls through', () => {
    const routes = [
      named('any'),
      named('wide', {}, ['*.example.com']),
      named('narrow', {}, ['*.a.example.com']),
      named('exact', { path: { pathPrefix: '/x' } }, ['b.a.example.com']),
    ]
    assert.equal(select(routes, 'http://b.a.example.com/x'), 'exact')
    assert.equal(select(routes, 'http://b.a.example.com/'), 'narrow')
    assert.equal(select(routes, 'http://c.example.com/'), 'wide')
    assert.equal(select(routes, 'http://example.com/'), 'any')
  })

  await t.test('finds the same route as a linear search in order of precedence', () => {
    const segment = fc.constantFrom('a', 'b', 'ab')
    const path = fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join('/')}`)
    const matcher = fc.oneof(
      path.map((exact) => ({ exact })),
      path.map((pathPrefix) => ({ pathPrefix })),
      fc.constantFrom('/a/.*', '/[ab]+', '/a(b|/b)', '/.*', '/ab/[^/]+').map((regex) => ({ regex })),
    )
    const method = fc.constantFrom(undefined, 'GET', 'POST')
    const route = fc
      .tuple(matcher, method)
      .map(([p, m]) => (m === undefined ? { path: p } : { path: p, method: m }))
    fc.assert(
      fc.property(
        fc.array(route, { maxLength: 12 }),
        path,
        fc.constantFrom('GET', 'POST'),
        (matches, url, verb) => {
          const routes = matches.map((match, i) => named(String(i), match))
          assert.equal(select(routes, url, { method: verb }), plainSearch(routes, url, verb))
        },
      ),
      { numRuns: 500 },
    )
  })
})

const plainSearch = (routes: readonly Named[], path: string, method: string): string | undefined => {
  const fits = ({ path: p, method: m }: Match) =>
    (m === undefined || m === method) &&
    ('exact' in p
      ? p.exact === path
      : 'regex' in p
        ? new RegExp(`^(?:${p.regex})$`).test(path)
        : path === trimSlash(p.pathPrefix) || path.startsWith(`${trimSlash(p.pathPrefix)}/`))
  const weight = ({ path: p, method: m }: Match) =>
    ('exact' in p ? 1_000 : 0) + pathText(p).length * 2 + (m === undefined ? 0 : 1)
  return routes
    .filter((one) => fits(one.matches[0] as Match))
    .sort((a, b) => weight(b.matches[0] as Match) - weight(a.matches[0] as Match))[0]?.name
}
