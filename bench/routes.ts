/** A thousand routes beside ten: 60 % prefixes, 20 % exact, 10 % regular expressions, 10 % with headers. */
import { compare, ratio, stopAll } from './proxy.ts'
import { configuration, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

export const routesFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const host = new URL(upstream.url).host
  const few = await startGateway(configuration(routes(10, host)))
  const many = await startGateway(configuration(routes(1000, host)))
  const [a = [], b = []] = await compare([many, few], {
    name: 'routes',
    path: '/service-7/items/1',
    connections: 32,
  })
  await stopAll([upstream, few, many])
  return [
    {
      name: 'routes1000.ratio',
      value: ratio(a, b),
      unit: '× ten',
      note: `1,000: ${median(a).toFixed(1)} µs, 10: ${median(b).toFixed(1)} µs`,
    },
  ]
}

const routes = (count: number, host: string): string =>
  Array.from({ length: count }, (_, i) => route(i, host)).join('\n')

const route = (i: number, host: string): string => {
  const kind = i % 10
  const path =
    kind === 3 || kind === 8
      ? `{ exact: /exact-${i} }`
      : kind === 4
        ? `{ regex: "/regex-${i}/[0-9]+/.*" }`
        : `{ pathPrefix: /service-${i} }`
  const headers = kind === 9 ? `, headers: [{ name: x-tenant, value: { exact: "${i}" } }]` : ''
  return `  - { name: r${i}, matches: [{ path: ${path}${headers} }], backends: [{ host: "${host}" }] }`
}
