import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** A series of the result of a query. */
export interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: readonly [time: number, value: string]
  readonly histogram?: readonly [time: number, value: { readonly count: string; readonly sum: string }]
}

/** A Prometheus that scrapes a gateway every second. */
export interface Prometheus extends AsyncDisposable {
  /** The result of an instant query; rejects with the error of an invalid one. */
  query(expression: string): Promise<readonly QueriedSeries[]>
  /** The `data` of a path of the API. */
  api(path: string): Promise<unknown>
  /** Resolves once the query has a result. */
  until(expression: string): Promise<readonly QueriedSeries[]>
}

/** Without a result after so long, something is wrong, even on a busy machine. */
const PATIENCE_MS = 120_000

/**
 * Starts Prometheus with a job named agentgateway.
 *
 * @param rules Absolute paths of rule files.
 * @param features For `--enable-feature`.
 */
export const startPrometheus = async (
  program: string,
  target: string,
  rules: readonly string[],
  features: readonly string[],
): Promise<Prometheus> => {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  const file = join(folder, 'prometheus.yml')
  writeFileSync(
    file,
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: ${JSON.stringify(rules)}
scrape_configs: [{ job_name: agentgateway, static_configs: [{ targets: [${JSON.stringify(target)}] }] }]
`,
  )
  const port = await freePort()
  const child = spawn(
    program,
    [
      ...[
        `--config.file=${file}`,
        `--storage.tsdb.path=${folder}/data`,
        `--enable-feature=${features.join(',')}`,
      ],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const api = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    const { data, error } = (await response.json()) as { readonly data?: unknown; readonly error?: string }
    if (error !== undefined) throw new Error(`${path}: ${error}`)
    return data
  }
  const query = async (expression: string): Promise<readonly QueriedSeries[]> =>
    ((await api(`query?query=${encodeURIComponent(expression)}`)) as { result: QueriedSeries[] }).result
  const until = async (expression: string): Promise<readonly QueriedSeries[]> => {
    const end = performance.now() + PATIENCE_MS
    while (performance.now() < end && child.exitCode === null) {
      const result = await query(expression).catch(() => [])
      if (result.length > 0) return result
      await pause(100)
    }
    throw new Error(`no result of ${expression}:\n${log}`)
  }
  return {
    query,
    api,
    until,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGKILL')) await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
