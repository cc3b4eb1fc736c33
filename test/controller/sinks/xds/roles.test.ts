import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { tokenReviews } from '../../../../src/controller/sinks/xds/token-review.ts'
import { openRawClient, type RawRequest } from '../../../support/xds/raw-xds-client.ts'
import { replyRoute, startXdsServer } from '../../../support/xds/xds-server.ts'
import { accountInToken, xdsToken } from '../../../support/xds/xds-token.ts'

/** As the API server does it: the account is that of the signature, and the audience is checked. */
const reviews = tokenReviews(({ spec: { token, audiences } }) =>
  Promise.resolve({
    status: {
      authenticated: true,
      audiences,
      user: { username: `system:serviceaccount:${accountInToken(token)}` },
    },
  }),
)

const startServer = async () => {
  const server = await startXdsServer({ authenticate: reviews })
  for (const gateway of ['team/web', 'team/other', 'elsewhere/web'])
    server.sets.set(gateway, [replyRoute(`secret-of-${gateway.replace('/', '-')}`, 'secret')])
  server.sets.synced()
  return server
}

/** What a client is sent, be it how its stream ends. */
const sentTo = async (
  port: number,
  account: string,
  node: RawRequest['node'],
  claims?: Readonly<Record<string, unknown>>,
  more: RawRequest = {},
): Promise<string> => {
  using client = openRawClient(port, { token: xdsToken(account, claims) })
  client.send({ ...more, ...(node && { node }) })
  return await Promise.race([client.ended, client.next().then((response) => JSON.stringify(response, plain))])
}
const plain = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value
const role = (text: unknown): RawRequest['node'] => ({ id: 'proxy', metadata: { role: text as string } })

suite('the role of a client', () => {
  test('is that of its own account', async () => {
    await using server = await startServer()
    const sent = await sentTo(server.port, 'team/web', role('team~web'))
    assert.match(sent, /secret-of-team-web/)
    assert.doesNotMatch(sent, /secret-of-(team-other|elsewhere)/)
  })

  for (const [what, account, metadata, ends] of [
    [
      'another Gateway of the namespace',
      'team/other',
      'team~web',
      /^7 requested gateway team\/web but authenticated as team\/other$/,
    ],
    ['a Gateway of the same name elsewhere', 'elsewhere/web', 'team~web', /^7 /],
    ['another account of the namespace', 'team/default', 'team~web', /^7 /],
    ['no role', 'team/web', undefined, /^3 node\.metadata\.role must be <namespace>~<gateway>$/],
    ['an empty role', 'team/web', '', /^3 /],
    ['an empty name', 'team/web', 'team~', /^3 /],
    ['two roles in one', 'team/web', 'team~web~other', /^3 /],
    ['a list of roles', 'team/web', ['team~web', 'team~other'], /^3 /],
    ['a role of slashes', 'team/web', 'team/web', /^3 /],
    ['a role with a slash in its name', 'team/web', 'team~web/../other', /^3 /],
    ['a role that is a name of the language', 'team/web', '__proto__~constructor', /^3 /],
    ['a role in capitals', 'team/web', 'TEAM~WEB', /^3 /],
    ['a role with a line break', 'team/web', 'team~web\n', /^3 /],
    ['a very long role', 'team/web', `team~${'w'.repeat(100_000)}`, /^3 /],
  ] as const)
    test(`is not ${what}`, async () => {
      await using server = await startServer()
      const sent = await sentTo(server.port, account, role(metadata))
      assert.match(sent, ends)
      assert.doesNotMatch(sent, /secret-of/)
    })

  test('is not taken from another account by a token for another audience', async () => {
    await using server = await startServer()
    const sent = await sentTo(server.port, 'team/web', role('team~web'), { aud: ['kubernetes'] })
    assert.equal(sent, '16 authentication failed: the token is not for the audience agentgateway')
  })

  test('is that of the account, whichever pod the token is bound to, if any', async () => {
    await using server = await startServer()
    for (const bound of [{ pod: { name: 'other-7d9f', uid: 'u' } }, {}]) {
      const claims = { 'kubernetes.io': { namespace: 'team', serviceaccount: { name: 'web' }, ...bound } }
      assert.match(await sentTo(server.port, 'team/web', role('team~web'), claims), /secret-of-team-web/)
      assert.match(await sentTo(server.port, 'team/web', role('team~other'), claims), /^7 /)
    }
  })

  test('stays that of the first request', async () => {
    await using server = await startServer()
    using client = openRawClient(server.port, { token: xdsToken('team/web') })
    client.send({ node: { id: 'proxy', metadata: { role: 'team~web' } } })
    client.accept(await client.next())
    client.send({
      node: { id: 'proxy', metadata: { role: 'team~other' } },
      resourceNamesSubscribe: ['route/HTTPRoute/default/secret-of-team-other/00', '*'],
    })
    const response = await client.next()
    assert.deepEqual(response.resources, [])
    assert.deepEqual(response.removedResources, ['route/HTTPRoute/default/secret-of-team-other/00'])
  })

  test('has nothing of others by their names', async () => {
    await using server = await startServer()
    const name = 'route/HTTPRoute/default/secret-of-team-other/00'
    const asked: RawRequest = {
      resourceNamesSubscribe: [name],
      initialResourceVersions: { [name]: 'any' },
    }
    const sent = await sentTo(server.port, 'team/web', role('team~web'), undefined, asked)
    const { resources = [], removedResources } = JSON.parse(sent) as {
      readonly resources?: readonly unknown[]
      readonly removedResources: readonly string[]
    }
    assert.deepEqual([resources, removedResources], [[], [name]])
  })
})
