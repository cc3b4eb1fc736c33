import { readFileSync } from 'node:fs'

/** What this program was built from. */
export interface Build {
  readonly version: string
  /** The commit, where the build knows it. */
  readonly gitRevision: string
  readonly nodeVersion: string
  readonly buildTarget: string
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** Facts about this build. */
export const buildInfo: Build = {
  version,
  gitRevision: process.env.AGENTGATEWAY_GIT_REVISION ?? 'unknown',
  nodeVersion: process.versions.node,
  buildTarget: `${process.platform}-${process.arch}`,
}
