import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { chartFolder, helmIn, installChart, installCrdsChart } from './lab/chart.ts'
import { eventually } from './lab/eventually.ts'
import { foreignCrds, foreignCrdsProblem } from './lab/foreign-crds.ts'
import { type LabAccess, labProblem, startLab } from './lab/lab.ts'
import { programsProblem } from './lab/programs.ts'
import { runningVersions } from './running-versions.ts'
import { requestsDuring } from './traffic/request-load.ts'

const problem = labProblem() || programsProblem(['helm']) || foreignCrdsProblem()

/** Of a build of its own. */
const OTHER_VERSION = '9.9.9'
const HOST = 'shop.example.com'
const SYSTEM = 'agentgateway-system'
const EDGE = { name: 'edge', namespace: 'edge-system' }

/** Everything that can be switched on, in a cluster with the CRDs for it. */
const everything = {
  controller: {
    horizontalPodAutoscaler: { minReplicas: 1, maxReplicas: 3 },
    podDisruptionBudget: { maxUnavailable: 1 },
    verticalPodAutoscaler: { updatePolicy: { updateMode: 'Off' } },
    revisionHistoryLimit: 1,
  },
  dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
  monitoring: { enabled: true, proxy: { namespaceSelector: { any: true } } },
}

/** A second control plane, for a part of the cluster, and with an account that exists. */
const second = {
  controllerName: 'example.com/edge',
  gatewayClassName: 'edge',
  discoveryNamespaceSelectors: [{ matchLabels: { zone: 'edge' } }],
  rbac: { gatewayNamespaces: ['edge-apps'] },
  serviceAccount: { create: false, name: 'control' },
}

test('the chart, installed by Helm', { skip: problem, timeout: 580_000 }, async (t) => {
  await using lab = await startLab({ name: 'helm', channel: 'standard', otherVersions: [OTHER_VERSION] })
  const kubectl = (line: string) => lab.kubectl(line.split(' '))
  const apply = (text: string) => lab.kubectl(['apply', '--server-side', '-f', '-'], text)
  const install = async (values: object, release = {}) => {
    const entries = Object.entries(values).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    return await installChart(lab, { ...release, args: entries.flatMap((entry) => ['--set-json', entry]) })
  }
  const rolledOut = (namespace: string, name: string) =>
    kubectl(`rollout status -n ${namespace} deployment/${name} --timeout=90s`)
  const programmed = (namespace: string) =>
    kubectl(`wait -n ${namespace} --for=condition=Programmed --timeout=90s gateway/web`)
  const conditionOf = async (namespace: string, type: string) => {
    const gateway = JSON.parse(await kubectl(`get -n ${namespace} gateway web -o json`)) as StatusObject
    return gateway.status?.conditions?.find((condition) => condition.type === type)
  }
  const targetOf = async (namespace: string) => {
    const address = await kubectl(`get -n ${namespace} gateway web -o jsonpath={.status.addresses[0].value}`)
    return [`http://${address}/cart`, HOST]
  }
  const outcomesOf = async (namespace: string, act: () => Promise<unknown>) =>
    Object.keys(await requestsDuring(lab, await targetOf(namespace), act))
  const now = () => Promise.resolve()

  await t.test('has every object that its values ask for', async () => {
    await apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: await foreignCrds() }))
    await kubectl('wait --for=condition=Established --timeout=30s crd/servicemonitors.monitoring.coreos.com')
    await install(everything)
    await rolledOut(SYSTEM, 'agentgateway')
    const kinds = 'servicemonitor,podmonitor,vpa,hpa,pdb,configmap,service,deployment,role,rolebinding'
    const line = `get ${kinds} -n ${SYSTEM} -l app.kubernetes.io/managed-by=Helm -o name`
    assert.deepEqual((await kubectl(line)).trim().split('\n').sort(), [
      'configmap/agentgateway-dashboard',
      'deployment.apps/agentgateway',
      'horizontalpodautoscaler.autoscaling/agentgateway',
      'poddisruptionbudget.policy/agentgateway',
      'podmonitor.monitoring.coreos.com/agentgateway-proxy',
      'role.rbac.authorization.k8s.io/agentgateway-agentgateway-system-local',
      'rolebinding.rbac.authorization.k8s.io/agentgateway-local-role-agentgateway-system',
      'service/agentgateway',
      'servicemonitor.monitoring.coreos.com/agentgateway',
      'verticalpodautoscaler.autoscaling.k8s.io/agentgateway',
    ])
    await apply(shopIn('shop', 'agentgateway'))
    await programmed('shop')
    for (const name of ['cart', 'web']) await rolledOut('shop', name)
    assert.deepEqual(await outcomesOf('shop', now), ['200'])
  })

  await t.test(
    'runs beside another release, each with its class, its namespaces and its proxies',
    async () => {
      for (const name of [EDGE.namespace, 'edge-apps']) await kubectl(`create namespace ${name}`)
      await kubectl(`create serviceaccount control -n ${EDGE.namespace}`)
      await install(second, EDGE)
      await rolledOut(EDGE.namespace, 'edge-agentgateway')
      await kubectl('wait --for=condition=Accepted --timeout=30s gatewayclass/edge')
      await apply(shopIn('edge-apps', 'edge'))
      await kubectl('label namespace edge-apps zone=edge')
      await programmed('edge-apps')
      for (const name of ['cart', 'web']) await rolledOut('edge-apps', name)
      assert.deepEqual(await outcomesOf('edge-apps', now), ['200'])
      assert.deepEqual(await outcomesOf('shop', now), ['200'])
      for (const [namespace, service, controllerName] of [
        ['shop', `agentgateway.${SYSTEM}`, 'agentgateway.dev/agentgateway'],
        ['edge-apps', `edge-agentgateway.${EDGE.namespace}`, 'example.com/edge'],
      ] as const) {
        const proxies = await kubectl(`get deployment -n ${namespace} web -o json`)
        assert.ok(proxies.includes(`"https://${service}.svc.cluster.local:9978"`))
        // Proxies may have a route before its status says so.
        const controller = `jsonpath={.status.parents[0].controllerName}=${controllerName}`
        await kubectl(`wait -n ${namespace} --for=${controller} --timeout=60s httproute/cart`)
        const route = JSON.parse(await kubectl(`get httproute -n ${namespace} cart -o json`)) as StatusObject
        assert.deepEqual(
          route.status?.parents?.map((parent) => parent.controllerName),
          [controllerName],
        )
      }
    },
  )

  await t.test('deploys no proxies outside of rbac.gatewayNamespaces, and says why', async () => {
    await apply(shopIn('elsewhere', 'edge'))
    await kubectl('label namespace elsewhere zone=edge')
    await kubectl(`wait -n elsewhere --for=condition=Programmed=False --timeout=60s gateway/web`)
    const { reason, message = '' } = (await conditionOf('elsewhere', 'Programmed')) ?? {}
    assert.equal(reason, 'DeploymentFailed')
    assert.match(message, /control" cannot create resource "secrets".*in the namespace "elsewhere"/)
  })

  await t.test('leaves alone what discoveryNamespaceSelectors do not select', async () => {
    await apply(shopIn('unseen', 'edge'))
    // A later change that is seen: what came before it had its time.
    await kubectl(
      'patch gateway web -n edge-apps --type=merge -p {"spec":{"infrastructure":{"labels":{"seen":"yes"}}}}',
    )
    await kubectl('wait -n edge-apps --for=jsonpath={.metadata.labels.seen}=yes --timeout=60s service/web')
    const { reason } = (await conditionOf('unseen', 'Programmed')) ?? {}
    assert.equal(reason, 'Pending')
    await rolledOut('edge-apps', 'web')
  })

  await t.test('goes without the custom resources, which stay when their chart is uninstalled', async () => {
    const policy = `
      apiVersion: agentgateway.dev/v1alpha1
      kind: ProxyPolicy
      metadata: { namespace: shop, name: same-origin }
      spec:
        targetRefs: [{ group: gateway.networking.k8s.io, kind: Gateway, name: web }]
        traffic: { csrf: {} }
    `
    const uninstall = ['uninstall', 'agentgateway-crds', `-n=${SYSTEM}`]
    await installCrdsChart(lab)
    await apply(policy)
    assert.match(await helmIn(lab, uninstall), /proxypolicies\.agentgateway\.dev/)
    // The same release takes them over again.
    assert.match(await installCrdsChart(lab), /Next, install the control plane/)
    assert.equal(await kubectl('get ppol -n shop -o name'), 'proxypolicy.agentgateway.dev/same-origin\n')
  })

  await t.test('is refused in the namespace of another release', async () => {
    const other = { name: 'other', namespace: SYSTEM }
    await assert.rejects(
      install({}, other),
      /Role "agentgateway-agentgateway-system.*exists and cannot be imported/,
    )
  })

  await t.test(
    'loses no request when helm upgrades the controller and all proxies to another build, and goes back',
    async () => {
      const image = 'cr.agentgateway.dev/agentgateway'
      const proxies = 'gateway.networking.k8s.io/gateway-name=web'
      const [chartVersion = ''] =
        /(?<=^appVersion: ).*/m.exec(readFileSync(`${chartFolder}/Chart.yaml`, 'utf8')) ?? []
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
      const versions = async () => [
        await runningVersions(lab, SYSTEM, 'app.kubernetes.io/name=agentgateway', 9092),
        await runningVersions(lab, 'shop', proxies, 15020),
      ]
      const replaced = async (act: () => Promise<unknown>, tag: string) => {
        const before = (await kubectl(`get pods -n shop -l ${proxies} -o name`)).trim().split('\n')
        await act()
        await rolledOut(SYSTEM, 'agentgateway')
        const path = '{.spec.template.spec.containers[0].image}'
        await kubectl(`wait -n shop --for=jsonpath=${path}=${image}:${tag} --timeout=60s deployment/web`)
        await rolledOut('shop', 'web')
        await kubectl(`wait -n shop --for=delete --timeout=90s ${before.join(' ')}`)
      }
      const upgradeAndGoBack = async () => {
        const upgrade = () => install({ ...everything, image: { tag: OTHER_VERSION } })
        await replaced(upgrade, `v${OTHER_VERSION}`)
        assert.deepEqual(await versions(), [[OTHER_VERSION], [OTHER_VERSION]])
        await replaced(() => helmIn(lab, ['rollback', 'agentgateway', `-n=${SYSTEM}`]), `v${chartVersion}`)
        assert.deepEqual(await versions(), [[version], [version]])
      }
      assert.deepEqual(await versions(), [[version], [version]])
      assert.deepEqual(await outcomesOf('shop', upgradeAndGoBack), ['200'])
      const rule = { matches: [{ path: { value: '/later' } }], backendRefs: [{ name: 'cart', port: 8080 }] }
      const patch = JSON.stringify([{ op: 'add', path: '/spec/rules/-', value: rule }])
      await lab.kubectl([...'patch httproute cart -n shop --type=json -p'.split(' '), patch])
      const [url = ''] = await targetOf('shop')
      await eventually('the new control plane translates', async () => {
        const outcomes = await requestsDuring(lab, [url.replace('/cart', '/later'), HOST], now)
        return Object.keys(outcomes).join() === '200' ? true : undefined
      })
    },
  )

  await t.test(
    'leaves Gateways and their proxies when it is uninstalled, and all of the other release',
    async () => {
      const uninstall = () => helmIn(lab, ['uninstall', EDGE.name, `-n=${EDGE.namespace}`, '--wait'])
      assert.deepEqual(await outcomesOf('edge-apps', uninstall), ['200'])
      await eventually('its pods are gone', async () => {
        const pods = await kubectl(`get pods -n ${EDGE.namespace} -o name`)
        return pods === '' || undefined
      })
      assert.deepEqual(await left(lab), [
        'gatewayclass.gateway.networking.k8s.io/edge',
        'configmap/kube-root-ca.crt',
        'secret/agentgateway-xds-cert',
        'lease.coordination.k8s.io/agentgateway-agentgateway',
      ])
      assert.deepEqual(await outcomesOf('shop', now), ['200'])
    },
  )
})

interface StatusObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly reason: string
      readonly message: string
    }[]
    readonly parents?: readonly { readonly controllerName: string }[]
  }
}

/** What there is of the second release once it is uninstalled. */
const left = async ({ kubectl }: LabAccess): Promise<readonly string[]> => {
  const cluster = await kubectl(['get', 'gatewayclass,clusterrole,clusterrolebinding', '-o', 'name'])
  const local = await kubectl([
    'get',
    'all,configmap,secret,role,rolebinding,lease',
    '-n',
    EDGE.namespace,
    '-o',
    'name',
  ])
  const ofRelease = cluster.split('\n').filter((name) => name.includes('edge'))
  return [...ofRelease, ...local.trim().split('\n')]
}

/** The shop of the examples in another namespace, behind a Gateway of another class. */
const shopIn = (namespace: string, gatewayClass: string): string =>
  ['cart', 'gateway']
    .map((name) => readFileSync(`examples/kubernetes/${name}.yaml`, 'utf8'))
    .join('---\n')
    .replaceAll('namespace: shop', `namespace: ${namespace}`)
    .replaceAll('name: shop', `name: ${namespace}`)
    .replaceAll('gatewayClassName: agentgateway', `gatewayClassName: ${gatewayClass}`)
