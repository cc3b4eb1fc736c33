import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIp } from '../../../src/protocols/ip/ip-address.ts'
import { parseIpRange } from '../../../src/protocols/ip/ip-range.ts'
import { isReachable } from '../../../src/upstream/dynamic/special-purpose-addresses.ts'

const reaches = (ip: string, ...allowed: string[]) =>
  isReachable(
    parseIp(ip)!,
    allowed.map((range) => parseIpRange(range)!),
  )

test('a destination address', async (t) => {
  for (const ip of [
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])
    await t.test(`may be ${ip}`, () => assert.equal(reaches(ip), true))

  const closed = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 fe80::1 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001:db8::1 2001::1 2001:10::1 3fff::1 5f00::1 100::1
    ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::10.0.0.1
    2002:7f00:1:: 2002:a00:1:: 2002:c0a8:101::1`
  for (const ip of closed.split(/\s+/))
    await t.test(`may not be ${ip}`, () => assert.equal(reaches(ip), false))

  for (const ip of ['::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1'])
    await t.test(`may be ${ip}, which contains a public one`, () => assert.equal(reaches(ip), true))

  await t.test('may be a private one in an allowed range, in any spelling', () => {
    assert.equal(reaches('10.1.2.3', '10.1.0.0/16'), true)
    assert.equal(reaches('::ffff:10.1.2.3', '10.1.0.0/16'), true)
    assert.equal(reaches('64:ff9b::10.1.2.3', '10.1.0.0/16'), true)
    assert.equal(reaches('10.2.0.1', '10.1.0.0/16'), false)
    assert.equal(reaches('fd00::1', 'fd00::/8'), true)
    assert.equal(reaches('127.0.0.1', '10.0.0.0/8'), false)
  })
})
