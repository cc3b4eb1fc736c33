/** The cost of traces for a collector: none recorded, every request recorded, and every request in the exported log. */
import { costUs, stopAll } from './proxy.ts'
import { configuration, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const ROUNDS = 5
const WARM_UP_SECONDS = 4
/** As in every configuration of the benches. */
const noLog = "accessLog: { filter: 'false' }"

export const otlpFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const { host } = new URL(upstream.url)
  const routes = `  - backends: [{ host: "${host}" }]`
  // The upstream takes any request, so that it serves as a collector too.
  const collector = `{ host: "${host}", protocol: http`
  const variants = {
    unsampled: `${noLog}, tracing: ${collector} }`,
    sampled: `${noLog}, tracing: ${collector}, randomSampling: true }`,
    logged: `accessLog: { filter: 'false', otlp: ${collector} } }`,
  }
  const plain = await startGateway(configuration(routes))
  const figures: Figure[] = []
  for (const [name, policy] of Object.entries(variants)) {
    const traced = await startGateway(configuration(routes).replace(noLog, policy))
    const cost = (gateway: typeof plain, seconds = 2) =>
      costUs(gateway.pid, { url: `${gateway.url}/`, connections: 32, seconds })
    await cost(plain, WARM_UP_SECONDS)
    await cost(traced, WARM_UP_SECONDS)
    const ratios: number[] = []
    const added: number[] = []
    let before = await cost(plain)
    for (let round = 0; round < ROUNDS; round++) {
      const us = await cost(traced)
      const after = await cost(plain)
      ratios.push((2 * us) / (before + after))
      added.push(us - (before + after) / 2)
      before = after
    }
    figures.push({ name: `otlp.${name}.ratio`, value: median(ratios), unit: '× without' })
    figures.push({ name: `otlp.${name}.addedUs`, value: median(added), unit: 'µs of CPU a request' })
    await stopAll([traced])
  }
  await stopAll([upstream, plain])
  return figures
}
