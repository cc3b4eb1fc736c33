import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAuditLog } from './audit.ts'
import { parseManifest } from './apply-manifest.ts'
import { repository } from './build.ts'
import { installChart, installCrdsChart } from './chart.ts'
import type { LabAccess } from './lab.ts'
import { type RoleRule, type RoleUse, roleUse } from './permissions.ts'

/** The class of Gateways that the controller makes. */
export const GATEWAY_CLASS = 'agentgateway'

/** What users without Helm apply. */
const manifestFile = join(repository, 'deploy', 'kubernetes', 'agentgateway.yaml')
const crdsFile = join(repository, 'deploy', 'kubernetes', 'agentgateway-crds.yaml')

const NAMESPACE = 'agentgateway-system'

/** Whether there is a controller to install. */
export const hasController = (): boolean => existsSync(join(repository, 'src', 'controller', 'main.ts'))

/** How the controller gets into the cluster. */
export interface Installation {
  /** By Helm, without values, in place of the manifest. */
  readonly isByChart: boolean
  /** The chart with support for InferencePools. */
  readonly hasInferencePools?: boolean
}

/** Installs the controller as users do, and waits until its class of Gateways is accepted. */
export const installController = async (lab: LabAccess, installation: Installation): Promise<void> => {
  const { kubectl } = lab
  await applyProgram(lab, installation)
  await kubectl(['rollout', 'status', '-n', NAMESPACE, 'deployment/agentgateway', '--timeout=90s'])
  await kubectl(['wait', '--for=create', '--timeout=30s', `gatewayclass/${GATEWAY_CLASS}`])
  await kubectl(['wait', '--for=condition=Accepted', '--timeout=30s', `gatewayclass/${GATEWAY_CLASS}`])
}

/** What the controller has used of its role since the lab was started, and what it has missed. */
export const controllerRoleUse = ({ folder }: LabAccess): RoleUse => {
  const objects = parseManifest(readFileSync(manifestFile, 'utf8'))
  const rules = objects.flatMap((object) => (object as { readonly rules?: readonly RoleRule[] }).rules ?? [])
  return roleUse(rules, readAuditLog(join(folder, 'logs')))
}

/** Replaces the pods of the controller and of all proxies: they start with what was built last, and as it is installed. */
export const restartPrograms = async (lab: LabAccess, installation: Installation): Promise<void> => {
  const { kubectl } = lab
  await applyProgram(lab, installation)
  await kubectl(['rollout', 'restart', '-n', NAMESPACE, 'deployment/agentgateway'])
  await kubectl(['delete', 'pods', '-A', '-l', 'gateway.networking.k8s.io/gateway-name', '--wait=false'])
  await kubectl(['rollout', 'status', '-n', NAMESPACE, 'deployment/agentgateway', '--timeout=90s'])
}

const applyProgram = async (
  lab: LabAccess,
  { isByChart, hasInferencePools = false }: Installation,
): Promise<void> => {
  if (!isByChart && !hasInferencePools) {
    for (const file of [crdsFile, manifestFile]) await lab.kubectl(['apply', '--server-side', '-f', file])
    return
  }
  await installCrdsChart(lab)
  await installChart(lab, { args: hasInferencePools ? ['--set', 'inferenceExtension.enabled=true'] : [] })
}
