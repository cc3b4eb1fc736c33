import { type Dashboard, type Panel, SELECTOR } from './panel.ts'

/** The JSON of a dashboard, as Grafana 10 and later import it. */
export const grafanaDashboard = (dashboard: Dashboard): object => {
  const { uid, title, description, variables, variableMetric, sections } = dashboard
  const matchers = ['job', ...variables].map((name) => `${name}=~"$${name}"`).join(', ')
  const panels: object[] = []
  let id = 0
  let y = 0
  for (const section of sections) {
    panels.push({
      ...{ id: ++id, type: 'row', title: section.title, collapsed: false, panels: [] },
      gridPos: { h: 1, w: 24, x: 0, y: y++ },
    })
    let x = 0
    let rowHeight = 0
    for (const panel of section.panels) {
      const { width = 8 } = panel
      const height = panel.type === 'stat' ? 4 : 8
      if (x + width > 24) {
        x = 0
        y += rowHeight
        rowHeight = 0
      }
      panels.push(grafanaPanel(panel, ++id, { h: height, w: width, x, y }, matchers))
      x += width
      rowHeight = Math.max(rowHeight, height)
    }
    y += rowHeight
  }
  return {
    ...{ uid, title, description, tags: ['agentgateway'], editable: true, graphTooltip: 1 },
    ...{ schemaVersion: 39, version: 1, refresh: '30s', timezone: 'browser' },
    time: { from: 'now-1h', to: 'now' },
    links: [
      {
        ...{ title: 'agentgateway', type: 'dashboards', tags: ['agentgateway'], asDropdown: true },
        ...{ includeVars: true, keepTime: true },
      },
    ],
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        variable('job', 'agentgateway_build_info', ''),
        ...variables.map((name) => variable(name, variableMetric, 'job=~"$job"')),
      ],
    },
    panels,
  }
}

const datasource = { type: 'prometheus', uid: '${datasource}' }

const variable = (name: string, metric: string, matchers: string): object => {
  const query = `label_values(${metric}${matchers === '' ? '' : `{${matchers}}`}, ${name})`
  return {
    ...{ name, label: name, type: 'query', datasource, definition: query },
    query: { query, refId: name },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: '.*' },
    current: { text: ['All'], value: ['$__all'] },
  }
}

const grafanaPanel = (panel: Panel, id: number, gridPos: object, matchers: string): object => {
  const { type = 'timeseries', title, description, unit, queries, thresholds, isStacked = false } = panel
  const steps = thresholds && [
    { color: 'green', value: null },
    { color: 'yellow', value: thresholds[0] },
    { color: 'red', value: thresholds[1] },
  ]
  return {
    ...{ id, type, title, description, gridPos, datasource },
    fieldConfig: {
      defaults: {
        unit,
        ...(unit === 'percentunit' && { min: 0 }),
        ...(steps && { thresholds: { mode: 'absolute', steps } }),
        ...(type === 'timeseries' && { custom: drawn(isStacked) }),
      },
      overrides: [],
    },
    options: options[type],
    targets: queries.map(({ expr, legend, exemplars = false }, i) => ({
      ...{ refId: String.fromCharCode(65 + i), datasource },
      expr: expr.replaceAll(SELECTOR, matchers),
      legendFormat: legend,
      exemplar: exemplars,
      ...(type === 'table' && { instant: true, format: 'table' }),
      ...(type === 'heatmap' && { format: 'heatmap' }),
    })),
  }
}

const drawn = (isStacked: boolean): object => ({
  ...{ drawStyle: 'line', lineWidth: 1, fillOpacity: isStacked ? 30 : 0, showPoints: 'never' },
  stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
})

const options: Readonly<Record<NonNullable<Panel['type']>, object>> = {
  timeseries: {
    legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' },
  table: { showHeader: true },
  heatmap: { calculate: false, yAxis: { unit: 's' }, color: { scheme: 'Oranges', mode: 'scheme' } },
}
