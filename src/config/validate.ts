import type { ConfigWarning } from '../model/resources.ts'
import type { ConfigDocument } from './document.ts'
import type { ProcessVariables } from './environment.ts'
import type { ConfigProblem } from './errors.ts'
import type { NamedFiles } from './named-files.ts'
import { overlaps } from './prune.ts'
import type { Pruned } from './prune.ts'
import { examineBackendAuth } from './validate/backend-auth.ts'
import { examineApiKeys } from './validate/api-key.ts'
import { examineBasicAuth } from './validate/basic-auth.ts'
import { examineAuthorization } from './validate/authorization.ts'
import { examineConflicts } from './validate/conflicts.ts'
import { examineDestinations } from './validate/destinations.ts'
import { examineJwtAuth } from './validate/jwt-auth.ts'
import { examineAi } from './validate/ai.ts'
import { examineAiFormats } from './validate/ai-formats.ts'
import { examineLlm } from './validate/llm.ts'
import { examineLlmGuards } from './validate/llm-guards.ts'
import { examineIdleGuards } from './validate/llm-idle-guards.ts'
import { examineMcp } from './validate/mcp.ts'
import { examineMcpPolicies } from './validate/mcp-policies.ts'
import { examineMcpReads } from './validate/mcp-reads.ts'
import { examineMcpAuthentication } from './validate/mcp-authentication.ts'
import { examineBinds, examineGateways } from './validate/listeners.ts'
import { examineLocalRateLimits } from './validate/local-rate-limit.ts'
import { examineMatchPaths } from './validate/match-paths.ts'
import { examineModelCatalog } from './validate/model-catalog.ts'
import { examineNames } from './validate/names.ts'
import { examineOidc } from './validate/oidc.ts'
import { examinePorts } from './validate/ports.ts'
import { examineProcess } from './validate/process-section.ts'
import { examinePolicyBackends } from './validate/policy-backends.ts'
import { examineReferences } from './validate/references.ts'
import { examineResponseReads } from './validate/response-reads.ts'
import { examineRouteGroups } from './validate/route-groups.ts'
import { examinePolicies } from './validate/route-policies.ts'
import { examineTargetedPolicies } from './validate/targeted-policies.ts'
import { examineTls } from './validate/tls.ts'
import { examineTunnels } from './validate/tunnels.ts'
import { examineUnreachableHosts } from './validate/unreachable-hosts.ts'
import { View } from './validate/view.ts'

/**
 * Checks what a schema cannot: names, references, ports, combinations, and routes that are never chosen.
 *
 * @param wrong pointers of parts that are known to be wrong and are missing from `sound`; nothing is said about what
 *   holds them, since it may only seem wrong without them
 */
export function validate(
  document: ConfigDocument,
  sound: Pruned,
  variables: ProcessVariables,
  wrong: readonly string[],
  files: NamedFiles,
): { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly ConfigWarning[] } {
  const view = new View(document, sound, files)
  const checks = [
    examineGateways,
    examineBinds,
    examineTls,
    examineTunnels,
    examineNames,
    examineReferences,
    examinePolicyBackends,
    examinePorts(variables),
    examineRouteGroups,
    examineMatchPaths,
    examinePolicies,
    examineBasicAuth,
    examineApiKeys,
    examineOidc,
    examineJwtAuth,
    examineMcpAuthentication,
    examineMcp,
    examineLlm,
    examineAi,
    examineAiFormats,
    examineLlmGuards,
    examineIdleGuards,
    examineMcpPolicies,
    examineMcpReads,
    examineBackendAuth,
    examineTargetedPolicies,
    examineLocalRateLimits,
    examineAuthorization,
    examineResponseReads,
    examineProcess(variables),
    examineModelCatalog,
    examineConflicts,
    examineUnreachableHosts,
    examineDestinations,
  ]
  for (const examine of checks) examine(view)
  const problems = view.problems.filter(({ pointer }) => !overlaps(pointer, wrong))
  return { problems, warnings: view.warnings.sort((a, b) => a.line - b.line || a.column - b.column) }
}
