/** A panel of a dashboard, as compactly as it can be read. */
export interface Panel {
  readonly title: string
  /** What it shows, and what to do when it looks wrong. */
  readonly description: string
  /** Grafana's name of the unit. */
  readonly unit: string
  /** Default `timeseries`. */
  readonly type?: 'timeseries' | 'stat' | 'table' | 'heatmap'
  /** Of 24 columns; default 8. */
  readonly width?: number
  readonly queries: readonly Query[]
  /** Values from which the colour changes to yellow and to red. */
  readonly thresholds?: readonly [warning: number, critical: number]
  /** Whether areas are stacked. */
  readonly isStacked?: boolean
}

/** A query of a panel. {@link SELECTOR} stands for the label matchers of the dashboard's variables. */
export interface Query {
  readonly expr: string
  /** Such as `{{route}}`. */
  readonly legend: string
  /** Shows the traces of exemplars as points. */
  readonly exemplars?: boolean
}

/** Panels under a heading. */
export interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

/** A dashboard. */
export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** Names of labels of the variables, beside data source and job. */
  readonly variables: readonly ('gateway' | 'route' | 'instance')[]
  /** The metric whose labels the variables offer. */
  readonly variableMetric: string
  readonly sections: readonly Section[]
}

/** Replaced by the matchers of the dashboard's variables. */
export const SELECTOR = '%selector%'

/** A quantile of a histogram over the rate interval. */
export const quantile = (q: number, metric: string, by: readonly string[], matchers = SELECTOR): string =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (rate(${metric}_bucket${braces(matchers)}[$__rate_interval])))`

/** The rate of a counter, summed by labels. */
export const rate = (metric: string, by: readonly string[], matchers = SELECTOR): string => {
  const summed = by.length === 0 ? 'sum' : `sum by (${by.join(', ')})`
  return `${summed} (rate(${metric}${braces(matchers)}[$__rate_interval]))`
}

const braces = (matchers: string): string => `{${matchers}}`
