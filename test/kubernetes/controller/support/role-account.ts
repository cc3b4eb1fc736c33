import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastValueFrom } from 'rxjs'
import { parse, stringify } from 'yaml'
import { ApiClient } from '../../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../../src/controller/api/cluster-access.ts'
import { applyObjects, parseManifest } from '../../lab/apply-manifest.ts'
import type { ControlPlane } from '../../lab/control-plane.ts'
import type { RoleRule } from '../../lab/permissions.ts'

/** Where the manifest installs the control plane. */
export const SYSTEM_NAMESPACE = 'agentgateway-system'

const manifest = parseManifest(readFileSync('deploy/kubernetes/agentgateway.yaml', 'utf8'))

/** What the manifest grants to the control plane. */
export const grantedRules: readonly RoleRule[] = manifest.flatMap(
  (object) => (object as { readonly rules?: readonly RoleRule[] }).rules ?? [],
)

/** Installs the account and the roles of the manifest, and returns a kubeconfig file of that account. */
export const installAccount = async ({ kubeconfig, folder }: ControlPlane): Promise<string> => {
  await applyObjects(
    kubeconfig,
    manifest.filter(
      ({ kind = '' }) => kind === 'Namespace' || kind === 'ServiceAccount' || /^(Cluster)?Role/.test(kind),
    ),
  )
  const client = new ApiClient(await loadClusterAccess(kubeconfig))
  const path = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/agentgateway/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  try {
    const { status } = (await lastValueFrom(client.request({ method: 'POST', path, body }))) as TokenReply
    const config = parse(readFileSync(kubeconfig, 'utf8')) as object
    const file = join(folder, 'account.kubeconfig')
    const users = [{ name: 'admin', user: { token: status.token } }]
    writeFileSync(file, stringify({ ...config, users }), { mode: 0o600 })
    return file
  } finally {
    await client.close()
  }
}

interface TokenReply {
  readonly status: { readonly token: string }
}
