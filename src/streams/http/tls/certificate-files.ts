import { readFileSync, statSync } from 'node:fs'
import type { TlsServer } from '../../../model/resources/resources.ts'

/** The contents of a listener's certificate files. */
export interface CertificateTexts {
  readonly cert: Buffer
  readonly key: Buffer
  readonly ca: Buffer | undefined
}

/**
 * The certificate files of a listener. They are checked by name every time, so that a renamed file and a retargeted
 * symlink both count as changed.
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
    const { certFile, keyFile, clientCaFile } = this.#files
    return {
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      ca: clientCaFile === undefined ? undefined : readFileSync(clientCaFile),
    }
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
