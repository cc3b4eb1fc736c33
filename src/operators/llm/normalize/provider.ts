import type { BackendAuth } from '../../backend-auth/schema/normal-form.ts'
import { bearerLocation } from '../../../model/policies/credential-location.ts'
import type { LlmProviderKind } from '../../../model/llm/llm-backend.ts'
import type { BackendPolicies } from '../../../model/resources/policies.ts'
import { publicTls } from '../../../model/resources/public-tls.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { secretText } from '../../../config/normalize/secret-text.ts'

/** Providers by their names in configuration files. */
export const providerKinds: Readonly<Record<string, LlmProviderKind>> = {
  openai: 'openai',
  openAI: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  vertex: 'vertex',
  bedrock: 'bedrock',
  azure: 'azure',
  copilot: 'copilot',
  mock: 'mock',
}

/** Names in telemetry of the providers with their own API. */
export const telemetryNames: Readonly<Record<Exclude<LlmProviderKind, 'custom'>, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure',
  copilot: 'copilot',
  mock: 'mock',
}

/** The default policies for calls to a provider: TLS, and the credentials of its cloud. */
export function defaultProviderPolicies(kind: LlmProviderKind, isOwnAddress: boolean): BackendPolicies {
  const auth = usualAuth[kind]
  return {
    ...(isOwnAddress && kind !== 'mock' && { backendTLS: publicTls }),
    ...(auth && { backendAuth: auth }),
  }
}

const usualAuth: Readonly<Partial<Record<LlmProviderKind, BackendAuth>>> = {
  vertex: { gcp: { type: 'accessToken' }, credentials: [] },
  bedrock: { aws: {}, credentials: [] },
  azure: { azure: { implicit: {} }, credentials: [] },
  copilot: { copilot: {}, credentials: [] },
}

/** A key as a bearer token. Providers that expect it elsewhere get it there when the request is sent. */
export function keyAuth(source: File.SecretText, context: Context): BackendAuth {
  return { key: { value: secretText(source, context), location: bearerLocation }, credentials: [] }
}
