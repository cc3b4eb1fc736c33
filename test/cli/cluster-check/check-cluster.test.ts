import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCluster } from '../../../src/cli/cluster-check/check-cluster.ts'
import { loadCluster } from '../../../src/cli/kubernetes/load-cluster.ts'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { startStandInAdmin } from '../../support/cli/admin-server.ts'
import { checkedCluster, checkedPod, checkedRoute } from '../../support/cli/checked-cluster.ts'
import { type KubernetesObjects, startKubernetesApi } from '../../support/cli/kubernetes-api.ts'

const gatewayApi = 'apis/gateway.networking.k8s.io/v1'
const published = [
  { name: 'bind/apps/web/80', version: '1' },
  { name: 'route/HTTPRoute/apps/cart/00', version: '2' },
]
const inOrder = { connected: true, since: '2026-01-01T00:00:00Z', resources: published, refused: [] }

interface TestedCluster {
  readonly objects?: KubernetesObjects
  readonly forbidden?: readonly string[]
  /** What the second proxy says of the controller. */
  readonly controlPlane?: object | undefined
  /** What the second replica of the controller publishes. */
  readonly snapshot?: readonly object[]
  readonly namespace?: string | undefined
}

/** A cluster in order but for what is given; the first proxy and the first replica of the controller always are. */
const openCluster = async ({ objects = {}, forbidden = [], ...tested }: TestedCluster) => {
  const stack = new AsyncDisposableStack()
  const serve = async (body: object) => {
    const server = await startStandInAdmin((_req, res) => res.end(JSON.stringify(body)))
    return stack.use(server).port
  }
  const dump = (controlPlane: object | undefined) => ({ binds: [], ...(controlPlane && { controlPlane }) })
  const ports = {
    'web-1:15000': await serve(dump(inOrder)),
    'web-2:15000': await serve(dump('controlPlane' in tested ? tested.controlPlane : inOrder)),
    'controller-1:9095': await serve({ 'apps/web': published }),
    'controller-2:9095': await serve({ 'apps/web': tested.snapshot ?? published }),
  }
  const api = stack.use(await startKubernetesApi({ objects: checkedCluster(objects), ports, forbidden }))
  return { kubeconfig: api.kubeconfig, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const check = async (tested: TestedCluster) => {
  await using opened = await openCluster(tested)
  const report = await checkCluster({
    cluster: await loadCluster({ kubeconfig: opened.kubeconfig }),
    namespace: 'namespace' in tested ? tested.namespace : 'apps',
    controllerName: 'agentgateway.dev/agentgateway',
    controller: { namespace: 'apps', port: 9095 },
    proxies: { access: { url: new URL('http://127.0.0.1') }, port: 15_000 },
    soonMs: 0,
  })
  return {
    ...report,
    found: report.findings.map(({ kind, name, reason }) => `${kind} ${name} ${reason}`),
    messages: report.findings.map(({ message }) => message),
  }
}

const route = (name: string, parent: string, wrong?: object) => ({
  [`${gatewayApi}/namespaces/apps/httproutes/${name}`]: checkedRoute(name, parent, wrong),
})

test('a check of a cluster', { concurrency: true }, async (t) => {
  await t.test('finds nothing where everything is in order, in a namespace and in all', async () => {
    for (const namespace of ['apps', undefined]) {
      const { found, unchecked, checked } = await check({ namespace })
      assert.deepEqual([found, unchecked], [[], []])
      assert.deepEqual(checked, { Gateway: 1, HTTPRoute: 1, Pod: 2 })
    }
  })

  await t.test('finds routes that are not attached, and why', async () => {
    const notAllowed = {
      type: 'Accepted',
      status: 'False',
      reason: 'NotAllowedByListeners',
      message: 'No listener allows routes of this namespace',
    }
    const withoutStatus = { ...checkedRoute('silent', 'web'), status: {} }
    const { found, messages } = await check({
      objects: {
        ...route('denied', 'web', notAllowed),
        ...route('foreign', 'foreign'),
        [`${gatewayApi}/namespaces/apps/httproutes/lost`]: { ...checkedRoute('lost', 'gone'), status: {} },
        [`${gatewayApi}/namespaces/apps/httproutes/silent`]: withoutStatus,
        [`${gatewayApi}/namespaces/apps/httproutes/others`]: {
          ...checkedRoute('others', 'foreign'),
          status: {},
        },
      },
    })
    assert.deepEqual(found, [
      'HTTPRoute denied NotAllowedByListeners',
      'HTTPRoute lost ParentNotFound',
      'HTTPRoute silent NotProcessed',
    ])
    assert.deepEqual(messages.slice(0, 2), [notAllowed.message, 'there is no Gateway apps/gone'])
  })

  await t.test(
    'finds children of which their parent knows nothing, and leaves out those that name none',
    async () => {
      const parent = (name: string) => ({
        group: 'gateway.networking.k8s.io',
        kind: 'HTTPRoute',
        name,
      })
      const child = (name: string, parentRefs: readonly object[], conditions?: readonly object[]) => ({
        [`${gatewayApi}/namespaces/apps/httproutes/${name}`]: {
          metadata: { name, namespace: 'apps', generation: 1 },
          spec: { parentRefs },
          status: {
            parents: conditions
              ? [
                  {
                    parentRef: { ...parentRefs[0], namespace: 'apps' },
                    controllerName: 'agentgateway.dev/agentgateway',
                    conditions,
                  },
                ]
              : [],
          },
        },
      })
      const { found } = await check({
        objects: {
          ...child('any', []),
          ...child('child', [parent('cart')], [{ type: 'Accepted', status: 'True', reason: 'Accepted' }]),
          ...child(
            'stranger',
            [parent('cart')],
            [{ type: 'Accepted', status: 'False', reason: 'NoMatchingParent' }],
          ),
          ...child('lost', [parent('gone')]),
          ...child('of-others', [parent('any')]),
        },
      })
      assert.deepEqual(found, ['HTTPRoute lost ParentNotFound', 'HTTPRoute stranger NoMatchingParent'])
    },
  )

  await t.test('finds policies without an effect, of kinds that the cluster has', async () => {
    const policy = (ancestors: readonly object[]) => ({
      metadata: { name: 'policy', namespace: 'apps', generation: 1 },
      spec: { targetRefs: [{ kind: 'HTTPRoute', name: 'nope' }] },
      status: { ancestors },
    })
    const path = 'apis/agentgateway.dev/v1alpha1'
    const objects = (ancestors: readonly object[]) => ({
      [path]: { kind: 'APIResourceList', resources: [{ name: 'proxypolicies' }] },
      [`${path}/namespaces/apps/proxypolicies/policy`]: policy(ancestors),
    })
    const none = await check({ objects: objects([]) })
    assert.deepEqual(none.found, ['ProxyPolicy policy NotAttached'])
    assert.deepEqual(none.messages, ['it has no effect: no Gateway is or uses HTTPRoute nope'])
    const summary = {
      ancestorRef: { group: 'agentgateway.dev', name: 'StatusSummary' },
      controllerName: 'agentgateway.dev/agentgateway',
      conditions: [
        { type: 'Attached', status: 'False', reason: 'Pending', message: 'HTTPRoute apps/nope not found' },
      ],
    }
    const { findings } = await check({ objects: objects([summary]) })
    assert.deepEqual(
      findings.map(({ part, reason, message }) => [part, reason, message]),
      [[undefined, 'Pending', 'HTTPRoute apps/nope not found']],
    )
  })

  const wrong = (type: string, reason: string) => [{ type, status: 'False', reason, message: 'why' }]
  const controllerName = 'agentgateway.dev/agentgateway'
  const parentRef = (kind: string, name: string) => ({
    ...(kind === 'HTTPRoute' && { group: 'gateway.networking.k8s.io', kind }),
    name,
  })
  const ofKind = (group: string, plural: string, named: Readonly<Record<string, object>>) => ({
    [group]: { kind: 'APIResourceList', resources: [{ name: plural }] },
    ...Object.fromEntries(
      Object.entries(named).map(([name, more]) => [
        `${group}/namespaces/apps/${plural}/${name}`,
        { metadata: { name, namespace: 'apps', generation: 1 }, ...more },
      ]),
    ),
  })

  await t.test('finds backends of which a part cannot be used', async () => {
    const { found, checked } = await check({
      objects: ofKind('apis/agentgateway.dev/v1alpha1', 'proxybackends', {
        broken: { status: { conditions: wrong('Accepted', 'TranslationError') } },
        silent: {},
        valid: {
          status: { conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted', message: '' }] },
        },
      }),
    })
    assert.deepEqual(found, ['ProxyBackend broken TranslationError', 'ProxyBackend silent NotProcessed'])
    assert.equal(checked.ProxyBackend, 3)
  })

  await t.test('finds models that no parent accepts, or whose references lead nowhere', async () => {
    const model = (kind: string, name: string, conditions: readonly object[]) => ({
      spec: { parentRefs: [parentRef(kind, name)] },
      status: {
        parents: [
          {
            parentRef: {
              group: 'gateway.networking.k8s.io',
              kind: 'Gateway',
              namespace: 'apps',
              ...parentRef(kind, name),
            },
            controllerName,
            conditions,
          },
        ],
      },
    })
    const { found } = await check({
      objects: ofKind('apis/agentgateway.dev/v1alpha1', 'proxymodels', {
        denied: model('Gateway', 'web', wrong('Accepted', 'NotAllowedByListeners')),
        'of-route': model('HTTPRoute', 'cart', wrong('ResolvedRefs', 'Invalid')),
        silent: { spec: { parentRefs: [parentRef('Gateway', 'web')] } },
        'of-others': { spec: { parentRefs: [parentRef('Gateway', 'foreign')] } },
      }),
    })
    assert.deepEqual(found, [
      'ProxyModel denied NotAllowedByListeners',
      'ProxyModel of-route Invalid',
      'ProxyModel silent NotProcessed',
    ])
  })

  await t.test('finds pools without a picker, as far as Gateways of the controller use them', async () => {
    const pool = (controller: string) => ({
      status: {
        parents: [
          {
            parentRef: { kind: 'Gateway', name: 'web' },
            controllerName: controller,
            conditions: wrong('ResolvedRefs', 'InvalidExtensionRef'),
          },
        ],
      },
    })
    const { found, findings } = await check({
      objects: ofKind('apis/inference.networking.k8s.io/v1', 'inferencepools', {
        broken: pool(controllerName),
        'of-others': pool('example.com/other'),
        unused: {},
      }),
    })
    assert.deepEqual(found, ['InferencePool broken InvalidExtensionRef'])
    assert.equal(findings[0]?.part, 'Gateway apps/web')
  })

  await t.test('finds a proxy that is behind, with what it lacks', async () => {
    const resources = [
      { name: 'bind/apps/web/80', version: '0' },
      { name: 'route/old', version: '1' },
    ]
    const { found, messages, findings } = await check({ controlPlane: { ...inOrder, resources } })
    assert.deepEqual(found, ['Pod web-2 OldConfiguration'])
    assert.deepEqual(messages, [
      'it does not have what the controller publishes: 2 resources missing or old (bind/apps/web/80, route/HTTPRoute/apps/cart/00), 1 resource to be removed (route/old)',
    ])
    assert.equal(findings[0]?.part, 'Gateway apps/web')
  })

  await t.test('finds a proxy without a connection, and one that refuses resources', async () => {
    const away = { ...inOrder, connected: false, error: 'connection refused' }
    const { messages } = await check({ controlPlane: away })
    assert.deepEqual(messages, [
      'it has no connection to the controller since 2026-01-01T00:00:00Z: connection refused',
    ])
    const refused = [
      { name: 'route/HTTPRoute/apps/cart/00', problem: 'route/HTTPRoute/apps/cart/00: is wrong' },
    ]
    const refusing = { ...inOrder, resources: published.slice(0, 1), refused }
    const other = await check({ controlPlane: refusing })
    assert.deepEqual(other.found, ['Pod web-2 ResourceRefused'])
    assert.deepEqual(other.messages, ['route/HTTPRoute/apps/cart/00: is wrong'])
  })

  await t.test(
    'finds replicas of the controller that differ; a proxy may have what either publishes',
    async () => {
      const resources = published.slice(0, 1)
      const { found } = await check({ snapshot: resources, controlPlane: { ...inOrder, resources } })
      assert.deepEqual(found, ['Pod controller-2 ReplicasDiffer'])
    },
  )

  await t.test('finds proxies that are not ready', async () => {
    const labels = { 'gateway.networking.k8s.io/gateway-name': 'web' }
    const objects = { 'api/v1/namespaces/apps/pods/web-2': checkedPod('web-2', labels, false) }
    const { found, messages } = await check({ objects })
    assert.deepEqual([found, messages], [['Pod web-2 NotReady'], ['Ready: starting']])
  })

  await t.test('says what it could not look at, with the verb and the resource', async () => {
    const { found, unchecked } = await check({
      forbidden: [
        `${gatewayApi}/namespaces/apps/httproutes`,
        'api/v1/namespaces/apps/pods/web-1/portforward',
      ],
      controlPlane: undefined,
    })
    assert.deepEqual(found, [])
    assert.deepEqual(
      unchecked.toSorted((a, b) => (a.subject < b.subject ? -1 : 1)),
      [
        {
          subject: 'Pod apps/web-1',
          reason: 'the account may not create pods/portforward in namespace "apps"',
        },
        { subject: 'Pod apps/web-2', reason: 'its version does not show what it has of the controller' },
        { subject: 'httproutes', reason: 'the account may not list httproutes in namespace "apps"' },
      ],
    )
  })

  await t.test(
    'leaves routes to another controller that has looked at them, where classes may not be read',
    async () => {
      const route = checkedRoute('theirs', 'web')
      const [entry] = route.status.parents
      const { found } = await check({
        forbidden: [`${gatewayApi}/gatewayclasses`],
        objects: {
          [`${gatewayApi}/namespaces/apps/httproutes/theirs`]: {
            ...route,
            status: { parents: [{ ...entry, controllerName: 'example.com/other' }] },
          },
          [`${gatewayApi}/namespaces/apps/httproutes/new`]: { ...checkedRoute('new', 'web'), status: {} },
        },
      })
      // Whose the Gateway without conditions is cannot be told.
      assert.deepEqual(found, ['Gateway foreign NotProcessed', 'HTTPRoute new NotProcessed'])
    },
  )

  await t.test('fails where there is no Gateway API, or Gateways may not be read', async () => {
    await assert.rejects(check({ objects: { [gatewayApi]: { resources: [] } } }), {
      message:
        'failed listing Gateways in namespace "apps": the Gateway API is not installed in this cluster',
    })
    await assert.rejects(check({ forbidden: [`${gatewayApi}/namespaces/apps/gateways`] }), {
      message: /^failed listing Gateways in namespace "apps": the account may not list gateways/,
    })
  })
})

test('agctl check', { concurrency: true }, async (t) => {
  const shadowed = {
    type: 'agentgateway.dev/Shadowed',
    status: 'True',
    reason: 'DuplicateMatch',
    message: 'Rule 0 has a match of the older HTTPRoute apps/cart',
  }
  const run = async (tested: TestedCluster, ...args: readonly string[]) => {
    await using opened = await openCluster(tested)
    const controller = ['--controller-namespace', 'apps']
    return await runAgctlProgram(['check', '-k', opened.kubeconfig, ...controller, ...args])
  }

  await t.test('says what it has looked at, and exits with 0 if nothing is wrong', async () => {
    assert.deepEqual(await run({}), {
      code: 0,
      stdout: '',
      stderr: 'checked 1 Gateway, 1 HTTPRoute, 2 proxies in namespace "apps": no problems found\n',
    })
    const { code, stderr } = await run({}, '-n', 'empty')
    assert.deepEqual(
      [code, stderr],
      [0, 'there are no Gateways and no routes in namespace "empty"; -n chooses another namespace, -A all\n'],
    )
  })

  await t.test('prints a table of what is wrong, and exits with 1', async () => {
    const { code, stdout, stderr } = await run({ objects: route('twin', 'web', shadowed) })
    assert.equal(
      stdout,
      'SEVERITY  OBJECT               PART              REASON          MESSAGE\n' +
        'error     HTTPRoute apps/twin  Gateway apps/web  DuplicateMatch  Rule 0 has a match of the older HTTPRoute apps/cart\n',
    )
    assert.deepEqual([code, stderr], [1, 'Error: 1 error in namespace "apps"\n'])
  })

  await t.test('prints JSON and YAML', async () => {
    const finding = {
      severity: 'error',
      kind: 'HTTPRoute',
      namespace: 'apps',
      name: 'twin',
      part: 'Gateway apps/web',
      reason: 'DuplicateMatch',
      message: shadowed.message,
    }
    const objects = route('twin', 'web', shadowed)
    const json = await run({ objects }, '-o', 'json', '--no-proxies')
    assert.deepEqual(JSON.parse(json.stdout), {
      errors: 1,
      warnings: 0,
      findings: [finding],
      unchecked: [],
      checked: { Gateway: 1, HTTPRoute: 2 },
    })
    const yaml = await run({ objects }, '-o', 'yaml', '--no-proxies')
    assert.match(yaml.stdout, /^errors: 1\nwarnings: 0\nfindings:\n {2}- severity: error\n/)
  })

  await t.test('exits with 1 for what it could not look at only if that is to count', async () => {
    const tested = { forbidden: [`${gatewayApi}/namespaces/apps/httproutes`] }
    const plain = await run(tested)
    assert.equal(plain.code, 0)
    assert.match(plain.stderr, /^not checked: httproutes: the account may not list httproutes/)
    assert.equal((await run(tested, '--strict')).code, 1)
  })

  const failures: readonly (readonly [readonly string[], RegExp])[] = [
    [['gateway.yaml'], /^Error: unexpected argument "gateway.yaml"\n.* agctl config check FILE/],
    [['-A', '-n', 'apps'], /^Error: at most one of --namespace and --all-namespaces may be passed/],
    [['--expires-within', 'soon'], /^Error: invalid --expires-within soon\nIt is a number of days\.\n/],
    [['-o', 'xml'], /Allowed choices are table, json, yaml/],
  ]
  for (const [args, message] of failures)
    await t.test(`refuses ${args.join(' ')}`, async () => {
      const { code, stderr } = await run({}, ...args)
      assert.equal(code, 2)
      assert.match(stderr, message)
    })
})
