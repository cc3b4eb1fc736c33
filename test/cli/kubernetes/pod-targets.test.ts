import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandFailure } from '../../../src/cli/command-failure.ts'
import type { GatewaySelection } from '../../../src/cli/gateway/gateway-options.ts'
import { gatewayTargets } from '../../../src/cli/gateway/gateway-targets.ts'
import { controllerTargets } from '../../../src/cli/kubernetes/pod-targets.ts'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { startStandInAdmin } from '../../support/cli/admin-server.ts'
import { startKubernetesApi } from '../../support/cli/kubernetes-api.ts'

const pod = (name: string, labels: Record<string, string>, phase = 'Running') => ({
  metadata: { name, namespace: 'apps', labels },
  status: { phase },
})
const ofGateway = { 'gateway.networking.k8s.io/gateway-name': 'web', app: 'web' }
const objects = {
  'api/v1/namespaces/apps/pods/web-3': pod('web-3', ofGateway),
  'api/v1/namespaces/apps/pods/web-2': pod('web-2', ofGateway),
  'api/v1/namespaces/apps/pods/web-1': pod('web-1', ofGateway, 'Pending'),
  'api/v1/namespaces/apps/services/web': { spec: { selector: { app: 'web' } } },
  'api/v1/namespaces/apps/services/external': { spec: {} },
  'apis/apps/v1/namespaces/apps/deployments/web': {
    spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }] } },
  },
  'apis/apps/v1/namespaces/apps/daemonsets/all': { spec: { selector: {} } },
  'apis/apps/v1/namespaces/apps/statefulsets/none': { spec: { selector: { matchLabels: { app: 'no' } } } },
  'apis/gateway.networking.k8s.io/v1/namespaces/apps/gateways/web': { metadata: { name: 'web' } },
  'apis/gateway.networking.k8s.io/v1/namespaces/two/gateways/a': { metadata: { name: 'a' } },
  'apis/gateway.networking.k8s.io/v1/namespaces/two/gateways/b': { metadata: { name: 'b' } },
  'api/v1/namespaces/agentgateway-system/pods/controller-1': {
    metadata: {
      name: 'controller-1',
      namespace: 'agentgateway-system',
      labels: { agentgateway: 'agentgateway' },
    },
    status: { phase: 'Running' },
  },
}

const dump = JSON.stringify({ binds: [], backends: [] })

test('gateways in Kubernetes', async (t) => {
  await using admin = await startStandInAdmin((req, res) => {
    if (req.url === '/config_dump') res.end(dump)
    else res.end(`current log level is ${req.url ?? ''}\n`)
  })
  const ports = {
    'web-2:15000': admin.port,
    'web-3:15000': admin.port,
    'controller-1:9095': admin.port,
  }
  await using api = await startKubernetesApi({ objects, ports })
  const options: GatewaySelection = { kubeconfig: api.kubeconfig, proxyAdminPort: '15000' }
  const namesOf = async (resource: string | undefined, more: Partial<GatewaySelection> = {}) =>
    (await gatewayTargets({ ...options, ...more }, resource)).map(({ name }) => name)
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof CommandFailure, String(error))
    return error.message
  }

  const running = ['web-2.apps', 'web-3.apps', 'web-1.apps']
  for (const resource of [
    undefined,
    'gateway/web',
    'gtw/web.apps',
    'svc/web',
    'deploy/web',
    'Deployments/web',
    'gateway.gateway.networking.k8s.io/web',
    'deployment.apps/web',
  ])
    await t.test(`are the pods of ${resource ?? 'the only Gateway'}, running ones first`, async () => {
      assert.deepEqual(await namesOf(resource), running)
    })

  await t.test('are a pod by its name', async () => {
    assert.deepEqual(await namesOf('web-3'), ['web-3.apps'])
    assert.deepEqual(await namesOf('po/web-3.apps', { namespace: 'other' }), ['web-3.apps'])
  })

  const failures: readonly (readonly [string | undefined, Partial<GatewaySelection>, string])[] = [
    [undefined, { context: 'empty' }, 'no Gateways found in namespace "nothing"; pass a resource explicitly'],
    [undefined, { namespace: 'a/b' }, 'invalid --namespace a/b'],
    [undefined, { namespace: '../apps' }, 'invalid --namespace ../apps'],
    [undefined, { namespace: 'two' }, 'found 2 Gateways in namespace "two"; pass a resource explicitly'],
    ['job/web', {}, '"job/web" does not refer to a supported pod resource'],
    ['constructor/web', {}, '"constructor/web" does not refer to a supported pod resource'],
    ['deployment.example/web', {}, '"deployment.example/web" does not refer to a supported pod resource'],
    ['gateway/../web', {}, '"gateway/../web" does not refer to a supported pod resource'],
    ['pod/no', {}, 'no pods found for resource "pod/no"'],
    ['sts/none', {}, 'no pods found for resource "sts/none"'],
    ['ds/all', {}, 'empty pod selector'],
    ['svc/external', {}, 'resource has no pod selector'],
    ['deploy/no', {}, 'failed retrieving deploy/no in namespace "apps": deployments "no" not found'],
    ['gateway/no', {}, 'failed retrieving gateway/no in namespace "apps": gateways "no" not found'],
    [
      'pod/web-1',
      { context: 'nowhere' },
      'failed to build Kubernetes client config: there is no context "nowhere"; there are here, empty',
    ],
  ]
  for (const [resource, more, message] of failures)
    await t.test(`fail: ${message}`, async () => {
      assert.equal(await failure(namesOf(resource, more)), message)
    })

  await t.test('fail if the token of the cluster is wrong', async () => {
    assert.equal(
      await failure(namesOf('gateway/web', { kubeconfig: api.kubeconfigWithWrongToken })),
      'failed retrieving gateway/web in namespace "apps": Unauthorized (401)',
    )
  })

  await t.test('reach the admin server through the API server, and close the connection', async () => {
    const [target] = await gatewayTargets(options, 'gateway/web')
    const text = await target?.withAdmin((client) => client.readText({ path: '/config_dump' }))
    assert.equal(text, dump)
    assert.deepEqual(api.protocols, ['v4.channel.k8s.io'])
    await api.forwardsClosed()
  })

  await t.test('speak version 5 of the protocol if the server does', async () => {
    await using newer = await startKubernetesApi({ objects, ports, protocol: 'v5.channel.k8s.io' })
    const [target] = await gatewayTargets({ ...options, kubeconfig: newer.kubeconfig }, 'web-2')
    assert.equal(await target?.withAdmin((client) => client.readText({ path: '/config_dump' })), dump)
    assert.deepEqual(newer.protocols, ['v5.channel.k8s.io'])
  })

  await t.test('report what the error channel of the port says', async () => {
    const [target] = await gatewayTargets({ ...options, proxyAdminPort: '15001' }, 'web-2')
    const read = async () => target?.withAdmin((client) => client.readText({ path: '/config_dump' }))
    assert.equal(
      await failure(read()),
      'failed to execute command on web-2.apps: failure running port forward process: an error occurred forwarding 15001: connection refused',
    )
  })

  await t.test('have names of pods in what their admin servers refuse', async () => {
    await using other = await startStandInAdmin((_req, res) => res.writeHead(404).end('route not found'))
    await using cluster = await startKubernetesApi({ objects, ports: { 'web-2:80': other.port } })
    const [target] = await gatewayTargets(
      { ...options, kubeconfig: cluster.kubeconfig, proxyAdminPort: '80' },
      'web-2',
    )
    assert.equal(
      await failure((async () => target?.withAdmin((client) => client.readText({ path: '/config_dump' })))()),
      'the gateway at web-2.apps has no /config_dump: route not found',
    )
  })

  await t.test('end a trace that follows, once their pod is gone', async () => {
    const path = 'api/v1/namespaces/apps/pods/web-2'
    const mutable: Record<string, object> = { [path]: objects[path] }
    await using traced = await startStandInAdmin((_req, res) => {
      Reflect.deleteProperty(mutable, path)
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(': open\n\n')
    })
    await using cluster = await startKubernetesApi({
      objects: mutable,
      ports: { 'web-2:15000': traced.port },
    })
    const args = ['proxy', 'trace', 'web-2', '--raw', '--follow', '-k', cluster.kubeconfig]
    const { code, stdout, stderr } = await runAgctlProgram(args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /^Error: failed to execute command on web-2\.apps: failure running port forward process: pod "web-2" is gone\nTry again: it was replaced\.\n$/m,
    )
    assert.equal(traced.calls.length, 1)
  })

  await t.test('are not reached unless the pod is running', async () => {
    const [target] = await gatewayTargets(options, 'web-1')
    assert.equal(
      await failure((async () => target?.withAdmin(() => Promise.resolve()))()),
      'failed to execute command on web-1.apps: pod is not running. Status=Pending',
    )
  })

  await t.test(
    'have the permission that is missing in their message, with the verb and the resource',
    async () => {
      const path = 'api/v1/namespaces/apps/pods'
      await using limited = await startKubernetesApi({
        objects,
        ports,
        forbidden: [`${path}/web-2/portforward`, 'api/v1/namespaces/two/pods'],
      })
      const [target] = await gatewayTargets({ ...options, kubeconfig: limited.kubeconfig }, 'web-2')
      assert.equal(
        await failure(
          (async () => target?.withAdmin((client) => client.readText({ path: '/config_dump' })))(),
        ),
        'failed to execute command on web-2.apps: failure running port forward process: the account may not create pods/portforward in namespace "apps"',
      )
      const list = gatewayTargets(
        { ...options, kubeconfig: limited.kubeconfig, namespace: 'two' },
        'gateway/a',
      )
      await assert.rejects(list, {
        message:
          /^failed listing pods in namespace "two": pods is forbidden: User "tester" cannot list resource "pods"/,
        hint: 'The account needs the permission: kubectl auth can-i list pods -n apps',
      })
    },
  )

  await t.test('have a controller beside them, by its label', async () => {
    const targets = await controllerTargets(options, 9095)
    assert.deepEqual(
      targets.map(({ name }) => name),
      ['controller-1.agentgateway-system'],
    )
    assert.equal(
      await failure(controllerTargets({ ...options, namespace: 'apps' }, 9095)),
      'no controller pods found in namespace "apps" (label agentgateway=agentgateway)',
    )
  })

  await t.test('have a controller whose components have names of two words', async () => {
    const args = [
      'controller',
      'log',
      '-k',
      api.kubeconfig,
      '--set',
      'gateway controller=trace,deployer=debug',
    ]
    const { code, stdout } = await runAgctlProgram(args)
    assert.deepEqual(
      [code, stdout],
      [0, 'current log level is /logging?gateway%20controller=trace&deployer=debug\n'],
    )
  })

  await t.test('get log levels in all pods, with the failures of those that cannot be reached', async () => {
    const args = ['proxy', 'log', '-k', api.kubeconfig, 'gateway/web', '--set', 'mcp=trace,llm=debug']
    const { code, stdout, stderr } = await runAgctlProgram(args)
    const line = 'current log level is /logging?level=mcp%3Dtrace%2Cllm%3Ddebug\n'
    assert.equal(stdout, `web-2.apps:\n${line}web-3.apps:\n${line}`)
    assert.match(
      stderr,
      /^Error: failed to execute command on web-1\.apps: pod is not running\. Status=Pending\n/,
    )
    assert.equal(code, 1)
  })

  await t.test('have versions, those of pods that cannot be reached excepted', async () => {
    const { code, stdout, stderr } = await runAgctlProgram([
      'version',
      '--short',
      '-k',
      api.kubeconfig,
      'gateway/web',
    ])
    assert.deepEqual(stdout.split('\n').slice(1), ['web-2.apps unknown', 'web-3.apps unknown', ''])
    assert.match(stderr, /^Error: failed to execute command on web-1\.apps: pod is not running/)
    assert.equal(code, 1)
  })

  await t.test('are hinted at where a name has no type, and is not that of a pod', async () => {
    await assert.rejects(namesOf('web'), {
      message: 'no pods found for resource "web"',
      hint: 'A name without a type is that of a pod: gateway/web is the Gateway. -n chooses another namespace than apps.',
    })
  })

  await t.test('take empty options of the cluster for absent ones, as kubectl does', async () => {
    const { code, stdout, stderr } = await runAgctlProgram(
      ['proxy', 'log', 'pod/web-2', '--namespace=', '--kubeconfig=', '--context', ''],
      { env: { KUBECONFIG: api.kubeconfig } },
    )
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^current log level is/)
  })
})
