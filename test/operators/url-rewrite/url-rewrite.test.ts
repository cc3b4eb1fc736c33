import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rewrite } from '../../../src/operators/url-rewrite/schema.ts'
import { urlRewrite } from '../../../src/operators/url-rewrite/url-rewrite.ts'
import {
  exchange,
  type ExchangeOverrides,
  operatorLaws,
  run,
  TraceRecorder,
} from '../../../src/testing/index.ts'

const rewritten = (policy: Rewrite, path: string, more: ExchangeOverrides = {}) =>
  run(urlRewrite(policy), exchange({ path, headers: { host: 'gateway.test' }, ...more })).request

const byPrefix = (matched: string, prefix: string, path: string) =>
  rewritten({ path: { prefix } }, path, { match: { path: { pathPrefix: matched } } }).path

test('urlRewrite', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(urlRewrite({ path: { full: '/new' } })))

  const prefixes: readonly (readonly [matched: string, prefix: string, path: string, result: string])[] = [
    ['/old', '/new', '/old/x', '/new/x'],
    ['/old', '/new/', '/old/x', '/new/x'],
    ['/old/', '/new', '/old/x', '/new/x'],
    ['/old/', '/new/', '/old/x', '/new/x'],
    ['/old', '/new', '/old', '/new'],
    ['/old', '/new', '/old/', '/new/'],
    ['/old', '/', '/old/x', '/x'],
    ['/old', '/', '/old/', '/'],
    ['/old', '/', '/old', '/'],
    ['/', '/new', '/x', '/new/x'],
    ['/', '/new', '/', '/new/'],
  ]
  for (const [matched, prefix, path, result] of prefixes)
    await t.test(`rewrites ${path} to ${result} with ${prefix} for ${matched}`, () => {
      assert.equal(byPrefix(matched, prefix, path), result)
    })

  await t.test('replaces the whole path and keeps the query, unless it has its own', () => {
    assert.equal(rewritten({ path: { full: '/new' } }, '/old?a=1').target, '/new?a=1')
    assert.equal(rewritten({ path: { full: '/new?b=2' } }, '/old?a=1').target, '/new?b=2')
  })

  await t.test('fails if a prefix is to be replaced and none was matched', () => {
    const message = 'failed to apply filters: prefix rewrite requires prefix match'
    for (const match of [{ path: { exact: '/old' } }, { path: { regex: '/o.*' } }, undefined])
      assert.throws(() => rewritten({ path: { prefix: '/new' } }, '/old', match ? { match } : {}), {
        code: 'prefix_match_required',
        status: 500,
        message,
      })
  })

  await t.test('changes all, the host or the port of the authority, and Host with it', () => {
    const from = { authority: 'gateway.test:8080', headers: { host: 'gateway.test:8080' } }
    const changes = [{ full: 'new.test' }, { host: 'new.test' }, { port: 81 }] as const
    const results = changes.map((authority) => rewritten({ authority }, '/', from))
    assert.deepEqual(
      results.map((request) => [request.authority, request.headers.get('host')]),
      [
        ['new.test', 'new.test'],
        ['new.test:8080', 'new.test:8080'],
        ['gateway.test:81', 'gateway.test:81'],
      ],
    )
    assert.equal(rewritten({ authority: { host: 'new.test' } }, '/').authority, 'new.test')
    assert.equal(
      rewritten({ authority: { port: 81 } }, '/', { authority: '[::1]:8080' }).authority,
      '[::1]:81',
    )
  })

  await t.test('leaves auto and none to the upstream call', () => {
    for (const authority of ['auto', 'none'] as const)
      assert.equal(rewritten({ authority }, '/').authority, 'gateway.test')
  })

  await t.test('keeps the original URL', () => {
    const request = rewritten({ path: { full: '/new' }, authority: { full: 'new.test' } }, '/old')
    assert.deepEqual([request.received.path, request.received.authority], ['/old', 'gateway.test'])
  })

  await t.test("traces its changes in the reference's format", () => {
    const trace = new TraceRecorder()
    run(urlRewrite({ path: { full: '/new' } }), exchange({ trace }))
    const result = { type: 'apply', details: 'rewrote request URL', snapshot: null }
    assert.deepEqual(trace.entries, [{ type: 'policy', kind: 'url_rewrite', result }])
    assert.deepEqual(trace.snapshots, ['url rewrite'])
  })
})
