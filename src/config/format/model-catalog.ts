import type {
  CatalogModel,
  ModelCatalog,
  ModelRates,
  ModelTier,
} from '../../model/resources/model-catalog.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'

/** Called for each mistake, with the path of fields and list positions to it. */
export type Complain = (path: readonly (string | number)[], expectation: string) => void

/** Reads a model catalog from data of any type. Mistakes are reported, and the entries left out. */
export function readCatalog(value: unknown, complain: Complain): ModelCatalog {
  const root = fieldsOf(value, [], ['providers'], complain)
  const providers = entriesOf(root?.providers, ['providers'], complain).map(([name, provider]) => {
    const path = ['providers', name]
    const fields = fieldsOf(provider, path, ['models'], complain)
    const models = entriesOf(fields?.models, [...path, 'models'], complain).map(
      ([model, one]) => [model, readModel(one, [...path, 'models', model], complain)] as const,
    )
    return [name, { models: Object.fromEntries(models) }] as const
  })
  return { providers: Object.fromEntries(providers) }
}

/** Merges catalogs: an entry of a later catalog replaces the same entry of an earlier one. */
export function mergeCatalogs(catalogs: readonly ModelCatalog[]): ModelCatalog {
  const providers = new Map<string, Map<string, CatalogModel>>()
  for (const [name, { models }] of catalogs.flatMap((one) => Object.entries(one.providers))) {
    const known = providers.get(name) ?? new Map<string, CatalogModel>()
    for (const [model, one] of Object.entries(models)) known.set(model, one)
    providers.set(name, known)
  }
  return {
    providers: Object.fromEntries(
      [...providers].map(([name, models]) => [name, { models: Object.fromEntries(models) }]),
    ),
  }
}

function readModel(value: unknown, path: Path, complain: Complain): CatalogModel {
  const fields = fieldsOf(value, path, ['rates', 'tiers', 'tags'], complain)
  const tiers = listOf(fields?.tiers, [...path, 'tiers'], complain).map((tier, index) =>
    readTier(tier, [...path, 'tiers', index], complain),
  )
  tiers.slice(1).forEach(({ contextOver }, index) => {
    if (contextOver <= (tiers[index]?.contextOver ?? NaN))
      complain([...path, 'tiers', index + 1, 'contextOver'], 'must be above that of the tier before')
  })
  const tags = listOf(fields?.tags, [...path, 'tags'], complain)
  tags.forEach((tag, index) => {
    if (typeof tag !== 'string') complain([...path, 'tags', index], 'must be text')
  })
  return {
    rates: readRates(fields?.rates, [...path, 'rates'], complain),
    tiers,
    tags: tags.filter((tag) => typeof tag === 'string'),
  }
}

function readTier(value: unknown, path: Path, complain: Complain): ModelTier {
  const fields = fieldsOf(value, path, ['contextOver', 'rates'], complain)
  const { contextOver } = fields ?? {}
  const isRight = typeof contextOver === 'number' && Number.isSafeInteger(contextOver) && contextOver >= 0
  if (fields && !isRight) complain([...path, 'contextOver'], 'must be a whole number of tokens')
  return {
    // NaN compares as false, so that later checks report nothing more.
    contextOver: isRight ? contextOver : NaN,
    rates: readRates(fields?.rates, [...path, 'rates'], complain),
  }
}

const KINDS = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'reasoning',
  'inputAudio',
  'outputAudio',
] as const

function readRates(value: unknown, path: Path, complain: Complain): ModelRates {
  const fields = value === undefined ? {} : fieldsOf(value, path, KINDS, complain)
  const rates = KINDS.flatMap((kind) => {
    const written = fields?.[kind]
    if (written === undefined) return []
    const rate = typeof written === 'string' && DECIMAL.test(written) ? Number(written) : written
    if (typeof rate === 'number' && Number.isFinite(rate) && rate >= 0) return [[kind, rate] as const]
    complain([...path, kind], 'must be US dollars for a million tokens, such as "2.50"')
    return []
  })
  return Object.fromEntries(rates)
}

const DECIMAL = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

type Path = readonly (string | number)[]
type Fields = Readonly<Record<string, unknown>>

function fieldsOf(
  value: unknown,
  path: Path,
  known: readonly string[],
  complain: Complain,
): Fields | undefined {
  if (!isJsonObject(value)) {
    complain(path, 'must be an object')
    return undefined
  }
  for (const name of Object.keys(value))
    if (!known.includes(name)) complain([...path, name], `unknown field; known fields: ${known.join(', ')}`)
  return value
}

/** The entries of an object with free names; empty if the value is absent. */
function entriesOf(value: unknown, path: Path, complain: Complain): readonly (readonly [string, unknown])[] {
  if (value === undefined) return []
  if (isJsonObject(value)) return Object.entries(value)
  complain(path, 'must be an object')
  return []
}

function listOf(value: unknown, path: Path, complain: Complain): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value as readonly unknown[]
  complain(path, 'must be a list')
  return []
}
