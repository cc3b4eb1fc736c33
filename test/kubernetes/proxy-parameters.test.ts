import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installController } from './lab/controller.ts'
import { eventually } from './lab/eventually.ts'
import { labProblem, startLab } from './lab/lab.ts'

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** Objects of the proxies of the Gateway that overlays and `workload` are about. */
const KINDS = 'deployments,daemonsets,poddisruptionbudgets,horizontalpodautoscalers'

const reference = { group: 'agentgateway.dev', kind: 'ProxyParameters', name: 'web' }

const gateway = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    gatewayClassName: 'agentgateway',
    infrastructure: { parametersRef: reference },
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
  },
}

test('ProxyParameters in a cluster', { skip: labProblem(), timeout: 280_000 }, async (t) => {
  await using lab = await startLab({ name: 'parameters', channel: 'standard' })
  const kubectl = (line: string) => lab.kubectl(line.split(' '))
  const apply = (object: object) =>
    lab.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(object))
  const setParameters = (spec: object) =>
    apply({
      apiVersion: 'agentgateway.dev/v1alpha1',
      kind: 'ProxyParameters',
      metadata: { name: 'web', namespace: 'shop' },
      spec,
    })
  const deployed = async () =>
    (await kubectl(`get ${KINDS} -n shop -o name`))
      .split('\n')
      .filter((name) => name !== '')
      .map((name) => name.replace(/\..*\//, '/'))
      .sort()
  const areDeployed = (...names: readonly string[]) =>
    eventually(`${names.join()} are deployed`, async () =>
      (await deployed()).join() === names.join() ? true : undefined,
    )
  const conditions = async () =>
    JSON.parse(await kubectl('get gateway web -n shop -o jsonpath={.status.conditions}')) as Condition[]
  const hasCondition = (type: string, status: string, reason: string) =>
    eventually(`${type} is ${status}, ${reason}`, async () => {
      const found = (await conditions()).find((one) => one.type === type)
      return found?.status === status && found.reason === reason ? found : undefined
    })
  const containerOf = async (name: string) =>
    JSON.parse(
      await kubectl(`get ${name} -n shop -o jsonpath={.spec.template.spec.containers[0]}`),
    ) as Readonly<Record<string, unknown>>
  const isRolledOut = (name: string) => kubectl(`rollout status -n shop ${name} --timeout=60s`)

  await kubectl('apply --server-side -f deploy/kubernetes/agentgateway-crds.yaml')
  await installController(lab, { isByChart: false })
  await kubectl('create namespace shop')
  await apply(gateway)

  await t.test('that are not there are reported, and nothing is deployed', async () => {
    const { message } = await hasCondition('Accepted', 'False', 'InvalidParameters')
    assert.equal(message, 'ProxyParameters shop/web not found')
    await hasCondition('Programmed', 'False', 'Invalid')
    assert.deepEqual(await deployed(), [])
  })

  await t.test('let the Gateway be programmed once they are there', async () => {
    await setParameters({ env: [{ name: 'LOG_FORMAT', value: 'json' }] })
    await hasCondition('Accepted', 'True', 'Accepted')
    await areDeployed('deployment/web')
    await isRolledOut('deployment/web')
    await hasCondition('Programmed', 'True', 'Programmed')
    const logs = await kubectl('logs -n shop deployment/web')
    assert.ok(logs.split('\n').some((line) => line.startsWith('{')))
  })

  await t.test('change environment and image', async () => {
    await setParameters({
      env: [{ name: 'FROM_FIELD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      image: { registry: 'mirror.example', tag: 'v9' },
    })
    await eventually('the container has them', async () => {
      const { image } = await containerOf('deployment/web')
      return image === 'mirror.example/agentgateway:v9' ? true : undefined
    })
    const { env } = await containerOf('deployment/web')
    const names = (env as readonly { readonly name: string }[]).map(({ name }) => name)
    assert.equal(names.at(-1), 'FROM_FIELD')
    assert.equal(names.includes('LOG_FORMAT'), false)
    await isRolledOut('deployment/web')
  })

  await t.test('create and delete a budget and an autoscaler', async () => {
    await setParameters({
      podDisruptionBudget: { spec: { minAvailable: 1 } },
      horizontalPodAutoscaler: { spec: { minReplicas: 2, maxReplicas: 3 } },
    })
    await areDeployed('deployment/web', 'horizontalpodautoscaler/web', 'poddisruptionbudget/web')
    const selector = await kubectl('get poddisruptionbudget web -n shop -o jsonpath={.spec.selector}')
    const ofPods = await kubectl('get deployment web -n shop -o jsonpath={.spec.selector}')
    assert.equal(selector, ofPods)
    await kubectl('delete poddisruptionbudget web -n shop')
    await areDeployed('deployment/web', 'horizontalpodautoscaler/web', 'poddisruptionbudget/web')
    await setParameters({ horizontalPodAutoscaler: { spec: { minReplicas: 2, maxReplicas: 3 } } })
    await areDeployed('deployment/web', 'horizontalpodautoscaler/web')
    await setParameters({})
    await areDeployed('deployment/web')
  })

  await t.test('turn a Deployment into a DaemonSet and back', async () => {
    await setParameters({ workload: { kind: 'DaemonSet' } })
    await areDeployed('daemonset/web')
    await isRolledOut('daemonset/web')
    await hasCondition('Programmed', 'True', 'Programmed')
    await setParameters({ workload: { kind: 'Deployment' } })
    await areDeployed('deployment/web')
    await isRolledOut('deployment/web')
    await hasCondition('Programmed', 'True', 'Programmed')
  })

  await t.test('change objects by patches, and null deletes', async () => {
    await setParameters({
      deployment: {
        metadata: { labels: { team: 'edge' } },
        spec: {
          replicas: 2,
          template: {
            spec: {
              containers: [
                { name: 'agentgateway', securityContext: null, env: [{ name: 'ZONE', $patch: 'delete' }] },
              ],
            },
          },
        },
      },
      service: { spec: { externalTrafficPolicy: 'Local' } },
    })
    await eventually('the labels are there', async () =>
      (await kubectl('get deployment web -n shop -o jsonpath={.metadata.labels.team}')) === 'edge'
        ? true
        : undefined,
    )
    const { env, securityContext } = await containerOf('deployment/web')
    assert.deepEqual(securityContext ?? {}, {})
    assert.equal(JSON.stringify(env).includes('ZONE'), false)
    await kubectl('wait -n shop --for=jsonpath={.spec.externalTrafficPolicy}=Local --timeout=60s service/web')
    await isRolledOut('deployment/web')
    await setParameters({})
    await eventually('the labels are gone', async () =>
      (await kubectl('get deployment web -n shop -o jsonpath={.metadata.labels.team}')) === ''
        ? true
        : undefined,
    )
    await isRolledOut('deployment/web')
  })

  await t.test('that are wrong leave what is deployed as it is', async () => {
    const broken = { template: { spec: { containers: [{ name: 'agentgateway', env: [{ $patch: 'a' }] }] } } }
    await setParameters({ deployment: { spec: broken } })
    const { message } = await hasCondition('Accepted', 'False', 'InvalidParameters')
    assert.match(message, /^referenced Gateway ProxyParameters shop\/web: deployment overlay: /)
    assert.deepEqual(await deployed(), ['deployment/web'])
    await setParameters({})
    await hasCondition('Accepted', 'True', 'Accepted')
  })

  await t.test('that the API server refuses are reported', async () => {
    await setParameters({ deployment: { spec: { noSuchField: 1 } } })
    const { message } = await hasCondition('Programmed', 'False', 'DeploymentFailed')
    assert.match(message, /noSuchField/)
    await setParameters({})
    await hasCondition('Programmed', 'True', 'Programmed')
  })

  await t.test('say that a mesh is not supported', async () => {
    await apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'istio-ca-root-cert', namespace: 'shop' },
      data: { 'root-cert.pem': '' },
    })
    await kubectl('create namespace istio-system')
    await apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'istio', namespace: 'istio-system' },
      data: { mesh: 'trustDomain: of.the.mesh\n' },
    })
    await setParameters({ istio: {} })
    await hasCondition('agentgateway.dev/MeshIdentity', 'False', 'NotSupported')
    await eventually('proxies have the trust domain of the mesh', async () =>
      JSON.stringify(await containerOf('deployment/web')).includes('of.the.mesh') ? true : undefined,
    )
    await isRolledOut('deployment/web')
    await setParameters({})
    await eventually('the condition is gone', async () =>
      (await conditions()).every(({ type }) => type !== 'agentgateway.dev/MeshIdentity') ? true : undefined,
    )
  })

  await t.test('of the class apply to its Gateways, and those of the Gateway win', async () => {
    await apply({
      apiVersion: 'agentgateway.dev/v1alpha1',
      kind: 'ProxyParameters',
      metadata: { name: 'all', namespace: 'agentgateway-system' },
      spec: { workload: { kind: 'DaemonSet' }, shutdown: { min: 1, max: 7 } },
    })
    await lab.kubectl([
      ...'patch gatewayclass agentgateway --type=merge -p'.split(' '),
      JSON.stringify({
        spec: { parametersRef: { ...reference, name: 'all', namespace: 'agentgateway-system' } },
      }),
    ])
    await areDeployed('daemonset/web')
    await isRolledOut('daemonset/web')
    await setParameters({ workload: { kind: 'Deployment' } })
    await areDeployed('deployment/web')
    const seconds = '{.spec.template.spec.terminationGracePeriodSeconds}'
    assert.equal(await kubectl(`get deployment web -n shop -o jsonpath=${seconds}`), '7')
    await isRolledOut('deployment/web')
  })
})
