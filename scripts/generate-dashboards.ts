/**
 * Writes the Grafana dashboards in `config/observability/grafana` and in the chart from `scripts/dashboards`. With
 * `--check` it writes nothing and fails if a file is out of date.
 *
 * @example
 * node scripts/generate-dashboards.ts --check
 */
import { readFile, writeFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'
import { grafanaDashboard } from './dashboards/grafana.ts'
import { llmDashboard } from './dashboards/llm.ts'
import { mcpDashboard } from './dashboards/mcp.ts'
import { runtimeDashboard } from './dashboards/runtime.ts'
import { trafficDashboard } from './dashboards/traffic.ts'

const dashboards = {
  traffic: trafficDashboard,
  llm: llmDashboard,
  mcp: mcpDashboard,
  runtime: runtimeDashboard,
}

/** Helm reads no file outside of a chart. The first one has the name of the chart. */
const chartFolder = 'deploy/charts/agentgateway/files/dashboards'

const files = Object.entries(dashboards).flatMap(([name, dashboard]) => [
  { path: `config/observability/grafana/${name}.json`, dashboard },
  { path: `${chartFolder}/agentgateway${name === 'traffic' ? '' : `-${name}`}.json`, dashboard },
])

const check = process.argv.includes('--check')
for (const { path, dashboard } of files) {
  const url = new URL(`../${path}`, import.meta.url)
  const style = await resolveConfig(url)
  const content = await format(JSON.stringify(grafanaDashboard(dashboard)), { ...style, parser: 'json' })
  const current = await readFile(url, 'utf8').catch(() => '')
  if (current === content) continue
  if (check) {
    console.error(`${path} is out of date: run node scripts/generate-dashboards.ts`)
    process.exitCode = 1
  } else {
    await writeFile(url, content)
    console.log(`wrote ${path}`)
  }
}
