import { logLevel } from '../../../config/format/log-level.ts'
import { mergeParameters } from './merge-parameters.ts'
import { overlayProblem } from './overlays.ts'
import type { ParametersLayer } from './parameters-layers.ts'

/** What is wrong with parameters that could all be found. */
export const parametersProblem = (layers: readonly ParametersLayer[]): string | undefined => {
  const { workloadKind, logging } = mergeParameters(layers)
  const level = logging?.level
  const levelProblem = level === undefined ? undefined : logLevel(level)
  // Proxies would not start with it.
  if (levelProblem) return `logging.level ${levelProblem.expectation}`
  return overlayProblem(layers, workloadKind)
}
