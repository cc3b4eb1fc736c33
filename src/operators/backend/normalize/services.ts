import { defaults } from '../../../config/defaults.ts'
import { milliseconds } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { serviceName } from '../../../config/normalize/references.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Locality, Service, Workload } from '../../../model/resources/service.ts'

/** The section `services`. */
export function services(file: Pick<File.ConfigFile, 'services'>): readonly Service[] {
  return (file.services ?? []).map((source) =>
    definedFields<Service>({
      name: source.name,
      namespace: source.namespace ?? 'default',
      hostname: source.hostname.toLowerCase(),
      ports: source.ports,
      // Addresses may have a network prefix; there is only one network here.
      vips: (source.vips ?? []).map((vip) => vip.slice(vip.lastIndexOf('/') + 1)),
      appProtocols: source.appProtocols,
      sessionAffinity: given(source.sessionAffinity, ({ clientIP }) => ({
        clientIP: { timeoutMs: milliseconds(clientIP.timeout ?? defaults.sessionAffinity.timeout) },
      })),
      trafficDistribution: source.trafficDistribution,
    }),
  )
}

/** The section `workloads`. */
export function workloads(file: Pick<File.ConfigFile, 'workloads'>): readonly Workload[] {
  return (file.workloads ?? []).map((source) =>
    definedFields<Workload>({
      uid: source.uid,
      name: source.name ?? source.uid,
      namespace: source.namespace ?? 'default',
      addresses: source.workloadIps ?? [],
      services: Object.fromEntries(
        Object.entries(source.services ?? {}).map(([name, ports]) => [serviceName(name), ports]),
      ),
      status: source.status?.toLowerCase() === 'unhealthy' ? 'unhealthy' : 'healthy',
      capacity: source.capacity,
      locality: given(source.locality, ({ region, zone, subzone }) =>
        definedFields<Locality>({ region, zone, subzone }),
      ),
      node: source.node,
      terminating: source.terminating === true ? true : undefined,
    }),
  )
}
