import type * as File from '../../../config/schema/file-types.gen.ts'
import type { VirtualModelForm } from './virtual-model-field.ts'

/** A target as it is written. */
export interface VirtualTargetForm {
  readonly modelRef: { readonly name: string }
  readonly model?: string
}

/** A target in the notation of a file. */
export interface ResolvedTarget {
  readonly model: string
  readonly id: string
}

/**
 * `virtualModel` of a ProxyModel in the notation of a file; undefined if its kind is not known.
 *
 * @param resolve Finds the model of a target; `path` is that of the field. One that leads nowhere keeps its place, so
 * that its share of the requests fails and no other target gets it.
 */
export const virtualRoutingOf = (
  { weighted, failover, conditional }: VirtualModelForm,
  resolve: (target: VirtualTargetForm, path: string) => ResolvedTarget,
): File.LlmRouting | undefined => {
  if (weighted)
    return {
      weighted: {
        targets: weighted.targets.map((target, i) => ({
          ...resolve(target, `weighted.targets[${i}]`),
          ...(target.weight === undefined ? {} : { weight: target.weight }),
        })),
      },
    }
  if (failover)
    return {
      failover: {
        targets: failover.targets.map((target, i) => ({
          ...resolve(target, `failover.targets[${i}]`),
          priority: target.priority,
        })),
      },
    }
  return (
    conditional && {
      conditional: {
        targets: conditional.targets.map((target, i) => ({
          ...resolve(target, `conditional.targets[${i}]`),
          ...(target.when === undefined ? {} : { when: target.when }),
        })),
      },
    }
  )
}
