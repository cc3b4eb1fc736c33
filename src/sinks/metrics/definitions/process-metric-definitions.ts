import { counterOf, gaugeOf, histogramOf, infoOf } from './metric-definition.ts'

const pauses = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** Metrics of the process: its configuration, its queues and caches, and its resources. */
export const processMetricDefinitions = {
  build: infoOf('agentgateway_build', 'The build that runs.', ['tag']),
  configSynchronized: gaugeOf(
    'agentgateway_config_synchronized',
    '1 if the newest configuration is in force, 0 if it was refused.',
    'min',
  ),
  exchangesInFlight: gaugeOf('agentgateway_exchanges_in_flight', 'Requests that have not ended.', 'sum'),
  traceWatchers: gaugeOf('agentgateway_trace_watchers', 'Streams of /debug/trace that are open.', 'sum'),
  traceEventsDropped: counterOf('agentgateway_trace_events_dropped', 'Events that slow watchers lost.'),
  logLinesDropped: counterOf(
    'agentgateway_log_lines_dropped',
    'Lines that were lost because the reader of the log does not keep up.',
  ),
  otlpExported: counterOf(
    'agentgateway_otlp_exported_records',
    'Spans and log records that a collector took.',
    ['signal'],
  ),
  otlpDropped: counterOf('agentgateway_otlp_dropped_records', 'Spans and log records that were not sent.', [
    'signal',
    'reason',
  ]),
  otlpFailed: counterOf(
    'agentgateway_otlp_failed_records',
    'Spans and log records that a collector did not take.',
    ['signal', 'reason'],
  ),
  evictions: counterOf(
    'agentgateway_evictions',
    'Entries dropped from a bounded cache to make room for others.',
    ['cache'],
  ),
  seriesOverflow: counterOf(
    'agentgateway_series_overflow',
    'Requests not counted by their own labels because there are too many series.',
  ),
  eventLoopLag: gaugeOf(
    'agentgateway_event_loop_lag_seconds',
    'Worst delay of the event loop in the last 15 seconds.',
    'max',
  ),
  eventLoopUtilization: gaugeOf(
    'agentgateway_event_loop_utilization',
    'Share of time the event loop was busy since the last scrape, 0 to 1.',
    'max',
  ),
  processRss: gaugeOf('agentgateway_process_rss', 'Resident memory, in bytes.', 'sum'),
  processHeapUsed: gaugeOf('agentgateway_process_heap_used', 'JavaScript heap in use, in bytes.', 'sum'),
  processHeapTotal: gaugeOf('agentgateway_process_heap_total', 'JavaScript heap reserved, in bytes.', 'sum'),
  processExternal: gaugeOf(
    'agentgateway_process_external',
    'Memory of buffers outside the heap, in bytes.',
    'sum',
  ),
  processCpu: counterOf('agentgateway_process_cpu_seconds', 'CPU time, user and system.'),
  queueDropped: counterOf(
    'agentgateway_queue_dropped',
    'Messages that were lost because a bounded queue was full.',
    ['queue'],
  ),
  labelOverflow: counterOf(
    'agentgateway_label_values_overflow',
    'Times that a label value was replaced by overflow, because the label has too many values.',
    ['label'],
  ),
  gcDuration: histogramOf(
    'agentgateway_gc_duration_seconds',
    'Pauses for garbage collection, by kind.',
    ['kind'],
    pauses,
  ),
  processHeapLimit: gaugeOf('agentgateway_process_heap_limit', 'Largest JavaScript heap, in bytes.', 'sum'),
  processPss: gaugeOf(
    'agentgateway_process_pss',
    'Memory of the process, shared pages by share, in bytes.',
    'sum',
  ),
  processSwap: gaugeOf('agentgateway_process_swap', 'Memory that is swapped out, in bytes.', 'sum'),
  processOpenFds: gaugeOf('agentgateway_process_open_fds', 'Open file descriptors.', 'sum'),
  processMaxFds: gaugeOf('agentgateway_process_max_fds', 'Limit of open file descriptors.', 'sum'),
  processStart: gaugeOf(
    'agentgateway_process_start_time_seconds',
    'Start of the process, in seconds since the epoch.',
    'min',
  ),
} as const
