import { defaults } from '../defaults.ts'
import { cel, listOf, mapOf, ours, record, text, whole } from './builders.ts'

/** The metrics of the process: `config.metrics`. */
export const processMetrics = record('Metrics of the process.', {
  remove: listOf(
    text('Metric name.', { minLength: 1 }),
    'Metrics to drop. The prefix `agentgateway_`, the unit and the suffix `_total` are optional.',
  ),
  fields: record('Metric labels.', {
    add: mapOf(cel('Expression that returns the value.'), 'Labels to add to request metrics.', {
      propertyNames: { format: 'metricLabel' },
    }),
  }),
  maxSeries: ours(
    whole(
      'Maximum number of series of requests. Requests beyond it are counted with every label `overflow`.',
      10,
      1_000_000,
      defaults.metrics.maxSeries,
    ),
  ),
  maxLabelValues: ours(
    whole(
      'Maximum number of values of each label of `fields.add`. Values beyond it are `overflow`.',
      1,
      1_000_000,
      defaults.metrics.maxLabelValues,
    ),
  ),
})
