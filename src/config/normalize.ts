import type { ProcessSettings } from '../model/process-settings.ts'
import type { ConfigWarning, Resources } from '../model/resources.ts'
import type { ConfigDocument } from './document.ts'
import type { ProcessVariables } from './environment.ts'
import type { ConfigFile } from './file-types.gen.ts'
import type { NamedFiles } from './named-files.ts'
import { namedBackends, routeGroups, services, workloads } from './normalize/backends.ts'
import { oldBinds } from './normalize/binds.ts'
import type { Context } from './normalize/context.ts'
import { frontend, maxBufferBytes } from './normalize/frontend.ts'
import { gatewayBinds } from './normalize/gateways.ts'
import { llmBind, llmSectionBackend } from './normalize/llm-section.ts'
import { mcpBind, mcpSectionBackend } from './normalize/mcp-section.ts'
import { modelCatalog } from './normalize/model-catalog.ts'
import { mergesSlashes } from './normalize/paths.ts'
import { processSettings } from './normalize/process.ts'
import { targetedPolicies } from './normalize/targeted-policies.ts'

/** What a file means. */
export interface Normalized {
  readonly resources: Resources
  readonly process: ProcessSettings
}

/**
 * Turns a file that passed all checks into resources: defaults filled in, durations in milliseconds, references by key,
 * and one form where the file has two.
 */
export function normalize(
  file: ConfigFile,
  document: ConfigDocument,
  variables: ProcessVariables,
  warnings: readonly ConfigWarning[],
  files: NamedFiles,
): Normalized {
  const process = processSettings(file.config, variables)
  const context: Context = {
    document,
    files,
    anyAddress: process.ipv6Enabled ? '::' : '0.0.0.0',
    maxBufferBytes: maxBufferBytes(file),
    mergeSlashes: mergesSlashes(file),
    inlineBackends: [],
  }
  const binds = [
    ...gatewayBinds(file, context),
    ...oldBinds(file, context),
    ...mcpBind(file, context),
    ...llmBind(file, context),
  ]
  const catalog = modelCatalog(file.config, context)
  const groups = routeGroups(file, context)
  return {
    resources: {
      binds,
      backends: [
        ...namedBackends(file, context),
        ...mcpSectionBackend(file, context),
        ...llmSectionBackend(file, context),
        ...context.inlineBackends,
      ],
      policies: targetedPolicies(file, context),
      routeGroups: groups,
      services: services(file),
      workloads: workloads(file),
      frontend: frontend(file),
      warnings,
      ...(catalog && { modelCatalog: catalog }),
      ...(file.config?.unknownPrice === 'deny' && { unknownPrice: 'deny' }),
      ...(variables.bedrockBetas && { bedrockBetas: variables.bedrockBetas }),
      ...(variables.cachesAsProvider === true && { cachesAsProvider: true }),
      ...(file.config?.customFunctions !== undefined && { functions: file.config.customFunctions }),
    },
    process,
  }
}
