/**
 * The inside of the lab: runs as the first process of new namespaces, so that everything that it starts ends with it,
 * however it ends. Its arguments are the folder of the lab and the channel; it ends with the process that started it.
 */
import { mkdirSync, renameSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { type GatewayApiChannel, installGatewayApi } from './gateway-api.ts'
import { imagesFile } from './images.ts'
import { makeNetwork, NODE_ADDRESS } from './network.ts'
import { programPath } from './programs.ts'

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'daemonset-controller',
  'disruption-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'serviceaccount-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'root-ca-certificate-publisher-controller',
]

const startControllerManager = async (control: ControlPlane, logs: string): Promise<Child> =>
  startChild(
    [
      await programPath('kube-controller-manager'),
      `--kubeconfig=${control.kubeconfig}`,
      `--service-account-private-key-file=${control.accountKeyFile}`,
      `--root-ca-file=${control.caFile}`,
      `--controllers=${controllers.join(',')}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
      '--bind-address=127.0.0.1',
      '--secure-port=0',
    ],
    join(logs, 'kube-controller-manager.log'),
  )

const startKubelet = async (control: ControlPlane, folder: string, logs: string): Promise<Child> => {
  const child = startChild(
    [
      await programPath('kubelet'),
      `--kubeconfig=${control.kubeconfig}`,
      `--images=${imagesFile(folder)}`,
      `--folder=${folder}`,
    ],
    join(logs, 'kubelet.log'),
  )
  await eventually('the kubelet is ready', () => {
    if (child.hasExited) throw new Error(`the kubelet ended:\n${child.tail()}`)
    return child.tail(1_000).includes('ready: node') ? true : undefined
  })
  return child
}

/** Pods would outlive a kubelet that has exited, and nothing would end them: the lab ends. */
const failure = async (child: Child): Promise<void> => {
  await child.exited
  console.error(`a process of the lab ended:\n${child.tail()}`)
}

const [folder = '', channel = 'experimental'] = process.argv.slice(2)
// Whatever has been started ends with this process, in no order: nobody needs its state. To
// those outside, this process ends last.
for (const event of ['disconnect', 'SIGINT', 'SIGTERM']) process.once(event, () => process.exit())
// It may have been while this file was loaded.
if (!process.connected) process.exit()

const logs = join(folder, 'logs')
mkdirSync(logs, { recursive: true })
makeNetwork()
await using stack = new AsyncDisposableStack()
const control = stack.use(await startControlPlane({ address: NODE_ADDRESS, port: 6443 }, logs))
const manager = stack.use(await startControllerManager(control, logs))
const [kubelet] = await Promise.all([
  startKubelet(control, folder, logs).then((child) => stack.use(child)),
  installGatewayApi(control.kubeconfig, channel as GatewayApiChannel),
])
copyFileSync(control.kubeconfig, join(folder, 'kubeconfig.new'))
renameSync(join(folder, 'kubeconfig.new'), join(folder, 'kubeconfig'))
process.send?.('ready')
await Promise.race([manager, kubelet].map(failure))
