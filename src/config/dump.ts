import { Redaction } from '../model/redact.ts'
import { defaults } from './defaults.ts'
import { knownBetas } from '../protocols/llm/providers/bedrock-betas.ts'
import { dumpBackend, dumpPolicy, dumpService, dumpWorkload } from './dump/backend.ts'
import { dumpBind, dumpRoute } from './dump/bind.ts'
import { dumpCatalog } from './dump/model-catalog.ts'
import type { McpStatusOf } from './dump/mcp.ts'
import { lateByKey, lateList } from '../model/late-parts.ts'
import { dumpProcess } from './dump/process.ts'
import { shown } from './dump/value.ts'
import type { Hiding, Shown } from './dump/value.ts'
import type { ParsedConfig } from './parse-config.ts'

/** What the program was built from. */
export interface BuildInfo {
  readonly version: string
  readonly gitRevision: string
}

/** The parts of a configuration that a dump shows. */
export type Dumpable = Pick<ParsedConfig, 'resources' | 'process' | 'hash'> & {
  readonly secrets?: readonly string[]
}

/**
 * What `/config_dump` prints: every resource and setting in force, without credentials, as plain data, and
 * how it stands with MCP servers.
 *
 * @example
 * JSON.stringify(dumpConfig(loaded, { version: '1.0.0', gitRevision: 'unknown' }), undefined, 2)
 */
export function dumpConfig(
  { resources, process: settings, hash, secrets = [] }: Dumpable,
  build: BuildInfo,
  mcpStatus: McpStatusOf = () => undefined,
): Shown {
  const hiding: Hiding = { redaction: new Redaction(settings.sensitiveHeaders), secrets }
  const groups = resources.routeGroups.map(({ name, routes }) => [
    name,
    lateByKey(routes, (route) => dumpRoute(route, hiding)),
  ])
  return {
    workloads: lateList(resources.workloads, dumpWorkload),
    services: lateList(resources.services, dumpService),
    binds: resources.binds.map((bind) => dumpBind(bind, hiding)),
    routes: { httpMesh: {}, tcpMesh: {}, routeGroups: Object.fromEntries(groups) as Shown },
    policies: lateList(resources.policies, (policy) => dumpPolicy(policy, hiding)),
    backends: lateList(resources.backends, (backend) => dumpBackend(backend, hiding, mcpStatus)),
    models: [],
    frontendPolicies: shown(resources.frontend, hiding),
    version: {
      version: build.version,
      git_revision: build.gitRevision,
      node_version: process.versions.node,
      build_profile: 'release',
      build_target: `${process.arch}-${process.platform}`,
    },
    config: {
      ...dumpProcess(settings, hiding),
      customFunctions: shown(resources.functions ?? null, hiding),
      modelCatalog: dumpCatalog(resources.modelCatalog),
      unknownPrice: resources.unknownPrice ?? defaults.llm.unknownPrice,
      llmBedrockBetas: resources.bedrockBetas ?? knownBetas,
      llmCachesAsProvider: resources.cachesAsProvider ?? false,
    },
    hash,
    warnings: resources.warnings,
  }
}
