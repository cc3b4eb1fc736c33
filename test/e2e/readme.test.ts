import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startDaemon } from '../support/daemon.ts'

const readme = readFileSync('README.md', 'utf8')

/** Requests of the README's first minute: a path of the gateway and a body. */
const requests = [...readme.matchAll(/^curl http:\/\/127\.0\.0\.1:3000(\S*) -d '(.*)'$/gm)].map(
  ([, path = '', body = '']) => ({ path, body }),
)

/** Their responses in parts; `…` leaves something out between them. */
const responses = [...readme.matchAll(/^\{"id":.*$/gm)].map(([line]) => line.split(/ ?… ?/))

/** Whether `text` consists of `parts` in order, with gaps between them only. */
const isMadeOf = (text: string, parts: readonly string[]): boolean => {
  let at = 0
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.startsWith(parts[0] ?? '') && text.endsWith(parts.at(-1) ?? '')
}

test('the first minute of the README', async (t) => {
  const configuration = readFileSync('config/gateway.yaml', 'utf8').replaceAll(/port: \d+/g, 'port: 0')
  const addresses = { ADMIN_ADDR: '127.0.0.1:0', STATS_ADDR: '127.0.0.1:0', READINESS_ADDR: '127.0.0.1:0' }
  await using daemon = await startDaemon(configuration, { env: { ...addresses, CONFIG_DIR: 'config' } })

  await t.test('has a response for each request', () => {
    assert.deepEqual([requests.length, responses.length], [2, 2])
  })

  for (const [i, { path, body }] of requests.entries())
    await t.test(`shows the response of ${path}`, async () => {
      const response = await fetch(`${daemon.url('default')}${path}`, { method: 'POST', body })
      const text = await response.text()
      assert.ok(isMadeOf(text, responses[i] ?? []), text)
    })
})
