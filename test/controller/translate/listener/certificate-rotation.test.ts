import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayClientCertificate } from '../../../../src/controller/translate/certificates/gateway-client-certificate.ts'
import { gatewayStatus } from '../../../../src/controller/translate/gateway/gateway-status.ts'
import { gatewayListenerResources } from '../../../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayListeners } from '../../../../src/controller/translate/listener/gateway-listeners.ts'
import { goldenCertificates } from '../../support/golden-certificates.ts'
import { goldenGraph, readGoldenObjects } from '../../support/golden-objects.ts'

const certificates = goldenCertificates()
after(() => {
  certificates[Symbol.dispose]()
})

const objects = (yaml: string) => readGoldenObjects(yaml, (text) => certificates.fill(text))

const secret = (certificate: string): string => `
kind: Secret
metadata: { name: site, namespace: shop }
stringData: { tls.crt: '{{${certificate}.crt}}', tls.key: '{{${certificate}.key}}' }
`

const newGraph = (): Graph =>
  goldenGraph(
    objects(`
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { name: gateway, namespace: infra }
spec:
  gatewayClassName: agentgateway
  tls: { backend: { clientCertificateRef: { name: site, namespace: shop } } }
  listeners:
    - name: https
      port: 443
      protocol: HTTPS
      tls: { certificateRefs: [{ name: site, namespace: shop }] }
---
kind: ReferenceGrant
metadata: { name: grant, namespace: shop }
spec:
  from: [{ group: gateway.networking.k8s.io, kind: Gateway, namespace: infra }]
  to: [{ group: '', kind: Secret }]
---
${secret('first')}`),
  )

const change = (graph: Graph, yaml: string): void => {
  for (const { kind, key, object } of objects(yaml)) graph.set(kind, key, object)
}

const tlsOf = (graph: Graph): unknown => {
  const listener = graph
    .read(gatewayListenerResources, 'infra/gateway')
    .find(({ kind }) => kind === 'listener')
  return listener?.kind === 'listener' ? listener.model.tls : undefined
}

test('a rotated certificate changes the listener of the proxy, and nothing that routes depend on', () => {
  const graph = newGraph()
  const listeners = graph.read(gatewayListeners, 'infra/gateway')
  const before = tlsOf(graph)
  change(graph, secret('second'))
  assert.notDeepEqual(tlsOf(graph), before)
  assert.deepEqual(tlsOf(graph), {
    certPem: certificates.fill('{{second.crt}}'),
    keyPem: certificates.fill('{{second.key}}'),
  })
  assert.equal(graph.read(gatewayListeners, 'infra/gateway'), listeners)
})

test('the client certificate of a Gateway rotates', () => {
  const graph = newGraph()
  assert.deepEqual(graph.read(gatewayClientCertificate, 'infra/gateway'), {
    certPem: certificates.fill('{{first.crt}}'),
    keyPem: certificates.fill('{{first.key}}'),
  })
  change(graph, secret('second'))
  assert.deepEqual(graph.read(gatewayClientCertificate, 'infra/gateway'), {
    certPem: certificates.fill('{{second.crt}}'),
    keyPem: certificates.fill('{{second.key}}'),
  })
})

test('a listener refuses handshakes as soon as its certificate is gone, or no longer granted', () => {
  const graph = newGraph()
  graph.delete('ReferenceGrant', 'shop/grant')
  const refusal = { invalid: 'No ReferenceGrant allows the reference to Secret shop/site' }
  assert.deepEqual(tlsOf(graph), refusal)
  const regained = newGraph()
  regained.delete('Secret', 'shop/site')
  assert.deepEqual(tlsOf(regained), { invalid: 'Secret shop/site was not found' })
  change(regained, secret('third'))
  assert.deepEqual(tlsOf(regained), {
    certPem: certificates.fill('{{third.crt}}'),
    keyPem: certificates.fill('{{third.key}}'),
  })
})

test('statuses and states hold no certificates', () => {
  const graph = newGraph()
  const shown = JSON.stringify([
    graph.read(gatewayStatus, 'infra/gateway'),
    graph.read(gatewayListeners, 'infra/gateway'),
  ])
  assert.ok(!shown.includes('BEGIN'))
})
