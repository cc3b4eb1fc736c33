import type { McpAttributes } from '../../model/mcp/mcp-attributes.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { modernMethods, removedInModern } from '../../protocols/mcp/methods.ts'
import { metricDefinitions } from './definitions/metric-definitions.ts'
import { labelText } from './exposition/label-text.ts'
import { familyParts } from './report/family-parts.ts'
import type { FamilyPart, ValueReport } from './report/metrics-report.ts'
import { BoundedSeries, type UsedSeries } from './series/bounded-series.ts'
import { McpNames } from './series/mcp-label-values.ts'
import { routeValues } from './series/route-labels.ts'
import type { StoreOptions } from './store-options.ts'

/** Counts MCP requests by method and item. At most `limit` series; further requests count under `overflow`. */
export class McpMetrics {
  readonly #names: McpNames
  readonly #series: BoundedSeries<CountedRequests>
  /** Series by route, found without building labels. */
  #byRoute = new WeakMap<RouteLabels, Map<string, CountedRequests>>()

  constructor({ limit, events, customNames, onLabelOverflow }: StoreOptions) {
    this.#names = new McpNames(onLabelOverflow)
    const seriesEvents = {
      evicted: (count: number) => {
        this.#byRoute = new WeakMap()
        events.evicted(count)
      },
      overflowed: () => events.overflowed(),
    }
    const names = [...definition.labels, ...customNames]
    this.#series = new BoundedSeries(limit, seriesEvents, () => ({ count: 0, usedAt: 0 }), names)
  }

  /** @param custom Configured labels, as text with a leading comma. */
  ended(route: RouteLabels, attributes: McpAttributes, custom: string): void {
    const { methodName, kind, target } = attributes
    if (methodName === undefined) return
    const method = methods.has(methodName) ? methodName : 'other'
    const name = this.#names.label(attributes)
    const key = `${method}\n${kind ?? ''}\n${target ?? ''}\n${name ?? ''}\n${custom}`
    let known = this.#byRoute.get(route)
    if (!known) this.#byRoute.set(route, (known = new Map<string, CountedRequests>()))
    const found = known.get(key)
    if (found) {
      this.#series.used(found).count++
      return
    }
    const labels = labelText(definition.labels, [method, kind, target, name, ...routeValues(route)]) + custom
    const series = this.#series.get(labels)
    if (this.#series.isKept(series)) known.set(key, series)
    series.count++
  }

  parts(): Generator<FamilyPart> {
    this.#series.scraped()
    return familyParts(
      definition,
      this.#series.entries().map(([labels, { count }]): ValueReport => ({ labels, value: count })),
    )
  }
}

interface CountedRequests extends UsedSeries {
  count: number
}

const definition = metricDefinitions.mcpRequests

const methods: ReadonlySet<string> = new Set([
  ...modernMethods,
  ...removedInModern,
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
])
