import { isPassthrough } from '../../../model/resources/passthrough.ts'
import type { CompiledBind, CompiledListener } from '../../../model/resources/snapshot.ts'

/**
 * Finds the listener of a bind by host name: exact first, then the longest wildcard, then the one for every host.
 *
 * Cleartext and TLS listeners are separate, so that a port with both never replies in cleartext for a host that is only
 * offered over TLS.
 */
export class ListenerTable {
  readonly #cleartext: Hosts
  readonly #encrypted: Hosts
  readonly #hasPassthrough: boolean

  constructor(bind: CompiledBind) {
    this.#cleartext = new Hosts(bind.listeners.filter((listener) => !usesTls(listener)))
    this.#encrypted = new Hosts(bind.listeners.filter(usesTls))
    this.#hasPassthrough = bind.listeners.some(({ resource }) => isPassthrough(resource))
  }

  /** @param hostname Lower-case, without port; empty for a client that names none. */
  cleartext(hostname: string): CompiledListener | undefined {
    return this.#cleartext.find(hostname)
  }

  /** @param hostname Lower-case: the SNI, or the host of a request that came over TLS. */
  encrypted(hostname: string): CompiledListener | undefined {
    return this.#encrypted.find(hostname)
  }

  get hasCleartext(): boolean {
    return this.#cleartext.size > 0
  }

  /** Whether clients of some listeners speak TLS with backends. */
  get hasPassthrough(): boolean {
    return this.#hasPassthrough
  }

  get hasEncrypted(): boolean {
    return this.#encrypted.size > 0
  }
}

/** Whether a listener expects a TLS handshake. */
const usesTls = (listener: CompiledListener): boolean =>
  listener.resource.protocol === 'HTTPS' || listener.resource.protocol === 'TLS'

class Hosts {
  readonly size: number
  readonly #exact = new Map<string, CompiledListener>()
  /** Suffixes with their dot, the longest first. */
  readonly #wildcards: { readonly suffix: string; readonly listener: CompiledListener }[] = []
  #any: CompiledListener | undefined = undefined

  constructor(listeners: readonly CompiledListener[]) {
    this.size = listeners.length
    for (const listener of listeners) {
      const { hostname } = listener.resource
      if (hostname === '' || hostname === '*') this.#any ??= listener
      else if (hostname.startsWith('*.')) this.#wildcards.push({ suffix: hostname.slice(1), listener })
      else if (!this.#exact.has(hostname)) this.#exact.set(hostname, listener)
    }
    this.#wildcards.sort((a, b) => b.suffix.length - a.suffix.length)
  }

  find(hostname: string): CompiledListener | undefined {
    if (this.#exact.size > 0) {
      const exact = this.#exact.get(hostname)
      if (exact) return exact
    }
    for (const { suffix, listener } of this.#wildcards)
      if (hostname.length > suffix.length && hostname.endsWith(suffix)) return listener
    return this.#any
  }
}
