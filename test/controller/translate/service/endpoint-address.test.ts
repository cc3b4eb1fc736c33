import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../../src/controller/graph/query.ts'
import type { EndpointSlice } from '../../../../src/controller/kinds/core.ts'
import { endpointsOfService } from '../../../../src/controller/translate/service/endpoints-of-service.ts'

const slice = (addressType: EndpointSlice['addressType'], addresses: readonly string[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'tenant', name: addressType, labels: { 'kubernetes.io/service-name': 'own' } },
  addressType,
  ports: [{ port: 8080 }],
  endpoints: addresses.map((address) => ({ addresses: [address] })),
})

const addressesOf = (...slices: readonly EndpointSlice[]): readonly string[] => {
  const graph = new Graph({ controllerName: 'c', gatewayClassName: 'g', clusterDomain: 'cluster.local' })
  for (const one of slices) graph.set('EndpointSlice', `tenant/${one.metadata.name}`, one)
  const query = defineQuery('endpoints', (reads) =>
    endpointsOfService(reads, 'tenant/own', [{ port: 80 }], 'IPv4').map(({ address }) => address),
  )
  return graph.read(query, '')
}

test('endpoints are none that lead a proxy to itself, its node or the metadata of a cloud', () => {
  const special = [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
  ]
  const pods = ['10.0.0.7', '100.100.100.201', '168.63.129.17']
  assert.deepEqual(addressesOf(slice('IPv4', [...special, ...pods])), pods)
  const special6 = [
    '::1',
    '::',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '2001:db8::1%1',
    '64:ff9b::169.254.169.254',
    '64:ff9b::100.100.100.200',
    '64:ff9b::a83f:8110',
    '2002:a9fe:a9fe::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:100::100:200',
    'fd00:a9fe:a9fe::1',
    'fe80::1',
    'ff02::1',
  ]
  // A pod of k3s may have the address that the metadata of a cloud has elsewhere.
  const pods6 = ['2002:a00:7::1', '64:ff9b::10.0.0.7', 'fd00:42::42', 'fd00::7', 'fd20:ce::253']
  assert.deepEqual(addressesOf(slice('IPv6', [...special6, ...pods6])), pods6)
})

test('endpoints are no names', () => {
  assert.deepEqual(addressesOf(slice('FQDN', ['localhost']), slice('IPv4', ['localhost', '127.1'])), [])
})
