import type { KubernetesObject } from '@kubernetes/client-node'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { applyObjects, parseManifest, readObject } from './apply-manifest.ts'
import { eventually } from './eventually.ts'
import { goModuleFolder } from './programs.ts'

/** The sets of CRDs that Gateway API publishes. An API server takes one of them in its life. */
export type GatewayApiChannel = 'standard' | 'experimental'

/** Installs the CRDs of Gateway API and waits until the API server serves them. */
export const installGatewayApi = async (kubeconfig: string, channel: GatewayApiChannel): Promise<void> => {
  const folder = join(await goModuleFolder('sigs.k8s.io/gateway-api'), 'config', 'crd', channel)
  const objects = globSync('*.yaml', { cwd: folder })
    .filter((path) => basename(path) !== 'kustomization.yaml')
    .sort()
    .flatMap((path) => parseManifest(readFileSync(join(folder, path), 'utf8')))
  await installCrds(kubeconfig, objects)
}

/** Applies objects, CRDs among them, and waits until the API server serves those. */
export const installCrds = async (
  kubeconfig: string,
  objects: readonly KubernetesObject[],
): Promise<void> => {
  await applyObjects(kubeconfig, objects)
  await waitUntilEstablished(kubeconfig, objects)
}

/** Waits until the API server serves the kinds that the CRDs among some objects define. */
export const waitUntilEstablished = async (
  kubeconfig: string,
  objects: readonly KubernetesObject[],
): Promise<void> => {
  for (const object of objects.filter(({ kind }) => kind === 'CustomResourceDefinition'))
    await eventually(`${object.metadata?.name ?? ''} is established`, async () =>
      isEstablished(await readObject(kubeconfig, object)) ? true : undefined,
    )
}

const isEstablished = (object: KubernetesObject | undefined): boolean => {
  const { status } = (object ?? {}) as {
    status?: { conditions?: readonly { type: string; status: string }[] }
  }
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false
}
