import type { FrontendTls } from '../../../model/resources/frontend-policies.ts'
import type { CompiledBind, CompiledListener } from '../../../model/resources/snapshot.ts'
import type { TlsServer } from '../../../model/resources/tls-server.ts'
import { TlsTerminator } from './terminator.ts'

/**
 * The TLS terminators of a port's listeners: kept while their settings stay the same, and reloaded when certificates
 * change.
 */
export class TlsTerminators {
  #byListener = new Map<string, Entry>()
  #timer: NodeJS.Timeout | undefined = undefined
  readonly #checkEveryMs: number
  readonly #warn: (message: string, fields: Readonly<Record<string, unknown>>) => void

  /** @param warn Called when a changed certificate cannot be used. */
  constructor(
    checkEveryMs: number,
    warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
  ) {
    this.#checkEveryMs = checkEveryMs
    this.#warn = warn
  }

  /**
   * Creates the terminators of a bind's listeners. Returns the problems; a listener that had TLS before keeps it,
   * unless its rules for client certificates have changed.
   */
  configure(bind: CompiledBind): string[] {
    const problems: string[] = []
    const next = new Map<string, Entry>()
    const { tls: frontend } = bind.frontend
    for (const { resource } of bind.listeners) {
      // Without a terminator, no handshake succeeds; the terminator of before must not go on.
      if (!resource.tls || resource.tls.invalid !== undefined) continue
      const { tls, key } = resource
      const before = this.#byListener.get(key)
      if (before && areSame(before, tls, frontend)) {
        next.set(key, before)
        continue
      }
      try {
        next.set(key, { tls, frontend, terminator: new TlsTerminator(tls, frontend) })
      } catch (cause) {
        problems.push(`${key} cannot use ${tls.certFile ?? 'its certificate'}: ${messageOf(cause)}`)
        // Not if it would let in clients that the new settings may refuse.
        if (before && clientRulesOf(before.tls) === clientRulesOf(tls)) next.set(key, before)
      }
    }
    this.#byListener = next
    if (next.size > 0) this.#timer ??= setInterval(() => this.reload(), this.#checkEveryMs).unref()
    else this.stop()
    return problems
  }

  of(listener: CompiledListener): TlsTerminator | undefined {
    return this.#byListener.get(listener.resource.key)?.terminator
  }

  /** Checks the files of all listeners. */
  reload(): void {
    for (const [listener, { terminator }] of this.#byListener) {
      try {
        terminator.reload()
      } catch (cause) {
        this.#warn('a changed certificate cannot be used; the one before stays', {
          listener,
          error: messageOf(cause),
        })
      }
    }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** The terminator of a listener, with the settings that it was made from. */
interface Entry {
  readonly tls: TlsServer
  readonly frontend: FrontendTls
  readonly terminator: TlsTerminator
}

/** Most configurations keep the very objects of the one before, and certificates are long. */
const areSame = (entry: Entry, tls: TlsServer, frontend: FrontendTls): boolean =>
  (entry.tls === tls && entry.frontend === frontend) ||
  JSON.stringify([entry.tls, entry.frontend]) === JSON.stringify([tls, frontend])

const clientRulesOf = ({ clientCaFile, clientCaPem, clientCertificates }: TlsServer): string =>
  JSON.stringify([clientCaFile, clientCaPem, clientCertificates])

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
