import { cel, listOf, mapOf, record, text } from './kinds.ts'

/** The metrics of the process: `config.metrics`. */
export const processMetrics = record('The metrics of the process.', {
  remove: listOf(
    text('A metric.', { minLength: 1 }),
    'Metrics to leave out, with or without `agentgateway_`, and with or without the unit and `_total`.',
  ),
  fields: record('Labels.', {
    add: mapOf(cel('Gives the value.'), 'Labels to add to metrics of requests.', {
      propertyNames: { format: 'metricLabel' },
    }),
  }),
})
