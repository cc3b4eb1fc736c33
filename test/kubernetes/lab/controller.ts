import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './build.ts'
import type { LabAccess } from './lab.ts'

/** The class of Gateways that the controller makes. */
export const GATEWAY_CLASS = 'agentgateway'

const NAMESPACE = 'agentgateway-system'

/** Whether there is a controller to install. */
export const hasController = (): boolean => existsSync(join(repository, 'src', 'controller', 'main.ts'))

/** Installs the controller and waits until its class of Gateways is accepted. */
export const installController = async ({ kubectl }: LabAccess): Promise<void> => {
  const manifest = readFileSync(join(import.meta.dirname, 'controller.yaml'), 'utf8')
  await kubectl(['apply', '--server-side', '-f', '-'], manifest)
  await kubectl(['rollout', 'status', '-n', NAMESPACE, 'deployment/agentgateway', '--timeout=90s'])
  await kubectl(['wait', '--for=create', '--timeout=30s', `gatewayclass/${GATEWAY_CLASS}`])
  await kubectl(['wait', '--for=condition=Accepted', '--timeout=30s', `gatewayclass/${GATEWAY_CLASS}`])
}

/** Replaces the pods of the controller and of all proxies: they start with what was built last. */
export const restartPrograms = async ({ kubectl }: LabAccess): Promise<void> => {
  await kubectl(['rollout', 'restart', '-n', NAMESPACE, 'deployment/agentgateway'])
  await kubectl(['delete', 'pods', '-A', '-l', 'gateway.networking.k8s.io/gateway-name', '--wait=false'])
  await kubectl(['rollout', 'status', '-n', NAMESPACE, 'deployment/agentgateway', '--timeout=90s'])
}
