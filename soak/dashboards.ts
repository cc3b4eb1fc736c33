import { panelQueries } from '../test/support/dashboards.ts'
import { findProgram } from '../test/support/find-program.ts'
import { startPrometheus } from '../test/support/prometheus.ts'

/** A Prometheus that scrapes the gateway during the load. */
export interface DashboardQueries extends AsyncDisposable {
  /**
   * The panels of `config/observability` whose queries have no series. Some have series at times only: of sessions, while
   * there are any.
   */
  emptyPanels(): Promise<readonly string[]>
}

/** Starts one; undefined where Prometheus is not installed. */
export const startDashboardQueries = async (statsUrl: string): Promise<DashboardQueries | undefined> => {
  const program = findProgram('prometheus')
  if (program === undefined) return undefined
  const prometheus = await startPrometheus(program, new URL(statsUrl).host, [], ['exemplar-storage'])
  return {
    emptyPanels: async () => {
      const empty: string[] = []
      for (const [panel, expression] of panelQueries())
        await prometheus.until(expression).catch(() => empty.push(`${panel}: ${expression}`))
      return empty
    },
    [Symbol.asyncDispose]: () => prometheus[Symbol.asyncDispose](),
  }
}
