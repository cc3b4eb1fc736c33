import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { derSequence } from '../../../src/protocols/x509/der.ts'
import { issueAuthority } from '../../../src/protocols/x509/issue-authority.ts'
import { commonName, signCertificate } from '../../../src/protocols/x509/sign-certificate.ts'
import { isVerifiedClientChain } from '../../../src/protocols/x509/verify-client-chain.ts'
import { type Authority, type CertificateTraits, makeAuthority } from '../../support/certificates.ts'

type Held = Pick<Authority, 'cert'>

const root = makeAuthority()
const intermediate = root.issueAuthority('intermediate')
const [rsa, rsaToo, rsaStranger] = [makeAuthority('rsa'), makeAuthority('rsa'), makeAuthority('rsa')]
const authorities = [root, rsa, rsaToo, rsaStranger]
after(() => {
  for (const authority of authorities) authority[Symbol.dispose]()
})

const parsed = ({ cert }: Held) => new X509Certificate(cert)
const isVerified = (presented: readonly Held[], bundle: readonly Held[], at = new Date()) =>
  isVerifiedClientChain(presented.map(parsed), bundle.map(parsed), at)

/** What OpenSSL makes of it as the server of TLS, with its default security level. */
const isVerifiedByOpenssl = (presented: readonly Held[], bundle: readonly Held[]): boolean => {
  const files = ['leaf', 'others', 'bundle'].map((name) => join(root.folder, `${name}.verify.pem`))
  const [leaf = '', others = '', trusted = ''] = files
  const texts = [presented.slice(0, 1), presented.slice(1), bundle]
  files.forEach((path, i) => writeFileSync(path, texts[i]?.map(({ cert }) => cert).join('') ?? ''))
  const options = ['-purpose', 'sslclient', '-auth_level', '2', '-no-CApath', '-CAfile', trusted]
  const untrusted = presented.length > 1 ? ['-untrusted', others] : []
  try {
    execFileSync('openssl', ['verify', ...options, ...untrusted, leaf], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

let count = 0
const leafOf = (authority: Authority, traits: CertificateTraits = {}) =>
  authority.issue(`client-${++count}`, undefined, traits)
const withLines = (...extensions: readonly string[]): CertificateTraits => ({ extensions })
const below = (authority: Authority, traits?: CertificateTraits) =>
  authority.issueAuthority(`authority-${++count}`, traits)
const rootWith = (...extensions: readonly string[]): Authority => {
  const authority = makeAuthority('ec', { extensions })
  authorities.push(authority)
  return authority
}
const issuedBelow = (authority: Authority, traits?: CertificateTraits) => {
  const issuer = below(authority, traits)
  return [[leafOf(issuer), issuer], [authority]] as const
}
const CA = 'basicConstraints=critical,CA:TRUE'
const SIGNS = 'keyUsage=critical,keyCertSign'

const verified: Readonly<Record<string, () => readonly [readonly Held[], readonly Held[]]>> = {
  'an authority of the bundle has issued': () => [[leafOf(root)], [root]],
  'comes with an intermediate authority': () => [[leafOf(intermediate), intermediate], [root]],
  'comes with its authorities in any order, and with others': () => {
    const second = below(intermediate)
    return [[leafOf(second), root, rsa, intermediate, second], [root]]
  },
  'has an intermediate authority in the bundle': () => [[leafOf(intermediate)], [intermediate, root]],
  'has a chain of eight': () => {
    const chain = [root]
    for (let i = 0; i < 6; i++) chain.unshift(below(chain[0] ?? root))
    return [[leafOf(chain[0] ?? root), ...chain.slice(0, -1)], [root]]
  },
  'signs itself, and is in the bundle': () => {
    const own = rootWith('basicConstraints=CA:FALSE', 'keyUsage=digitalSignature')
    return [[own], [own]]
  },
  'is for clients, and says so everywhere': () => {
    const issuer = below(rootWith(CA, SIGNS, 'extendedKeyUsage=clientAuth'), {
      extensions: [CA, SIGNS, 'extendedKeyUsage=serverAuth,clientAuth'],
    })
    const usage = ['keyUsage=critical,digitalSignature', 'extendedKeyUsage=critical,clientAuth']
    return [[leafOf(issuer, withLines(...usage)), issuer], [authorities.at(-1) ?? root]]
  },
  'is of an authority that may have none below it': () => {
    const authority = rootWith('basicConstraints=critical,CA:TRUE,pathlen:0')
    return [[leafOf(authority)], [authority]]
  },
  'has an extension that may be ignored': () => [
    [leafOf(root, withLines('1.2.3.4=ASN1:UTF8String:x'))],
    [root],
  ],
  'has a key for Ed25519': () => [[leafOf(root, { newKey: ['-newkey', 'ed25519'] })], [root]],
  'has a signature of RSA-PSS with SHA-256': () => [
    [leafOf(rsa, { signing: ['-sha256', '-sigopt', 'rsa_padding_mode:pss'] })],
    [rsa],
  ],
}

const refused: typeof verified = {
  'is missing': () => [[], [root]],
  'has no authority in the bundle': () => [[leafOf(rsa)], [root]],
  'has a bundle without authorities': () => [[leafOf(root)], []],
  'is of another authority with the name of one in the bundle': () => [[leafOf(rsaStranger)], [rsa, rsaToo]],
  'brings its own authority': () => [[leafOf(rsaStranger), rsaStranger], [rsa]],
  'signs itself, and is not in the bundle': () => [[rsaStranger], [root, rsa]],
  'lacks an intermediate authority': () => [[leafOf(intermediate)], [root]],
  'leads to an authority of the bundle that does not sign itself': () => [
    [leafOf(intermediate)],
    [intermediate],
  ],
  'is in the bundle, and does not sign itself': () => {
    const leaf = leafOf(intermediate)
    return [[leaf], [leaf]]
  },
  'is for servers only': () => [[leafOf(root, withLines('extendedKeyUsage=serverAuth'))], [root]],
  'is of an intermediate authority for servers only': () =>
    issuedBelow(root, withLines(CA, SIGNS, 'extendedKeyUsage=serverAuth')),
  'is of an authority for servers only': () => {
    const authority = rootWith(CA, SIGNS, 'extendedKeyUsage=serverAuth')
    return [[leafOf(authority)], [authority]]
  },
  'has a key that may not sign': () => [[leafOf(root, withLines('keyUsage=keyEncipherment'))], [root]],
  'was issued by a certificate of no authority': () =>
    issuedBelow(root, withLines('basicConstraints=critical,CA:FALSE')),
  'was issued by a certificate that does not call itself an authority': () =>
    issuedBelow(root, withLines('subjectAltName=DNS:a.test')),
  'was issued by an authority that may not sign certificates': () =>
    issuedBelow(root, withLines(CA, 'keyUsage=cRLSign')),
  'was issued by an authority below one that may have none': () =>
    issuedBelow(rootWith('basicConstraints=critical,CA:TRUE,pathlen:0')),
  'was issued below an intermediate authority that may have none below it': () => {
    const limited = below(root, withLines('basicConstraints=critical,CA:TRUE,pathlen:0'))
    const issuer = below(limited)
    return [[leafOf(issuer), issuer, limited], [root]]
  },
  'has an unknown critical extension': () => [
    [leafOf(root, withLines('1.2.3.4=critical,ASN1:UTF8String:x'))],
    [root],
  ],
  'is of an authority with an unknown critical extension': () =>
    issuedBelow(root, withLines(CA, '1.2.3.4=critical,ASN1:UTF8String:x')),
  'is signed with SHA-1': () => [[leafOf(rsa, { signing: ['-sha1'] })], [rsa]],
  'is signed with MD5': () => [[leafOf(rsa, { signing: ['-md5'] })], [rsa]],
  'is signed with RSA-PSS and SHA-1': () => [
    [leafOf(rsa, { signing: ['-sha1', '-sigopt', 'rsa_padding_mode:pss'] })],
    [rsa],
  ],
  'is of an intermediate authority that is signed with SHA-1': () => issuedBelow(rsa, { signing: ['-sha1'] }),
  'has a short key': () => [[leafOf(rsa, { newKey: ['-newkey', 'rsa:1024'] })], [rsa]],
  'is of an authority with a short key': () => issuedBelow(rsa, { newKey: ['-newkey', 'rsa:1024'] }),
  'has a key on a small curve': () => [
    [leafOf(root, { newKey: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime192v1'] })],
    [root],
  ],
}

suite('the certificate of a client is verified, as OpenSSL does, if it', () => {
  for (const [name, make] of Object.entries(verified))
    test(name, () => {
      const [presented, bundle] = make()
      assert.equal(isVerified(presented, bundle), true)
      assert.equal(isVerifiedByOpenssl(presented, bundle), true)
    })
})

suite('the certificate of a client is not verified, as OpenSSL does, if it', () => {
  for (const [name, make] of Object.entries(refused))
    test(name, () => {
      const [presented, bundle] = make()
      assert.equal(isVerified(presented, bundle), false)
      assert.equal(isVerifiedByOpenssl(presented, bundle), false)
    })
})

suite('the certificate of a client is not verified', () => {
  const years = (count: number) => new Date(Date.now() + count * 365 * 86_400_000)

  test('before and after its time, or that of an authority above it', () => {
    assert.equal(isVerified([leafOf(root)], [root], years(9)), true)
    for (const at of [years(11), years(-1), new Date(NaN)])
      assert.equal(isVerified([leafOf(root)], [root], at), false)
    const issuer = below(root, { days: 30 })
    for (const [count, expected] of [
      [0, true],
      [1, false],
    ] as const)
      assert.equal(isVerified([leafOf(issuer), issuer], [root], years(count)), expected)
    const short = makeAuthority('ec', { days: 30 })
    authorities.push(short)
    assert.equal(isVerified([leafOf(short)], [short], years(1)), false)
  })

  test('if there are constraints for names in its chain, whether they are critical or not', () => {
    for (const critical of ['', 'critical,']) {
      const constraints = `nameConstraints=${critical}permitted;DNS:.test`
      const issuer = below(root, withLines(CA, constraints))
      assert.equal(isVerified([leafOf(issuer), issuer], [root]), false)
      const authority = rootWith(CA, constraints)
      assert.equal(isVerified([leafOf(authority)], [authority]), false)
    }
  })

  test('if its chain is longer than eight, or more than eight are presented', () => {
    const chain = [root]
    for (let i = 0; i < 7; i++) chain.unshift(below(chain[0] ?? root))
    assert.equal(isVerified([leafOf(chain[0] ?? root), ...chain.slice(0, -1)], [root]), false)
    // Also if those of the client are few.
    assert.equal(isVerified([leafOf(chain[0] ?? root)], chain), false)
    const leaf = leafOf(root)
    assert.equal(isVerified([leaf, ...Array<Held>(7).fill(intermediate)], [root]), true)
    assert.equal(isVerified([leaf, ...Array<Held>(8).fill(intermediate)], [root]), false)
  })

  test('if more than 64 signatures would have to be checked', () => {
    const [notBefore, notAfter] = [years(-1), years(1)]
    const made = Array.from({ length: 65 }, () => {
      const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      return { ...keys, cert: issueAuthority({ name: 'same', ...keys, notBefore, notAfter }) }
    })
    const leafBy = (index: number): Held => {
      const { publicKey, privateKey } = made[index] ?? assert.fail()
      const [issuer, subject] = ['same', 'client'].map((name) => derSequence(commonName(name)))
      if (!issuer || !subject) return assert.fail()
      const content = { issuer, subject, publicKey, notBefore, notAfter, extensions: [] }
      return { cert: signCertificate(content, privateKey) }
    }
    assert.equal(isVerified([leafBy(63)], made), true)
    assert.equal(isVerified([leafBy(64)], made), false)
  })
})

test('several authorities may have the same name: all are tried, where OpenSSL tries one', () => {
  for (const issuer of [rsa, rsaToo]) assert.equal(isVerified([leafOf(issuer)], [root, rsa, rsaToo]), true)
  assert.equal(isVerified([leafOf(rsaStranger)], [root, rsa, rsaToo]), false)
})

test('a purpose that is every purpose is for clients too', () => {
  const any = leafOf(root, withLines('extendedKeyUsage=anyExtendedKeyUsage'))
  assert.equal(isVerified([any], [root]), true)
})
