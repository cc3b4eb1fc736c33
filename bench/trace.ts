/** What watching costs: a watcher whose filter matches nothing, and one that follows every request. */
import http from 'node:http'
import { costUs, stopAll } from './proxy.ts'
import { configuration, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const ROUNDS = 5

export const traceFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const gateway = await startGateway(
    configuration(`  - backends: [{ host: "${new URL(upstream.url).host}" }]`),
  )
  const load = { url: `${gateway.url}/`, connections: 32, seconds: 2 }
  await costUs(gateway.pid, load)
  const unmatched: number[] = []
  const followed: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await costUs(gateway.pid, load)
    const stop = await watch(
      gateway.adminUrl,
      `expression=${encodeURIComponent('request.path == "/nobody"')}`,
    )
    unmatched.push((await costUs(gateway.pid, load)) / alone)
    stop()
    const stopFollowing = await watch(gateway.adminUrl, 'follow=true')
    followed.push((await costUs(gateway.pid, load)) / alone)
    stopFollowing()
  }
  await stopAll([upstream, gateway])
  return [
    { name: 'trace.unmatched.ratio', value: median(unmatched), unit: '× alone' },
    { name: 'trace.follow.ratio', value: median(followed), unit: '× alone' },
  ]
}

/** Follows the trace, reading as fast as it can, until the returned function is called. */
const watch = (adminUrl: string, query: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const request = http.get(`${adminUrl}/debug/trace?${query}`, (res) => {
      res.once('data', () => {
        resolve(() => request.destroy())
      })
      res.on('data', () => undefined).on('error', () => undefined)
    })
    request.on('error', reject)
  })
