import { nearest, relatedNames } from './did-you-mean.ts'
import { policyDefinitions } from '../schema/policies.ts'
import { llmProviderDefinitions } from '../../operators/llm/schema/provider.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'

/** The hint for a wrong `provider` of a model, or a wrong field of it. */
export const providerHint = (pointer: string, written: unknown, whole: unknown): string | undefined => {
  if (!/^\/llm\/(?:models|providers)\/\d+\/provider$/.test(pointer)) return undefined
  if (written === 'custom') return 'say what it understands: { custom: { formats: [{ type: completions }] } }'
  return typeof written === 'string' && namesOf(whole).includes(written)
    ? `one of \`providers\` is meant by { reference: ${written} }`
    : undefined
}

const namesOf = (whole: unknown): readonly unknown[] => {
  const llm = isJsonObject(whole) ? whole.llm : undefined
  const providers = isJsonObject(llm) && Array.isArray(llm.providers) ? (llm.providers as unknown[]) : []
  return providers.map((one) => (isJsonObject(one) ? one.name : undefined))
}

/** The field that an unknown one probably stands for: mistyped, or named as in other programs. */
export const meantField = (name: string, known: readonly string[]): string | undefined =>
  nearest(name, known) ?? synonyms[name.toLowerCase()]?.find((one) => known.includes(one))

/** The hint for an unknown field. */
export const fieldHint = (name: string, known: readonly string[]): string => {
  const meant = meantField(name, known)
  const names = meant === undefined ? relatedNames(name, known) : [meant]
  if (names.length > 0) return `did you mean ${names.map((one) => `"${one}"`).join(' or ')}?`
  return parentHint(name, known) ?? listed(nearestFirst(name, known))
}

/** All known fields, most similar first. */
export const allFields = (name: string, known: readonly string[]): string =>
  `known fields: ${nearestFirst(name, known).join(', ')}`

/** The equivalent here of a section of another program's configuration. */
export const sectionHint = (name: string): string | undefined =>
  Object.hasOwn(sections, name) ? sections[name] : undefined

const sections: Readonly<Record<string, string>> = {
  model_list: 'models, as LiteLLM lists them, go into llm.models: name, provider, params',
  litellm_settings: 'what LiteLLM says here goes into llm: policies and guardrails',
  static_resources:
    "Envoy's listeners are gateways here, its routes are routes, and its clusters are backends",
  mcpServers: 'servers, as clients of MCP list them, go into mcp.targets: name, and stdio or mcp',
}

/** Names that other programs use for our fields. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  command: ['cmd'],
  arguments: ['args'],
  environment: ['env'],
  url: ['host', 'baseUrl'],
  uri: ['host', 'baseUrl'],
  endpoint: ['host', 'baseUrl'],
  api_base: ['baseUrl'],
  upstreams: ['backends'],
  services: ['backends'],
}

/** The correct parent of a field that was written one level too high. */
const parentHint = (name: string, known: readonly string[]): string | undefined => {
  if (known.includes('stdio') && Object.hasOwn(ofTargets, name)) return ofTargets[name]
  if (known.includes('policies') && Object.hasOwn(ofRoutes, name)) return 'it goes into policies'
  if (known.includes('params') && Object.hasOwn(ofModels, name)) return 'it goes into params'
  return undefined
}

const ofRoutes = policyDefinitions.RoutePolicies?.properties as object
const ofModels = llmProviderDefinitions.LlmParams?.properties as object

/** The names of fields in configuration files of MCP clients. */
const ofTargets: Readonly<Record<string, string>> = {
  cmd: 'it goes into stdio',
  command: 'it goes into stdio, as cmd',
  args: 'it goes into stdio',
  env: 'it goes into stdio',
  host: 'it goes into mcp',
  url: 'it goes into mcp, as host',
}

/** This many fields are listed without abbreviation. */
const SHOWN = 12

/** Sorted by the number of common letter pairs; in the original order if all are shown. */
const nearestFirst = (name: string, known: readonly string[]): readonly string[] => {
  if (known.length <= SHOWN) return known
  const target = pairsOf(name)
  const likeness = (other: string): number => {
    const pairs = pairsOf(other)
    return pairs.filter((pair) => target.includes(pair)).length / Math.max(1, pairs.length + target.length)
  }
  return [...known].sort((a, b) => likeness(b) - likeness(a))
}

const pairsOf = (name: string): readonly string[] => {
  const letters = name.toLowerCase()
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2))
}

const listed = (names: readonly string[]): string => {
  if (names.length === 0) return 'there are no fields here'
  const more = names.length > SHOWN ? ` and ${String(names.length - SHOWN)} more (--verbose lists them)` : ''
  return `known fields: ${names.slice(0, SHOWN).join(', ')}${more}`
}
