import type { LlmPolicies } from '../../../config/schema/file-types.gen.ts'
import { denyEverything } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import { litellmSecret } from './litellm-secret.ts'

/** Who may call the models, from `general_settings`. What cannot be carried over refuses every request. */
export const litellmAccess = (general: SourceValue | undefined, report: ImportReport): LlmPolicies => {
  const closing = CLOSING.flatMap(([name, hint]) => {
    const field = general?.field(name)
    if (!field || field.isFalse) return []
    field.ignore()
    report.closed(field.at, field.path, 'decides who may call, and cannot be translated', hint)
    return [field]
  })
  const master = general?.field('master_key')
  const header = general?.field('litellm_key_header_name')?.text
  const locations = [
    { header: { name: 'authorization', prefix: 'Bearer ' } },
    { header: { name: 'x-api-key' } },
    ...(header === undefined ? [] : [{ header: { name: header.toLowerCase() } }]),
  ]
  const apiKey = master && {
    keys: [{ key: litellmSecret(master, 'LITELLM', report), metadata: { name: 'master_key' } }],
    mode: 'strict' as const,
    location: locations,
  }
  if (apiKey)
    report.comment(
      apiKey,
      'The key of LiteLLM. Add the keys of your callers: those that LiteLLM has made are in its database.',
    )
  if (master)
    report.changed(
      master.at,
      master.path,
      'keys that LiteLLM has made are in its database, and are not in the file',
      'add them to llm.policies.apiKey.keys, as hashes, with allowedModels',
    )
  if (closing.length === 0) return apiKey ? { apiKey } : {}
  const authorization = denyEverything()
  report.comment(authorization, 'Denies everything, in place of a rule that was not carried over.')
  return { ...(apiKey ? { apiKey } : {}), authorization }
}

const CLOSING: readonly (readonly [string, string])[] = [
  ['custom_auth', 'use extAuthz: a service decides'],
  ['enable_jwt_auth', 'use jwtAuth with the issuer and its keys'],
  ['litellm_jwtauth', 'use jwtAuth with the issuer and its keys'],
  ['enable_oauth2_auth', 'use jwtAuth, or extAuthz for opaque tokens'],
  ['allowed_ips', 'use a rule of authorization with cidr(…).containsIP(source.address)'],
  ['allowed_routes', 'use routes with matches instead of the section llm'],
]
