import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { effective } from '../../src/config/compile/effective-policies.ts'
import { ConfigDiff } from '../../src/config/diff/config-diff.ts'
import { dumpConfig } from '../../src/config/dump.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { makeAuthority } from '../support/certificates.ts'

const authority = makeAuthority()
const other = authority.issue('other')
const mine = authority.issue('mine')
after(() => authority[Symbol.dispose]())

/** A listener and a backend with certificates as texts; what JSON can write, YAML can read. */
const file = (server: object, client: object = {}): string =>
  JSON.stringify({
    binds: [
      {
        port: 3000,
        listeners: [
          {
            name: 'secure',
            gatewayName: 'shop',
            namespace: 'web',
            listenerSet: { namespace: 'team', name: 'more' },
            protocol: 'HTTPS',
            tls: server,
            routes: [{ backends: [{ host: 'a.example:443', policies: { backendTLS: client } }] }],
          },
        ],
      },
    ],
  })
const texts = { certPem: mine.cert, keyPem: mine.key }
/** Part of a key: its first line says nothing. */
const partOf = (key: string): string => key.split('\n')[1]!

const problemsOf = (text: string): string => {
  try {
    parseConfig(text, 'gw.yaml', {})
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

suite('certificates as texts', () => {
  test('are dumped as digests, and their keys not at all', () => {
    const bundle = { rootPem: authority.cert + other.cert }
    const parsed = parseConfig(file({ ...texts, ...bundle }, { ...texts, ...bundle }), 'gw.yaml', {})
    const dump = JSON.stringify(dumpConfig(parsed, { version: '1', gitRevision: 'a' }))
    assert.doesNotMatch(dump, /PRIVATE KEY/)
    assert.ok(!dump.includes(partOf(mine.key)))
    const [listener] = Object.values(
      (JSON.parse(dump) as { binds: { listeners: Record<string, Record<string, unknown>> }[] }).binds[0]!
        .listeners,
    )
    const digest = /^<1 PEM certificate, sha256 [0-9a-f]{16}>$/
    const { certificateSource } = (listener!.protocol as { HTTPS: { certificateSource: object } }).HTTPS
    const { certPem, keyPem, rootPem } = (certificateSource as { static: Record<string, string> }).static
    assert.match(certPem!, digest)
    assert.equal(keyPem, '<redacted>')
    assert.match(rootPem!, /^<2 PEM certificates, sha256 /)
    assert.match(dump, /"backendTLS":\{"certPem":"<1 PEM certificate[^"]*","keyPem":"<redacted>"/)
    assert.equal(listener!.key, 'web/shop/team/more/bind/3000/secure')
    assert.equal(listener!.gatewayName, 'shop')
    assert.deepEqual(listener!.listenerSet, { namespace: 'team', name: 'more' })
  })

  test('are redacted in the policies of traces', () => {
    const { backends } = parseConfig(file(texts, texts), 'gw.yaml', {}).resources
    const [route] = parseConfig(file(texts, texts), 'gw.yaml', {}).resources.binds[0]!.listeners[0]!.routes
    const traced = JSON.stringify(
      effective('backend', { ...backends[0]!.policies, ...route!.backends[0]!.policies }),
    )
    assert.match(traced, /"keyPem":"<redacted>"/)
    assert.ok(!traced.includes(partOf(mine.key)))
  })

  test('are compared by digests, and keys are named without their values', () => {
    const rotated = { certPem: other.cert, keyPem: other.key }
    const diff = new ConfigDiff(
      parseConfig(file(texts, texts), 'gw.yaml', {}),
      parseConfig(file(rotated, rotated), 'gw.yaml', {}),
    )
    for (const _ of diff.steps());
    const shown = JSON.stringify(diff.changes)
    assert.match(shown, /keyPem[^}]*<redacted>/)
    assert.match(shown, /certPem[^}]*sha256/)
    for (const { key } of [mine, other]) assert.ok(!shown.includes(partOf(key)))
    assert.doesNotMatch(shown, /PRIVATE KEY/)
  })

  test('are checked, without repeating them in messages', () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ ...texts, keyPem: other.key }, /tls\.keyPem: .*is not the key of certPem/],
      [{ ...texts, keyPem: 4711 }, /tls\.keyPem: /],
      [{ ...texts, keyPem: partOf(mine.key) }, /tls\.keyPem: .*has no private key in PEM/],
      [{ ...texts, certPem: 'cut' }, /tls\.certPem: .*has no certificate in PEM, or a broken one/],
      [{ ...texts, rootPem: `${authority.cert}-----BEGIN CERTIFICATE-----\nMII` }, /tls\.rootPem: .*broken/],
      [{ certPem: mine.cert }, /'certPem' and 'keyPem' belong together/],
      [{ ...texts, cert: mine.certFile }, /cert.*certPem/],
      [{ ...texts, clientCertificates: 'require' }, /clientCertificates requires 'root' or 'rootPem'/],
      [{ ...texts, mode: 'dynamicCa' }, /tls\.certPem: .*no certificate of an authority/],
    ]
    for (const [tls, expected] of cases) {
      const problems = problemsOf(file(tls))
      assert.match(problems, expected)
      assert.ok(!problems.includes(partOf(mine.key)), problems)
    }
    assert.match(problemsOf(file(texts, { keyPem: mine.key })), /'certPem' and 'keyPem' belong together/)
    assert.match(problemsOf(file({})), /tls requires 'cert'/)
    assert.equal(problemsOf(file({ invalid: 'Secret web/cert is missing' }, { invalid: 'no CA' })), '')
    assert.equal(problemsOf(file({ ...texts, rootPem: authority.cert, clientCertificates: 'require' })), '')
  })

  test('of targets by gateway name refer to the gateway of a listener', () => {
    const target = (gatewayName: string) => ({
      ...(JSON.parse(file(texts)) as object),
      policies: [
        {
          name: { name: 'p' },
          target: { gateway: { gatewayName, gatewayNamespace: 'web' } },
          policy: { timeout: { requestTimeout: '1s' } },
        },
      ],
    })
    assert.equal(problemsOf(JSON.stringify(target('shop'))), '')
    assert.match(problemsOf(JSON.stringify(target('default'))), /"default"/)
  })
})
