import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCurl } from '../../../src/cli/curl/parse-curl.ts'
import { shellWords } from '../../../src/cli/recorded/shell-words.ts'

test('a request in the words of curl', async (t) => {
  const fields = async (...args: readonly string[]) => {
    const { rawHeaders } = await parseCurl(args)
    return rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1] ?? ''}`] : []))
  }

  await t.test('has a method, a URL and the fields that curl would send', async () => {
    const { method, host, port, target, serverName } = await parseCurl(['PUT', 'https://API.test/a?b=c#d'])
    assert.deepEqual([method, host, port, target, serverName], ['PUT', 'api.test', 443, '/a?b=c', 'api.test'])
    assert.deepEqual(await fields('localhost:3000'), [
      'host: localhost:3000',
      'user-agent: agctl',
      'accept: */*',
    ])
  })

  await t.test('keeps the path as it is written', async () => {
    assert.equal((await parseCurl(['http://a.test/b/../%2e//c'])).target, '/b/../%2e//c')
    assert.equal((await parseCurl(['http://a.test?q'])).target, '/?q')
    assert.equal((await parseCurl(['http://[::1]:80/'])).host, '::1')
  })

  await t.test('posts data, and puts it into the query with -G', async () => {
    const { method, body } = await parseCurl(['http://a.test', '-da=1', '--data', 'b=2'])
    assert.deepEqual([method, body?.toString()], ['POST', 'a=1&b=2'])
    assert.ok((await fields('http://a.test', '--json', '{}')).includes('content-type: application/json'))
    const { target, method: get } = await parseCurl(['-G', 'http://a.test/?x', '-d', 'a=1'])
    assert.deepEqual([get, target], ['GET', '/?x&a=1'])
  })

  await t.test('sends fields, empty ones, credentials and cookies', async () => {
    const all = await fields('http://u:p@a.test', '-HHost: b.test', '-H', 'X-Empty;', '-b', 'c=d', '-A', 'me')
    assert.deepEqual(all.sort(), [
      'Host: b.test',
      'X-Empty: ',
      'accept: */*',
      'authorization: Basic dTpw',
      'cookie: c=d',
      'user-agent: me',
    ])
  })

  await t.test('refuses what it does not understand', async () => {
    for (const args of [
      [],
      ['-X'],
      ['http://a b/'],
      ['ftp://a/'],
      ['http://a/', '-H', 'none'],
      ['http://a/', 'http://b/'],
    ])
      await assert.rejects(parseCurl(args), { name: 'CommandFailure', exitCode: 2 }, args.join(' '))
  })

  await t.test('is read from a line of a shell', () => {
    assert.deepEqual(shellWords(`curl -H 'x: "y"' "a\\"b" c\\ d '' `), [
      'curl',
      '-H',
      'x: "y"',
      'a"b',
      'c d',
      '',
    ])
  })
})
