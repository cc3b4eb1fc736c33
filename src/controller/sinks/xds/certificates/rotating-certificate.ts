import type { XdsCertificateSource } from '../xds-port.ts'
import { rotatedAuthority } from './rotated-authority.ts'
import {
  type CertificateSecretData,
  newAuthorityData,
  type XdsCertificate,
  xdsCertificate,
} from './xds-certificate.ts'

/** What keeping the certificate needs. */
export interface KeptCertificateOptions {
  /** Names and addresses of the server. */
  readonly names: readonly string[]
  /** Creates the Secret. Fails if there is one meanwhile, which then comes as an update. */
  readonly create: (data: CertificateSecretData) => Promise<void>
  /** Changes fields of the Secret, if this replica leads; undefined removes one. The change comes as an update. */
  readonly change?: (data: CertificateSecretData) => Promise<void>
  /** The Secret cannot be used, created or changed. The certificate before stays in use. */
  readonly onError: (error: unknown) => void
  readonly now?: () => number
}

const CREATE_AGAIN_MS = 5_000
/** Timers of Node cannot be longer; and a clock that was set is noticed. */
const LONGEST_TIMER_MS = 3_600_000

/**
 * The certificate of the server, by the Secret in force: made again half a day before it ends, and whenever the Secret
 * has changed. A Secret that is missing is created, as is one that was deleted.
 */
export class RotatingCertificate implements XdsCertificateSource {
  readonly #options: KeptCertificateOptions
  readonly #followers = new Set<() => void>()
  #current: XdsCertificate | undefined = undefined
  #data: CertificateSecretData | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #isClosed = false

  constructor(options: KeptCertificateOptions) {
    this.#options = options
  }

  get current(): XdsCertificate | undefined {
    return this.#current
  }

  follow(changed: () => void): () => void {
    this.#followers.add(changed)
    return () => {
      this.#followers.delete(changed)
    }
  }

  /** The Secret was read, or has changed; undefined if there is none. */
  update(data: CertificateSecretData | undefined): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#data = data
    if (data === undefined) void this.#create()
    else {
      this.#issue(data)
      this.rotate()
    }
  }

  /** Replaces the authority of the Secret if that is due. */
  rotate(): void {
    if (this.#data && !this.#isClosed) void this.#rotate(this.#data)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#followers.clear()
  }

  #issue(data: CertificateSecretData): void {
    const { names, onError } = this.#options
    try {
      this.#current = xdsCertificate(data, names, new Date(this.#now()))
      for (const changed of [...this.#followers]) changed()
    } catch (error) {
      onError(error)
    }
    this.#schedule()
  }

  /** Looks again when the certificate must be renewed, at least every hour. */
  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    const renewAt = this.#current?.renewAt?.getTime() ?? Infinity
    const leftMs = Math.max(CREATE_AGAIN_MS, renewAt - this.#now())
    this.#timer = setTimeout(
      () => {
        this.rotate()
        if (this.#data && this.#now() >= renewAt) this.#issue(this.#data)
        else this.#schedule()
      },
      Math.min(LONGEST_TIMER_MS, leftMs),
    ).unref()
  }

  async #rotate(data: CertificateSecretData): Promise<void> {
    const changed = rotatedAuthority(data, new Date(this.#now()))
    if (!changed) return
    try {
      await this.#options.change?.(changed)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  async #create(): Promise<void> {
    try {
      await this.#options.create(newAuthorityData(new Date(this.#now())))
    } catch (error) {
      this.#options.onError(error)
    }
    if (this.#data !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => {
      if (this.#data === undefined) void this.#create()
    }, CREATE_AGAIN_MS).unref()
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}
