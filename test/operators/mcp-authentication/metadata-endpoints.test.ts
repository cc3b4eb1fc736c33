import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { deny } from '../../../src/model/exchange/reply.ts'
import { authorization } from '../../../src/operators/authorization/authorization.ts'
import { refusedBy } from '../../../src/operators/authorization/refusing-rules.ts'
import { challenge, insufficientScope } from '../../../src/operators/mcp-authentication/www-authenticate.ts'
import { metadataEndpoints } from '../../../src/operators/mcp-authentication/metadata-endpoints.ts'
import {
  findResource,
  type ResourceLocation,
} from '../../../src/operators/mcp-authentication/find-resource.ts'
import type { ProtectedResource } from '../../../src/operators/mcp-authentication/protected-resource.ts'
import { exchange, operatorLaws, run, runAsync } from '../../../src/testing/index.ts'

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
const prefix = (
  path: string,
  resource?: ProtectedResource,
  more: Partial<ResourceLocation> = {},
): ResourceLocation => ({
  hostnames: [],
  matches: [{ path: { pathPrefix: path } }],
  resource,
  groups: [],
  ...more,
})
const PLACE = '/.well-known/oauth-protected-resource'
const resource = resourceOf()
const aboutScopes = {
  mode: 'allow',
  text: 'jwt.scope == "read"',
  expression: Object.assign(() => ({ value: false }), { readsScopes: true }),
} as const

test('metadataEndpoints', async (t) => {
  const stage = metadataEndpoints((_, path) => (path === '/mcp' ? resource : undefined))
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(stage)
    await operatorLaws(stage, { exchange: { path: `${PLACE}/mcp` } })
    await operatorLaws(stage, { exchange: { path: `${PLACE}/other` } })
    await operatorLaws(stage, {
      parks: true,
      exchange: { path: '/.well-known/oauth-authorization-server/mcp' },
    })
  })

  await t.test('ignores requests for other paths', () => {
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

  await t.test('passes exceptions other than faults on to the rescue', async () => {
    const broken = metadataEndpoints(() =>
      resourceOf({ issuerMetadata: () => Promise.reject(new TypeError('bug')) }),
    )
    const x = exchange({ path: '/.well-known/oauth-authorization-server/mcp' })
    await assert.rejects(runAsync(broken, x), TypeError)
  })
})

test('finding a protected resource', async (t) => {
  const name = (places: readonly ResourceLocation[], path: string, host = 'gateway.test') => {
    const x = exchange({ path: PLACE + path, authority: host })
    return findResource(places)?.(x, path)?.metadata.resource_name
  }
  const called = (resource_name: string) => resourceOf({ metadata: { resource_name } })

  await t.test('fails without resources', () => {
    assert.equal(
      findResource([prefix('/'), prefix('/a', undefined, { groups: [[prefix('/a/b')]] })]),
      undefined,
    )
  })

  await t.test('uses the route that would match the request', () => {
    const places = [prefix('/', called('root')), prefix('/a'), prefix('/a/b', called('b'))]
    assert.deepEqual(
      ['', '/', '/x', '/a', '/a/b', '/a/b/c'].map((path) => name(places, path)),
      ['root', 'root', 'root', undefined, 'b', 'b'],
    )
  })

  await t.test('distinguishes hosts', () => {
    const places = [
      prefix('/mcp', called('one'), { hostnames: ['one.test'] }),
      prefix('/mcp', called('any'), { hostnames: ['*.two.test'] }),
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

  await t.test('searches nested route groups', () => {
    const inner = prefix('/a/b', undefined, { groups: [[prefix('/a/b/c', called('deep')), prefix('/a/b')]] })
    const places = [prefix('/a', undefined, { groups: [[inner]] })]
    assert.deepEqual(
      ['/a', '/a/b', '/a/b/c', ''].map((path) => name(places, path)),
      [undefined, undefined, 'deep', 'deep'],
    )
  })
})

test('authentication challenges', async (t) => {
  await t.test('insufficientScope obeys the laws of operators', async () => {
    await operatorLaws(insufficientScope(resource))
    await operatorLaws(insufficientScope(resource), {
      exchange: { reply: refusedBy(deny(403, 'authorization_failed'), [aboutScopes]) },
    })
  })

  await t.test('name scopes only for refusals by rules about scopes', () => {
    const aboutScope = { mode: 'allow', text: 'jwt.scope == "read"', readsScopes: true } as const
    const challengeOf = (
      code: string,
      more?: Partial<ProtectedResource>,
      rule: { mode: 'allow' | 'deny' | 'require'; text: string; readsScopes?: boolean } = aboutScope,
      jwt = {},
    ) => {
      const expression = Object.assign(() => ({ value: false }), { readsScopes: rule.readsScopes ?? false })
      const x = exchange({ path: '/mcp' })
      x.identity = { jwt }
      const refused = run(authorization({ rules: [{ ...rule, expression }], bufferLimitBytes: 1 }), x)
      if (refused.reply) refused.reply.code = code
      return run(insufficientScope(resourceOf(more)), refused).reply?.headers.get('www-authenticate')
    }
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
    const byName = { mode: 'allow', text: 'jwt.sub == "ann"' } as const
    assert.equal(challengeOf('authorization_failed', {}, byName), undefined)
    // The claim may have any name if its value is declared.
    const permitted = { mode: 'require', text: `'write' in jwt.permissions` } as const
    assert.match(challengeOf('authorization_failed', {}, permitted) ?? '', /insufficient_scope/)
    assert.equal(challengeOf('authorization_failed', { metadata: {} }, permitted), undefined)
    for (const jwt of [{ scope: 'write read' }, { scp: ['read', 'write'] }, { scope: 'read', scp: 'write' }])
      assert.equal(challengeOf('authorization_failed', {}, aboutScope, jwt), undefined)
    assert.match(
      challengeOf('authorization_failed', {}, aboutScope, { scope: 'read' }) ?? '',
      /insufficient_scope/,
    )
  })

  await t.test('name the refusing rule of several', () => {
    const rule = (mode: 'allow' | 'deny' | 'require', isAboutScopes: boolean, value: boolean) => ({
      mode,
      text: '',
      expression: Object.assign(() => ({ value }), { readsScopes: isAboutScopes }),
    })
    const isPassedThrough = (...rules: ReturnType<typeof rule>[]) =>
      run(
        insufficientScope(resource),
        run(authorization({ rules, bufferLimitBytes: 1 }), exchange({ path: '/mcp' })),
      ).reply?.headers.has('www-authenticate')
    assert.equal(isPassedThrough(rule('allow', true, true), rule('deny', false, true)), false)
    assert.equal(isPassedThrough(rule('allow', true, true), rule('require', true, false)), true)
    assert.equal(isPassedThrough(rule('require', true, true), rule('require', false, false)), false)
    assert.equal(isPassedThrough(rule('allow', false, false), rule('allow', true, false)), true)
    assert.equal(isPassedThrough(rule('deny', true, false), rule('allow', false, false)), false)
  })

  await t.test('without a token name the supported scopes', () => {
    const told = (more: Partial<ProtectedResource>, code = 'jwt_missing') =>
      challenge(resourceOf(more))({ code, message: '' }, exchange({ path: '/mcp' })).headers.get(
        'www-authenticate',
      )
    assert.match(told({}) ?? '', /^Bearer resource_metadata="[^"]*".*, scope="read write"$/)
    assert.doesNotMatch(told({ metadata: {} }) ?? '', /scope/)
    assert.doesNotMatch(told({ metadata: { scopes_supported: [] } }) ?? '', /scope/)
  })

  await t.test('do not repeat a forged address', () => {
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
