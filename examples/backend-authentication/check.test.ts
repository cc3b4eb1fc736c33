import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'
import { sendRequest } from '../../test/support/send-request.ts'
import { echoed, startEcho } from '../../test/support/echo-upstream.ts'
import { startExample } from '../../test/support/example.ts'
import { startTokenServer } from '../../test/support/token-server.ts'

test('examples/backend-authentication', async (t) => {
  await using echo = await startEcho('backend')
  await using tokens = await startTokenServer()
  await using daemon = await startExample('backend-authentication', {
    WEATHER: echo.host,
    STOCK: echo.host,
    ORDERS: echo.host,
    TOKEN_HOST: tokens.host,
    TOKEN_URL: `http://${tokens.host}/oauth/token`,
    WEATHER_KEY: 'w34ther',
    CLIENT_SECRET: 's3cr3t',
  })
  const url = daemon.url('default')

  await t.test('sends an API key', async () => {
    assert.equal(echoed(await sendRequest(url, '/weather')).headers['x-api-key'], 'w34ther')
  })

  await t.test('sends an access token of the gateway, which serves more than one request', async () => {
    for (let i = 0; i < 2; i++)
      assert.equal(echoed(await sendRequest(url, '/stock')).headers.authorization, 'Bearer token-1')
    assert.deepEqual(tokens.asked[0]?.parameters, {
      grant_type: 'client_credentials',
      audience: 'https://stock.example.com',
      client_id: 'gateway',
      client_secret: 's3cr3t',
    })
  })

  await t.test('exchanges the token of the user, and refuses requests without one', async () => {
    const answer = await sendRequest(url, '/orders', { headers: { authorization: 'Bearer of-alice' } })
    assert.equal(echoed(answer).headers.authorization, 'Bearer token-2')
    assert.equal(tokens.asked[1]?.parameters.subject_token, 'of-alice')
    assert.equal((await sendRequest(url, '/orders')).status, 400)
  })

  await t.test('has a valid configuration for AWS signatures', () => {
    const text = readFileSync('examples/backend-authentication/aws.yaml', 'utf8')
    assert.deepEqual(parseConfig(text, 'aws.yaml', {}).warnings, [])
  })

  await t.test('keeps its secrets out of the log', () => {
    assert.doesNotMatch(daemon.output(), /s3cr3t|w34ther/)
  })
})
