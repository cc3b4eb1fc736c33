import type {
  EnvironmentVariable,
  ImageParameters,
  IstioParameters,
  ProxyParametersSpec,
  ResourceParameters,
  WorkloadKind,
} from '../../kinds/proxy-parameters.ts'
import type { ParametersLayer } from './parameters-layers.ts'

/** The fields of all layers as one, except for overlays: those are applied one after the other. */
export interface MergedParameters extends Pick<
  ProxyParametersSpec,
  'logging' | 'rawConfig' | 'shutdown' | 'spiffe' | 'modelCatalog' | 'resources' | 'istio'
> {
  readonly workloadKind: WorkloadKind
  readonly image: ImageParameters
  readonly env: readonly EnvironmentVariable[]
}

/** Merges the layers of a Gateway, of which the later ones win. */
export const mergeParameters = (layers: readonly ParametersLayer[]): MergedParameters => {
  const specs = layers.map(({ spec }) => spec)
  const own = layers.find(({ of }) => of === 'Gateway')?.spec
  return definedOf({
    workloadKind: last(specs.map(({ workload }) => workload?.kind)) ?? 'Deployment',
    image: fieldwise(specs.map(({ image }) => image)) ?? {},
    env: specs.reduce<readonly EnvironmentVariable[]>((base, { env }) => mergeVariables(base, env ?? []), []),
    logging: fieldwise(specs.map(({ logging }) => logging)),
    resources: specs.reduce<ResourceParameters | undefined>(
      (base, { resources }) => mergeResources(base, resources),
      undefined,
    ),
    istio: mergeIstio(specs.map(({ istio }) => istio)),
    shutdown: last(specs.map(({ shutdown }) => shutdown)),
    spiffe: last(specs.map(({ spiffe }) => spiffe)),
    rawConfig: last(specs.map(({ rawConfig }) => rawConfig)),
    modelCatalog: own?.modelCatalog,
  })
}

/** Variables that are not set again, then those that are set. Of two of one name in a list, the last counts. */
export const mergeVariables = (
  base: readonly EnvironmentVariable[],
  more: readonly EnvironmentVariable[],
): readonly EnvironmentVariable[] => {
  const byName = new Map(more.map((variable) => [variable.name, variable]))
  return [...base.filter(({ name }) => !byName.has(name)), ...byName.values()]
}

/** Claims are those of the first layer with resources. */
const mergeResources = (
  base: ResourceParameters | undefined,
  more: ResourceParameters | undefined,
): ResourceParameters | undefined => {
  if (!base || !more) return base ?? more
  return definedOf({
    ...base,
    limits: fieldwise([base.limits, more.limits]),
    requests: fieldwise([base.requests, more.requests]),
  })
}

const mergeIstio = (layers: readonly (IstioParameters | undefined)[]): IstioParameters | undefined => {
  const merged = fieldwise(layers)
  const domains = last(layers.map((istio) => istio?.additionalTrustDomains).filter((one) => one?.length))
  return merged && definedOf({ ...merged, additionalTrustDomains: domains })
}

const last = <T>(values: readonly (T | undefined)[]): T | undefined =>
  values.findLast((value) => value !== undefined && value !== '')

/** Of each field, the last value that is not empty. */
const fieldwise = <T extends object>(values: readonly (T | undefined)[]): T | undefined => {
  const given = values.filter((value) => value !== undefined)
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.flatMap((value) =>
      Object.entries(value).filter(([, field]) => field !== undefined && field !== ''),
    ),
  ) as T
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without the fields that are undefined. */
const definedOf = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Defined<T>
