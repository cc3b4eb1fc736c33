import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../config/observability/grafana/', import.meta.url)

/** A dashboard of Grafana, as far as tests read it. */
interface DashboardFile {
  readonly panels: readonly {
    readonly type: string
    readonly title: string
    readonly description?: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

/** Every expression of the dashboards, with its panel. */
export const panelQueries = (): readonly (readonly [panel: string, expression: string])[] =>
  readdirSync(folder).flatMap((name) => {
    if (!name.endsWith('.json')) return []
    const { panels } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as DashboardFile
    return panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [`${name}: ${title}`, withValues(expr)] as const),
    )
  })

/** As Grafana replaces its variables when all values are selected. */
const withValues = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll(/\$(job|gateway|route|instance)\b/g, '.*')
