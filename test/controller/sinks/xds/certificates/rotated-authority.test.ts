import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { rotatedAuthority } from '../../../../../src/controller/sinks/xds/certificates/rotated-authority.ts'
import {
  type CertificateSecretData,
  newAuthorityData,
  xdsCertificate,
} from '../../../../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { xdsAuthorities } from '../../../../../src/controller/translate/certificates/xds-authorities.ts'
import { makeAuthority } from '../../../../support/certificates.ts'

const made = new Date('2026-05-04T12:00:00Z')
const after = (days: number) => new Date(made.getTime() + days * 24 * 3_600_000)
const changed = (data: CertificateSecretData, change: CertificateSecretData | undefined) =>
  Object.fromEntries(
    Object.entries({ ...data, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  )
/** What proxies trust by a Secret. */
const published = (data: CertificateSecretData): string | undefined =>
  xdsAuthorities({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'agentgateway-xds-cert', namespace: 'system' },
    data: Object.fromEntries(
      Object.entries(changed(data, {})).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
  })
const certificatesIn = (pem = '') => pem.split(/(?=-----BEGIN)/).map((one) => new X509Certificate(one))
const isTrusted = (leaf: string, authorities: string | undefined) =>
  certificatesIn(authorities).some((authority) => new X509Certificate(leaf).verify(authority.publicKey))

suite('the rotation of the authority of discovery', () => {
  test('goes through a whole life, in which each certificate is trusted by what was published a week before', () => {
    let data: CertificateSecretData = newAuthorityData(made)
    let trusted = published(data)
    const steps: [day: number, fields: string[], authorities: number][] = []
    const trustedByDay = new Map<number, string | undefined>()
    for (let day = 0; day < 2 * 3_650; day++) {
      const change = rotatedAuthority(data, after(day))
      if (change) {
        data = changed(data, change)
        trusted = published(data)
        steps.push([day, Object.keys(data).sort(), certificatesIn(trusted).length])
        assert.equal(rotatedAuthority(data, after(day)), undefined, 'a second leader has nothing to do')
      }
      trustedByDay.set(day, trusted)
      if (steps.length > 0 || day < 2) {
        const { cert } = xdsCertificate(data, ['agw.system'], after(day))
        assert.ok(isTrusted(cert, trustedByDay.get(Math.max(0, day - 7))), `on day ${day}`)
      }
      if (steps.length === 3) break
      // Nothing happens for years.
      if (day === 2) day = 3_200
    }
    assert.deepEqual(steps, [
      [3_285, ['ca.crt', 'ca.key', 'next.crt', 'next.key'], 2],
      [3_292, ['ca.crt', 'ca.key'], 2],
      [3_299, ['ca.crt', 'ca.key'], 1],
    ])
    assert.equal(rotatedAuthority(data, after(3_299 + 3_000)), undefined)
  })

  test('signs with the old authority until the new one takes over, and with both trusted', () => {
    const old = newAuthorityData(made)
    const announced = changed(old, rotatedAuthority(old, after(3_300)))
    const before = xdsCertificate(announced, ['agw.system'], after(3_306)).cert
    assert.ok(isTrusted(before, old['ca.crt']))
    const rotated = changed(announced, rotatedAuthority(announced, after(3_307)))
    const later = xdsCertificate(rotated, ['agw.system'], after(3_307)).cert
    assert.ok(!isTrusted(later, old['ca.crt']))
    for (const cert of [before, later])
      for (const data of [announced, rotated]) assert.ok(isTrusted(cert, published(data)))
  })

  test('makes up for a control plane that was away: at once if the authority has ended', () => {
    const old = newAuthorityData(made)
    const replaced = changed(old, rotatedAuthority(old, after(4_000)))
    assert.notEqual(replaced['ca.crt'], old['ca.crt'])
    xdsCertificate(replaced, ['agw.system'], after(4_000))
    const announced = changed(old, rotatedAuthority(old, after(3_649)))
    const ended = changed(announced, rotatedAuthority(announced, after(3_651)))
    assert.equal(certificatesIn(ended['ca.crt']).length, 1)
    assert.ok(isTrusted(ended['ca.crt'] ?? '', announced['next.crt']))
  })

  test('replaces a next authority that was spoilt', () => {
    const old = newAuthorityData(made)
    for (const spoilt of [{ 'next.crt': 'nonsense' }, { 'next.key': newAuthorityData(made)['ca.key'] }]) {
      const announced = changed(old, { ...rotatedAuthority(old, after(3_300)), ...spoilt })
      const again = changed(announced, rotatedAuthority(announced, after(3_301)))
      assert.equal(certificatesIn(published(again)).length, 2)
    }
  })

  test('leaves authorities of others, and what cannot be read', () => {
    using authority = makeAuthority()
    const own = newAuthorityData(made)
    for (const data of [
      { 'ca.crt': authority.cert, 'ca.key': readFileSync(`${authority.folder}/ca.key`, 'utf8') },
      { 'tls.crt': own['ca.crt'], 'tls.key': own['ca.key'] },
      { ...own, 'ca.key': newAuthorityData(made)['ca.key'] },
      { 'ca.crt': 'nonsense', 'ca.key': 'nonsense' },
      {},
    ])
      assert.equal(rotatedAuthority(data, after(3_640)), undefined)
  })
})

suite('the authorities that proxies trust', () => {
  test('are those of cert-manager, in both forms', () => {
    using root = makeAuthority()
    const intermediate = root.issueAuthority('intermediate')
    const authority = {
      'tls.crt': intermediate.cert,
      'tls.key': readFileSync(`${intermediate.folder}/ca.key`, 'utf8'),
      'ca.crt': root.cert,
    }
    assert.equal(certificatesIn(published(authority)).length, 2)
    const { cert } = xdsCertificate(authority, ['agw.system'], new Date())
    assert.ok(isTrusted(cert, published(authority)))
    const leaf = root.issue('agw.system')
    const server = { 'tls.crt': leaf.cert, 'tls.key': leaf.key, 'ca.crt': root.cert }
    assert.deepEqual(certificatesIn(published(server)).map(String), certificatesIn(root.cert).map(String))
  })

  test('stay if the Secret has none that can be read', () => {
    const { 'ca.crt': ca } = newAuthorityData(made)
    const broken = ca.replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
    for (const data of [{}, { 'ca.crt': '' }, { 'ca.crt': 'nonsense' }, { 'ca.crt': ca + broken }])
      assert.equal(published(data), undefined)
  })
})
