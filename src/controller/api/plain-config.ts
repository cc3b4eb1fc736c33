/**
 * The configurations that are read here: the account of a pod, and kubeconfig files that have nothing but certificates
 * and a token. The library for all others keeps 26 MB of heap and 80 MB of memory for as long as the process lives.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isIPv6 } from 'node:net'
import { parse } from 'yaml'
import { jsonObjectIn } from '../../protocols/json/json-object.ts'
import type { ClusterConfig } from './cluster-config.ts'

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The account of the pod that this runs in; undefined outside of pods. */
export const podConfig = (
  { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' }: NodeJS.ProcessEnv,
  folder = ACCOUNT_FOLDER,
): ClusterConfig | undefined =>
  host === undefined
    ? undefined
    : {
        server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
        namespace: textOf(`${folder}/namespace`),
        proxyUrl: undefined,
        // The kubelet renews both.
        credentials: () =>
          settled(() => ({
            ca: readFileSync(`${folder}/ca.crt`),
            headers: bearer(readFileSync(`${folder}/token`, 'utf8')),
          })),
      }

/**
 * The current context of a kubeconfig file; undefined if the library has to read it, because it is malformed or has
 * anything that is not known here.
 */
export const plainKubeconfig = (file: string): ClusterConfig | undefined => {
  const text = textOf(file)
  const document = text === undefined ? undefined : jsonObjectIn(parsed(text))
  const context = named(document, 'contexts', document?.['current-context'], 'context')
  const cluster = named(document, 'clusters', context?.cluster, 'cluster')
  const user = named(document, 'users', context?.user, 'user')
  if (!context || !cluster || !user) return undefined
  if (!hasOnly(cluster, CLUSTER_FIELDS) || !hasOnly(user, USER_FIELDS)) return undefined
  const { server, 'tls-server-name': servername } = cluster
  // The library refuses to send credentials without TLS.
  if (!server?.startsWith('https://') || ('token' in user && 'tokenFile' in user)) return undefined
  const part = (fields: Texts, name: string): Buffer | undefined => {
    const path = fields[name]
    if (path !== undefined) return readFileSync(resolve(dirname(file), path))
    const data = fields[`${name}-data`]
    return data === undefined ? undefined : Buffer.from(data, 'base64')
  }
  return {
    server,
    namespace: typeof context.namespace === 'string' ? context.namespace : undefined,
    proxyUrl: undefined,
    credentials: () =>
      settled(() => {
        const { tokenFile } = user
        const token =
          tokenFile === undefined ? user.token : readFileSync(resolve(dirname(file), tokenFile), 'utf8')
        return {
          ca: part(cluster, 'certificate-authority'),
          cert: part(user, 'client-certificate'),
          key: part(user, 'client-key'),
          servername,
          headers: token === undefined ? {} : bearer(token),
        }
      }),
  }
}

const CLUSTER_FIELDS = ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name']
const USER_FIELDS = [
  'token',
  'tokenFile',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
]

type Fields = Readonly<Record<string, unknown>>
type Texts = Readonly<Record<string, string | undefined>>

/** A file that cannot be read is a rejection. */
const settled = <T>(read: () => T): Promise<T> =>
  new Promise((resolveWith) => {
    resolveWith(read())
  })

const bearer = (token: string) => ({ authorization: `Bearer ${token.trim()}` })

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const parsed = (text: string): unknown => {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** The contents of the only entry of a list with a name. */
const named = (
  document: Fields | undefined,
  list: string,
  name: unknown,
  field: string,
): Fields | undefined => {
  const entries = document?.[list]
  if (typeof name !== 'string' || !Array.isArray(entries)) return undefined
  const found = entries.map(jsonObjectIn).filter((entry) => entry?.name === name)
  return found.length === 1 ? jsonObjectIn(found[0]?.[field]) : undefined
}

const hasOnly = (fields: Fields, names: readonly string[]): fields is Texts =>
  Object.entries(fields).every(
    ([name, value]) => names.includes(name) && typeof value === 'string' && value !== '',
  )
