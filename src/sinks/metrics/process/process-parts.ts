import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { MetricDefinition } from '../definitions/metric-definition.ts'
import { metricDefinitions } from '../definitions/metric-definitions.ts'
import { familyParts } from '../report/family-parts.ts'
import type { FamilyPart } from '../report/metrics-report.ts'
import { readProcFiles } from './proc-files.ts'

/** Reads the metrics of the process. */
export class ProcessParts {
  #last = performance.eventLoopUtilization()

  /** The resources in use. Those that only Linux reports are absent elsewhere. */
  async read(): Promise<FamilyPart[]> {
    const files = await readProcFiles()
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#last)
    this.#last = now
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
    const {
      eventLoopUtilization,
      processRss,
      processPss,
      processSwap,
      processHeapUsed,
      processHeapTotal,
      processHeapLimit,
      processExternal,
      processCpu,
      processStart,
      processOpenFds,
      processMaxFds,
    } = metricDefinitions
    const values: readonly (readonly [MetricDefinition, number | undefined])[] = [
      [eventLoopUtilization, utilization],
      [processRss, rss],
      [processPss, files.pssBytes],
      [processSwap, files.swapBytes],
      [processHeapUsed, heapUsed],
      [processHeapTotal, heapTotal],
      [processHeapLimit, getHeapStatistics().heap_size_limit],
      [processExternal, external],
      [processCpu, (user + system) / 1e6],
      [processStart, startedAtSeconds],
      [processOpenFds, files.openFds],
      [processMaxFds, files.maxFds],
    ]
    return values.flatMap(([metric, value]) =>
      value === undefined ? [] : [...familyParts(metric, [{ labels: '', value }])],
    )
  }
}

const startedAtSeconds = performance.timeOrigin / 1000
