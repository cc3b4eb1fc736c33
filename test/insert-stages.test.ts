import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createGateway,
  deny,
  type GatewayConfig,
  type Insertion,
  onReply,
  onRequest,
  type Operator,
  type StageLevel,
} from 'agentgateway'
import { tap } from 'rxjs'
import { startUpstream } from './support/upstream.ts'

/** The stages of each level in running order, replies last. */
const orders = {
  listener: `redactCredentials detectForwarded forwarded mcpMetadata cors oidc jwtAuth basicAuth apiKey extAuthz
    authorization extProc transformations`,
  route: `timeout classifyCall cors oidc jwtAuth basicAuth apiKey parseMcpMessage extAuthz authorization localRateLimit
    remoteRateLimit buffer extProc transformations csrf requestHeaderModifier urlRewrite requestRedirect requestMirror
    delay directResponse backend responseHeaderModifier`,
  backend: `parseMcpMessage authorization extAuthz refreshCredentials backendAuth providerHeaders transformations
    requestHeaderModifier requestRedirect a2a signature redactCredentials call responseHeaderModifier`,
} as const

/** Stages around others: an operator inserted after them runs first inside them. */
const replySides = {
  listener: 'transformations extProc extAuthz apiKey basicAuth jwtAuth oidc cors',
  route: `buffer transformations extProc remoteRateLimit localRateLimit extAuthz apiKey basicAuth jwtAuth oidc cors`,
  backend: 'redactCredentials a2a transformations backendAuth extAuthz',
} as const

const names = (text: string): string[] => text.split(/\s+/)

const at = (
  level: StageLevel,
  position: 'before' | 'after',
  stage: string,
  operator: Insertion['operator'],
) => ({ level, [position]: stage, operator }) as unknown as Insertion

const plain = (host: string): GatewayConfig => ({
  gateways: { default: { port: 0, address: '127.0.0.1' } },
  routes: [{ name: 'plain', gateways: 'default', backends: [{ host }] }],
})

/** Has a policy for most stages that need one. */
const configured = (host: string): GatewayConfig => {
  const transformations = { request: { set: { 'x-a': '"a"' } }, response: { set: { 'x-b': '"b"' } } }
  const cors = { allowOrigins: ['*'], allowMethods: ['GET'] }
  const authorization = { rules: ['request.method == "GET"'] }
  const headers = { set: { 'x-c': 'c' } }
  return {
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    policies: [{ transformations }, { authorization }].map((policy, i) => ({
      name: { name: `policy-${i}` },
      target: { gateway: { gatewayName: 'default' } },
      phase: 'gateway',
      policy,
    })),
    routes: [
      {
        name: 'rich',
        gateways: 'default',
        policies: {
          cors,
          authorization,
          transformations,
          timeout: { requestTimeout: '5s' },
          localRateLimit: [{ maxTokens: 100, tokensPerFill: 100, fillInterval: '1s' }],
          csrf: {},
          requestHeaderModifier: headers,
          responseHeaderModifier: headers,
          buffer: { request: { maxBytes: 1000 } },
        },
        backends: [{ host, policies: { transformations, requestHeaderModifier: headers } }],
      },
    ],
  } as unknown as GatewayConfig
}

test('operators inserted before and after each stage', async (t) => {
  await using upstream = await startUpstream((_, res) => res.end('hello'))
  for (const [kind, config] of Object.entries({ unconfigured: plain, configured }))
    for (const level of ['listener', 'route', 'backend'] as const) {
      const stages = names(orders[level])
      await t.test(`run in the order of gateway.ts: ${level}, ${kind}`, async () => {
        const seen: string[] = []
        const note = (text: string): Operator => tap(() => void seen.push(text))
        const insert = stages.flatMap((stage) => [
          at(level, 'before', stage, note(`before ${stage}`)),
          at(level, 'after', stage, note(`after ${stage}`)),
        ])
        await using gateway = await createGateway(config(upstream.host), { insert })
        const reply = await fetch(gateway.addresses[0]?.url ?? '')
        assert.deepEqual([reply.status, await reply.text()], [200, 'hello'])
        assert.deepEqual(
          seen,
          stages.flatMap((stage) => [`before ${stage}`, `after ${stage}`]),
        )
      })
      await t.test(`run in the order of gateway.ts on the way back: ${level}, ${kind}`, async () => {
        const seen: string[] = []
        const note = (text: string) => ({ reply: tap(() => void seen.push(text)) as Operator })
        const insert = names(replySides[level]).flatMap((stage) => [
          at(level, 'before', stage, note(`before ${stage}`)),
          at(level, 'after', stage, note(`after ${stage}`)),
        ])
        await using gateway = await createGateway(config(upstream.host), { insert })
        assert.equal((await fetch(gateway.addresses[0]?.url ?? '')).status, 200)
        assert.deepEqual(
          seen,
          names(replySides[level]).flatMap((stage) => [`before ${stage}`, `after ${stage}`]),
        )
      })
    }
})

test('inserted operators', async (t) => {
  await using upstream = await startUpstream((_, res) => res.end('hello'))
  const host = upstream.host
  const twoRoutes: GatewayConfig = {
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    routes: ['a', 'b'].map((name) => ({
      name,
      gateways: 'default',
      matches: [{ path: { pathPrefix: `/${name}` } }],
      backends: [{ host }],
    })),
  }
  const statuses = async (insert: readonly Insertion[]) => {
    await using gateway = await createGateway(twoRoutes, { insert })
    const url = gateway.addresses[0]?.url ?? ''
    const replies = await Promise.all(['/a', '/b'].map((path) => fetch(`${url}${path}`)))
    return replies.map((reply) => reply.status)
  }
  const refuse = onRequest('refuse', () => deny(418, 'teapot', { message: 'no' }))

  await t.test('run on the routes that they are limited to', async () => {
    assert.deepEqual(
      await statuses([{ level: 'route', before: 'csrf', operator: refuse, routes: ['a'] }]),
      [418, 200],
    )
    const insertion: Insertion = { level: 'backend', before: 'call', operator: refuse, routes: ['default/b'] }
    assert.deepEqual(await statuses([insertion]), [200, 418])
    assert.deepEqual(await statuses([{ level: 'route', after: 'timeout', operator: refuse }]), [418, 418])
  })

  await t.test('run in list order if several have one position', async () => {
    const seen: number[] = []
    const note = (i: number): Operator => tap(() => void seen.push(i))
    await statuses(
      [1, 2, 3].map((i) => ({ level: 'route', after: 'csrf', operator: note(i), routes: ['a'] })),
    )
    assert.deepEqual(seen, [1, 2, 3])
  })

  await t.test('see the refusals of the stages before them on the way back', async () => {
    const stamp = { reply: onReply('stamp', (x) => x.reply?.headers.set('x-stamp', 'yes')) }
    await using gateway = await createGateway(twoRoutes, {
      insert: [
        { level: 'route', before: 'csrf', operator: refuse },
        { level: 'listener', after: 'cors', operator: stamp },
      ],
    })
    const reply = await fetch(`${gateway.addresses[0]?.url ?? ''}/a`)
    assert.deepEqual([reply.status, reply.headers.get('x-stamp')], [418, 'yes'])
  })

  await t.test('that throw become replies with status 500', async () => {
    const broken = onRequest('broken', () => {
      throw new Error('broken')
    })
    assert.deepEqual(await statuses([{ level: 'listener', before: 'cors', operator: broken }]), [500, 500])
    assert.deepEqual(await statuses([{ level: 'backend', before: 'call', operator: broken }]), [500, 500])
  })

  await t.test('are refused at an invalid position, with the valid ones', async () => {
    // @ts-expect-error -- a stage of another level
    const wrongLevel: Insertion = { level: 'backend', before: 'csrf', operator: refuse }
    // @ts-expect-error -- a name that is no stage
    const wrongStage: Insertion = { level: 'route', after: 'toString', operator: refuse }
    // @ts-expect-error -- no routes at this level
    const routes: Insertion = { level: 'listener', before: 'cors', operator: refuse, routes: ['a'] }
    // @ts-expect-error -- two positions
    const twice: Insertion = { level: 'route', before: 'csrf', after: 'cors', operator: refuse }
    // @ts-expect-error -- no such level
    const level: Insertion = { level: 'port', before: 'csrf', operator: refuse }
    const wrong: readonly (readonly [Insertion, RegExp])[] = [
      [
        wrongLevel,
        /^insert\[0\]: level backend has no stage "csrf"; its stages are parseMcpMessage, authorization, /,
      ],
      [wrongStage, /^insert\[0\]: level route has no stage "toString"; its stages are timeout, /],
      [routes, /^insert\[0\]: routes cannot be named at level listener/],
      [twice, /^insert\[0\]: either before or after must name a stage$/],
      [level, /^insert\[0\]: there is no level "port"; the levels are listener, route, backend$/],
      [
        { level: 'route', before: 'csrf', operator: { reply: refuse } },
        /^insert\[0\]: stage csrf has no place for replies; those that have one are cors, /,
      ],
      [
        { level: 'route', before: 'csrf', operator: {} },
        /^insert\[0\]: operator must be an operator, or have/,
      ],
      [
        { level: 'route', before: 'csrf', operator: refuse, routes: ['a', 'c'] },
        /^insert\[0\]: the configuration has no route "c"; its routes are a, b$/,
      ],
    ]
    for (const [insertion, message] of wrong)
      await assert.rejects(createGateway(twoRoutes, { insert: [insertion] }), { name: 'TypeError', message })
  })
})
