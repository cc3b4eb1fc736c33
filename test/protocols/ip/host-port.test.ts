import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostPortOrUnixText, hostPortText } from '../../../src/protocols/ip/host-port.ts'

test('the text of a host and a port has IPv6 addresses in brackets', () => {
  assert.deepEqual(
    [hostPortText('::1', 80), hostPortText('127.0.0.1', 80), hostPortText('example.com', 443)],
    ['[::1]:80', '127.0.0.1:80', 'example.com:443'],
  )
})

test('the text of a Unix socket is its path', () => {
  assert.equal(hostPortOrUnixText({ unix: '/run/a.sock' }), 'unix:/run/a.sock')
  assert.equal(hostPortOrUnixText({ host: '::1', port: 80 }), '[::1]:80')
})
