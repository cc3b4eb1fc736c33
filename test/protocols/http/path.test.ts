import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PathRules, defaultPathRules } from '../../../src/protocols/http/path-rules.ts'
import { normalizeTarget } from '../../../src/protocols/http/path.ts'

const keeping: PathRules = { encodedSlashes: 'keep', mergeSlashes: false }
const merging: PathRules = { encodedSlashes: 'refuse', mergeSlashes: true }

const pathOf = (target: string, rules?: PathRules) => {
  const result = normalizeTarget(target, rules)
  return typeof result === 'string' ? result : result.path
}
const targetOf = (target: string, rules?: PathRules) => {
  const result = normalizeTarget(target, rules)
  return typeof result === 'string' ? result : result.target
}

test('normalizeTarget', async (t) => {
  await t.test('returns a normalized target unchanged', () => {
    const clean = [
      '/',
      '/index.html',
      '/a/b/c?x=1&y=%2e%2e/..',
      '/.well-known/agent.json',
      '/...',
      '/a/.../b',
      '/a..b/c.',
      '/a%20b/%C3%A9/%25',
      "/a;v=1/b!$&'()*+,=:@-_~",
      '//double//slash/',
      '/a?',
      '/a?b?c',
      '/x/%E2%82%AC',
    ]
    assert.deepEqual(
      clean.map((target) => targetOf(target)),
      clean,
    )
  })

  await t.test('splits at the first question mark', () => {
    assert.deepEqual(normalizeTarget('/a/b?c/../?d'), {
      target: '/a/b?c/../?d',
      path: '/a/b',
      query: '?c/../?d',
    })
    assert.deepEqual(normalizeTarget('/a/./b?'), { target: '/a/b?', path: '/a/b', query: '?' })
    assert.deepEqual(normalizeTarget('/a'), { target: '/a', path: '/a', query: '' })
  })

  await t.test('resolves dot segments in any encoding', () => {
    const table = {
      '/.': '/',
      '/..': '/',
      '/./': '/',
      '/../': '/',
      '/a/.': '/a/',
      '/a/..': '/',
      '/a/../': '/',
      '/a/b/..': '/a/',
      '/a/./b': '/a/b',
      '/a/../b': '/b',
      '/../../etc/passwd': '/etc/passwd',
      '/a/b/../../../c': '/c',
      '/a/%2e%2e/b': '/b',
      '/a/%2E%2e/b': '/b',
      '/a/.%2e/b': '/b',
      '/a/%2e./b': '/b',
      '/a/%2e/b': '/a/b',
      '/public/%2e%2e/admin?q': '/admin',
      '/a//../b': '/a/b',
      '/a/..?x': '/',
      '/a/..//b': '//b',
    }
    assert.deepEqual(Object.fromEntries(Object.keys(table).map((target) => [target, pathOf(target)])), table)
  })

  await t.test('gives every path one form', () => {
    const table = {
      '/%7Euser/%41%2d%5F': '/~user/A-_',
      '/%c3%a9': '/%C3%A9',
      '/\u00c3\u00a9': '/%C3%A9',
      '/a%3ab': '/a%3Ab',
      '/a"b<c>d[e]f^g`h{i|j}k': '/a%22b%3Cc%3Ed%5Be%5Df%5Eg%60h%7Bi%7Cj%7Dk',
      '/%2561dmin': '/%2561dmin',
      '/%252e%252e/a': '/%252e%252e/a',
    }
    assert.deepEqual(Object.fromEntries(Object.keys(table).map((target) => [target, pathOf(target)])), table)
  })

  await t.test('keeps the query unchanged, also after a rewritten path', () => {
    assert.equal(targetOf('/a/../b?%7e=%2e&x=%00%zz'), '/b?%7e=%2e&x=%00%zz')
  })

  await t.test('refuses ambiguous targets', () => {
    const table = {
      '': 'malformed_target',
      'a/b': 'malformed_target',
      '*': 'malformed_target',
      '?a': 'malformed_target',
      '/\u0100': 'malformed_target',
      '/a?\u0100': 'malformed_target',
      '/a#b': 'target_fragment',
      '/a?b#c': 'target_fragment',
      '/a b': 'target_control_character',
      '/a\tb': 'target_control_character',
      '/a\u0000b': 'target_control_character',
      '/a\r\nb': 'target_control_character',
      '/a\u007f': 'target_control_character',
      '/a?b c': 'target_control_character',
      '/a?b\nc': 'target_control_character',
      '/a/../b?\u007f': 'target_control_character',
      '/%00': 'target_control_character',
      '/a%0d%0ab': 'target_control_character',
      '/%7f': 'target_control_character',
      '/%': 'target_malformed_escape',
      '/%4': 'target_malformed_escape',
      '/%zz': 'target_malformed_escape',
      '/a%?b': 'target_malformed_escape',
      '/%u002e': 'target_malformed_escape',
      '/%2/a': 'target_malformed_escape',
      '/a%2fb': 'target_encoded_slash',
      '/a%2Fb': 'target_encoded_slash',
      '/a%5cb': 'target_encoded_slash',
      '/a\\b': 'target_encoded_slash',
      '/..%2fadmin': 'target_encoded_slash',
      '/..\\admin': 'target_encoded_slash',
      '/%c0%af': 'target_overlong_escape',
      '/%C0%AE%C0%AE/a': 'target_overlong_escape',
      '/%e0%80%af': 'target_overlong_escape',
      '/%f0%80%80%af': 'target_overlong_escape',
      '/\u00c0\u00af': 'target_overlong_escape',
      '/a/..;/admin': 'target_ambiguous_dot_segment',
      '/a/..;x=1/admin': 'target_ambiguous_dot_segment',
      '/a/%2e%2e;/admin': 'target_ambiguous_dot_segment',
      '/a/..%3b/admin': 'target_ambiguous_dot_segment',
      '/.;/admin': 'target_ambiguous_dot_segment',
      '/a/..;': 'target_ambiguous_dot_segment',
    }
    assert.deepEqual(Object.fromEntries(Object.keys(table).map((target) => [target, pathOf(target)])), table)
  })

  await t.test('keeps encoded slashes if configured, but no dot segments between them', () => {
    const table = {
      '/@scope%2fpackage': '/@scope%2Fpackage',
      '/a%5cb': '/a%5Cb',
      '/a\\b': '/a%5Cb',
      '/a%2Fb/../c': '/c',
      '/..%2fadmin': 'target_ambiguous_dot_segment',
      '/a%2f..': 'target_ambiguous_dot_segment',
      '/a%2f%2e%2e%2fb': 'target_ambiguous_dot_segment',
      '/a%5c.%5cb': 'target_ambiguous_dot_segment',
      '/a\\..\\b': 'target_ambiguous_dot_segment',
      '/a%2f..;x': 'target_ambiguous_dot_segment',
      '/a..%2f..b': '/a..%2F..b',
      '/%00': 'target_control_character',
    }
    assert.deepEqual(
      Object.fromEntries(Object.keys(table).map((target) => [target, pathOf(target, keeping)])),
      table,
    )
  })

  await t.test('merges repeated slashes if configured', () => {
    const table = {
      '//a': '/a',
      '/a//b': '/a/b',
      '/a///': '/a/',
      '//': '/',
      '/a//../b': '/b',
      '/a/.//b': '/a/b',
      '/a/..//b': '/b',
      '/a/b': '/a/b',
    }
    assert.deepEqual(
      Object.fromEntries(Object.keys(table).map((target) => [target, pathOf(target, merging)])),
      table,
    )
  })
})

const piece = fc.constantFrom(
  ...[
    '/',
    '//',
    '.',
    '..',
    ';',
    '%2e',
    '%2E',
    '%2f',
    '%5C',
    '\\',
    '%41',
    '%c3',
    '%a9',
    '%C0',
    '%AF',
    '%00',
    '%',
    '%2',
  ],
  ...['a', 'B', '~', '?', '#', ' ', '{', '\u00e9', '%25', '%3B', '%3a', '\n'],
)
const target = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary' }).map((text) => `/${text}`),
)
const rules = fc.record({
  encodedSlashes: fc.constantFrom('refuse' as const, 'keep' as const),
  mergeSlashes: fc.boolean(),
})

test('a normalized target', async (t) => {
  const holds = (property: (path: string, target: string, rules: PathRules) => void) =>
    fc.assert(
      fc.property(target, rules, (text, chosen) => {
        const result = normalizeTarget(text, chosen)
        if (typeof result !== 'string') property(result.path, result.target, chosen)
      }),
      { numRuns: 3000 },
    )

  await t.test('is its own normal form', () => {
    holds((_, normal, chosen) => assert.equal(targetOf(normal, chosen), normal))
  })

  await t.test('has no dot segments, plain or encoded, for any separator', () => {
    holds((path) => {
      const parts = path
        .replaceAll(/%2e/gi, '.')
        .replaceAll(/%3b/gi, ';')
        .split(/\/|\\|%2f|%5c/i)
      assert.ok(!parts.some((part) => /^\.\.?(;|$)/.test(part)), path)
    })
  })

  await t.test('has only URI characters', () => {
    holds((path) => assert.match(path, /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})*$/))
  })

  await t.test('has encoded or repeated slashes only if configured', () => {
    holds((path, _, chosen) => {
      if (chosen.encodedSlashes === 'refuse') assert.doesNotMatch(path, /%2F|%5C|\\/)
      if (chosen.mergeSlashes) assert.doesNotMatch(path, /\/\//)
    })
  })

  await t.test('resolves as in a browser, where both define it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('/', '.', '..', 'a', '%2e', 'b'), { maxLength: 10 }), (pieces) => {
        const text = `/x${pieces.join('')}`
        assert.equal(
          pathOf(text, defaultPathRules),
          new URL(`http://h${text}`).pathname.replaceAll('%2e', '.'),
        )
      }),
      { numRuns: 1000 },
    )
  })
})
