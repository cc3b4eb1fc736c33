import { type Evaluate, isTrue } from '../../../model/exchange/expression.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../../model/exchange/reply.ts'
import type { VirtualTarget } from '../../../model/llm/llm-backend.ts'
import { modelPattern } from '../../../protocols/llm/models/model-patterns.ts'
import { SmoothWeights } from '../../../upstream/load-balancing/smooth-weights.ts'
import type { Option, OptionGroups } from './provider-target.ts'
import { modelNotFound, refuseRequest } from '../refusals.ts'

/** A model of the configuration, ready for requests. */
export interface RoutedModel {
  readonly id: string
  readonly name: string
  readonly isPublic: boolean
  /** Whether its conditions hold for the request. */
  readonly fits: (x: Exchange) => boolean
  /** Whether the caller may use it. */
  readonly mayUse: (x: Exchange) => boolean
  readonly option: Option
}

/** A name that stands for several models. */
export interface RoutedVirtualModel {
  readonly name: string
  readonly routing: VirtualRouting
}

/** How one of them is chosen. */
export type VirtualRouting =
  | { readonly weighted: readonly (VirtualTarget & { readonly weight: number })[] }
  | { readonly failover: readonly (readonly VirtualTarget[])[] }
  | { readonly conditional: readonly (VirtualTarget & { readonly when: Evaluate | undefined })[] }

/** Determines the targets of a request by its model. */
export class ModelRouter {
  /** In the order in which they are searched. */
  readonly models: readonly RoutedModel[]
  readonly virtualModels: readonly RoutedVirtualModel[]
  readonly #turns = new SmoothWeights()
  readonly #patterns: readonly ((model: string) => boolean)[]

  constructor(models: readonly RoutedModel[], virtualModels: readonly RoutedVirtualModel[]) {
    this.models = models
    this.virtualModels = virtualModels
    this.#patterns = models.map(({ name }) => modelPattern(name))
  }

  /** The targets for a model, or a refusal. */
  choose(x: Exchange, model: string): OptionGroups | Reply {
    const { allowedModels } = x.identity
    if (allowedModels && !allowedModels.some((pattern) => modelPattern(pattern)(model)))
      return deny(403, 'model_not_allowed', {
        message: 'Model is not allowed for this API key',
        reason: 'Authorization',
      })
    const virtual = this.virtualModels.find(({ name }) => name === model)
    if (virtual) return this.#virtual(x, virtual)
    const found = this.#find(x, { model }, false)
    if ('status' in found) return found
    return [[found.option]]
  }

  /** Whether the list of models has this one for the caller, by its name or by a pattern. */
  shows(x: Exchange, model: string): boolean {
    const { allowedModels } = x.identity
    if (allowedModels && !allowedModels.some((pattern) => modelPattern(pattern)(model))) return false
    return (
      this.virtualModels.some(({ name }) => name === model) || !('status' in this.#find(x, { model }, false))
    )
  }

  /** The target that serves every model, for requests that name none; undefined if there is none. */
  forAll(x: Exchange): OptionGroups | undefined {
    const { allowedModels } = x.identity
    if (allowedModels && !allowedModels.includes('*')) return undefined
    const found = this.models.find((one) => one.name === '*' && one.isPublic && one.fits(x) && one.mayUse(x))
    return found && [[found.option]]
  }

  #virtual(x: Exchange, { name, routing }: RoutedVirtualModel): OptionGroups | Reply {
    if ('failover' in routing) return this.#failover(x, name, routing.failover)
    const target =
      'weighted' in routing
        ? this.#turns.pick(routing.weighted, ({ weight }) => weight)
        : routing.conditional.find(({ when }) => !when || isTrue(when, x))
    if (target === undefined)
      return 'weighted' in routing
        ? refuseRequest(404, 'virtual_model_not_resolved', `Virtual model ${name} could not be resolved`)
        : refuseRequest(
            400,
            'virtual_model_no_matching_target',
            `Virtual model ${name} did not match any conditional target`,
          )
    const option = this.#target(x, name, target)
    return 'status' in option ? option : [[option]]
  }

  /** Targets that the caller may not use are skipped, as long as there are others. */
  #failover(x: Exchange, name: string, groups: readonly (readonly VirtualTarget[])[]): OptionGroups | Reply {
    let refusal: Reply | undefined
    const options = groups
      .map((group) =>
        group.flatMap((target) => {
          const option = this.#target(x, name, target)
          if (!('status' in option)) return [option]
          refusal = option
          return []
        }),
      )
      .filter((group) => group.length > 0)
    return options.length || !refusal ? options : refusal
  }

  /** The model of a target is its own, whatever the client's name for it, or the one that its name is an alias of. */
  #target(x: Exchange, virtual: string, target: VirtualTarget): Option | Reply {
    const found = this.#find(x, target, true)
    if (!('status' in found)) {
      const { candidate, model } = found.option
      return { candidate, model: model ?? candidate.provider.model ?? target.model }
    }
    return found.status === 404
      ? refuseRequest(
          404,
          'virtual_model_target_not_found',
          `Virtual model ${virtual} selected target ${target.model}, but no matching model was found`,
        )
      : found
  }

  #find(x: Exchange, { model, id }: VirtualTarget, internalToo: boolean): RoutedModel | Reply {
    let refused = false
    for (const [i, one] of this.models.entries()) {
      const isNamed = id === undefined ? this.#patterns[i]?.(model) === true : one.id === id
      if (!(one.isPublic || internalToo) || !isNamed || !one.fits(x)) continue
      if (one.mayUse(x)) return one
      refused = true
    }
    return refused
      ? deny(403, 'model_authorization_denied', {
          message: 'Model authorization denied',
          reason: 'Authorization',
        })
      : modelNotFound(model)
  }
}
