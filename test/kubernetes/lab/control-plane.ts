import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { type ApiIdentity, writeApiIdentity } from './api-identity.ts'
import { auditFlags } from './audit.ts'
import { type Child, startChild } from './child.ts'
import { makeClusterFolder } from './cluster-folder.ts'
import { eventually } from './eventually.ts'
import { programPath } from './programs.ts'

/** etcd and kube-apiserver. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://address:port`. */
  readonly server: string
  /** A kubeconfig file of an administrator. */
  readonly kubeconfig: string
  /** Keys, certificates and logs; removed at the end. */
  readonly folder: string
  readonly caFile: string
  /** Signs tokens of service accounts. */
  readonly accountKeyFile: string
  /** Ends the API server; what etcd has stays. */
  stopServer(): Promise<void>
  /** Starts the API server again, at the same address. */
  startServer(): Promise<void>
}

/** Where clients reach the API server. */
export interface ControlPlaneAddress {
  /** Anything but loopback is published to pods. */
  readonly address: string
  readonly port: number
}

/**
 * Starts both, and waits until the API server is ready.
 *
 * @param logs A folder for logs, the audit log among them; without it nothing is audited.
 * @param flags More flags of the API server.
 */
export const startControlPlane = async (
  at?: ControlPlaneAddress,
  logs?: string,
  flags: readonly string[] = [],
): Promise<ControlPlane> => {
  const { address, port } = at ?? { address: '127.0.0.1', port: await freePort() }
  await using stack = new AsyncDisposableStack()
  const folder = stack.adopt(makeClusterFolder(), (path) => rmSync(path, { recursive: true, force: true }))
  const authority = stack.use(makeAuthority('ec', {}, folder))
  const identity = writeApiIdentity(folder, authority, address, port)
  const etcdUrl = `http://127.0.0.1:${await freePort()}`
  const etcd = stack.use(
    startChild([await programPath('etcd'), ...etcdFlags(folder, etcdUrl)], join(logs ?? folder, 'etcd.log')),
  )
  const command = [
    await programPath('kube-apiserver'),
    ...serverFlags(identity, etcdUrl, address, port),
    ...(logs === undefined ? [] : auditFlags(folder, logs)),
    ...flags,
  ]

  let server: Child | undefined
  const stopServer = async () => {
    await server?.[Symbol.asyncDispose]()
  }
  const startServer = async () => {
    const child = startChild(command, join(logs ?? folder, 'kube-apiserver.log'))
    server = child
    await eventually('kube-apiserver is ready', () => {
      for (const each of [etcd, child]) if (each.hasExited) throw new Error(`ended:\n${each.tail()}`)
      return isReady(identity.url, authority.cert)
    })
  }
  stack.defer(stopServer)
  await startServer()
  const owned = stack.move()
  return {
    server: identity.url,
    kubeconfig: identity.kubeconfig,
    folder,
    caFile: authority.certFile,
    accountKeyFile: identity.accountKeyFile,
    stopServer,
    startServer,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const etcdFlags = (folder: string, url: string): readonly string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=${url}`,
  `--advertise-client-urls=${url}`,
  // There are no peers, so the port may be any.
  '--listen-peer-urls=http://127.0.0.1:0',
  // What it keeps is gone at the end in any case.
  '--unsafe-no-fsync',
]

const serverFlags = (
  identity: ApiIdentity,
  etcdUrl: string,
  address: string,
  port: number,
): readonly string[] => {
  const isLoopback = address.startsWith('127.')
  return [
    `--etcd-servers=${etcdUrl}`,
    `--bind-address=${isLoopback ? address : '0.0.0.0'}`,
    `--advertise-address=${address}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${identity.certFile}`,
    `--tls-private-key-file=${identity.keyFile}`,
    `--token-auth-file=${identity.tokensFile}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${identity.accountKeyFile}`,
    `--service-account-signing-key-file=${identity.accountKeyFile}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    // The API server accepts no endpoints on loopback.
    ...(isLoopback ? ['--endpoint-reconciler-type=none'] : []),
    '--kubelet-preferred-address-types=InternalIP',
    '--profiling=false',
  ]
}

const isReady = async (url: string, ca: string): Promise<true | undefined> => {
  await using agent = disposable(new Agent({ connect: { ca } }))
  try {
    const response = await fetch(`${url}/readyz`, {
      dispatcher: agent.value,
      signal: AbortSignal.timeout(2_000),
    })
    return (await response.text()) === 'ok' ? true : undefined
  } catch {
    return undefined
  }
}

const disposable = (agent: Agent) => ({ value: agent, [Symbol.asyncDispose]: () => agent.destroy() })
