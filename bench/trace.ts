/** The cost of tracing: a client whose filter matches nothing, and one that follows every request. */
import http from 'node:http'
import { costUs, stopAll } from './proxy.ts'
import { configuration, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const ROUNDS = 5
const WARM_UP_SECONDS = 4

export const traceFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const gateway = await startGateway(
    configuration(`  - backends: [{ host: "${new URL(upstream.url).host}" }]`),
  )
  const load = { url: `${gateway.url}/`, connections: 32, seconds: 2 }
  await costUs(gateway.pid, { ...load, seconds: WARM_UP_SECONDS })
  const cost = () => costUs(gateway.pid, load)
  const watched = async (query: string) => {
    const stop = await watch(gateway.adminUrl, query)
    const us = await cost()
    stop()
    return us
  }
  const nobody = `expression=${encodeURIComponent('request.path == "/nobody"')}`
  const unmatched = await besideAlone(cost, () => watched(nobody))
  const followed = await besideAlone(cost, () => watched('follow=true'))
  await stopAll([upstream, gateway])
  return [
    { name: 'trace.unmatched.ratio', value: unmatched, unit: '× alone' },
    { name: 'trace.follow.ratio', value: followed, unit: '× alone' },
  ]
}

/** The cost of tracing beside that without it right before and after: the machine drifts. */
const besideAlone = async (alone: () => Promise<number>, watched: () => Promise<number>): Promise<number> => {
  const ratios: number[] = []
  let before = await alone()
  for (let round = 0; round < ROUNDS; round++) {
    const cost = await watched()
    const after = await alone()
    ratios.push((2 * cost) / (before + after))
    before = after
  }
  return median(ratios)
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
