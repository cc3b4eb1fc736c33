/** Requests that fail while the configuration is replaced twenty times under load. */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { stopAll } from './proxy.ts'
import { configuration, startGateway } from './support/gateway.ts'
import { run } from './support/load.ts'
import { start } from './support/program.ts'
import type { Figure } from './support/report.ts'

export const reloadFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const gateway = await startGateway(
    configuration(`  - backends: [{ host: "${new URL(upstream.url).host}" }]`),
  )
  const original = readFileSync(gateway.file, 'utf8')
  const load = run({ url: `${gateway.url}/`, connections: 32, seconds: 10 })
  for (let i = 0; i < 20; i++) {
    writeFileSync(
      gateway.file,
      `${original}  - { name: extra-${i}, matches: [{ path: { exact: /${i} } }], backends: [{ host: "127.0.0.1:9" }] }\n`,
    )
    await wait(400)
  }
  const { requests, failed } = await load
  await stopAll([upstream, gateway])
  return [{ name: 'reload.failed', value: failed, unit: 'requests', note: `of ${requests}, 20 reloads` }]
}
