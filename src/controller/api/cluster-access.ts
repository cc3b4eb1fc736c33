import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { StartFailure } from '../../model/resources/start-failure.ts'
import { ApiFailure } from './api-failure.ts'
import { type ClusterConfig, libraryConfig } from './cluster-config.ts'
import { plainKubeconfig, podConfig } from './plain-config.ts'

/** The connections to the API server and the credentials for a request. */
export interface ApiConnection {
  readonly dispatcher: Dispatcher
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Loads the access to the cluster: the file of the argument, `$KUBECONFIG`, the account of the pod, or
 * `~/.kube/config`. No address is a default.
 *
 * @throws StartFailure without any of them, and for a file that cannot be used.
 */
export const loadClusterAccess = async (kubeconfig?: string): Promise<ClusterAccess> => {
  try {
    return new ClusterAccess(await loadConfig(kubeconfig))
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new StartFailure(`no access to a cluster: ${reason}`, { cause: error })
  }
}

const loadConfig = async (kubeconfig: string | undefined): Promise<ClusterConfig> => {
  const { KUBECONFIG = '', HOME } = process.env
  const files = kubeconfig ?? KUBECONFIG
  if (files === '') {
    const pod = podConfig(process.env)
    if (pod) return pod
    const own = `${HOME}/.kube/config`
    if (!existsSync(own)) throw new Error('there is no kubeconfig file, and this is no pod')
    return plainKubeconfig(own) ?? loadWithLibrary((config) => config.loadFromFile(own))
  }
  // `KUBECONFIG` may be a list of files.
  return (
    plainKubeconfig(files) ??
    loadWithLibrary((config) =>
      kubeconfig === undefined ? config.loadFromDefault() : config.loadFromFile(kubeconfig),
    )
  )
}

/** Loaded only when it is needed: it is large. */
const loadWithLibrary = async (load: (config: KubeConfig) => void): Promise<ClusterConfig> => {
  const { KubeConfig } = await import('./kubeconfig-library.ts')
  const config = new KubeConfig()
  load(config)
  return libraryConfig(config)
}

/**
 * The access to a cluster. Token files, exec plugins and certificate files are consulted again every few seconds, and
 * new certificates get new connections. Proxies of the environment are not used, only that of the kubeconfig file.
 */
export class ClusterAccess {
  /** Scheme, host and port. */
  readonly origin: string
  /** What precedes every path; empty as a rule. */
  readonly basePath: string
  /** The namespace of the context or of the pod. */
  readonly namespace: string | undefined
  readonly #config: ClusterConfig
  readonly #maxConnections: number
  readonly #dispatchers = new Set<Dispatcher>()
  #current: { readonly tls: TlsMaterial; readonly dispatcher: Dispatcher } | undefined = undefined
  #cached: { readonly until: number; readonly connection: Promise<ApiConnection> } | undefined = undefined

  constructor(config: ClusterConfig, maxConnections = MAX_CONNECTIONS) {
    const { origin, pathname } = new URL(config.server)
    this.origin = origin
    this.basePath = pathname.replace(/\/+$/, '')
    this.namespace = config.namespace
    this.#config = config
    this.#maxConnections = maxConnections
  }

  /** The same access, with connections of its own, so that its requests delay no others. Closed by itself. */
  apart(maxConnections: number): ClusterAccess {
    return new ClusterAccess(this.#config, maxConnections)
  }

  /** The connections and credentials of now. */
  connection(): Promise<ApiConnection> {
    const now = performance.now()
    if (this.#cached && now < this.#cached.until) return this.#cached.connection
    const connection = this.#connect()
    this.#cached = { until: now + CREDENTIALS_MS, connection }
    // Failures are not kept: the next request tries again.
    connection.catch(() => (this.#cached = undefined))
    return connection
  }

  /** Ends all connections, and the requests on them. */
  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers].map((dispatcher) => dispatcher.destroy()))
    this.#dispatchers.clear()
  }

  async #connect(): Promise<ApiConnection> {
    let options: RequestOptions
    try {
      options = await this.#config.credentials()
    } catch (error) {
      const message = `credentials for the API server are not available: ${error instanceof Error ? error.message : ''}`
      throw new ApiFailure(0, 'CredentialsUnavailable', message, { cause: error })
    }
    const basic = typeof options.auth === 'string' ? { authorization: basicOf(options.auth) } : {}
    const headers = Object.entries((options.headers ?? {}) as Record<string, unknown>).map(
      ([name, value]) => [name.toLowerCase(), String(value).trim()] as const,
    )
    return { dispatcher: this.#dispatcher(options), headers: { ...basic, ...Object.fromEntries(headers) } }
  }

  #dispatcher({ ca, cert, key, rejectUnauthorized, servername }: RequestOptions): Dispatcher {
    const all = { ca, cert, key, rejectUnauthorized, servername }
    const tls = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    if (this.#current && isDeepStrictEqual(this.#current.tls, tls)) return this.#current.dispatcher
    const retired = this.#current?.dispatcher
    const dispatcher = newDispatcher(tls, this.#config.proxyUrl, this.#maxConnections)
    this.#dispatchers.add(dispatcher)
    this.#current = { tls, dispatcher }
    // Requests under way may end as they are.
    if (retired) void retired.close().then(() => this.#dispatchers.delete(retired))
    return dispatcher
  }
}

type TlsMaterial = Readonly<Record<string, unknown>>

const newDispatcher = (tls: TlsMaterial, proxy: string | undefined, connections: number): Dispatcher => {
  const options = { connections, keepAliveTimeout: 30_000, bodyTimeout: 0 }
  // A watch is silent for minutes: without probes, a connection that was dropped silently would seem to be open.
  const connect = { keepAlive: true, keepAliveInitialDelay: 30_000, timeout: 10_000 }
  if (proxy === undefined) return new Agent({ ...options, connect: { ...connect, ...tls } })
  return new ProxyAgent({ ...options, uri: proxy, requestTls: { ...connect, ...tls } })
}

const basicOf = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`

const CREDENTIALS_MS = 5_000
const MAX_CONNECTIONS = 128
