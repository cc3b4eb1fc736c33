import { dumpItems, type DumpMembers, dumpMembers, dumpText } from '../json-access.ts'

/** A service. */
export interface ServiceRow {
  readonly name: string
  readonly namespace: string
  readonly hostname: string
  readonly vips: readonly string[]
  /** `80→8080`. */
  readonly ports: readonly string[]
  readonly endpoints: number
}

/** A workload: where a part of a service runs. */
export interface WorkloadRow {
  readonly name: string
  readonly namespace: string
  readonly addresses: readonly string[]
  readonly services: readonly string[]
  readonly status: string
  readonly uid: string
}

/** The services, by namespace and name. */
export const serviceRows = (dump: DumpMembers): readonly ServiceRow[] => {
  const workloads = workloadRows(dump)
  return byName(
    dumpItems(dump.services).map((value) => {
      const service = dumpMembers(value)
      const [name, namespace] = [dumpText(service.name), dumpText(service.namespace)]
      const hostname = dumpText(service.hostname)
      const serves = ({ services }: WorkloadRow) =>
        services.some((one) => one === `${namespace}/${hostname}` || one === `${namespace}/${name}`)
      const groups = dumpItems(service.endpoints).map(dumpMembers)
      const listed = groups.flatMap(({ active, rejected }) => [...dumpItems(active), ...dumpItems(rejected)])
      return {
        name,
        namespace,
        hostname,
        vips: dumpItems(service.vips).map(dumpText),
        ports: Object.entries(dumpMembers(service.ports)).map(
          ([port, target]) => `${port}→${JSON.stringify(target)}`,
        ),
        endpoints: groups.length > 0 ? listed.length : workloads.filter(serves).length,
      }
    }),
  )
}

/** The workloads, by namespace and name. */
export const workloadRows = (dump: DumpMembers): readonly WorkloadRow[] =>
  byName(
    dumpItems(dump.workloads).map((value) => {
      const workload = dumpMembers(value)
      const { services } = workload
      return {
        name: dumpText(workload.name),
        namespace: dumpText(workload.namespace),
        addresses: dumpItems(workload.workloadIps).map(dumpText),
        services: Array.isArray(services) ? services.map(dumpText) : Object.keys(dumpMembers(services)),
        status: dumpText(workload.status),
        uid: dumpText(workload.uid),
      }
    }),
  )

const byName = <T extends { readonly name: string; readonly namespace: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (`${a.namespace}\n${a.name}` < `${b.namespace}\n${b.name}` ? -1 : 1))
