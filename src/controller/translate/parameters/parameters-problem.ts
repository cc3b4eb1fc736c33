import { logLevel } from '../../../config/format/log-level.ts'
import { isNestedDeeper } from '../../../protocols/json/nested-levels.ts'
import { MAX_LEVELS } from '../../schema/field-levels.ts'
import { mergeParameters } from './merge-parameters.ts'
import { layerText, overlayNames, overlayProblem } from './overlays.ts'
import type { ParametersLayer } from './parameters-layers.ts'

/** What is wrong with parameters that could all be found. */
export const parametersProblem = (layers: readonly ParametersLayer[]): string | undefined => {
  const tooDeep = layers.flatMap(nestingProblem)[0]
  if (tooDeep !== undefined) return tooDeep
  const { workloadKind, logging } = mergeParameters(layers)
  const level = logging?.level
  const levelProblem = level === undefined ? undefined : logLevel(level)
  // Proxies would not start with it.
  if (levelProblem) return `logging.level ${levelProblem.expectation}`
  return overlayProblem(layers, workloadKind)
}

const nestingProblem = (layer: ParametersLayer): readonly string[] => {
  const { spec } = layer
  const open = {
    rawConfig: spec.rawConfig,
    ...Object.fromEntries(overlayNames.map((name) => [name, spec[name]])),
  }
  return Object.entries(open).flatMap(([name, value]) =>
    isNestedDeeper(value, MAX_LEVELS)
      ? [`${layerText(layer)}: ${name} is nested more than ${MAX_LEVELS} levels deep`]
      : [],
  )
}
