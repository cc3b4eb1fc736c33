import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { certificateFindings, ofPem } from '../../../src/cli/cluster-check/certificate-findings.ts'
import { makeAuthority } from '../../support/certificates.ts'

const DAY_MS = 86_400_000

test('certificates of a cluster', async (t) => {
  using authority = makeAuthority()
  const { cert } = authority.issue('shop.example.com', ['DNS:shop.example.com'], { days: 30 })
  const endMs = Date.parse(new X509Certificate(cert).validTo)
  const at = (nowMs: number, pem = cert, field: 'tls.crt' | 'ca.crt' = 'tls.crt') =>
    ofPem(pem, field, { nowMs, soonMs: 14 * DAY_MS }).map(({ severity, reason, message }) => ({
      found: `${severity} ${reason}`,
      message,
    }))

  await t.test('are in order while they are valid for long enough', () => {
    assert.deepEqual(at(endMs - 15 * DAY_MS), [])
  })

  await t.test('get a warning when they expire soon', () => {
    assert.deepEqual(at(endMs - 3 * DAY_MS), [
      {
        found: 'warning CertificateExpiresSoon',
        message: `the certificate of CN=shop.example.com expires in 3 days, at ${new Date(endMs).toISOString()}`,
      },
    ])
  })

  await t.test('are a problem when they have expired, or are not valid yet', () => {
    assert.equal(at(endMs)[0]?.found, 'error CertificateExpired')
    assert.match(at(endMs + 5 * 3_600_000)[0]?.message ?? '', /expired 5 hours ago, at /)
    assert.equal(at(endMs - 40 * DAY_MS)[0]?.found, 'error CertificateNotYetValid')
  })

  await t.test('of an authority are a warning as long as another one is valid', () => {
    using other = makeAuthority()
    assert.equal(at(endMs, cert + other.cert, 'ca.crt')[0]?.found, 'warning CertificateExpired')
    assert.equal(at(endMs, cert, 'ca.crt')[0]?.found, 'error CertificateExpired')
  })

  await t.test('are looked at in each part of a Secret that something refers to', async () => {
    using other = makeAuthority()
    const reader = { data: () => Promise.resolve({ 'ca.crt': other.cert, 'tls.crt': cert }) }
    const secret = { kind: 'Secret', namespace: 'shop', name: 'both' } as const
    const found = await certificateFindings(
      reader,
      [
        { ...secret, field: 'ca.crt', user: 'the clients of Gateway web' },
        { ...secret, field: 'tls.crt', user: 'listener https of Gateway web' },
      ],
      { nowMs: endMs, soonMs: 0 },
    )
    assert.deepEqual(
      found.map(({ reason, part }) => [reason, part]),
      [['CertificateExpired', 'for listener https of Gateway web']],
    )
  })

  await t.test('that cannot be read are left to the conditions', () => {
    assert.deepEqual(at(endMs, '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----'), [])
    assert.deepEqual(at(endMs, ''), [])
  })
})
