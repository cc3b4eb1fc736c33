import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { makeAuthority } from '../../support/certificates.ts'
import { ownAddress } from '../../support/own-address.ts'
import { applyObjects, parseManifest } from '../lab/apply-manifest.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { installCrds } from '../lab/gateway-api.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { installAccount, SYSTEM_NAMESPACE } from './support/role-account.ts'

type ManifestObject = ReturnType<typeof parseManifest>[number]

const address = ownAddress()
const problem = clusterProblem() || (address === undefined && 'the machine has no address but loopback')

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const keys = JSON.stringify({ keys: [{ ...key, kid: 'a', alg: 'ES256' }] })

test('keys of an issuer behind a ProxyBackend, under the role of the chart', { skip: problem }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const authority = stack.use(makeAuthority())
  const { cert, key: serverKey } = authority.issue('issuer.example')
  const client = authority.issue('control-plane')
  const paths: string[] = []
  const issuer = createServer(
    { cert, key: serverKey, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      paths.push(request.url ?? '')
      response.end(keys)
    },
  ).listen(0, address)
  await once(issuer, 'listening')
  stack.defer(() => {
    issuer.closeAllConnections()
    issuer.close()
  })
  const { port } = issuer.address() as AddressInfo

  const cluster = stack.use(await startCluster())
  await installCrds(
    cluster.kubeconfig,
    parseManifest(readFileSync('deploy/kubernetes/agentgateway-crds.yaml', 'utf8')),
  )
  const account = await installAccount(cluster)
  const objects = stack.use(await openClusterObjects(cluster.kubeconfig))
  const metadata = (name: string) => ({ name, namespace: 'shop' })
  const secret = { 'tls.crt': client.cert, 'tls.key': client.key }
  // As the API server takes them: the library's type has only what all objects have.
  const certificates = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('ca'), data: { 'ca.crt': authority.cert } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('client'),
      type: 'kubernetes.io/tls',
      stringData: secret,
    },
  ] as readonly object[] as readonly ManifestObject[]
  await applyObjects(cluster.kubeconfig, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    ...certificates,
    ...parseManifest(`
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: web, namespace: shop }
spec: { gatewayClassName: agentgateway, listeners: [{ name: http, port: 80, protocol: HTTP }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec: { parentRefs: [{ name: web }], rules: [{ backendRefs: [{ name: web, port: 80 }] }] }
---
apiVersion: agentgateway.dev/v1alpha1
kind: ProxyBackend
metadata: { name: issuer, namespace: shop }
spec: { static: { host: '${address}', port: ${port} } }
---
apiVersion: agentgateway.dev/v1alpha1
kind: ProxyPolicy
metadata: { name: tokens, namespace: shop }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: web }]
  traffic:
    jwtAuthentication:
      providers:
        - issuer: https://issuer.example
          jwks:
            remote:
              backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: issuer }
              jwksPath: /keys
---
apiVersion: agentgateway.dev/v1alpha1
kind: ProxyPolicy
metadata: { name: tls, namespace: shop }
spec:
  targetRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: issuer }]
  backend:
    tls: { sni: issuer.example, caCertificateRefs: [{ name: ca }], mtlsCertificateRef: [{ name: absent }] }
`),
  ])
  stack.use(await startControllerProcess(account, { env: { POD_NAMESPACE: SYSTEM_NAMESPACE } }))

  const policy = (name: string): AnyObject => ({
    apiVersion: 'agentgateway.dev/v1alpha1',
    kind: 'ProxyPolicy',
    metadata: metadata(name),
  })
  const acceptance = async (): Promise<string> => {
    const { status } = (await objects.read(policy('tokens'))) as {
      readonly status?: {
        readonly ancestors?: readonly {
          readonly conditions: readonly {
            readonly type: string
            readonly reason: string
            readonly message: string
          }[]
        }[]
      }
    }
    const accepted = status?.ancestors?.[0]?.conditions.find(({ type }) => type === 'Accepted')
    return accepted ? `${accepted.reason} ${accepted.message}` : ''
  }
  const becomes = (expected: RegExp) =>
    eventually(`the policy is ${expected}`, async () => expected.test(await acceptance()) || undefined)

  await t.test(
    'are not fetched while its TLS refers to what is not there, and the status says so',
    async () => {
      await becomes(/^Invalid .*tls of ProxyPolicy shop\/tls: Secret shop\/absent not found/)
      assert.deepEqual(paths, [])
    },
  )

  await t.test('are fetched with the TLS of a ProxyPolicy, and kept in a ConfigMap', async () => {
    await objects.patch(policy('tls'), {
      spec: { backend: { tls: { mtlsCertificateRef: [{ name: 'client' }] } } },
    })
    await becomes(/^Valid /)
    assert.deepEqual(paths, ['/keys'])
  })

  await t.test('are no longer used when that TLS is another one, whose server is not trusted', async () => {
    await objects.patch(policy('tls'), { spec: { backend: { tls: { sni: 'other.example' } } } })
    await becomes(/^Invalid .*the key set of https:\/\/.*\/keys is not available/)
  })
})
