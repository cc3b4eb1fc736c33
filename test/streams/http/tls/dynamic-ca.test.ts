import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { issueLeaf } from '../../../../src/protocols/x509/issue-leaf.ts'
import { MintedCertificates } from '../../../../src/streams/http/tls/dynamic-ca.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { anyPorts, startDaemon } from '../../../support/daemon.ts'
import { sendRequest } from '../../../support/send-request.ts'

const folder = mkdtempSync(join(tmpdir(), 'minted-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** A CA with a key of some kind. */
const authority = (kind: readonly string[], name: string) => {
  const cert = join(folder, `${name}.pem`)
  const key = join(folder, `${name}.key`)
  const args = [
    'req',
    '-x509',
    ...kind,
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    '-subj',
    `/O=Ünïted/CN=${name}`,
    '-utf8',
    '-addext',
    'keyUsage=critical,keyCertSign',
    '-days',
    '30',
  ]
  execFileSync('openssl', args, { stdio: 'ignore' })
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8'), certFile: cert, keyFile: key }
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  rsa: ['-newkey', 'rsa:2048'],
  'p-256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  'p-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'],
  'p-521': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp521r1'],
  ed25519: ['-newkey', 'ed25519'],
}

suite('certificates that a dynamic CA issues for server names', () => {
  const now = Date.now()
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const issue = (
    { cert, key }: { cert: string; key: string },
    name: string,
    notAfter = now + 3_600_000,
  ): X509Certificate =>
    new X509Certificate(
      issueLeaf(
        { certificate: new X509Certificate(cert), key: createPrivateKey(key) },
        { name, publicKey, notBefore: new Date(now - 1000), notAfter: new Date(notAfter) },
      ),
    )

  for (const [name, kind] of Object.entries(kinds))
    test(`are valid for OpenSSL, with a key of kind ${name}`, () => {
      const ca = authority(kind, name)
      const leaf = issue(ca, 'a.example')
      const ofAuthority = new X509Certificate(ca.cert)
      assert.equal(leaf.verify(ofAuthority.publicKey), true)
      assert.equal(leaf.checkIssued(ofAuthority), true)
      assert.equal(leaf.ca, false)
      assert.equal(leaf.checkHost('a.example'), 'a.example')
      assert.equal(leaf.checkHost('b.example'), undefined)
      const file = join(folder, `${name}-leaf.pem`)
      execFileSync('tee', [file], { input: leaf.toString(), stdio: ['pipe', 'ignore', 'ignore'] })
      const said = execFileSync(
        'openssl',
        [
          'verify',
          '-x509_strict',
          '-purpose',
          'sslserver',
          '-verify_hostname',
          'a.example',
          '-CAfile',
          ca.certFile,
          file,
        ],
        { encoding: 'utf8' },
      )
      assert.match(said, /: OK/)
    })

  test('may have long names, and expire with the CA', () => {
    const ca = authority(kinds['p-256'] ?? [], 'long')
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
    assert.equal(issue(ca, long).checkHost(long), long)
    const end = new X509Certificate(ca.cert).validTo
    assert.equal(issue(ca, 'a.example', now + 400 * 86_400_000).validTo, end)
    assert.notEqual(issue(ca, 'a.example').serialNumber, issue(ca, 'a.example').serialNumber)
  })

  test('are cached with limits on age and number', () => {
    const ca = authority(kinds['p-256'] ?? [], 'kept')
    const minted = new MintedCertificates(ca, { ttlMs: 3_600_000, capacity: 2 }, {})
    const first = minted.contextFor('a.example')
    assert.ok(first)
    assert.equal(minted.contextFor('A.example.'), first)
    minted.contextFor('b.example')
    minted.contextFor('c.example')
    assert.notEqual(minted.contextFor('a.example'), first)
    for (const name of [
      '',
      '127.0.0.1',
      'a b',
      '*.example',
      'a..b',
      `${'a.'.repeat(127)}example`,
      'x'.repeat(64),
      'a\0.example',
    ])
      assert.equal(minted.contextFor(name), undefined, name)
    assert.throws(
      () =>
        new MintedCertificates(
          { ...ca, key: authority(kinds['p-256'] ?? [], 'other').key },
          { ttlMs: 1, capacity: 1 },
          {},
        ),
      /not that of the certificate/,
    )
  })
})

test('a gateway with mode: dynamicCa has a certificate for any name', async () => {
  using ca = makeAuthority()
  const keyFile = ca.certFile.replace(/\.pem$/, '.key')
  await using daemon = await startDaemon(`${anyPorts}
gateways:
  default:
    port: 0
    address: 127.0.0.1
    tls: { mode: dynamicCa, cert: "${ca.certFile}", key: "${keyFile}", minTLSVersion: TLS_V1_2 }
routes: [{ policies: { directResponse: { status: 200, body: ok } } }]
`)
  const port = Number(new URL(daemon.url('default')).port)
  const shown = (servername: string, version: SecureVersion): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(
        { port, host: '127.0.0.1', servername, ca: ca.cert, minVersion: version, maxVersion: version },
        () => {
          resolve(socket.getPeerCertificate().subjectaltname ?? '')
          socket.destroy()
        },
      )
      socket.on('error', reject)
    })
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const name of ['a.example', 'b.example', 'a.example'])
      assert.equal(await shown(name, version), `DNS:${name}`)
  await assert.rejects(shown('', 'TLSv1.3'))
  const dump = JSON.parse((await sendRequest(daemon.url('admin'), '/config_dump')).text) as object
  assert.match(JSON.stringify(dump), /"dynamicCa":/)
})
