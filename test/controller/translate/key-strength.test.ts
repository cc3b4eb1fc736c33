import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { keyWeakness } from '../../../src/controller/translate/certificates/key-strength.ts'
import { secretKeyPair } from '../../../src/controller/translate/certificates/secret-key-pair.ts'
import { goldenGraph } from '../support/golden-objects.ts'

const inFolder = <T>(
  use: (openssl: (...args: readonly string[]) => void, read: (name: string) => string) => T,
): T => {
  const folder = mkdtempSync(join(tmpdir(), 'key-strength-'))
  try {
    return use(
      (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }),
      (name) => readFileSync(join(folder, name), 'utf8'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the listener of a proxy would do with them. */
const isTakenByTls = (cert: string, key: string): boolean => {
  try {
    createSecureContext({ cert, key })
    return true
  } catch {
    return false
  }
}

const keyPairOf = (cert: string, key: string) => {
  const graph = goldenGraph([])
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  graph.set('Secret', 'ns/site', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'ns', name: 'site' },
    data: { 'tls.crt': base64(cert), 'tls.key': base64(key) },
  })
  return graph.read(secretKeyPair, 'ns/site')
}

const curves = ['prime192v1', 'secp160r1', 'sect163k1', 'secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']

for (const curve of curves)
  test(`a key of ${curve} is taken where TLS takes it`, () => {
    inFolder((openssl, read) => {
      openssl('ecparam', '-name', curve, '-genkey', '-noout', '-out', 'key')
      openssl('req', '-x509', '-key', 'key', '-out', 'cert', '-subj', '/CN=site', '-days', '30')
      const found = keyPairOf(read('cert'), read('key'))
      assert.equal('certPem' in found, isTakenByTls(read('cert'), read('key')), JSON.stringify(found))
    })
  })

test('a chain with a weak authority is refused, as TLS does', () => {
  inFolder((openssl, read) => {
    const days = ['-days', '30']
    const made = ['-nodes', '-newkey']
    openssl(
      'req',
      '-x509',
      ...made,
      'rsa:1024',
      '-keyout',
      'ca.key',
      '-out',
      'ca',
      '-subj',
      '/CN=ca',
      ...days,
    )
    openssl('req', ...made, 'rsa:2048', '-keyout', 'key', '-out', 'request', '-subj', '/CN=site')
    const by = ['-CA', 'ca', '-CAkey', 'ca.key', '-CAcreateserial']
    openssl('x509', '-req', '-in', 'request', ...by, '-out', 'cert', ...days, '-sha1')
    const chain = `${read('cert')}${read('ca')}`
    assert.equal(isTakenByTls(chain, read('key')), false)
    const found = keyPairOf(chain, read('key'))
    assert.deepEqual(found, {
      error: 'Secret ns/site: the key of a certificate in tls.crt has less than 2048 bits',
    })
    // The signature of a leaf is for its clients to judge.
    assert.ok(isTakenByTls(read('cert'), read('key')) && 'certPem' in keyPairOf(read('cert'), read('key')))
    // In the wrong order, the first certificate is not that of the key.
    assert.ok('error' in keyPairOf(`${read('ca')}${read('cert')}`, read('key')))
  })
})

test('keys of other algorithms are named', () => {
  const { privateKey } = generateKeyPairSync('x25519')
  assert.equal(keyWeakness(privateKey), 'is of type x25519, which TLS does not use')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey
  assert.equal(keyWeakness(rsa), 'has less than 2048 bits')
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  assert.equal(keyWeakness(createPrivateKey(pem)), undefined)
})
