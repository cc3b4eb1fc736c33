import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { AiBackendForm } from '../../../operators/llm/kubernetes/ai-backend-field.ts'
import type { McpBackendForm } from '../../../operators/mcp/kubernetes/mcp-backend-field.ts'
import { translatedBackend } from './translated-backend.ts'

/** What proxies call the parts that a name stands for. A name may stand for none at present. */
export type BackendSections = Readonly<Record<string, readonly string[]>>

/**
 * The parts of a ProxyBackend that policies may be attached to, by name: providers of language models, of all groups
 * that have one of that name; MCP servers; selectors of MCP servers. Key: that of the backend.
 */
export const backendSections: Query<BackendSections> = defineQuery('backendSections', (reads, key) => {
  const sections = new Map<string, Set<string>>()
  const add = (section: string, ...parts: readonly string[]): void => {
    sections.set(section, new Set([...(sections.get(section) ?? []), ...parts]))
  }
  const translated = reads.tryQuery(translatedBackend, key)
  for (const name of writtenNames(reads.object('ProxyBackend', key)?.spec ?? {})) add(name)
  // What precedes a slash is the name of a provider, what follows the group.
  for (const part of partsOf(translated?.resource?.model)) add(part.replace(/\/.*/, ''), part)
  for (const [group, parts] of Object.entries(translated?.groups ?? {})) add(group, ...parts)
  return Object.fromEntries([...sections].map(([section, parts]) => [section, [...parts].sort()]))
})

const writtenNames = ({ ai, mcp }: Readonly<Record<string, unknown>>): readonly string[] =>
  [
    ...((ai as AiBackendForm | undefined)?.groups ?? []).flatMap(({ providers }) => providers),
    ...((mcp as McpBackendForm | undefined)?.targets ?? []),
  ].map(({ name }) => name)

const partsOf = (model: unknown): readonly string[] => {
  const { ai, mcp } = (model ?? {}) as Partial<File.NamedBackend>
  const providers = ai && ('groups' in ai ? ai.groups.flatMap((group) => group.providers) : [ai])
  return [...(providers ?? []), ...(mcp?.targets ?? [])].map(({ name }) => name)
}
