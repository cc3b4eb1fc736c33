import { readFileSync } from 'node:fs'
import { gitRevision } from './git-revision.ts'

/** Build information. */
export interface Build {
  readonly version: string
  /** The commit; `unknown` for a build without history. */
  readonly gitRevision: string
  readonly nodeVersion: string
  readonly buildTarget: string
}

const root = new URL('../', import.meta.url)

const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  version: string
}

/** The information of this build. */
export const buildInfo: Build = {
  version,
  gitRevision: process.env.AGENTGATEWAY_GIT_REVISION ?? gitRevision(root) ?? 'unknown',
  nodeVersion: process.versions.node,
  buildTarget: `${process.platform}-${process.arch}`,
}
