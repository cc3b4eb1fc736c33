import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAuthority } from '../../../src/protocols/http/authority.ts'
import { permission } from '../../../src/upstream/dynamic/allowed-destinations.ts'

const allows = (text: string, hosts: readonly string[], ports: readonly number[] = [], port?: number) => {
  const authority = parseAuthority(text)
  return (
    authority !== undefined &&
    permission({ hosts, ports, privateRanges: [] }).names(authority, port ?? authority.port ?? 80)
  )
}

test('the list of allowed destinations', async (t) => {
  await t.test('allows nothing if it is empty', () => {
    assert.equal(allows('example.com', []), false)
  })

  await t.test('matches exact names in any case, with or without a final dot', () => {
    assert.equal(allows('Example.COM.', ['example.com']), true)
    assert.equal(allows('example.com', ['Example.Com']), true)
    assert.equal(allows('sub.example.com', ['example.com']), false)
    assert.equal(allows('example.com.evil.test', ['example.com']), false)
    assert.equal(allows('notexample.com', ['example.com']), false)
  })

  await t.test('matches the names below a suffix, and not the suffix itself', () => {
    assert.equal(allows('a.example.com', ['*.example.com']), true)
    assert.equal(allows('a.b.example.com', ['*.example.com']), true)
    assert.equal(allows('example.com', ['*.example.com']), false)
    assert.equal(allows('xexample.com', ['*.example.com']), false)
  })

  await t.test('limits ports, and allows all without a port', () => {
    assert.equal(allows('example.com:8080', ['example.com']), true)
    assert.equal(allows('example.com:8080', ['example.com'], [443]), false)
    assert.equal(allows('example.com', ['example.com'], [443], 443), true)
  })

  await t.test('matches addresses only as they are written, or with a star', () => {
    assert.equal(allows('93.184.216.34', ['93.184.216.34']), true)
    assert.equal(allows('93.184.216.34', ['*']), true)
    assert.equal(allows('93.184.216.34', ['*.34']), false)
    assert.equal(allows('[2606:4700:0::1111]', ['2606:4700::1111']), true)
    assert.equal(allows('[2606:4700::1111]', ['[2606:4700::1111]']), true)
  })

  for (const disguised of [
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.01',
    'a.0x7f',
    '1.2.3.4.5',
  ])
    await t.test(`refuses ${disguised} as a name, whatever is allowed`, () => {
      assert.equal(allows(disguised, ['*', disguised]), false)
    })

  await t.test('refuses an address in another spelling than the canonical one', () => {
    const list = permission({ hosts: ['*'], ports: [], privateRanges: [] })
    assert.equal(list.reaches('8.8.8.8'), true)
    assert.equal(list.reaches('010.8.8.8'), false)
    assert.equal(list.reaches('fe80::1%eth0'), false)
    assert.equal(list.reaches('nonsense'), false)
  })
})
