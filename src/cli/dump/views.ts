import type { DumpMembers } from './json-access.ts'
import { type BackendRow, backendRows } from './rows/backend-rows.ts'
import { type ListenerRow, listenerRows } from './rows/listener-rows.ts'
import { type ConfigPolicyRow, configPolicyRows } from './rows/policy-rows.ts'
import { type RouteRow, routeRows } from './rows/route-rows.ts'
import { type ServiceRow, serviceRows, type WorkloadRow, workloadRows } from './rows/service-rows.ts'
import { type Column, formatTable } from '../output/table.ts'

/** A part of a configuration, as rows and as a table. */
export interface ConfigView {
  readonly rows: (dump: DumpMembers) => readonly object[]
  readonly table: (rows: readonly object[], isWide: boolean) => string
}

const view = <Row extends object>(
  rows: (dump: DumpMembers) => readonly Row[],
  columns: readonly Column<Row>[],
): ConfigView => ({
  rows,
  table: (list, isWide) =>
    formatTable(
      columns.filter((column) => isWide || !column.isWide),
      list as readonly Row[],
    ),
})

const joined = (texts: readonly string[]): string => texts.join(',')

/** The views by the names of the commands, without `all`. */
export const configViews: Readonly<Record<string, ConfigView>> = {
  listeners: view<ListenerRow>(listenerRows, [
    { title: 'LISTENER', text: ({ name }) => name },
    { title: 'GATEWAY', text: ({ gateway }) => gateway },
    { title: 'ADDRESS', text: ({ address }) => address },
    { title: 'PROTOCOL', text: ({ protocol }) => protocol },
    { title: 'HOSTNAME', text: ({ hostname }) => hostname },
    { title: 'ROUTES', text: ({ routes }) => String(routes) },
    { title: 'POLICIES', text: ({ policies }) => joined(policies) },
    { title: 'KEY', text: ({ key }) => key, isWide: true },
  ]),
  routes: view<RouteRow>(routeRows, [
    { title: 'LISTENER', text: ({ listener }) => listener },
    { title: 'ROUTE', text: ({ route }) => route },
    { title: 'HOSTS', text: ({ hosts }) => joined(hosts) || '*' },
    { title: 'MATCHES', text: ({ matches }) => matches.join(' | ') || '*' },
    { title: 'BACKENDS', text: ({ backends }) => joined(backends) },
    { title: 'POLICIES', text: ({ policies }) => joined(policies) },
    { title: 'WARNINGS', text: ({ warnings }) => warnings.join('; ') },
    { title: 'KEY', text: ({ key }) => key, isWide: true },
  ]),
  policies: view<ConfigPolicyRow>(configPolicyRows, [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'TARGET', text: ({ target }) => target },
    { title: 'PHASE', text: ({ phase }) => phase },
    { title: 'POLICIES', text: ({ policies }) => joined(policies) },
  ]),
  backends: view<BackendRow>(backendRows, [
    { title: 'TYPE', text: ({ type }) => type },
    { title: 'NAME', text: ({ name }) => name },
    { title: 'NAMESPACE', text: ({ namespace }) => namespace },
    { title: 'ENDPOINT', text: ({ endpoint }) => endpoint },
    { title: 'HEALTH', text: ({ health }) => health },
    { title: 'REQUESTS', text: ({ requests }) => requests?.toString() ?? '' },
    {
      title: 'LATENCY',
      text: ({ latencyMs }) => (latencyMs === undefined ? '' : `${latencyMs.toFixed(2)}ms`),
    },
    { title: 'KIND', text: ({ kind }) => kind, isWide: true },
  ]),
  services: view<ServiceRow>(serviceRows, [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'NAMESPACE', text: ({ namespace }) => namespace },
    { title: 'HOSTNAME', text: ({ hostname }) => hostname },
    { title: 'VIPS', text: ({ vips }) => joined(vips) },
    { title: 'PORTS', text: ({ ports }) => joined(ports) },
    { title: 'ENDPOINTS', text: ({ endpoints }) => String(endpoints) },
  ]),
  workloads: view<WorkloadRow>(workloadRows, [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'NAMESPACE', text: ({ namespace }) => namespace },
    { title: 'ADDRESSES', text: ({ addresses }) => joined(addresses) },
    { title: 'SERVICES', text: ({ services }) => joined(services) },
    { title: 'STATUS', text: ({ status }) => status },
    { title: 'UID', text: ({ uid }) => uid, isWide: true },
  ]),
}
