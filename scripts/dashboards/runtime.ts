import { type Dashboard, quantile, rate, SELECTOR } from './panel.ts'

const gauge = (metric: string) => `sum by (instance) (${metric}{${SELECTOR}})`

/** The process: memory, event loop, garbage collection, queues, and the metrics themselves. */
export const runtimeDashboard: Dashboard = {
  uid: 'agentgateway-runtime',
  title: 'agentgateway / Runtime',
  description: 'The process of the gateway: CPU, memory, event loop, queues and limits.',
  variables: ['instance'],
  variableMetric: 'agentgateway_build_info',
  sections: [
    {
      title: 'Process',
      panels: [
        {
          ...{ title: 'Version', unit: 'short', type: 'table', width: 6 },
          description: 'The versions that run.',
          queries: [
            { expr: `sum by (instance, tag) (agentgateway_build_info{${SELECTOR}})`, legend: '{{tag}}' },
          ],
        },
        {
          ...{ title: 'Uptime', unit: 's', type: 'stat', width: 6 },
          description: 'Since the start of the process. Short times mean restarts.',
          queries: [
            {
              expr: `min by (instance) (time() - agentgateway_process_start_time_seconds{${SELECTOR}})`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          ...{ title: 'Configuration in force', unit: 'short', type: 'stat', width: 6 },
          description:
            '0 means that the newest configuration was refused and the one before is in force; the log says why.',
          queries: [
            {
              expr: `min by (instance) (agentgateway_config_synchronized{${SELECTOR}})`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          ...{ title: 'CPU', unit: 'percentunit', width: 6 },
          description:
            'Of one core. Above 1, other threads work as well: garbage collection, password checks, files.',
          queries: [
            { expr: rate('agentgateway_process_cpu_seconds_total', ['instance']), legend: '{{instance}}' },
          ],
        },
      ],
    },
    {
      title: 'Event loop',
      panels: [
        {
          ...{ title: 'Lag', unit: 's', thresholds: [0.1, 1] },
          description:
            'Worst delay of the last 15 seconds. Above a second for three seconds, new requests are refused (overloaded). Take a CPU profile.',
          queries: [
            {
              expr: `max by (instance) (agentgateway_event_loop_lag_seconds{${SELECTOR}})`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          ...{ title: 'Utilization', unit: 'percentunit', thresholds: [0.7, 0.9] },
          description: 'Share of time the event loop was busy. Beyond 70 %, add instances.',
          queries: [
            {
              expr: `max by (instance) (agentgateway_event_loop_utilization{${SELECTOR}})`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          ...{ title: 'Requests in flight', unit: 'short' },
          description: 'Requests that have not ended, streams included.',
          queries: [{ expr: gauge('agentgateway_exchanges_in_flight'), legend: '{{instance}}' }],
        },
        {
          ...{ title: 'Garbage collection, share of time', unit: 'percentunit', isStacked: true },
          description: 'Beyond 10 %, the heap is too small for the traffic, or something keeps too much.',
          queries: [{ expr: rate('agentgateway_gc_duration_seconds_sum', ['kind']), legend: '{{kind}}' }],
        },
        {
          ...{ title: 'Garbage collection, 99th percentile', unit: 's' },
          description: 'Pauses by kind. Pauses of major collections grow with the heap.',
          queries: [
            { expr: quantile(0.99, 'agentgateway_gc_duration_seconds', ['kind']), legend: '{{kind}}' },
          ],
        },
      ],
    },
    {
      title: 'Memory and descriptors',
      panels: [
        {
          ...{ title: 'Memory', unit: 'bytes' },
          description: 'Resident memory, and the share of the process where pages are shared.',
          queries: [
            { expr: gauge('agentgateway_process_rss'), legend: '{{instance}} resident' },
            { expr: gauge('agentgateway_process_pss'), legend: '{{instance}} proportional' },
            { expr: gauge('agentgateway_process_swap'), legend: '{{instance}} swapped out' },
          ],
        },
        {
          ...{ title: 'JavaScript heap', unit: 'bytes' },
          description: 'At the limit the process ends. A saw-tooth is normal, a rising floor is a leak.',
          queries: [
            { expr: gauge('agentgateway_process_heap_used'), legend: '{{instance}} used' },
            { expr: gauge('agentgateway_process_heap_total'), legend: '{{instance}} reserved' },
            { expr: gauge('agentgateway_process_heap_limit'), legend: '{{instance}} limit' },
            { expr: gauge('agentgateway_process_external'), legend: '{{instance}} outside the heap' },
          ],
        },
        {
          ...{ title: 'File descriptors', unit: 'short' },
          description: 'Sockets, files and pipes. At the limit no connection can be accepted.',
          queries: [
            { expr: gauge('agentgateway_process_open_fds'), legend: '{{instance}} open' },
            { expr: gauge('agentgateway_process_max_fds'), legend: '{{instance}} limit' },
          ],
        },
      ],
    },
    {
      title: 'Queues, caches and series',
      panels: [
        {
          ...{ title: 'Lost lines, events and messages', unit: 'cps' },
          description: 'What bounded queues have dropped because their reader does not keep up.',
          queries: [
            { expr: rate('agentgateway_log_lines_dropped_total', []), legend: 'log lines' },
            { expr: rate('agentgateway_trace_events_dropped_total', []), legend: 'trace events' },
            { expr: rate('agentgateway_queue_dropped_total', ['queue']), legend: '{{queue}}' },
          ],
        },
        {
          ...{ title: 'Trace watchers', unit: 'short' },
          description: 'Open streams of /debug/trace. Each costs time for the requests that it watches.',
          queries: [{ expr: gauge('agentgateway_trace_watchers'), legend: '{{instance}}' }],
        },
        {
          ...{ title: 'Evictions from caches', unit: 'cps' },
          description:
            'Entries dropped to make room. Many evictions of tokens or decisions mean more work for each request.',
          queries: [{ expr: rate('agentgateway_evictions_total', ['cache']), legend: '{{cache}}' }],
        },
        {
          ...{ title: 'Values without a series', unit: 'cps' },
          description:
            'Requests and label values that count as overflow: remove a label with many values, or raise config.metrics.maxSeries or maxLabelValues.',
          queries: [
            { expr: rate('agentgateway_series_overflow_total', []), legend: 'requests' },
            { expr: rate('agentgateway_label_values_overflow_total', ['label']), legend: '{{label}}' },
          ],
        },
        {
          ...{ title: 'Size of a scrape', unit: 'short' },
          description: 'Samples of each scrape, as Prometheus counts them.',
          queries: [
            { expr: `max by (instance) (scrape_samples_scraped{${SELECTOR}})`, legend: '{{instance}}' },
          ],
        },
      ],
    },
  ],
}
