/** A format in which metrics are exposed. */
export interface ExpositionFormat {
  readonly encoding: 'openMetrics' | 'prometheus' | 'protobuf'
  readonly contentType: string
}

/**
 * The format for an `Accept` field: the acceptable one with the highest `q`, of several the first one named. Text is
 * the default, whatever the field excludes, because a scrape without metrics is useless.
 *
 * @example
 * negotiateFormat('application/openmetrics-text;version=1.0.0;q=0.5, text/plain;version=0.0.4;q=0.3').encoding // 'openMetrics'
 */
export const negotiateFormat = (accept: string | undefined): ExpositionFormat => {
  let best: ExpositionFormat | undefined
  let bestQ = 0
  for (const range of (accept ?? '').slice(0, ACCEPT_LIMIT).split(',')) {
    const [type = '', ...rest] = range.split(';').map((part) => part.trim())
    const parameters = new Map(rest.map(parameterOf))
    const format = formatOf(type.toLowerCase(), parameters)
    const q = qOf(parameters.get('q'))
    if (!format || q <= bestQ) continue
    best = format
    bestQ = q
  }
  return best ?? formats.text
}

/** Longer than any scraper's field; the rest is ignored. */
const ACCEPT_LIMIT = 4_096

const parameterOf = (text: string): [name: string, value: string] => {
  const [name = '', ...value] = text.split('=')
  return [name.trim().toLowerCase(), value.join('=').trim().replaceAll('"', '')]
}

/** 0 to 1; a malformed value excludes the range. */
const qOf = (text: string | undefined): number => {
  if (text === undefined) return 1
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0
}

const formats = {
  /** Without a version, `text/plain` has always been OpenMetrics text here. */
  text: { encoding: 'openMetrics', contentType: 'text/plain;charset=utf-8' },
  openMetrics: {
    encoding: 'openMetrics',
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  },
  prometheus: { encoding: 'prometheus', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
  metricFamily: {
    encoding: 'protobuf',
    contentType:
      'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
  },
  /** The same messages under their other name. */
  metricSet: {
    encoding: 'protobuf',
    contentType:
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricSet;encoding=delimited;version=1.0.0',
  },
} as const satisfies Readonly<Record<string, ExpositionFormat>>

const formatOf = (type: string, parameters: ReadonlyMap<string, string>): ExpositionFormat | undefined => {
  switch (type) {
    case '*/*':
    case 'text/*':
      return formats.text
    case 'text/plain':
      return parameters.get('version') === '0.0.4' ? formats.prometheus : formats.text
    case 'application/openmetrics-text':
      return openMetricsVersions.has(parameters.get('version')) ? formats.openMetrics : undefined
    case 'application/vnd.google.protobuf':
    case 'application/protobuf':
    case 'application/x-protobuf':
      return protobufFormat(parameters)
    default:
      return undefined
  }
}

/** Without a version, the newest one is meant. */
const openMetricsVersions: ReadonlySet<string | undefined> = new Set([undefined, '1.0.0', '0.0.1'])

const protobufFormat = (parameters: ReadonlyMap<string, string>): ExpositionFormat | undefined => {
  const encoding = parameters.get('encoding')
  if (encoding !== undefined && encoding !== 'delimited') return undefined
  const proto = parameters.get('proto')
  if (proto === 'io.prometheus.client.MetricFamily') return formats.metricFamily
  return proto === undefined || proto === 'io.prometheus.client.MetricSet' ? formats.metricSet : undefined
}
