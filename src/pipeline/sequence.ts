import type { Operator } from './stage.ts'

/**
 * Stages in running order; undefined ones are skipped at no cost.
 *
 * @example
 * const pipeline = sequence([policies.cors && cors(policies.cors).request, backend(upstream)])
 */
export const sequence = (stages: readonly (Operator | undefined)[]): Operator => {
  const present = stages.filter((stage) => stage !== undefined)
  const [only] = present
  if (only && present.length === 1) return only
  return (source) => present.reduce((stream, stage) => stage(stream), source)
}
