import type { ConfigWarning } from '../model/resources/resources.ts'
import type { ConfigDocument } from './document/document.ts'
import type { ProcessVariables } from './environment-variables.ts'
import type { ConfigProblem } from './errors.ts'
import type { NamedFiles } from './document/referenced-files.ts'
import { overlaps, type Pruned } from './document/prune-invalid.ts'
import { checkBackendAuth } from '../operators/backend-auth/validate/backend-auth.ts'
import { checkApiKeyMetadata } from '../operators/api-key/validate/metadata-references.ts'
import { checkApiKeys } from '../operators/api-key/validate/api-key.ts'
import { checkBasicAuth } from '../operators/basic-auth/validate.ts'
import { checkAuthorization } from '../operators/authorization/validate.ts'
import { checkShadowedRoutes } from '../operators/route/validate/shadowed-routes.ts'
import { checkDestinations } from '../operators/route/validate/routes-without-backends.ts'
import { checkInternalBackends } from '../operators/backend/validate/internal-backends.ts'
import { checkJwtAuth } from '../operators/jwt-auth/validate.ts'
import { checkAiBackends } from '../operators/llm/validate/ai-backend.ts'
import { checkAiFormats } from '../operators/llm/validate/unserved-formats.ts'
import { checkLlm } from '../operators/llm/validate/llm.ts'
import { checkGuardrails } from '../operators/llm/guardrails/validate/guardrails.ts'
import { checkUnusedGuardrails } from '../operators/llm/guardrails/validate/unused-guardrails.ts'
import { checkMcp } from '../operators/mcp/validate/mcp.ts'
import { checkMcpPolicies } from '../operators/mcp/validate/policies.ts'
import { checkMcpAttributeScope } from '../operators/mcp/validate/attribute-scope.ts'
import {
  checkAuthenticatedBackends,
  checkCommonAuthentication,
} from '../operators/mcp-authentication/validate/authenticated-backends.ts'
import { checkMcpAuthentication } from '../operators/mcp-authentication/validate/mcp-authentication.ts'
import { checkBinds, checkGateways } from '../streams/http/port/validate/listeners.ts'
import { checkLocalRateLimits } from '../operators/local-rate-limit/validate.ts'
import { checkMatchPaths } from '../operators/route/validate/match-paths.ts'
import { checkMatchPatterns } from '../operators/route/validate/match-patterns.ts'
import { checkModelCatalog } from '../operators/llm/validate/model-catalog.ts'
import { checkDuplicateNames } from '../streams/http/port/validate/duplicate-names.ts'
import { checkOidc } from '../operators/oidc/validate.ts'
import { checkOtlp } from '../operators/otlp/validate.ts'
import { checkPorts } from '../streams/http/port/validate/ports.ts'
import { checkAdminAccess } from './validate/admin-access.ts'
import { checkControlPlane } from './validate/control-plane.ts'
import { checkProcess } from './validate/process.ts'
import { checkPoliciesOfBackendKinds } from './validate/policies-of-backend-kinds.ts'
import { checkPolicyBackends } from './validate/policy-backends.ts'
import { checkReferences } from './validate/references.ts'
import { checkResponseAttributes } from './validate/response-attributes.ts'
import { checkRouteGroups } from '../operators/route/validate/route-group-cycles.ts'
import { checkRoutePolicies } from './validate/route-policies.ts'
import { checkLoadBalancing } from '../upstream/load-balancing/validate.ts'
import { checkAttachedPolicies } from './validate/attached-policies.ts'
import { checkTargets } from './validate/targeted-policies.ts'
import { checkListenerTls } from '../streams/http/tls/validate/tls.ts'
import { checkUdp } from '../streams/udp/validate.ts'
import { checkTunnels } from '../upstream/backend-tunnel/validate.ts'
import { checkUnreachableHosts } from '../operators/route/validate/unreachable-hosts.ts'
import { type Check, ValidationContext } from './validate/context.ts'

export { unservedBackend } from '../operators/llm/validate/unserved-formats.ts'

/**
 * Checks what a schema cannot: names, references, ports, combinations, and unreachable routes.
 *
 * @param wrong pointers of invalid parts that are missing from `sound`; nothing is reported about their parents,
 *   which may seem wrong only because of that
 */
export function validate(
  document: ConfigDocument,
  sound: Pruned,
  variables: ProcessVariables,
  wrong: readonly string[],
  files: NamedFiles,
): { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly ConfigWarning[] } {
  const view = new ValidationContext(document, sound, files)
  for (const examine of [...ownChecks, ...mutualChecks(variables)]) examine(view)
  const problems = view.problems.filter(({ pointer }) => !overlaps(pointer, wrong))
  return { problems, warnings: view.warnings.sort((a, b) => a.line - b.line || a.column - b.column) }
}

/** Checks of single resources, whatever else there is. */
export const ownChecks: readonly Check[] = [
  checkListenerTls,
  checkMatchPaths,
  checkMatchPatterns,
  checkRoutePolicies,
  checkLoadBalancing,
  checkBasicAuth,
  checkApiKeys,
  checkApiKeyMetadata,
  checkOidc,
  checkJwtAuth,
  checkMcpAuthentication,
  checkAuthenticatedBackends,
  checkMcp,
  checkLlm,
  checkAiBackends,
  checkGuardrails,
  checkBackendAuth,
  checkLocalRateLimits,
  checkAuthorization,
  checkAttachedPolicies,
]

/** Checks of how the parts of a file fit together. */
const mutualChecks = (variables: ProcessVariables): readonly Check[] => [
  checkGateways,
  checkBinds,
  checkUdp,
  checkTunnels,
  checkDuplicateNames,
  checkReferences,
  checkPolicyBackends,
  checkPorts(variables),
  checkAdminAccess(variables),
  checkRouteGroups,
  checkInternalBackends,
  checkAiFormats,
  checkUnusedGuardrails,
  checkCommonAuthentication,
  checkPoliciesOfBackendKinds,
  checkMcpPolicies,
  checkMcpAttributeScope,
  checkTargets,
  checkResponseAttributes,
  checkProcess(variables),
  checkControlPlane(variables),
  checkOtlp(variables),
  checkModelCatalog,
  checkShadowedRoutes,
  checkUnreachableHosts,
  checkDestinations,
]
