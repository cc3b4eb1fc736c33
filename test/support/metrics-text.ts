import { metricsText } from '../../src/sinks/metrics/exposition/text.ts'
import type { FamilyPart } from '../../src/sinks/metrics/report/metrics-report.ts'

/** Parts of a report as OpenMetrics text. */
export const openMetricsText = (parts: Iterable<FamilyPart>): string =>
  [...metricsText(parts, 'openMetrics')].join('')
