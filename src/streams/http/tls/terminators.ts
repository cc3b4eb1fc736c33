import type { CompiledBind, CompiledListener } from '../../../model/resources/snapshot.ts'
import { TlsTerminator } from './terminator.ts'

/**
 * The TLS terminators of a port's listeners: kept while their settings stay the same, and reloaded when certificates
 * change.
 */
export class TlsTerminators {
  #byListener = new Map<string, { readonly settings: string; readonly terminator: TlsTerminator }>()
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

  /** Creates the terminators of a bind's listeners. Returns the problems; a listener that had TLS before keeps it. */
  configure(bind: CompiledBind): string[] {
    const problems: string[] = []
    const next = new Map<string, { readonly settings: string; readonly terminator: TlsTerminator }>()
    for (const { resource } of bind.listeners) {
      // Without a terminator, no handshake succeeds; the terminator of before must not go on.
      if (!resource.tls || resource.tls.invalid !== undefined) continue
      const before = this.#byListener.get(resource.key)
      const settings = JSON.stringify([resource.tls, bind.frontend.tls])
      if (before?.settings === settings) {
        next.set(resource.key, before)
        continue
      }
      try {
        next.set(resource.key, { settings, terminator: new TlsTerminator(resource.tls, bind.frontend.tls) })
      } catch (cause) {
        const source = resource.tls.certFile ?? 'its certificate'
        problems.push(`${resource.key} cannot use ${source}: ${messageOf(cause)}`)
        if (before) next.set(resource.key, before)
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

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
