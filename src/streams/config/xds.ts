import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  defer,
  finalize,
  from,
  ignoreElements,
  merge,
  type Observable,
  retry,
  Subject,
  switchMap,
  tap,
  timer,
} from 'rxjs'
import type { UpstreamSettings } from '../../model/resources/process-settings.ts'
import type { XdsSettings } from '../../model/resources/xds-settings.ts'
import type { AppliedDelta, RefusedResource, XdsDelta } from '../../protocols/xds/delta.ts'
import { TlsClient } from '../../upstream/connect/tls.ts'
import type { GrpcClient } from '../../upstream/grpc/grpc-client.ts'
import { grpcHostAddress } from '../../upstream/grpc/grpc-target.ts'
import { grpcLibrary } from '../../upstream/grpc/lazy-grpc.ts'
import { applyParts, xdsStream, type XdsStreamOptions } from './xds-stream.ts'

/** What the client depends on. */
export interface XdsClientOptions {
  readonly settings: XdsSettings
  readonly upstream: Pick<UpstreamSettings, 'keepalives' | 'connectTimeoutMs'>
  /**
   * Applies an update.
   *
   * @param onDue To be called when it is applied, and is to be compiled.
   */
  readonly accept: (delta: XdsDelta, onDue: () => void) => Promise<AppliedDelta>
  /** A resource is not accepted, or its port is not open. */
  readonly onRefused: (resource: RefusedResource) => void
  readonly random?: () => number
  /** The stream is lost, and another one is tried after a pause. */
  readonly onLost: (error: unknown, pauseMs: number) => void
}

/** Pauses between attempts: from the first, doubled each time. */
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 15_000
/** How often a silent connection is probed: a control plane that is gone without a word is noticed by then. */
const PROBE_MS = 30_000

/**
 * Emits when an update of a control plane is to be compiled. Never ends and never fails: a lost stream is opened again,
 * and continues with what is there.
 */
export const xdsUpdates = (options: XdsClientOptions): Observable<undefined> =>
  defer(() => {
    const { settings, accept, onRefused, random = Math.random, onLost } = options
    const client = xdsService(options)
    const versions = new Map<string, string>()
    const due$ = new Subject<undefined>()
    let failures = 0
    let applying: Promise<unknown> = Promise.resolve()
    const apply: XdsStreamOptions['apply'] = (parts) => {
      const applied = applying.then(() =>
        applyParts(parts, versions, (delta) =>
          accept(delta, () => {
            due$.next(undefined)
          }),
        ),
      )
      applying = applied.catch(() => undefined)
      return applied
    }
    // What a lost stream has brought is applied first: the next one is told of all that there is, to hear what is gone.
    const stream$ = defer(() => from(applying.then(() => credentials(settings)))).pipe(
      switchMap((metadata) =>
        xdsStream({ service: client, metadata, node: settings.node, versions, apply, onRefused }),
      ),
      tap(() => {
        failures = 0
      }),
    )
    const received$ = stream$.pipe(
      retry({
        delay: (error: unknown) => {
          const pauseMs = pauseAfter(failures++, random)
          onLost(error, pauseMs)
          return timer(pauseMs)
        },
      }),
      ignoreElements(),
      finalize(() => void client.destroy()),
    )
    return merge(due$, received$)
  })

/** Doubles, up to a limit; random within its second half, so that proxies do not come back all at once. */
const pauseAfter = (failures: number, random: () => number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)) * (0.5 + random() / 2)

const DEFAULT_TOKEN_FILE = '/var/run/secrets/xds-tokens/xds-token'
const DEFAULT_ROOT_FILE = '/var/run/secrets/xds/root-cert.pem'
const existing = (path: string): string | undefined => (existsSync(path) ? path : undefined)

const xdsService = ({ settings, upstream }: XdsClientOptions): GrpcClient => {
  const { host, port, tls } = settings.address
  const { target, authority } = grpcHostAddress({ host, port })
  const library = grpcLibrary()
  const rootFile = settings.rootFile ?? existing(DEFAULT_ROOT_FILE)
  return new library.GrpcClient({
    target,
    authority,
    probeMs: PROBE_MS,
    connectTimeoutMs: upstream.connectTimeoutMs,
    keepalives: upstream.keepalives,
    // The file is looked at for every connection: a new authority counts from the next one on.
    tls: tls
      ? new TlsClient(
          {
            insecure: false,
            insecureHost: false,
            subjectAltNames: [],
            ...(rootFile !== undefined && rootFile !== 'SYSTEM' && { rootFile }),
          },
          host,
        )
      : undefined,
  })
}

/** The token is read for every stream: its file is replaced before it expires. */
const credentials = async ({
  tokenFile = existing(DEFAULT_TOKEN_FILE),
  headers,
}: XdsSettings): Promise<readonly (readonly [string, string])[]> => {
  if (tokenFile === undefined) return headers
  const token = (await readFile(tokenFile, 'utf8')).trim()
  return [...headers, ['authorization', `Bearer ${token}`]]
}
