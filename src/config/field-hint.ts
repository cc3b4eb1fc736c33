import { nearest, relatedNames } from './nearest.ts'
import { llmProviderDefinitions } from './schema/llm-provider.ts'
import { policyDefinitions } from './schema/policies.ts'

/** The field that an unknown one was probably meant to be: mistyped, or called as other programs call it. */
export const meantField = (name: string, known: readonly string[]): string | undefined =>
  nearest(name, known) ?? synonyms[name.toLowerCase()]?.find((one) => known.includes(one))

/** What helps somebody who wrote a field that is not among the known ones. */
export const fieldHint = (name: string, known: readonly string[]): string => {
  const meant = meantField(name, known)
  const names = meant === undefined ? relatedNames(name, known) : [meant]
  if (names.length > 0) return `did you mean ${names.map((one) => `"${one}"`).join(' or ')}?`
  return placeOf(name, known) ?? listed(known)
}

/** What fields of ours are called elsewhere. */
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

/** Where a field goes that was written one level too high. */
const placeOf = (name: string, known: readonly string[]): string | undefined => {
  if (known.includes('stdio') && Object.hasOwn(ofTargets, name)) return ofTargets[name]
  if (known.includes('policies') && Object.hasOwn(ofRoutes, name)) return 'it goes into policies'
  if (known.includes('params') && Object.hasOwn(ofModels, name)) return 'it goes into params'
  return undefined
}

const ofRoutes = policyDefinitions.RoutePolicies?.properties as object
const ofModels = llmProviderDefinitions.LlmParams?.properties as object

/** As the clients of MCP have it in their files. */
const ofTargets: Readonly<Record<string, string>> = {
  cmd: 'it goes into stdio',
  command: 'it goes into stdio, as cmd',
  args: 'it goes into stdio',
  env: 'it goes into stdio',
  host: 'it goes into mcp',
  url: 'it goes into mcp, as host',
}

const listed = (names: readonly string[]): string => {
  if (names.length === 0) return 'there are no fields here'
  const more = names.length > 12 ? ` and ${String(names.length - 12)} more` : ''
  return `known fields: ${names.slice(0, 12).join(', ')}${more}`
}
