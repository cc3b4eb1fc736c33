import type { ModuleLog } from '../../model/log/module-log.ts'
import { logDestination, type LogDestination } from '../../sinks/log/destination.ts'
import { processLog } from '../../sinks/log/log.ts'
import { scopedLogs } from '../../sinks/log/module-logs.ts'
import type { ReflectorRecords } from '../streams/reflector-observer.ts'
import type { ControllerSettings } from '../settings/controller-settings.ts'
import { type Component, ComponentLevels, componentNames } from './component-levels.ts'
import { ControllerMetrics, type ControllerNumbers, type WatchNumbers } from './controller-metrics.ts'

/** Logs and metrics of the control plane. */
export interface ControllerTelemetry {
  readonly levels: ComponentLevels
  readonly logs: Readonly<Record<Component, ModuleLog>>
  readonly metrics: ControllerMetrics
  readonly destination: LogDestination
}

/** Opens the log, as JSON on standard error, and the metrics. */
export const openControllerTelemetry = (
  { logLevel, hasProcessMetrics }: ControllerSettings,
  numbers: ControllerNumbers,
): ControllerTelemetry => {
  const levels = new ComponentLevels(logLevel)
  const destination = logDestination({ dest: 2 })
  const log = processLog({ levels, format: 'json', destination }, 'default')
  return {
    levels,
    logs: scopedLogs(componentNames, log, levels),
    metrics: new ControllerMetrics(numbers, hasProcessMetrics),
    destination,
  }
}

/** How well the API server is followed, by kind. */
export function* watchNumbers(records: ReflectorRecords): Iterable<WatchNumbers> {
  for (const [kind, { lastEventAt, lists, restarts }] of records.all)
    yield {
      kind,
      silenceSeconds: (performance.now() - (lastEventAt ?? 0)) / 1_000,
      lists,
      failures: restarts,
    }
}
