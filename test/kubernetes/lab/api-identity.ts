import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Authority } from '../../support/certificates.ts'

/** Files by which the API server and its administrator authenticate each other. */
export interface ApiIdentity {
  readonly url: string
  readonly certFile: string
  readonly keyFile: string
  /** Signs and checks tokens of service accounts. */
  readonly accountKeyFile: string
  /** Names the administrator's token. */
  readonly tokensFile: string
  readonly kubeconfig: string
}

const serviceNames = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]

/** Writes the files into a folder. */
export const writeApiIdentity = (
  folder: string,
  authority: Authority,
  address: string,
  port: number,
): ApiIdentity => {
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const url = `https://${address}:${port}`
  const addresses = new Set(['127.0.0.1', FIRST_CLUSTER_IP, address])
  const altNames = [...addresses].map((ip) => `IP:${ip}`).concat(serviceNames.map((name) => `DNS:${name}`))
  const { certFile, keyFile } = authority.issue('kube-apiserver', altNames)
  const token = randomBytes(24).toString('hex')
  const account = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [
      {
        name: 'lab',
        cluster: {
          server: url,
          'certificate-authority-data': Buffer.from(authority.cert).toString('base64'),
        },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'admin' } }],
  }
  return {
    url,
    certFile,
    keyFile,
    accountKeyFile: write('accounts.key', account.export({ type: 'pkcs1', format: 'pem' }).toString()),
    tokensFile: write('tokens.csv', `${token},admin,admin,"system:masters"\n`),
    kubeconfig: write('kubeconfig', stringify(kubeconfig)),
  }
}

/** The Service `kubernetes` gets the first address of the range of the API server. */
const FIRST_CLUSTER_IP = '10.96.0.1'
