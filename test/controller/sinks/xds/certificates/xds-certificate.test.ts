import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { suite, test } from 'node:test'
import { RotatingCertificate } from '../../../../../src/controller/sinks/xds/certificates/rotating-certificate.ts'
import { xdsCertificateNames } from '../../../../../src/controller/sinks/xds/certificates/certificate-names.ts'
import {
  newAuthorityData,
  xdsCertificate,
} from '../../../../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { makeAuthority } from '../../../../support/certificates.ts'

const now = new Date('2026-05-04T12:00:00Z')
const names = ['agw.system.svc.cluster.local', 'agw.system', '10.0.0.1', 'fd00::1:2']

const unexpected = (error: unknown) => {
  throw error
}

suite('the authority of discovery', () => {
  test('signs itself for ten years, and signs no authorities', () => {
    const certificate = new X509Certificate(newAuthorityData(now)['ca.crt'])
    assert.equal(certificate.subject, 'CN=agw-xds-ca')
    assert.ok(certificate.ca && certificate.verify(certificate.publicKey))
    assert.equal(new Date(certificate.validFrom).toISOString(), '2026-05-04T11:00:00.000Z')
    assert.equal(new Date(certificate.validTo).toISOString(), '2036-05-01T12:00:00.000Z')
  })
})

suite('the certificate of discovery', () => {
  test('is issued for a day by the authority of the Secret, for every name', () => {
    const data = newAuthorityData(now)
    const made = xdsCertificate(data, names, now)
    const leaf = new X509Certificate(made.cert)
    assert.ok(leaf.verify(new X509Certificate(data['ca.crt']).publicKey))
    assert.equal(
      leaf.subjectAltName,
      'DNS:agw.system.svc.cluster.local, DNS:agw.system, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:1:2',
    )
    assert.equal(leaf.ca, false)
    assert.equal(new Date(leaf.validTo).toISOString(), '2026-05-05T12:00:00.000Z')
    assert.equal(made.renewAt?.toISOString(), '2026-05-05T00:00:00.000Z')
    assert.equal(made.ca, data['ca.crt'])
  })

  test('is issued by an authority that is in the fields of a certificate', () => {
    const { 'ca.crt': cert, 'ca.key': key } = newAuthorityData(now)
    const made = xdsCertificate({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': 'unused' }, names, now)
    assert.ok(new X509Certificate(made.cert).verify(new X509Certificate(cert).publicKey))
    assert.equal(made.ca, cert)
  })

  test('is that of the Secret, if it has one with its authority', () => {
    using authority = makeAuthority()
    const { cert, key } = authority.issue('agw.system')
    const data = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert }
    assert.deepEqual(xdsCertificate(data, names, now), { cert, key, ca: authority.cert, renewAt: undefined })
    assert.throws(() => xdsCertificate({ ...data, 'ca.crt': undefined }, names, now), {
      message: 'tls.crt is the certificate of a server: ca.crt must have its authority',
    })
  })

  test('is not made of what does not fit together', () => {
    const [one, other] = [newAuthorityData(now), newAuthorityData(now)]
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{}, /^must have ca\.crt and ca\.key, or an authority in tls\.crt/],
      [{ ...one, 'ca.key': other['ca.key'] }, /^the key does not belong to the certificate$/],
      [newAuthorityData(new Date('2010-01-01')), /^the authority has expired$/],
    ]
    for (const [data, message] of cases) assert.throws(() => xdsCertificate(data, names, now), { message })
  })

  test('names the Service in every form, or the host that replaces it', () => {
    const server = {
      serviceName: 'agw',
      namespace: 'system',
      clusterDomain: 'cluster.local',
      host: undefined,
      additionalHosts: ['xds.example.com', '10.0.0.1'],
    }
    assert.deepEqual(xdsCertificateNames(server), [
      'agw.system.svc.cluster.local',
      'agw.system.svc',
      'agw.system',
      'xds.example.com',
      '10.0.0.1',
    ])
    assert.deepEqual(xdsCertificateNames({ ...server, host: 'h', additionalHosts: [] }), ['h'])
  })
})

const authorityOf = ({ current }: RotatingCertificate) => current?.ca

suite('a kept certificate', () => {
  test('has its Secret created when there is none, and again when it was deleted', () => {
    const created: Readonly<Record<string, string | undefined>>[] = []
    const kept = new RotatingCertificate({
      names,
      create: (data) => Promise.resolve(void created.push(data)),
      onError: unexpected,
    })
    kept.update(undefined)
    assert.equal(authorityOf(kept), undefined)
    assert.deepEqual(Object.keys(created[0] ?? {}), ['ca.crt', 'ca.key'])
    kept.update(created[0])
    assert.equal(authorityOf(kept), created[0]?.['ca.crt'])
    kept.update(undefined)
    assert.equal(created.length, 2)
    assert.notEqual(created[1]?.['ca.crt'], created[0]?.['ca.crt'])
    kept.close()
  })

  test('stays while the Secret cannot be used', () => {
    const errors: unknown[] = []
    const kept = new RotatingCertificate({
      names,
      create: () => Promise.resolve(),
      onError: (error) => errors.push(error),
    })
    kept.update(newAuthorityData(new Date()))
    const { current } = kept
    kept.update({ 'ca.crt': 'nonsense', 'ca.key': 'nonsense' })
    assert.equal(errors.length, 1)
    assert.equal(kept.current, current)
    kept.close()
  })

  test('is renewed half a day before it ends', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now })
    const kept = new RotatingCertificate({ names, create: () => Promise.resolve(), onError: unexpected })
    kept.update(newAuthorityData(now))
    let renewed = 0
    kept.follow(() => renewed++)
    const first = kept.current?.cert
    for (let hour = 0; hour < 11; hour++) t.mock.timers.tick(3_600_000)
    assert.deepEqual([renewed, kept.current?.cert], [0, first])
    t.mock.timers.tick(3_600_001)
    assert.equal(renewed, 1)
    assert.notEqual(kept.current?.cert, first)
    kept.close()
  })
})
