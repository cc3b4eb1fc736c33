import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CredentialMask } from '../../../../src/operators/llm/redact-credentials/credential-mask.ts'
import { CredentialPattern } from '../../../../src/operators/llm/redact-credentials/credential-pattern.ts'

const KEY = 'sk-proj-Zm9vYmFyYmF6cXV4-0123456789'
const ODD = 'p/ss+w0rd=with"all&kinds<of>'

const through = (pattern: CredentialPattern, chunks: readonly Buffer[]): string => {
  const mask = new CredentialMask(pattern)
  const parts = chunks.map((chunk) => Buffer.from(mask.push(chunk)))
  return Buffer.concat([...parts, mask.end()]).toString('latin1')
}

/** Every way to split some bytes in two, and all of them one by one. */
const cuts = function* (text: string): Generator<readonly Buffer[]> {
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)]
  for (const size of [1, 2, 3, 5, 7]) {
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
    yield chunks
  }
}

suite('redacting credentials in chunks', () => {
  test('replaces each with as many asterisks, wherever chunks end', () => {
    const pattern = new CredentialPattern([KEY])
    const text = `{"error":"Incorrect API key provided: ${KEY}.", "again":"${KEY}${KEY}", "sk":"sk-p"}`
    const expected = text.replaceAll(KEY, '*'.repeat(KEY.length))
    for (const chunks of cuts(text)) {
      const masked = through(pattern, chunks)
      // The part sent before the match is too short to be usable.
      assert.equal(masked.length, text.length)
      assert.equal(
        masked.replaceAll(/(?:\bs|\bsk|\bsk-)(?=\*{10})/g, (some) => '*'.repeat(some.length)),
        expected,
      )
      assert.ok(!masked.includes(KEY.slice(4, 16)), masked)
    }
  })

  test('detects truncated credentials', () => {
    const pattern = new CredentialPattern([KEY])
    assert.equal(through(pattern, [Buffer.from(`"${KEY.slice(0, 28)}..."`)]), `"${'*'.repeat(28)}..."`)
    assert.equal(
      through(pattern, [Buffer.from(`"${KEY.slice(0, 8)}****6789"`)]),
      `"${KEY.slice(0, 8)}****6789"`,
    )
  })

  test('detects credentials in JSON and URL escapes, and in base64', () => {
    for (const secret of [KEY, ODD]) {
      const pattern = new CredentialPattern([secret])
      const escaped = JSON.stringify(secret).slice(1, -1)
      const spelled = [
        secret,
        escaped,
        escaped.replaceAll('/', '\\/'),
        escaped.replaceAll(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
        // As .NET does.
        escaped.replaceAll(/[<>&'+]/g, (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`),
        encodeURIComponent(secret),
        encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
      ]
      for (const text of spelled) {
        assert.equal(through(pattern, [Buffer.from(`a ${text} b`)]), `a ${'*'.repeat(text.length)} b`)
        for (const chunks of cuts(`a ${text} b`))
          assert.ok(!through(pattern, chunks).includes(text.slice(4)), text)
      }
      for (const before of ['', 'a', 'ab', 'abc'])
        for (const kind of ['base64', 'base64url'] as const) {
          const masked = through(pattern, [Buffer.from(Buffer.from(`${before}${secret}!`).toString(kind))])
          const left = Buffer.from(masked.replaceAll('*', ''), 'base64').toString('latin1')
          assert.ok(!left.includes(secret.slice(2, -2)), masked)
          assert.match(masked, /\*{10}/)
        }
    }
  })

  test('leaves chunks without credentials unchanged', () => {
    const mask = new CredentialMask(new CredentialPattern([KEY]))
    for (const text of [
      'data: {"text":"hello"}\n\n',
      '',
      'x'.repeat(100_000),
      's',
      'k-proj, no key',
      'sk-',
      '\n',
    ]) {
      const chunk = Buffer.from(text)
      const shown = mask.push(chunk)
      assert.equal(Buffer.from(shown).toString(), text)
    }
    const chunk = Buffer.from('data: {"a":1}\n\n')
    assert.equal(mask.push(chunk), chunk)
    assert.equal(mask.end().length, 0)
  })

  test('leaves tokens with a similar prefix unchanged', () => {
    const header = Buffer.from('{"alg":"RS256","typ":"JWT","kid":"some-key"}').toString('base64url')
    const token = (claims: object) =>
      `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`
    const [ours, other] = [token({ iss: 'us', sub: 'gateway' }), token({ iss: 'us', sub: 'somebody' })]
    const pattern = new CredentialPattern([ours])
    assert.equal(through(pattern, [Buffer.from(`x ${other} y`)]), `x ${other} y`)
    assert.equal(through(pattern, [Buffer.from(`x ${ours} y`)]), `x ${'*'.repeat(ours.length)} y`)
  })
})
