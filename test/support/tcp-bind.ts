import type { StaticTarget } from '../../src/model/resources/resources.ts'
import type { RouteLabels, TcpTarget } from '../../src/model/resources/snapshot.ts'

/** The location of the raw connections of {@link to} in logs and metrics. */
export const rawLabels: RouteLabels = {
  bind: 'tcp',
  gateway: 'default/default',
  listener: 'listener0',
  route: 'default/raw',
  routeRule: undefined,
}

/** The only target of a raw route. */
export const to = (target: StaticTarget, tls?: TcpTarget['tls']) => (): TcpTarget => ({
  labels: rawLabels,
  backend: { name: 'b', type: 'static', protocol: 'tcp' },
  target,
  tls,
})

/** A port for raw connections. */
export const tcpBind = (tcpTarget: () => TcpTarget | undefined) =>
  ({ key: 'tcp', protocol: 'tcp', listeners: [{ protocol: 'TCP', tcpTarget }] }) as const
