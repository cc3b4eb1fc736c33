import { type EndpointInfo, readEndpointInfo, readHealthItem } from './endpoint-info.ts'
import { dumpItems, type DumpMembers, dumpMembers, dumpText, dumpVariant } from '../json-access.ts'

/** An endpoint of a service or a backend. */
export interface BackendRow extends EndpointInfo {
  readonly type: 'Backend' | 'Service'
  readonly name: string
  readonly namespace: string
  readonly endpoint: string
  /** `host`, `ai`, `mcp` …; `service`. */
  readonly kind: string
}

/** The endpoints of all services and backends, sorted by type, namespace, name and endpoint. */
export const backendRows = (dump: DumpMembers, nowMs = Date.now()): readonly BackendRow[] => {
  const context: DumpContext = { nowMs, health: healthByEndpoint(dump, nowMs) }
  const services = dumpItems(dump.services).flatMap((service) => serviceRowsOf(dumpMembers(service), context))
  const backends = dumpItems(dump.backends).flatMap((item) => {
    const [kind, backend] = dumpVariant(dumpMembers(item).backend)
    return rowsOfBackend(kind, dumpMembers(backend), context)
  })
  return [...services, ...backends].sort((a, b) => compare(sortKey(a), sortKey(b)))
}

interface DumpContext {
  readonly nowMs: number
  readonly health: ReadonlyMap<string, EndpointInfo>
}

const sortKey = ({ type, namespace, name, endpoint }: BackendRow) =>
  [type, namespace, name, endpoint].join('\n')
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

type Owner = Pick<BackendRow, 'type' | 'name' | 'namespace' | 'kind'>

const serviceRowsOf = (service: DumpMembers, context: DumpContext): BackendRow[] => {
  const owner: Owner = { type: 'Service', ...nameOf(service), kind: 'service' }
  return groupRows(owner, service.endpoints, context)
}

const rowsOfBackend = (kind: string, backend: DumpMembers, context: DumpContext): BackendRow[] => {
  const owner: Owner = { type: 'Backend', ...nameOf(backend), kind }
  const { target } = backend
  const groups = [
    ...groupRows(owner, dumpMembers(target).providers, context),
    ...groupRows(owner, backend.endpoints, context),
  ]
  if (groups.length > 0) return groups
  const single = typeof target === 'string' ? [singleRow(owner, target, backend, context)] : []
  return [
    ...single,
    ...dumpItems(backend.targets ?? dumpMembers(target).targets).map((one) =>
      targetRow(owner, dumpMembers(one)),
    ),
    ...dumpItems(dumpMembers(target).models).map((one) => modelRow(owner, dumpMembers(one), context)),
  ]
}

/** Groups of endpoints by priority, each with those in use and those taken out. */
const groupRows = (owner: Owner, groups: unknown, context: DumpContext): BackendRow[] =>
  dumpItems(groups).flatMap((group) => {
    const { active, rejected } = dumpMembers(group)
    const rowOf = (isRejected: boolean) => (entry: [string, unknown]) => {
      const { endpoint, info } = dumpMembers(entry[1])
      const name = endpointName(dumpMembers(endpoint), entry[0], owner.namespace)
      const known = context.health.get(healthKey(owner, entry[0]))
      const read = readEndpointInfo(dumpMembers(info), isRejected, context.nowMs)
      return { ...owner, endpoint: name, ...(info === undefined && known ? known : read) }
    }
    return [
      ...Object.entries(dumpMembers(active)).map(rowOf(false)),
      ...Object.entries(dumpMembers(rejected)).map(rowOf(true)),
    ]
  })

const endpointName = (endpoint: DumpMembers, key: string, namespace: string): string => {
  const uid = dumpText(endpoint.workloadUid)
  const [, pod = ''] = uid.split('/Pod/')
  if (pod !== '') return pod.startsWith(`${namespace}/`) ? pod.slice(namespace.length + 1) : pod
  return dumpText(endpoint.name) || uid || key
}

const singleRow = (
  owner: Owner,
  endpoint: string,
  { info }: DumpMembers,
  context: DumpContext,
): BackendRow => ({
  ...owner,
  endpoint,
  ...(context.health.get(healthKey(owner, endpoint)) ??
    readEndpointInfo(dumpMembers(info), false, context.nowMs)),
})

/** A server of MCP, whose state is a word. */
const targetRow = (owner: Owner, { name, status }: DumpMembers): BackendRow => ({
  ...owner,
  endpoint: dumpText(name),
  health: dumpText(dumpMembers(status).state),
})

/** A language model of a router. */
const modelRow = (owner: Owner, { name, id }: DumpMembers, { health }: DumpContext): BackendRow => ({
  ...owner,
  endpoint: dumpText(name) || dumpText(id),
  ...(health.get(healthKey(owner, dumpText(id))) ?? { health: '' }),
})

const nameOf = ({ name, namespace }: DumpMembers) => ({
  name: dumpText(name),
  namespace: dumpText(namespace),
})

const healthKey = ({ namespace, name }: Owner, endpoint: string) => `${namespace}/${name}\n${endpoint}`

const healthByEndpoint = (dump: DumpMembers, nowMs: number): ReadonlyMap<string, EndpointInfo> =>
  new Map(
    dumpItems(dump.health).map((value) => {
      const item = dumpMembers(value)
      return [`${dumpText(item.backend)}\n${dumpText(item.endpoint)}`, readHealthItem(item, nowMs)]
    }),
  )
