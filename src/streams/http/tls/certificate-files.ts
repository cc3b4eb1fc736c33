import { readFileSync, statSync } from 'node:fs'
import type { TlsServer } from '../../../model/resources/tls-server.ts'

/** The certificate of a listener, its key, and the CA bundle for client certificates. */
export interface CertificateTexts {
  readonly cert: Buffer | string
  readonly key: Buffer | string
  readonly ca: Buffer | string | undefined
}

/**
 * The certificate files of a listener. They are checked by name every time, so that a renamed file and a retargeted
 * symlink both count as changed. A listener may have texts in their place, which never change.
 */
export class CertificateFiles {
  readonly #files: TlsServer
  #version = ''

  constructor(files: TlsServer) {
    this.#files = files
  }

  /** Whether the files, or their contents, differ from those read last. Costs a few microseconds. */
  get haveChanged(): boolean {
    return this.#versionNow() !== this.#version
  }

  /** Reads them now. Throws the system's error if one cannot be read. */
  read(): CertificateTexts {
    // Taken before reading: a change in between is then detected by the next check.
    this.#version = this.#versionNow()
    const { certFile, keyFile, clientCaFile, certPem, keyPem, clientCaPem } = this.#files
    const cert = certFile === undefined ? certPem : readFileSync(certFile)
    const key = keyFile === undefined ? keyPem?.secret : readFileSync(keyFile)
    if (cert === undefined || key === undefined) throw new Error('there is no certificate, or no key')
    return { cert, key, ca: clientCaFile === undefined ? clientCaPem : readFileSync(clientCaFile) }
  }

  #versionNow(): string {
    const { certFile, keyFile, clientCaFile } = this.#files
    return `${versionOf(certFile)} ${versionOf(keyFile)} ${versionOf(clientCaFile)}`
  }
}

/** Identifies a version of a file; a file that is missing for a moment has one too. */
const versionOf = (path: string | undefined): string => {
  if (path === undefined) return ''
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : 'missing'
}
