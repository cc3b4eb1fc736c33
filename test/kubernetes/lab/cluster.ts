import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { type GatewayApiChannel, installGatewayApi } from './gateway-api.ts'
import { programsProblem } from './programs.ts'

/** What an API server of a test has. */
export interface ClusterOptions {
  /** CRDs to install. Default: `experimental`. */
  readonly channel?: GatewayApiChannel | 'none'
  /** A folder for logs: what the control plane asks of the API server is written down there. */
  readonly logs?: string
  /** More flags of the API server. */
  readonly flags?: readonly string[]
}

/** Why there can be no cluster here, as the `skip` of a test: `test('…', { skip: clusterProblem() }, …)`. */
export const clusterProblem = (): string | false => programsProblem(['etcd', 'kube-apiserver'])

/**
 * A real API server for one test, on free ports of 127.0.0.1: etcd and kube-apiserver, without nodes and without
 * controllers. Takes about ten seconds, after the first build. Needs Go, but not root.
 *
 * @example
 * await using cluster = await startCluster({ channel: 'standard' })
 * config.loadFromFile(cluster.kubeconfig)
 */
export const startCluster = async ({
  channel = 'experimental',
  logs,
  flags,
}: ClusterOptions = {}): Promise<ControlPlane> => {
  await using stack = new AsyncDisposableStack()
  const control = stack.use(await startControlPlane(undefined, logs, flags))
  if (channel !== 'none') await installGatewayApi(control.kubeconfig, channel)
  stack.move()
  return control
}
