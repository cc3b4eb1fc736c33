import type { McpAttributes } from '../../model/mcp/mcp-attributes.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { modernMethods, removedInModern } from '../../protocols/mcp/methods.ts'
import { metricDefinitions } from './definitions.ts'
import { McpNames } from './mcp-label-values.ts'
import { describeMetric, labelText, sample } from './open-metrics.ts'
import { routeValues } from './route-labels.ts'
import type { StoreEvents } from './series-store.ts'

/** Counts MCP requests by method and item. At most `limit` series; further requests count under `other`. */
export class McpMetrics {
  readonly #limit: number
  readonly #events: StoreEvents
  readonly #names = new McpNames()
  readonly #series = new Map<string, Series>()
  /** Series by route, found without building labels. */
  #byRoute = new WeakMap<RouteLabels, Map<string, Series>>()
  #scrapes = 0
  #sweptAt = -1

  constructor(limit: number, events: StoreEvents) {
    this.#limit = limit
    this.#events = events
  }

  /** @param custom Configured labels, as text with a leading comma. */
  ended(route: RouteLabels, attributes: McpAttributes, custom: string): void {
    const { methodName, kind, target } = attributes
    if (methodName === undefined) return
    const method = methods.has(methodName) ? methodName : 'other'
    const name = this.#names.label(attributes)
    const key = `${method}\n${kind ?? ''}\n${target ?? ''}\n${name ?? ''}\n${custom}`
    let known = this.#byRoute.get(route)
    if (!known) this.#byRoute.set(route, (known = new Map<string, Series>()))
    let series = known.get(key)
    if (!series) {
      const labels =
        labelText(definition.labels, [method, kind, target, name, ...routeValues(route)]) + custom
      series = this.#held(labels)
      if (series !== this.#series.get(overflow)) known.set(key, series)
    }
    series.usedAt = this.#scrapes
    series.count++
  }

  *text(): Generator<string> {
    this.#scrapes++
    yield describeMetric(definition)
    for (const [labels, { count }] of this.#series) yield sample(`${definition.name}_total`, labels, count)
  }

  #held(labels: string): Series {
    const found = this.#series.get(labels)
    if (found) return found
    const isRoom = this.#hasRoom()
    if (!isRoom) this.#events.overflowed()
    const text = isRoom ? labels : overflow
    const series = this.#series.get(text) ?? { count: 0, usedAt: isRoom ? this.#scrapes : Infinity }
    this.#series.set(text, series)
    return series
  }

  #hasRoom(): boolean {
    if (this.#series.size < this.#limit) return true
    // A sweep is slow, and finds nothing new before the next scrape.
    if (this.#sweptAt === this.#scrapes) return false
    this.#sweptAt = this.#scrapes
    const before = this.#series.size
    for (const [labels, { usedAt }] of this.#series)
      if (labels !== overflow && this.#scrapes - usedAt >= SCRAPES_UNUSED) this.#series.delete(labels)
    const evicted = before - this.#series.size
    if (evicted === 0) return false
    this.#byRoute = new WeakMap()
    this.#events.evicted(evicted)
    return true
  }
}

interface Series {
  count: number
  /** The number of scrapes before its last use. */
  usedAt: number
}

const definition = metricDefinitions.mcpRequests

/** A series unused for this many scrapes may be evicted. */
const SCRAPES_UNUSED = 60

const overflow = labelText(
  definition.labels,
  definition.labels.map(() => 'other'),
)

const methods: ReadonlySet<string> = new Set([
  ...modernMethods,
  ...removedInModern,
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
])
