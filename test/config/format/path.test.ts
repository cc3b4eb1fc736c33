import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchPath } from '../../../src/config/format/http-fields.ts'
import { normalPath } from '../../../src/config/format/path.ts'
import { normalizeTarget } from '../../../src/protocols/http/path.ts'

test('a configured path', async (t) => {
  const spellings: Readonly<Record<string, string>> = {
    '/%61dmin': '/admin',
    '/caf%c3%a9': '/caf%C3%A9',
    '/café': '/caf%C3%A9',
    '/a|b"{c}': '/a%7Cb%22%7Bc%7D',
    '/%7euser': '/~user',
    '/a%3ab': '/a%3Ab',
    '/a:b;c=d@e': '/a:b;c=d@e',
    '/a\\b': '/a%5Cb',
    '/%2561': '/%2561',
    '//a///b': '//a///b',
  }
  for (const [written, meant] of Object.entries(spellings))
    await t.test(`${written} means ${meant}`, () => {
      assert.equal(normalPath(written), meant)
    })

  await t.test('has single slashes, like normalized requests', () => {
    assert.equal(normalPath('//a///b/', true), '/a/b/')
  })

  await t.test('is normalized like requests are for matching, or refused', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      ';',
      'a',
      'é',
      '"',
      '\\',
      '%61',
      '%00',
      '%',
      '%c0%ae',
      '%25',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, mergeSlashes) => {
        const written = `/${pieces.join('')}`
        if (matchPath(written) !== undefined) return
        const meant = normalPath(written, mergeSlashes)
        // A client sends the path of the file as bytes, not as characters.
        const sent = Buffer.from(written).toString('latin1')
        const asked = normalizeTarget(sent, { encodedSlashes: 'keep', mergeSlashes })
        // Refused requests never match a route.
        if (typeof asked === 'object') assert.equal(asked.path, meant)
      }),
      { numRuns: 3_000 },
    )
  })
})
