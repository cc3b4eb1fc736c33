import type { ProcessSettings } from '../model/resources/process-settings.ts'
import type { ConfigWarning, Resources } from '../model/resources/resources.ts'
import type { ConfigDocument } from './document/document.ts'
import type { ProcessVariables } from './environment-variables.ts'
import type { ConfigFile } from './schema/file-types.gen.ts'
import type { NamedFiles } from './document/referenced-files.ts'
import { namedBackends, routeGroups } from '../operators/backend/normalize/backends.ts'
import { services, workloads } from '../operators/backend/normalize/services.ts'
import { oldBinds } from '../streams/http/port/normalize/binds.ts'
import { defaults } from './defaults.ts'
import { type Context, milliseconds, type OriginRecorder, type SharedSettings } from './normalize/context.ts'
import { frontend } from '../streams/http/frontend/normalize/frontend.ts'
import { gatewayBinds } from '../streams/http/port/normalize/gateways.ts'
import { llmBind, llmSectionBackend } from '../operators/llm/normalize/llm-section.ts'
import { mcpBind, mcpSectionBackend } from '../operators/mcp/normalize/mcp-section.ts'
import { modelCatalog } from '../operators/llm/normalize/model-catalog.ts'
import { mergesSlashes } from '../streams/http/frontend/normalize/path-normalization.ts'
import { calloutPolicies } from './normalize/policies.ts'
import { definedFields } from './normalize/optional-fields.ts'
import { adminTokens } from './normalize/admin-tokens.ts'
import { processSettings } from './normalize/process.ts'
import { targetedPolicies } from './normalize/targeted-policies.ts'

/** The result of normalization. */
export interface Normalized {
  readonly resources: Resources
  readonly process: ProcessSettings
  readonly shared: SharedSettings
}

/**
 * Converts a validated file to resources: defaults filled in, durations in milliseconds, references by key, and one
 * form where the file has two.
 */
export function normalize(
  file: ConfigFile,
  document: ConfigDocument,
  variables: ProcessVariables,
  warnings: readonly ConfigWarning[],
  files: NamedFiles,
  origins?: OriginRecorder,
): Normalized {
  const process = {
    ...processSettings(file.config, variables),
    adminTokens: adminTokens(file.config, { files }),
  }
  const shared: SharedSettings = {
    anyAddress: process.ipv6Enabled ? '::' : '0.0.0.0',
    mergeSlashes: mergesSlashes(file),
    otel: variables.otel ?? {},
    minting: {
      ttlMs: variables.mintedTtlMs ?? milliseconds(defaults.minting.ttl),
      capacity: variables.mintedCapacity ?? defaults.minting.capacity,
    },
  }
  const context: Context = {
    ...shared,
    document,
    files,
    origins,
    inlineBackends: [],
    calloutPolicies: (policies) => calloutPolicies(policies, context),
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
      ...gatewayLocation(variables),
      frontend: frontend(file, context),
      warnings,
      ...(catalog && { modelCatalog: catalog }),
      ...(file.config?.unknownPrice === 'deny' && { unknownPrice: 'deny' }),
      ...(variables.bedrockBetas && { bedrockBetas: variables.bedrockBetas }),
      ...(variables.cachesAsProvider === true && { cachesAsProvider: true }),
      ...(file.config?.customFunctions !== undefined && { functions: file.config.customFunctions }),
    },
    process,
    shared,
  }
}

/** Where this gateway runs, if it was told. */
export const gatewayLocation = ({ zone, node }: ProcessVariables): Pick<Resources, 'location'> =>
  zone === undefined && node === undefined
    ? {}
    : { location: definedFields<NonNullable<Resources['location']>>({ zone, node }) }
