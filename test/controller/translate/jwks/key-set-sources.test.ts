import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import type { KeySetSource } from '../../../../src/controller/translate/jwks/key-set-source.ts'
import { wantedKeySets } from '../../../../src/controller/translate/jwks/key-set-sources.ts'
import { translatedPolicy } from '../../../../src/controller/translate/policy/translated-policy.ts'
import { goldenCertificates } from '../../support/golden-certificates.ts'
import { readGoldenObjects } from '../../support/golden-objects.ts'

const certificates = goldenCertificates()
after(() => {
  certificates[Symbol.dispose]()
})

/** Keys at a backend of namespace `infra`, and what a cluster has besides. */
const read = (backendRef: string, objects: string, settings: { backendGrants?: 'route-and-policy' } = {}) => {
  const graph = new Graph({
    controllerName: 'us',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    features: [],
    ...settings,
  })
  const text = `
kind: ProxyPolicy
metadata: { name: policy, namespace: apps }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: route }]
  traffic:
    jwtAuthentication:
      providers: [{ issuer: a, jwks: { remote: { backendRef: ${backendRef}, jwksPath: keys } } }]
---
${objects}`
  const filled = readGoldenObjects(text, (part) => certificates.fill(part))
  for (const { kind, key, object } of filled) graph.set(kind, key, object)
  const wanted = graph.read(wantedKeySets, '')
  const forms = graph.read(translatedPolicy, 'apps/policy')?.forms ?? []
  return { sources: wanted.map(({ source }) => source), problems: forms.flatMap(({ problems }) => problems) }
}

/** The only source, with the names of certificates in place of their texts. */
const sourceOf = (backendRef: string, objects: string): Omit<KeySetSource, 'name' | 'refreshMs'> => {
  const { sources } = read(backendRef, objects)
  const [source, ...others] = JSON.parse(maskedJson(sources)) as (KeySetSource & { name?: string })[]
  assert.ok(source && others.length === 0, JSON.stringify(read(backendRef, objects).problems))
  const { name: _, refreshMs: __, ...rest } = source
  return rest
}

const maskedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? certificates.mask(part) : part))

const service = '{ name: keys, namespace: infra, port: 8443 }'
const backend = '{ group: agentgateway.dev, kind: ProxyBackend, name: keys, namespace: infra }'

const aService = `
kind: Service
metadata: { name: keys, namespace: infra }
spec: { type: ClusterIP, clusterIP: 10.96.0.10, ports: [{ port: 8443 }, { port: 8080 }] }`

const aBackend = (policies = '{}', address = '{ host: keys.example.com, port: 8443 }') => `
kind: ProxyBackend
metadata: { name: keys, namespace: infra }
spec: { static: ${address}, policies: ${policies} }`

const aPolicy = (name: string, target: string, fields: string, createdAt = '2026-01-01T00:00:00Z') => `
kind: ProxyPolicy
metadata: { name: ${name}, namespace: infra, creationTimestamp: '${createdAt}' }
spec: { targetRefs: [${target}], backend: ${fields} }`

const ofService = (section = '') => `{ group: '', kind: Service, name: keys${section} }`
const ofBackend = '{ group: agentgateway.dev, kind: ProxyBackend, name: keys }'

const authorities = `
kind: ConfigMap
metadata: { name: ca, namespace: infra }
data: { ca.crt: '{{ca.crt}}' }
---
kind: ConfigMap
metadata: { name: other-ca, namespace: infra }
data: { ca.crt: '{{other-ca.crt}}' }`

const backendTlsPolicy = (section = '') => `
kind: BackendTLSPolicy
metadata: { name: tls${section === '' ? '' : '-port'}, namespace: infra }
spec:
  targetRefs: [{ group: '', kind: Service, name: keys${section} }]
  validation:
    hostname: by-backend-tls-policy
    caCertificateRefs: [{ group: '', kind: ConfigMap, name: other-ca }]`

const all = (...documents: readonly string[]) => documents.join('\n---\n')

test('keys of a static backend are fetched from its host, with its TLS', () => {
  assert.deepEqual(sourceOf(backend, aBackend()), { url: 'http://keys.example.com:8443/keys' })
  assert.deepEqual(sourceOf(backend, aBackend('{ tls: {} }')), {
    url: 'https://keys.example.com:8443/keys',
    tls: {},
  })
  const certificate = `
kind: Secret
metadata: { name: client, namespace: infra }
stringData: { tls.crt: '{{client.crt}}', tls.key: '{{client.key}}' }`
  const tls =
    '{ tls: { sni: sni.example.com, caCertificateRefs: [{ name: ca }], mtlsCertificateRef: [{ name: client }], verifySubjectAltNames: [a, b], alpnProtocols: [h2], keyExchangeGroups: [X25519] } }'
  assert.deepEqual(sourceOf(backend, all(aBackend(tls), authorities, certificate)), {
    url: 'https://keys.example.com:8443/keys',
    tls: {
      certPem: '{{client.crt}}',
      keyPem: '{{client.key}}',
      rootPem: '{{ca.crt}}',
      hostname: 'sni.example.com',
      subjectAltNames: ['a', 'b'],
      alpn: ['h2'],
      keyExchangeGroups: ['X25519'],
    },
  })
})

test('an address of IPv6, and one of an agent', () => {
  assert.deepEqual(sourceOf(backend, aBackend('{}', "{ host: '2001:db8::1', port: 80 }")), {
    url: 'http://[2001:db8::1]:80/keys',
  })
  const agent = `
kind: ProxyBackend
metadata: { name: keys, namespace: infra }
spec: { a2a: { host: agent, port: 80 } }`
  assert.deepEqual(sourceOf(backend, agent), { url: 'http://agent:80/keys' })
})

test('TLS of the backend itself precedes that of policies, and of these the oldest is in force', () => {
  const young = aPolicy('a-young', ofBackend, '{ tls: { sni: young } }', '2026-01-02T00:00:00Z')
  const old = aPolicy('z-old', ofBackend, '{ tls: { sni: old } }', '2025-01-02T00:00:00Z')
  const other = aPolicy('0-other', ofBackend, '{ tcp: { connectTimeout: 1s } }', '2024-01-02T00:00:00Z')
  const section = aPolicy(
    'section',
    '{ group: agentgateway.dev, kind: ProxyBackend, name: keys, sectionName: part }',
    '{ tls: { sni: part } }',
    '2024-01-02T00:00:00Z',
  )
  const hostname = (...objects: readonly string[]) => sourceOf(backend, all(...objects)).tls?.hostname
  assert.equal(hostname(aBackend(), young, old, other, section), 'old')
  assert.equal(hostname(aBackend('{ tls: { sni: own } }'), young, old, other), 'own')
  const same = aPolicy('b-same', ofBackend, '{ tls: { sni: same } }', '2026-01-02T00:00:00Z')
  assert.equal(hostname(aBackend(), same, young), 'young')
})

test('a policy of the port of a Service precedes older ones of all ports, and those of other ports do not count', () => {
  const whole = aPolicy('whole', ofService(), '{ tls: { sni: whole } }', '2024-01-01T00:00:00Z')
  const port = aPolicy('port', ofService(", sectionName: '8443'"), '{ tls: { sni: port } }')
  const other = aPolicy('other', ofService(", sectionName: '8080'"), '{ tls: { sni: other } }')
  const url = 'https://keys.infra.svc.cluster.local:8443/keys'
  assert.deepEqual(sourceOf(service, all(aService, whole, port, other)), { url, tls: { hostname: 'port' } })
  assert.deepEqual(sourceOf(service, all(aService, whole, other)), { url, tls: { hostname: 'whole' } })
  assert.deepEqual(sourceOf(service, all(aService, other)), { url: url.replace('https', 'http') })
})

test('a policy by labels, and one of another namespace', () => {
  const selecting = `
kind: ProxyPolicy
metadata: { name: selecting, namespace: infra }
spec: { targetSelectors: [{ group: '', kind: Service, matchLabels: { app: keys } }], backend: { tls: { sni: selected } } }`
  const labelled = aService.replace('name: keys', 'name: keys, labels: { app: keys }')
  assert.deepEqual(sourceOf(service, all(labelled, selecting)).tls, { hostname: 'selected' })
  const foreign = aPolicy('foreign', ofService(), '{ tls: { sni: foreign } }').replace('infra', 'apps')
  assert.equal(sourceOf(service, all(aService, foreign)).tls, undefined)
})

test('a ProxyPolicy precedes a BackendTLSPolicy, also where that is of the port', () => {
  const policy = aPolicy('policy', ofService(), '{ tls: { sni: by-policy } }', '2026-02-01T00:00:00Z')
  const ofPort = all(backendTlsPolicy(", sectionName: '8443'"), authorities)
  const url = 'https://keys.infra.svc.cluster.local:8443/keys'
  assert.deepEqual(sourceOf(service, all(aService, ofPort, policy)), { url, tls: { hostname: 'by-policy' } })
  assert.deepEqual(sourceOf(service, all(aService, ofPort)), {
    url,
    tls: { rootPem: '{{other-ca.crt}}', hostname: 'by-backend-tls-policy' },
  })
})

test('alternative names of a BackendTLSPolicy are those of the fetch', () => {
  const policy = `${backendTlsPolicy()}
    subjectAltNames: [{ type: URI, uri: 'spiffe://cluster/keys' }]`
  assert.deepEqual(sourceOf(service, all(aService, policy, authorities)).tls?.subjectAltNames, [
    'spiffe://cluster/keys',
  ])
})

test('the proxy of a tunnel has an address, TLS and a credential of its own', () => {
  const proxy = (policies = '{}') => `
kind: ProxyBackend
metadata: { name: proxy, namespace: infra }
spec: { static: { host: proxy.example.com, port: 3128 }, policies: ${policies} }`
  const credential = `
kind: Secret
metadata: { name: credential, namespace: infra }
stringData: { Authorization: 'dXNlcjpwYXNz' }`
  const tunnel = '{ backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy } }'
  const proxyOf = (...objects: readonly string[]) =>
    sourceOf(backend, all(aBackend(`{ tls: {}, tunnel: ${tunnel} }`), ...objects)).proxy
  assert.deepEqual(proxyOf(proxy()), { url: 'http://proxy.example.com:3128' })
  assert.deepEqual(
    proxyOf(
      proxy(
        "{ tls: { sni: sni }, auth: { secretRef: { name: credential }, location: { header: { name: Proxy-Authorization, prefix: 'Basic ' } } } }",
      ),
      credential,
    ),
    {
      url: 'https://proxy.example.com:3128',
      tls: { hostname: 'sni' },
      authorization: { value: 'Basic dXNlcjpwYXNz', owner: 'ProxyBackend/infra/proxy' },
    },
  )
  assert.deepEqual(proxyOf(proxy('{ auth: { key: token } }'))?.authorization?.value, 'Bearer token')
  const attached = aPolicy(
    'of-proxy',
    '{ group: agentgateway.dev, kind: ProxyBackend, name: proxy }',
    '{ auth: { key: attached } }',
  )
  assert.deepEqual(proxyOf(proxy(), attached)?.authorization, {
    value: 'Bearer attached',
    owner: 'ProxyPolicy/infra/of-proxy',
  })
})

test('a tunnel may be that of a policy, and its proxy a Service or a URL', () => {
  const squid = `
kind: Service
metadata: { name: squid, namespace: infra }
spec: { type: ClusterIP, clusterIP: 10.96.0.12, ports: [{ port: 3128 }] }`
  const byService = aPolicy('tunnel', ofService(), '{ tunnel: { backendRef: { name: squid, port: 3128 } } }')
  assert.deepEqual(sourceOf(service, all(aService, squid, byService)), {
    url: 'http://keys.infra.svc.cluster.local:8443/keys',
    proxy: { url: 'http://squid.infra.svc.cluster.local:3128' },
  })
  const byUrl = aPolicy('tunnel', ofBackend, '{ tunnel: { url: "https://proxy.example.com:3128/" } }')
  assert.deepEqual(sourceOf(backend, all(aBackend(), byUrl)).proxy, { url: 'https://proxy.example.com:3128' })
})

test('sources that differ have different names, and no name depends on a secret', () => {
  const nameOf = (policies: string, ...objects: readonly string[]) => {
    const { sources, problems } = read(backend, all(aBackend(policies), ...objects))
    assert.ok(sources[0], problems.join())
    return sources[0].name
  }
  const tunnel = 'tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy } }'
  const proxy = (key: string) => `
kind: ProxyBackend
metadata: { name: proxy, namespace: infra }
spec: { static: { host: proxy, port: 3128 }, policies: { auth: { key: ${key} } } }`
  const names = [
    nameOf('{ tls: {} }'),
    nameOf('{}'),
    nameOf('{ tls: { sni: a } }'),
    nameOf('{ tls: { sni: b } }'),
    nameOf('{ tls: { sni: a, insecureSkipVerify: All } }'),
    nameOf('{ tls: { sni: a, insecureSkipVerify: Hostname } }'),
    nameOf('{ tls: { sni: a, alpnProtocols: [h2] } }'),
    nameOf('{ tls: { sni: a, verifySubjectAltNames: [a] } }'),
    nameOf('{ tunnel: { url: "http://proxy:1" } }'),
    nameOf('{ tunnel: { url: "http://proxy:2" } }'),
    nameOf(`{ ${tunnel} }`, proxy('a')),
  ]
  assert.equal(new Set(names).size, names.length)
  assert.equal(nameOf(`{ ${tunnel} }`, proxy('a')), nameOf(`{ ${tunnel} }`, proxy('b')))
})

test('the credential and the client key are told nowhere but in the source', () => {
  const objects = `
kind: ProxyBackend
metadata: { name: proxy, namespace: infra }
spec: { static: { host: proxy, port: 3128 }, policies: { auth: { key: hidden, location: { cookie: { name: a } } } } }`
  const { sources, problems } = read(
    backend,
    all(
      aBackend('{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy } } }'),
      objects,
    ),
  )
  assert.deepEqual(sources, [])
  assert.match(problems.join(), /auth of ProxyBackend infra\/proxy: a proxy gets no credential but a key/)
  assert.doesNotMatch(problems.join(), /hidden/)
})

test('a reference to another namespace needs a grant where policies do, and so does that of the tunnel', () => {
  const grant = (namespace: string, kind: string, from: string) => `
kind: ReferenceGrant
metadata: { name: ${kind.toLowerCase()}-${from}, namespace: ${namespace} }
spec:
  from: [{ group: agentgateway.dev, kind: ${kind}, namespace: ${from} }]
  to: [{ group: agentgateway.dev, kind: ProxyBackend }]`
  const strict = { backendGrants: 'route-and-policy' } as const
  const tunnelled = aBackend(
    '{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy, namespace: edge } } }',
  )
  const proxy = `
kind: ProxyBackend
metadata: { name: proxy, namespace: edge }
spec: { static: { host: proxy, port: 3128 } }`
  const denied = read(backend, all(tunnelled, proxy), strict)
  assert.deepEqual(denied.sources, [])
  assert.match(denied.problems.join(), /No ReferenceGrant allows the reference to ProxyBackend infra\/keys/)
  const half = read(backend, all(tunnelled, proxy, grant('infra', 'ProxyPolicy', 'apps')), strict)
  assert.deepEqual(half.sources, [])
  assert.match(half.problems.join(), /tunnel of ProxyBackend infra\/keys: No ReferenceGrant allows/)
  // The policy may refer to the proxy, which is not what does.
  const wrong = read(
    backend,
    all(tunnelled, proxy, grant('infra', 'ProxyPolicy', 'apps'), grant('edge', 'ProxyPolicy', 'apps')),
    strict,
  )
  assert.deepEqual(wrong.sources, [])
  const granted = read(
    backend,
    all(tunnelled, proxy, grant('infra', 'ProxyPolicy', 'apps'), grant('edge', 'ProxyBackend', 'infra')),
    strict,
  )
  assert.deepEqual(
    granted.sources.map((source) => source?.proxy),
    [{ url: 'http://proxy:3128' }],
  )
})

test('a policy that has the keys of the backend that it is attached to does not depend on itself', () => {
  const own = `
kind: ProxyPolicy
metadata: { name: own, namespace: infra }
spec:
  targetRefs: [${ofBackend}]
  backend:
    tls: { sni: own }
    mcp: { authentication: { issuer: a, jwks: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: keys }, jwksPath: /keys } } }`
  const { sources } = read(backend, all(aBackend(), own))
  assert.deepEqual(
    sources.map((source) => [source?.url, source?.tls]),
    [['https://keys.example.com:8443/keys', { hostname: 'own' }]],
  )
})

const broken: Readonly<Record<string, readonly [string, string, RegExp]>> = {
  'an authority that is not there': [
    backend,
    aBackend('{ tls: { caCertificateRefs: [{ name: absent }] } }'),
    /tls of ProxyBackend infra\/keys: ConfigMap infra\/absent/,
  ],
  'a client certificate that is not there': [
    backend,
    aBackend('{ tls: { mtlsCertificateRef: [{ name: absent }] } }'),
    /tls of ProxyBackend infra\/keys: Secret infra\/absent not found/,
  ],
  'an identity that is not supported': [
    backend,
    aBackend('{ tls: { certificateSource: SPIFFE } }'),
    /certificateSource SPIFFE is not supported/,
  ],
  'TLS of a policy, though a BackendTLSPolicy would serve': [
    service,
    all(
      aService,
      aPolicy('policy', ofService(), '{ tls: { caCertificateRefs: [{ name: absent }] } }'),
      backendTlsPolicy(),
      authorities,
    ),
    /tls of ProxyPolicy infra\/policy: ConfigMap infra\/absent/,
  ],
  'a BackendTLSPolicy': [service, all(aService, backendTlsPolicy()), /TLS to Service infra\/keys: /],
  'a server name that is none': [backend, aBackend('{ tls: { sni: "a b" } }'), /tls of ProxyBackend/],
  'TLS of a shape that its definition forbids': [
    backend,
    aBackend('{ tls: { caCertificateRefs: 7, verifySubjectAltNames: 7 } }'),
    /tls of ProxyBackend infra\/keys: /,
  ],
  'a socket': [backend, aBackend('{}', '{ unixPath: /run/docker.sock }'), /Unix domain socket/],
  'a host that is none': [backend, aBackend('{}', "{ host: 'a@169.254.169.254#', port: 80 }"), /its address/],
  'a host with a path': [backend, aBackend('{}', "{ host: 'a/b?', port: 80 }"), /its address/],
  'a host that is not there': [backend, aBackend('{}', '{ port: 80 }'), /its address/],
  'a proxy that is not there': [
    backend,
    aBackend('{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: absent } } }'),
    /tunnel of ProxyBackend infra\/keys: ProxyBackend infra\/absent was not found/,
  ],
  'a proxy that has a tunnel of its own: itself': [
    backend,
    aBackend('{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: keys } } }'),
    /is a proxy, and has a tunnel of its own/,
  ],
  'a proxy with a socket': [
    backend,
    all(
      aBackend('{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy } } }'),
      `
kind: ProxyBackend
metadata: { name: proxy, namespace: infra }
spec: { static: { unixPath: /run/proxy.sock } }`,
    ),
    /ProxyBackend infra\/proxy has a Unix domain socket/,
  ],
  'a proxy with TLS that is broken': [
    backend,
    all(
      aBackend('{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy } } }'),
      `
kind: ProxyBackend
metadata: { name: proxy, namespace: infra }
spec: { static: { host: proxy, port: 80 }, policies: { tls: { caCertificateRefs: [{ name: absent }] } } }`,
    ),
    /tls of ProxyBackend infra\/proxy: ConfigMap infra\/absent/,
  ],
  'a proxy whose credential is not there': [
    backend,
    all(
      aBackend('{ tunnel: { backendRef: { group: agentgateway.dev, kind: ProxyBackend, name: proxy } } }'),
      `
kind: ProxyBackend
metadata: { name: proxy, namespace: infra }
spec: { static: { host: proxy, port: 80 }, policies: { auth: { secretRef: { name: absent } } } }`,
    ),
    /auth of ProxyBackend infra\/proxy: Secret infra\/absent not found/,
  ],
  'a Service of type ExternalName': [
    service,
    `
kind: Service
metadata: { name: keys, namespace: infra }
spec: { type: ExternalName, externalName: metadata.internal, ports: [{ port: 8443 }] }`,
    /is of type ExternalName/,
  ],
  ...Object.fromEntries(
    [
      'dynamicForwardProxy: {}',
      'ai: { groups: [{ providers: [{ name: a, openai: {} }] }] }',
      'mcp: { targets: [{ name: a, static: { host: a, port: 80 } }] }',
      'aws: { agentCore: { agentRuntimeArn: a } }',
    ].map((kind) => [
      `a backend with ${kind}`,
      [
        backend,
        `
kind: ProxyBackend
metadata: { name: keys, namespace: infra }
spec: { ${kind} }`,
        /ProxyBackend infra\/keys has no host: policies can only call one of static or a2a/,
      ] as const,
    ]),
  ),
}
for (const [name, [reference, objects, message]] of Object.entries(broken))
  test(`no keys are fetched, and requests are refused: ${name}`, () => {
    const { sources, problems } = read(reference, objects)
    assert.deepEqual(sources, [])
    assert.match(problems.join('\n'), message)
  })
