/** Memory: readers that stopped in the middle of large downloads, and clients that left. */
import net from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { stopAll } from './proxy.ts'
import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { run } from './support/load.ts'
import { residentBytes, start } from './support/program.ts'
import type { Figure } from './support/report.ts'

const READERS = 100
const ABORTS = Number(process.env.BENCH_ABORTS ?? 100_000)
const MEGABYTE = 1_000_000

export const memoryFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const gateway = await startGateway(
    configuration(`  - backends: [{ host: "${new URL(upstream.url).host}" }]`),
  )
  await run({ url: `${gateway.url}/`, connections: 32, seconds: 3 })
  const readers = await stoppedReaders(gateway)
  await abort(gateway, 5_000)
  const before = await gateway.heapBytes()
  await abort(gateway, ABORTS)
  await wait(1_000)
  const growth = (await gateway.heapBytes()) - before
  await stopAll([upstream, gateway])
  return [
    {
      name: 'readers.rssGrowthMb',
      value: readers / MEGABYTE,
      unit: 'MB',
      note: `${READERS} stopped readers of 100 MB`,
    },
    {
      name: 'aborts.heapGrowthMb',
      value: growth / MEGABYTE,
      unit: 'MB',
      note: `after ${ABORTS} aborted requests`,
    },
  ]
}

const stoppedReaders = async (gateway: Gateway): Promise<number> => {
  const before = residentBytes(gateway.pid)
  const sockets = await Promise.all(Array.from({ length: READERS }, () => connect(gateway)))
  for (const socket of sockets) {
    socket.pause()
    socket.write('GET /100m HTTP/1.1\r\nhost: bench\r\n\r\n')
  }
  let most = 0
  for (let i = 0; i < 20; i++) {
    await wait(250)
    most = Math.max(most, residentBytes(gateway.pid))
  }
  for (const socket of sockets) socket.destroy()
  return most - before
}

/** Half disconnect during the request, half in the middle of the response. */
const abort = async (gateway: Gateway, count: number): Promise<void> => {
  const one = async (i: number): Promise<void> => {
    const socket = await connect(gateway)
    socket.write(`GET /${i % 2 ? '100k' : ''} HTTP/1.1\r\nhost: bench\r\n\r\n`)
    if (i % 2) await new Promise((resolve) => socket.once('data', resolve))
    socket.resetAndDestroy()
  }
  for (let i = 0; i < count; i += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => one(i + k)))
}

const connect = (gateway: Gateway): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1', () => {
      resolve(socket)
    })
    socket.on('error', reject)
  })
