import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { goldenCases } from '../deploy/chart/golden-cases.ts'
import { parseManifest } from './lab/apply-manifest.ts'
import { chartFolder, runHelm } from './lab/chart.ts'
import { clusterProblem, startCluster } from './lab/cluster.ts'
import { foreignCrds, foreignCrdsProblem } from './lab/foreign-crds.ts'
import { installCrds } from './lab/gateway-api.ts'
import { programPath, programsProblem } from './lab/programs.ts'
import { runWithInput } from './lab/run-with-input.ts'

/** Options of Helm, and what it prints at the end because of them. */
const notes: readonly (readonly [options: string, told: RegExp])[] = [
  [
    '',
    /rollout status --namespace edge-system deployment\/edge-agentgateway\n *kubectl get gatewayclass agentgateway\n/,
  ],
  ['--set gatewayClassName=edge', /Gateways with `gatewayClassName: edge` get proxies/],
  [
    '--set serviceAccount.create=false,serviceAccount.name=control',
    /get serviceaccount --namespace edge-system control\n/,
  ],
  [
    '--set rbac.gatewayNamespaces={shop,checkout}',
    /in these namespaces only \(rbac\.gatewayNamespaces\): shop, checkout\./,
  ],
  [
    '--set controller.service.enabled=false',
    /Proxies connect to edge-agentgateway\.edge-system\.svc, port 9978: create it/,
  ],
  ['--set controller.xds.mode=plaintext', /without TLS \(controller\.xds\.mode\)/],
  ['--set monitoring.enabled=true,gatewayClassName=edge', /Proxies of the class edge are not scraped/],
]

test(
  'an API server accepts',
  {
    skip: clusterProblem() || programsProblem(['kubectl', 'helm']) || foreignCrdsProblem(),
    timeout: 300_000,
  },
  async (t) => {
    await using cluster = await startCluster({ channel: 'none' })
    const kubectl = async (args: readonly string[], input: string): Promise<string> =>
      runWithInput(await programPath('kubectl'), [`--kubeconfig=${cluster.kubeconfig}`, ...args], input)
    const apply = ['apply', '--server-side', '-f', '-']
    await installCrds(cluster.kubeconfig, await foreignCrds())

    await t.test('the base for Kustomize, with the objects of both manifests', async () => {
      const built = parseManifest(await kubectl(['kustomize', 'deploy/kubernetes'], ''))
      const [definitions, manifest] = ['agentgateway-crds', 'agentgateway'].map((name) =>
        readFileSync(`deploy/kubernetes/${name}.yaml`, 'utf8'),
      ) as [string, string]
      const sorted = (objects: readonly unknown[]) =>
        objects.map((object) => JSON.stringify(object, sortedKeys)).sort()
      assert.deepEqual(sorted(built), sorted([...parseManifest(definitions), ...parseManifest(manifest)]))
      const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'agentgateway-system' } }
      await kubectl(apply, JSON.stringify(space))
      for (const text of [definitions, manifest])
        await kubectl([...apply, '--dry-run=server', '--validate=strict'], text)
    })

    for (const [options, told] of notes)
      await t.test(
        `an installation, whose notes have ${String(told)} with ${options || 'defaults'}`,
        async () => {
          const flags = ['--namespace=edge-system', '--dry-run=server', `--kubeconfig=${cluster.kubeconfig}`]
          const printed = await runHelm([
            'install',
            'edge',
            chartFolder,
            ...flags,
            ...options.split(' ').filter(Boolean),
          ])
          assert.match(printed.slice(printed.indexOf('NOTES:')), told)
        },
      )

    for (const { name, release, output } of goldenCases)
      await t.test(`the chart with ${name}`, async () => {
        const items = parseManifest(readFileSync(output, 'utf8'))
        const names = new Set(items.map(({ metadata }) => metadata?.namespace ?? release.namespace))
        const spaces = [...names].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
        await kubectl(apply, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: spaces }))
        const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
        const options = ['--dry-run=server', '--force-conflicts', '--validate=strict', '-o', 'name']
        const accepted = await kubectl([...apply, ...options], list)
        assert.equal(accepted.trim().split('\n').length, items.length)
      })
  },
)

/** Objects with their keys in order, so that their texts can be compared. */
const sortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value
