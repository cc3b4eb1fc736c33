import { distinctUntilChanged, lastValueFrom, map, type Observable, type Subscription, tap } from 'rxjs'
import type { ModuleLog } from '../model/log/module-log.ts'
import type { ApiClient } from './api/api-client.ts'
import { asApiFailure } from './api/api-failure.ts'
import { collectionPath, objectPath } from './api/resource-path.ts'
import type { Secret } from './kinds/core.ts'
import type { ControllerMetrics } from './process/controller-metrics.ts'
import type { ControllerSettings } from './settings/controller-settings.ts'
import { CERTIFICATE_SECRET } from './settings/proxy-settings.ts'
import { AuthenticationError } from './sinks/xds/authentication.ts'
import { xdsCertificateNames } from './sinks/xds/certificates/certificate-names.ts'
import { RotatingCertificate } from './sinks/xds/certificates/rotating-certificate.ts'
import type { XdsRejection } from './sinks/xds/delta-stream.ts'
import type { ResourceSets } from './sinks/xds/resource-sets.ts'
import { TOKEN_REVIEW_PATH, tokenReviews } from './sinks/xds/token-review.ts'
import { openXdsServer, type XdsServer } from './sinks/xds/xds-server.ts'

/** What serving xDS needs. */
export interface XdsServiceOptions {
  readonly settings: ControllerSettings
  readonly client: ApiClient
  /** For reviews of tokens: requests of whoever reaches the port must not delay those of the control plane. */
  readonly reviewer: ApiClient
  readonly sets: ResourceSets
  /** The Secret with the certificate authority, at every change; undefined if there is none. */
  readonly certificateSecret$: Observable<Secret | undefined>
  readonly live: { readonly isLeader: boolean }
  readonly onRejected: (rejection: XdsRejection) => void
  readonly metrics: ControllerMetrics
  readonly log: ModuleLog
}

/** xDS as the control plane serves it. */
export interface XdsService extends XdsServer {
  /** This replica leads from now on: it replaces the authority if that is due. */
  lead(): void
}

/** Serves resources to proxies: with TLS unless the settings say otherwise, and to authenticated proxies only. */
export const openXdsService = async (options: XdsServiceOptions): Promise<XdsService> => {
  const { settings, reviewer, sets, metrics, log } = options
  const { mode, port, isAuthenticated } = settings.xds
  const certificate = mode === 'plaintext' ? undefined : followCertificate(options)
  if (!isAuthenticated) log.warn?.('proxies are not authenticated: AGW_XDS_AUTH is false')
  const warnings = new WarningBudget()
  const server = await openXdsServer({
    port,
    mode,
    ...(certificate && { certificate: certificate.kept }),
    sets,
    authenticate: isAuthenticated
      ? tokenReviews((body) =>
          lastValueFrom(
            reviewer.request({
              method: 'POST',
              path: TOKEN_REVIEW_PATH,
              body,
              timeoutMs: REVIEW_MS,
            }),
          ),
        )
      : undefined,
    events: {
      onRejected: options.onRejected,
      onAuthenticated: (succeeded, error) => {
        const outcome = succeeded ? 'accepted' : error instanceof AuthenticationError ? 'refused' : 'failed'
        metrics.authentications.inc({ outcome })
        if (!succeeded) warnings.add(() => log.warn?.('a proxy is not authenticated', { error }))
      },
      onConnectionEnded: (reason) => {
        metrics.connectionsEnded.inc({ reason })
        warnings.add(() => log.warn?.('a connection of xDS was ended', { reason }))
      },
    },
  })
  return {
    port: server.port,
    get streams() {
      return server.streams
    },
    get isServing() {
      return server.isServing
    },
    lead: () => {
      certificate?.kept.rotate()
    },
    close: async () => {
      certificate?.following.unsubscribe()
      certificate?.kept.close()
      await server.close()
    },
  }
}

const REVIEW_MS = 10_000
const WARNINGS = 20
const WARNINGS_MS = 10_000

/** Callers that are refused must not fill the log: what exceeds a few lines in ten seconds is counted by metrics only. */
class WarningBudget {
  #left = WARNINGS
  #since = 0

  add(warn: () => void): void {
    const now = performance.now()
    if (now - this.#since > WARNINGS_MS) {
      this.#since = now
      this.#left = WARNINGS
    }
    if (this.#left-- > 0) warn()
  }
}

const secrets = { group: '', version: 'v1', plural: 'secrets' }

const followCertificate = ({
  settings: { pod, xds, translation },
  client,
  certificateSecret$,
  live,
  log,
}: XdsServiceOptions): { readonly kept: RotatingCertificate; readonly following: Subscription } => {
  const { namespace } = pod
  let secret: Secret | undefined
  const kept = new RotatingCertificate({
    names: xdsCertificateNames({ ...xds, namespace, clusterDomain: translation.clusterDomain }),
    create: async (stringData) => {
      const metadata = { namespace, name: CERTIFICATE_SECRET }
      const body = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, stringData }
      try {
        await lastValueFrom(
          client.request({ method: 'POST', path: collectionPath(secrets, namespace), body }),
        )
        log.info?.('a certificate authority for xDS was made', { secret: CERTIFICATE_SECRET })
      } catch (error) {
        // Another replica was first: its Secret comes as a change.
        if (!asApiFailure(error).isConflict) throw error
      }
    },
    change: async (fields) => {
      if (!live.isLeader || secret === undefined) return
      const { resourceVersion } = secret.metadata
      const data = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, value === undefined ? null : encoded(value)]),
      )
      const path = objectPath(secrets, { namespace, name: CERTIFICATE_SECRET })
      try {
        await lastValueFrom(
          client.request({
            method: 'PATCH',
            path,
            contentType: 'application/merge-patch+json',
            body: { metadata: { resourceVersion }, data },
          }),
        )
        log.info?.('the certificate authority for xDS is being replaced', { fields: Object.keys(data) })
      } catch (error) {
        // Another client has changed it: that comes as a change, after which it is checked again.
        if (!asApiFailure(error).isConflict) throw error
      }
    },
    onError: (error) => {
      log.error?.('there is no usable certificate for xDS', { secret: CERTIFICATE_SECRET, error })
    },
  })
  const following = certificateSecret$
    .pipe(
      tap((latest) => {
        secret = latest
      }),
      map((latest) => latest && decoded(latest)),
      distinctUntilChanged((one, other) => JSON.stringify(one) === JSON.stringify(other)),
    )
    .subscribe({
      next: (data) => {
        kept.update(data)
      },
      // The other subscribers of the changes end the control plane then.
      error: () => undefined,
    })
  return { kept, following }
}

const encoded = (text: string): string => Buffer.from(text).toString('base64')

const decoded = ({ data = {} }: Secret): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]),
  )
