import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../../src/model/fault.ts'
import { deny } from '../../../../src/model/reply.ts'
import { challenge, insufficientScope } from '../../../../src/operators/auth/mcp/challenge.ts'
import { discover } from '../../../../src/operators/auth/mcp/discover.ts'
import { findResource, type Place } from '../../../../src/operators/auth/mcp/find-resource.ts'
import type { ProtectedResource } from '../../../../src/operators/auth/mcp/protected-resource.ts'
import { exchange, operatorLaws, run, runAsync } from '../../../../src/testing/index.ts'

const resourceOf = (more: Partial<ProtectedResource> = {}): ProtectedResource => ({
  issuer: 'https://idp.test',
  audience: 'a',
  provider: undefined,
  metadata: { scopes_supported: ['read', 'write'] },
  clientId: undefined,
  clientSecret: undefined,
  registration: undefined,
  issuerMetadata: () => Promise.resolve({ issuer: 'https://idp.test' }),
  post: () => Promise.reject(new Fault('issuer_unavailable', 'away')),
  forwarded: false,
  proxied: false,
  ...more,
})
const place = (path: string, resource?: ProtectedResource, more: Partial<Place> = {}): Place => ({
  hostnames: [],
  matches: [{ path: { pathPrefix: path } }],
  resource,
  groups: [],
  ...more,
})
const PLACE = '/.well-known/oauth-protected-resource'
const resource = resourceOf()

test('discover', async (t) => {
  const stage = discover((_, path) => (path === '/mcp' ? resource : undefined))
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(stage)
    await operatorLaws(stage, { exchange: { path: `${PLACE}/mcp` } })
    await operatorLaws(stage, { exchange: { path: `${PLACE}/other` } })
    await operatorLaws(stage, {
      parks: true,
      exchange: { path: '/.well-known/oauth-authorization-server/mcp' },
    })
  })

  await t.test('lets pass what is about nothing it knows', () => {
    for (const path of [
      '/',
      '/mcp',
      PLACE,
      `${PLACE}x/mcp`,
      '/.well-known/oauth-x/mcp',
      '/.well-known/openid-configuration/mcp',
    ])
      assert.equal(run(stage, exchange({ path })).reply, undefined, path)
  })

  await t.test('what it throws besides faults is for whoever rescues', async () => {
    const broken = discover(() => resourceOf({ issuerMetadata: () => Promise.reject(new TypeError('bug')) }))
    const x = exchange({ path: '/.well-known/oauth-authorization-server/mcp' })
    await assert.rejects(runAsync(broken, x), TypeError)
  })
})

test('finding a resource', async (t) => {
  const name = (places: readonly Place[], path: string, host = 'gateway.test') => {
    const x = exchange({ path: PLACE + path, authority: host })
    return findResource(places)?.(x, path)?.metadata.resource_name
  }
  const called = (resource_name: string) => resourceOf({ metadata: { resource_name } })

  await t.test('there is nothing to find without resources', () => {
    assert.equal(findResource([place('/'), place('/a', undefined, { groups: [[place('/a/b')]] })]), undefined)
  })

  await t.test('the route that would get the request decides', () => {
    const places = [place('/', called('root')), place('/a'), place('/a/b', called('b'))]
    assert.deepEqual(
      ['', '/', '/x', '/a', '/a/b', '/a/b/c'].map((path) => name(places, path)),
      ['root', 'root', 'root', undefined, 'b', 'b'],
    )
  })

  await t.test('hosts are told apart', () => {
    const places = [
      place('/mcp', called('one'), { hostnames: ['one.test'] }),
      place('/mcp', called('any'), { hostnames: ['*.two.test'] }),
    ]
    assert.deepEqual(
      ['one.test', 'x.two.test', 'three.test'].map((host) => name(places, '/mcp', host)),
      ['one', 'any', undefined],
    )
    assert.deepEqual(
      ['one.test', 'three.test'].map((host) => name(places, '', host)),
      ['one', undefined],
    )
  })

  await t.test('groups are looked into, as deep as they go', () => {
    const inner = place('/a/b', undefined, { groups: [[place('/a/b/c', called('deep')), place('/a/b')]] })
    const places = [place('/a', undefined, { groups: [[inner]] })]
    assert.deepEqual(
      ['/a', '/a/b', '/a/b/c', ''].map((path) => name(places, path)),
      [undefined, undefined, 'deep', 'deep'],
    )
  })
})

test('challenges', async (t) => {
  await t.test('insufficientScope obeys the laws of operators', async () => {
    await operatorLaws(insufficientScope(resource))
    await operatorLaws(insufficientScope(resource), {
      exchange: { reply: deny(403, 'authorization_failed') },
    })
  })

  await t.test('only the refusals of rules are about scopes', () => {
    const challengeOf = (code: string, more?: Partial<ProtectedResource>) =>
      run(
        insufficientScope(resourceOf(more)),
        exchange({ path: '/mcp', reply: deny(403, code) }),
      ).reply?.headers.get('www-authenticate')
    const address = 'resource_metadata="http://gateway.test/.well-known/oauth-protected-resource/mcp"'
    assert.equal(
      challengeOf('authorization_failed'),
      `Bearer error="insufficient_scope", scope="read write", ${address}`,
    )
    assert.equal(
      challengeOf('authorization_failed', { metadata: {} }),
      `Bearer error="insufficient_scope", ${address}`,
    )
    assert.equal(challengeOf('csrf_failed'), undefined)
  })

  await t.test('an address that was forged is not repeated', () => {
    const headers = { 'x-forwarded-host': 'evil.test', 'x-forwarded-prefix': '/evil' }
    const told = (more: Partial<ProtectedResource>, fields: Record<string, string> = headers) =>
      challenge(resourceOf(more))(
        { code: 'jwt_missing', message: '' },
        exchange({ path: '/mcp', headers: fields }),
      ).headers.get('www-authenticate')
    assert.match(told({}) ?? '', /http:\/\/gateway\.test\/\.well-known\/oauth-protected-resource\/mcp"/)
    assert.match(
      told({ forwarded: true, proxied: true }) ?? '',
      /http:\/\/evil\.test\/\.well-known\/oauth-protected-resource\/evil\/mcp"/,
    )
    for (const prefix of ['evil', '//evil', '/a b', '/a"', '/a?b', '/', 'https://evil.test/', '/a//b'])
      assert.match(
        told({ proxied: true }, { 'x-forwarded-prefix': prefix }) ?? '',
        /oauth-protected-resource\/mcp"/,
        prefix,
      )
    for (const host of ['evil test', 'a,b', '"', 'user@evil', ''])
      assert.match(
        told({ forwarded: true }, { 'x-forwarded-host': host }) ?? '',
        /http:\/\/gateway\.test\//,
        host,
      )
  })
})
