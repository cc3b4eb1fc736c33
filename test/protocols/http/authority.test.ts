import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseAuthority, sameAuthority } from '../../../src/protocols/http/authority.ts'

test('parseAuthority', async (t) => {
  await t.test('parses names, addresses and ports in their canonical form', () => {
    const table = {
      'example.com': ['example.com', undefined, 'example.com'],
      'example.com:80': ['example.com', 80, 'example.com:80'],
      'Example.COM:8080': ['example.com', 8080, 'example.com:8080'],
      'example.com.': ['example.com', undefined, 'example.com'],
      'EXAMPLE.com.:1': ['example.com', 1, 'example.com:1'],
      my_service: ['my_service', undefined, 'my_service'],
      'a-b.c:65535': ['a-b.c', 65535, 'a-b.c:65535'],
      '127.0.0.1:3000': ['127.0.0.1', 3000, '127.0.0.1:3000'],
      '[::1]': ['[::1]', undefined, '[::1]'],
      '[2001:DB8:0:0::1]:443': ['[2001:db8::1]', 443, '[2001:db8::1]:443'],
      '[::ffff:10.0.0.1]': ['[::ffff:10.0.0.1]', undefined, '[::ffff:10.0.0.1]'],
    }
    const read = Object.keys(table).map((text) => {
      const found = parseAuthority(text)
      return [text, found && [found.host, found.port, found.authority]]
    })
    assert.deepEqual(Object.fromEntries(read), table)
  })

  await t.test('refuses everything else', () => {
    const hostile = [
      ...[
        '',
        ' ',
        '.',
        '..',
        'a..b',
        '.a',
        'a..',
        ':80',
        'a:',
        'a:0',
        'a:65536',
        'a:080',
        'a:8o',
        'a:-1',
        'a:+1',
      ],
      ...[
        'a:1:2',
        'user@a',
        'user:pass@a',
        'a b',
        'a\t',
        ' a',
        'a,b',
        'a/b',
        'a?b',
        'a#b',
        'a\\b',
        'a%41',
        'a\u0000',
      ],
      ...[
        'ä.example',
        '\u212a.example',
        '*',
        '*.example.com',
        '[',
        '[]',
        '[::1',
        '::1',
        '[::1]x',
        '[::1]:',
        '[::1]:0',
      ],
      ...[
        '[::1%25eth0]',
        '[fe80::1%eth0]',
        '[1.2.3.4]',
        '[v1.a]',
        '[::1]]',
        '[[::1]]',
        '[:::]',
        '[1:2:3:4:5:6:7:8:9]',
      ],
      ...[
        'a:123456',
        'a: 80',
        'a:80 ',
        `${'a'.repeat(254)}:100000`,
        'a'.repeat(261),
        '"a"',
        'a;b',
        'a=b',
        "a'b",
      ],
    ]
    assert.deepEqual(
      hostile.filter((text) => parseAuthority(text) !== undefined),
      [],
    )
  })

  await t.test('parses its own output as the same, and never throws', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('a', 'B', '.', ':', '8', '0', '[', ']', '::', '-', '_', '@'), {
          maxLength: 12,
        })
        .map((p) => p.join('')),
    )
    fc.assert(
      fc.property(text, (given) => {
        const first = parseAuthority(given)
        if (first) assert.deepEqual(parseAuthority(first.authority), first)
      }),
      { numRuns: 1000 },
    )
  })
})

test('sameAuthority treats a missing port as the default', () => {
  const [plain, port80, port81] = ['a', 'a:80', 'a:81'].map((text) => parseAuthority(text)!)
  assert.ok(sameAuthority(plain!, port80!, 80))
  assert.ok(!sameAuthority(plain!, port80!, 443))
  assert.ok(!sameAuthority(plain!, port81!, 80))
})
