import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { toAbsoluteForm } from '../../../src/upstream/http/absolute-form.ts'

const request = (target: string, ...headers: string[]) => ({
  method: 'GET',
  target,
  headers,
  body: emptyBody,
})

suite('a request to an HTTP proxy', () => {
  test('has its target in absolute form, and as its host', () => {
    const { target, headers } = toAbsoluteForm(
      request('/a?b', 'x', '1', 'Host', 'a'),
      'up.example:8080',
      undefined,
    )
    assert.equal(target, 'http://up.example:8080/a?b')
    assert.deepEqual(headers, ['host', 'up.example:8080', 'x', '1'])
  })

  test('has no default port', () => {
    const { target, headers } = toAbsoluteForm(request('/'), 'up.example:80', undefined)
    assert.equal(target, 'http://up.example/')
    assert.deepEqual(headers, ['host', 'up.example'])
    assert.equal(toAbsoluteForm(request('/'), '[::1]:80', undefined).target, 'http://[::1]/')
    assert.equal(toAbsoluteForm(request('/'), 'up.example:8080', undefined).target, 'http://up.example:8080/')
  })

  test('may be about the whole server', () => {
    assert.equal(toAbsoluteForm(request('*'), 'up.example:80', undefined).target, 'http://up.example')
  })

  test('has no other host, whatever its target begins with', () => {
    for (const target of ['.evil.example/', '@evil.example/', ':81/', '?a', 'http://evil.example/'])
      assert.equal(
        new URL(toAbsoluteForm(request(target), 'up.example:80', undefined).target).host,
        'up.example',
      )
    assert.equal(
      toAbsoluteForm(request('//evil.example/'), 'up.example:80', undefined).target,
      'http://up.example//evil.example/',
    )
  })

  test('has the credential of the gateway and not that of the client', () => {
    const { headers } = toAbsoluteForm(request('/', 'Proxy-Authorization', 'Basic a'), 'a:1', 'Bearer b')
    assert.deepEqual(headers, ['host', 'a:1', 'proxy-authorization', 'Bearer b'])
    assert.deepEqual(
      toAbsoluteForm(request('/', 'proxy-authorization', 'Basic a'), 'a:1', undefined).headers,
      ['host', 'a:1'],
    )
  })
})
