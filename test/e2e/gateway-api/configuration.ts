import { anyPorts } from '../../support/daemon.ts'

/** One endpoint of a service: an address of this machine, and what its workload has besides. */
export interface TestEndpoint {
  readonly port: number
  readonly fields?: object
}

/** A service `name` of the namespace `shop` with the port 80, and its workloads. */
export interface TestService {
  readonly name: string
  readonly endpoints: readonly TestEndpoint[]
  readonly fields?: object
}

/** A reference to such a service, among the backends of a route. */
export const toService = (name: string, fields: object = {}): object => ({
  service: { name: `shop/${name}.svc`, port: 80 },
  ...fields,
})

/** A configuration with one gateway, these routes and services, and further sections. */
export const configurationOf = (
  routes: readonly object[],
  services: readonly TestService[],
  sections: object = {},
): string => {
  const file = {
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    services: services.map(({ name, fields }) => ({
      name,
      namespace: 'shop',
      hostname: `${name}.svc`,
      ports: { 80: 8080 },
      ...fields,
    })),
    workloads: services.flatMap(({ name, endpoints }) =>
      endpoints.map(({ port, fields }) => ({
        uid: `${name}/${String(port)}`,
        workloadIps: ['127.0.0.1'],
        services: { [`shop/${name}.svc`]: { 80: port } },
        ...fields,
      })),
    ),
    routes,
    ...sections,
  }
  const lines = Object.entries(file).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  return anyPorts + lines.join('')
}
