import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAuthority } from '../../support/certificates.ts'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { gateway, HOST, httpsListener, tlsSecret } from './support/fault-objects.ts'

const namespace = 'default'
const apiVersion = 'gateway.networking.k8s.io/v1'
const route = (name: string, spec: object) => ({
  apiVersion,
  kind: 'HTTPRoute',
  metadata: { namespace, name },
  spec: { hostnames: [HOST], rules: [{ backendRefs: [{ name: 'nobody', port: 80 }] }], ...spec },
})

interface Report {
  readonly errors: number
  readonly findings: readonly ({ readonly part?: string } & Readonly<
    Record<'severity' | 'kind' | 'name' | 'reason', string>
  >)[]
  readonly unchecked: readonly object[]
}

test('agctl check, of what a real API server has', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster()
  await using objects = await openClusterObjects(cluster.kubeconfig)
  using authority = makeAuthority()
  const check = async (...args: readonly string[]) => {
    const { stdout, stderr } = await runAgctlProgram(
      ['check', '--no-proxies', '-o', 'json', '-n', namespace, ...args],
      { env: { KUBECONFIG: cluster.kubeconfig } },
    )
    assert.notEqual(stdout, '', stderr)
    return JSON.parse(stdout) as Report
  }
  const textOf = ({ severity, kind, name, part, reason }: Report['findings'][number]) =>
    [severity, kind, name, part ?? '-', reason].join(' ')

  await objects.create(tlsSecret(authority.issue(HOST)))
  await objects.create(
    gateway('web', 80, [httpsListener(443), { name: 'clash', protocol: 'TCP', port: 443 }]),
  )

  await t.test('finds that no controller runs', async () => {
    const { findings } = await check()
    assert.deepEqual(findings.map(textOf), [
      'error GatewayClass * - NoClass',
      'error Gateway web - ClassNotFound',
    ])
  })

  await using _controller = await startControllerProcess(cluster.kubeconfig)
  for (const object of [
    route('first', { parentRefs: [{ name: 'web' }] }),
    route('lost', { parentRefs: [{ name: 'web', sectionName: 'nope' }, { name: 'gone' }] }),
    {
      apiVersion,
      kind: 'TLSRoute',
      metadata: { namespace, name: 'unknown' },
      spec: {
        parentRefs: [{ name: 'gone' }],
        hostnames: [HOST],
        rules: [{ backendRefs: [{ name: 'x', port: 1 }] }],
      },
    },
    {
      apiVersion,
      kind: 'BackendTLSPolicy',
      metadata: { namespace, name: 'unused' },
      spec: {
        targetRefs: [{ group: '', kind: 'Service', name: 'unused' }],
        validation: { wellKnownCACertificates: 'System', hostname: HOST },
      },
    },
  ])
    await objects.create(object)

  await t.test(
    'finds what the statuses say, parents that are not there, and certificates that end',
    async () => {
      const expected = [
        'error BackendTLSPolicy unused - NotAttached',
        'error Gateway web listener clash ProtocolConflict',
        'error Gateway web listener https ProtocolConflict',
        'error HTTPRoute first Gateway default/web BackendNotFound',
        'error HTTPRoute lost Gateway default/gone ParentNotFound',
        'error HTTPRoute lost Gateway default/web, listener nope BackendNotFound',
        'error HTTPRoute lost Gateway default/web, listener nope NoMatchingParent',
        'error TLSRoute unknown Gateway default/gone ParentNotFound',
        'warning Secret web-tls for Gateway default/web, listener https CertificateExpiresSoon',
      ]
      await eventually('everything is found', async () => {
        const { findings, unchecked } = await check('--expires-within', '9999')
        assert.deepEqual(unchecked, [])
        // There are no nodes, so that nothing of the Gateway is deployed.
        const found = findings.map(textOf).filter((text) => !/AddressNotAssigned|DeploymentFailed/.test(text))
        return found.sort().join('\n') === expected.join('\n') ? true : undefined
      })
    },
  )
})
