import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { installController } from './lab/controller.ts'
import { eventually } from './lab/eventually.ts'
import { labProblem, startLab } from './lab/lab.ts'
import { caseObjects, cases, chat, keySet, type SendTo } from './policies/cases.ts'
import { type LabRequest, openLabClient } from './policies/lab-client.ts'
import { HOST, NAMESPACE, objects, policy, route, target } from './policies/objects.ts'

interface PolicyObject {
  readonly metadata: { readonly name: string }
  readonly status?: {
    readonly ancestors: readonly {
      readonly conditions: readonly Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>[]
    }[]
  }
}

/** Policies of connections, and of two levels. */
const gatewayPolicies = [
  policy('telemetry', target('Gateway', 'web'), {
    frontend: {
      accessLog: { attributes: { add: [{ name: 'team', expression: 'request.headers["x-team"]' }] } },
      tracing: {
        backendRef: { name: 'services', port: 4318 },
        protocol: 'HTTP',
        randomSampling: 'true',
        attributes: { add: [{ name: 'of.policy', expression: '"traced " + request.path' }] },
      },
      metrics: { attributes: { add: [{ name: 'team', expression: 'request.headers["x-team"]' }] } },
    },
  }),
  policy('closed', target('Gateway', 'web', { port: 82 }), {
    frontend: {
      networkAuthorization: { action: 'Deny', policy: { matchExpressions: ['source.address != ""'] } },
    },
  }),
  policy('modern', target('Gateway', 'web', { port: 443 }), {
    frontend: { tls: { minProtocolVersion: '1.3' } },
  }),
]

const levelHeader = (value: string) => ({
  headerModifiers: { response: { set: [{ name: 'x-level', value }] } },
})

const ofListener = (inheritance: string) =>
  policy('of-listener', target('Gateway', 'web', { sectionName: 'other' }), {
    strategy: { inheritance },
    traffic: levelHeader('listener'),
  })

const lacksSecret = policy('lacks-secret', target('HTTPRoute', 'lacks-secret'), {
  traffic: { basicAuthentication: { secretRef: { name: 'absent' } } },
})

test('ProxyPolicies in a cluster', { skip: labProblem(), timeout: 280_000 }, async (t) => {
  using authority = makeAuthority()
  await using lab = await startLab({ name: 'policies', channel: 'standard' })
  const kubectl = (line: string) => lab.kubectl(line.split(' '))
  const apply = (...items: readonly object[]) =>
    lab.kubectl(
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    )
  const policies = async () =>
    (JSON.parse(await kubectl(`get proxypolicies -n ${NAMESPACE} -o json`)) as { items: PolicyObject[] })
      .items
  const conditionsOf = (one: PolicyObject | undefined) =>
    (one?.status?.ancestors ?? []).flatMap(({ conditions }) =>
      conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    )

  /** Waits until all but one of the policies are accepted and attached. */
  const inOrder = (except?: string) =>
    eventually('the policies are in order', async () => {
      const wrong = (await policies()).filter(
        (one) =>
          one.metadata.name !== except &&
          conditionsOf(one).join() !== 'Accepted True Valid,Attached True Attached',
      )
      return wrong.length === 0 ? true : undefined
    })

  await installController(lab, { isByChart: true })
  await kubectl(`create namespace ${NAMESPACE}`)
  await apply(...objects(authority, keySet))
  await apply(
    ...Object.entries(cases).flatMap(([name, one]) => caseObjects(name, one)),
    ...gatewayPolicies,
    route('level', undefined, 'other'),
    ofListener('Default'),
    policy('of-route', target('HTTPRoute', 'level'), { traffic: levelHeader('route') }),
    route('closed', undefined, 'closed'),
    route('modern', undefined, 'https'),
    route('lacks-secret'),
    lacksSecret,
  )
  await kubectl(`wait -n ${NAMESPACE} --for=condition=Programmed --timeout=60s gateway/web`)
  await kubectl(`rollout status -n ${NAMESPACE} deployment/web --timeout=60s`)
  await kubectl(`wait -n ${NAMESPACE} --for=condition=Ready --timeout=60s pod/services`)
  const address = await kubectl(`get -n ${NAMESPACE} gateway web -o jsonpath={.status.addresses[0].value}`)
  await using client = openLabClient(lab)
  const sendTo =
    (name: string, origin = `http://${address}`): SendTo =>
    (options = {}, below = '') =>
      client.send({ ...options, url: `${origin}/${name}${below}` })

  await t.test('are accepted and attached, as their statuses say', async () => {
    await inOrder('lacks-secret')
  })

  for (const [name, { check }] of Object.entries(cases))
    await t.test(`act: ${name}`, () => check(sendTo(name)))

  await t.test('of a Gateway change its access log, its traces and its metrics', async () => {
    await sendTo('authorization')({ headers: { 'x-team': 'team-of-the-log' } })
    await eventually('the log has the field', async () =>
      (await kubectl(`logs -n ${NAMESPACE} deployment/web`)).includes('team-of-the-log') ? true : undefined,
    )
    const services = await kubectl(`get service services -n ${NAMESPACE} -o jsonpath={.spec.clusterIP}`)
    await eventually('the span has been exported', async () => {
      const { body } = await client.send({ url: `http://${services}:4318/` })
      return body.includes('/v1/traces') && body.includes('traced /authorization') ? true : undefined
    })
    const pod = await kubectl(
      `get pods -n ${NAMESPACE} -l gateway.networking.k8s.io/gateway-name=web -o jsonpath={.items[0].status.podIP}`,
    )
    const metrics = await client.send({ url: `http://${pod}:15020/metrics` })
    assert.match(metrics.body, /team="team-of-the-log"/)
  })

  await t.test('of a port apply to its connections', async () => {
    const closed = await sendTo('closed', `http://${address}:82`)()
    assert.deepEqual([closed.status, closed.body], [0, 'ECONNRESET'])
    const tls = { ca: authority.cert, servername: HOST }
    const modern = sendTo('modern', `https://${address}`)
    assert.equal((await modern({ tls })).status, 200)
    const old = await modern({ tls: { ...tls, maxVersion: 'TLSv1.2' } satisfies LabRequest['tls'] })
    assert.deepEqual([old.status, old.body], [0, 'EPROTO'])
  })

  await t.test('of a route precede those of its listener, unless those override them', async () => {
    const level = async () => (await sendTo('level', `http://${address}:81`)()).headers['x-level']
    const becomes = (expected: string | undefined) =>
      eventually(`the level is ${expected ?? 'gone'}`, async () =>
        (await level()) === expected ? true : undefined,
      )
    await becomes('route')
    await apply(ofListener('Override'))
    await becomes('listener')
    await kubectl(`delete proxypolicy -n ${NAMESPACE} of-listener`)
    await becomes('route')
    await kubectl(`delete proxypolicy -n ${NAMESPACE} of-route`)
    await becomes(undefined)
  })

  await t.test('about access that lack something refuse requests, and say what', async () => {
    const lacking = (await policies()).find(({ metadata }) => metadata.name === 'lacks-secret')
    assert.deepEqual(conditionsOf(lacking), ['Accepted False Invalid', 'Attached False Pending'])
    assert.equal((await sendTo('lacks-secret')()).status, 403)
    await apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: NAMESPACE, name: 'absent' },
      stringData: { '.htaccess': 'alice:{SHA}W8r/fyL/UzygmbNAjq2HbA67qac=' },
    })
    await eventually('the policy applies', async () =>
      (await sendTo('lacks-secret')()).status === 401 ? true : undefined,
    )
    await inOrder()
  })

  await t.test('that are removed have no effect any more', async () => {
    await kubectl(`delete proxypolicies -n ${NAMESPACE} --all`)
    const open = Object.keys(cases).filter((name) => !['prompt-guard', 'backend-tls'].includes(name))
    for (const name of open)
      await eventually(`${name} has no policy`, async () => {
        const { status, headers, body } = await sendTo(name)({ method: 'POST', headers: { origin: 'null' } })
        const isPlain = status === 200 && headers['x-internal'] === 'yes' && body.includes(`"/${name}"`)
        return isPlain ? true : undefined
      })
    assert.equal(
      (await sendTo('prompt-guard')(chat('a forbidden thing'), '/v1/chat/completions')).status,
      200,
    )
    assert.equal((await sendTo('closed', `http://${address}:82`)()).status, 200)
    const tls = { ca: authority.cert, servername: HOST, maxVersion: 'TLSv1.2' } as const
    assert.equal((await sendTo('modern', `https://${address}`)({ tls })).status, 200)
  })
})
