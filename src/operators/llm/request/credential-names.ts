/** Whether a header field has a key, a token or a cookie, or identifies an account. */
export const isCredentialField = (written: string): boolean => {
  // CGI, WSGI and PHP do not distinguish `x_api_key` from `x-api-key`.
  const name = written.includes('_') ? written.replaceAll('_', '-') : written
  return isKeyName(name) || accounts.has(name)
}

/** Whether a field has a key or a token. */
export const isKeyField = (name: string): boolean => isKeyName(name) && name !== 'cookie'

const isKeyName = (name: string): boolean => keys.has(name) || endings.some((ending) => name.endsWith(ending))

/** `api-key` and `x-goog-api-key`; `proxy-authorization`; `ocp-apim-subscription-key`: of any provider. */
const endings = ['authorization', 'api-key', 'subscription-key', 'authorization-token'] as const

const keys: ReadonlySet<string> = new Set([
  ...['cookie', 'apikey', 'x-apikey', 'x-auth-token', 'x-access-token', 'x-auth-key', 'private-token'],
  ...['x-amz-security-token', 'x-ms-authorization-auxiliary'],
])

const accounts: ReadonlySet<string> = new Set([
  ...['openai-organization', 'openai-project', 'x-goog-user-project'],
  ...['anthropic-organization', 'anthropic-organization-id', 'anthropic-workspace', 'anthropic-workspace-id'],
])
