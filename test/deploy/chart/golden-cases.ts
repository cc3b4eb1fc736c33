import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Release } from '../../kubernetes/lab/chart.ts'

/** Values of the chart, and what becomes of them. */
export interface GoldenCase {
  readonly name: string
  readonly release: Release & { readonly namespace: string }
  /** What Helm writes. */
  readonly output: string
}

const folder = join(import.meta.dirname, 'golden')

/** The cases of `golden/`: a folder each. A comment at the start of its values may tell what is installed, and where. */
export const goldenCases: readonly GoldenCase[] = readdirSync(folder).map((name) => {
  const values = join(folder, name, 'values.yaml')
  const groups = /^# Release (?<name>\S+) in (?<namespace>[^\s:]+)/.exec(readFileSync(values, 'utf8'))?.groups
  const { namespace = 'agentgateway-system', ...given } = groups ?? {}
  return {
    name,
    release: { ...given, namespace, args: ['--values', values] },
    output: join(folder, name, 'out.yaml'),
  }
})
