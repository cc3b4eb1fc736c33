import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../../test/support/send-request.ts'
import { command } from '../../test/support/command.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

const folder = 'examples/first-gateway'
const textOf = (file: string) => readFileSync(`${folder}/${file}`, 'utf8')

/** The output of `jq` in the guide. */
const summary = ({ message }: { message: Readonly<Record<string, string | number | null>> }): string =>
  ['type', 'stage', 'kind', 'selectedRoute', 'target', 'status']
    .map((field) => message[field])
    .filter((value) => value !== undefined && value !== null)
    .join(' ')

test('examples/first-gateway', async (t) => {
  await using service = await startUpstream((_, res) => res.end('orders'))
  await using daemon = await startExample('first-gateway', { SERVICE: service.host })
  const url = daemon.url('default')

  await t.test('replies to one path itself, and forwards the rest', async () => {
    assert.equal((await sendRequest(url, '/hello')).text, 'Hello.')
    const { text, headers } = await sendRequest(url, '/orders')
    assert.deepEqual([text, headers['x-served-by']], ['orders', 'my-gateway'])
  })

  await t.test('traces a request', async () => {
    const watching = await fetch(`${daemon.url('admin')}/debug/trace`)
    const trace = watching.text()
    await sendRequest(url, '/orders')
    const lines = (await trace).split('\n').filter((line) => line.startsWith('data: '))
    const events = lines.map((line) =>
      summary(JSON.parse(line.slice('data: '.length)) as Parameters<typeof summary>[0]),
    )
    assert.equal(`${events.join('\n')}\n`, textOf('trace.txt').replace('127.0.0.1:9000', service.host))
  })

  await t.test('reports all problems of a file at once', async () => {
    const main = ['src/main.ts', '-f', `${folder}/wrong.yaml`, '--validate-only']
    const { status, stderr } = await command(process.execPath, main)
    assert.deepEqual([status, stderr], [1, textOf('wrong.txt')])
  })

  await t.test('loads a valid change, and ignores an invalid one', async () => {
    daemon.rewrite(textOf('wrong.yaml'))
    await daemon.printed(/Failed to reload config.*gateways\.default\.port/s)
    assert.equal((await sendRequest(url, '/hello')).text, 'Hello.')
    daemon.rewrite(textOf('config.yaml').replace('Hello.', 'Good evening.'))
    while ((await sendRequest(url, '/hello')).text !== 'Good evening.') await setTimeout(20)
  })
})
