/**
 * The library: an embedded gateway, exchanges, helpers for operators, the trace, and what operators need: keys,
 * passwords, services. Operators, listeners and sinks have entry points of their own (`agentgateway/operators`,
 * `agentgateway/streams`, `agentgateway/sinks`), and so has the test kit (`agentgateway/testing`).
 *
 * @module
 */
export { createGateway, type Gateway, type GatewayConfig, type GatewayOptions } from './create-gateway.ts'
export type { Insertion, StageLevel, StageName } from './insert-stages.ts'
export { ConfigError } from './config/errors.ts'
export { StartFailure } from './model/resources/start-failure.ts'
export type { ListeningAddress } from './startup-message.ts'
export { type Body, type BodySink, BufferBody, emptyBody } from './model/exchange/body.ts'
export type { ClientCertificate, Connection, TlsAttributes } from './model/exchange/connection.ts'
export type { CredentialField } from './model/policies/credential-location.ts'
export { type Evaluate, type Evaluated, isTrue } from './model/exchange/expression.ts'
export type { DownstreamState, InformationalSink } from './model/exchange/downstream-state.ts'
export { Exchange } from './model/exchange/exchange.ts'
export { Fault, type Reason } from './model/exchange/fault.ts'
export type { PolicyState } from './model/exchange/policy-state.ts'
export type { ProtocolAttributes } from './model/exchange/protocol-attributes.ts'
export type { UpstreamAttempts } from './model/exchange/upstream-attempts.ts'
export { Headers } from './model/exchange/headers.ts'
export type { JwtMode } from './operators/jwt-auth/schema.ts'
export type { Probe } from './model/trace/probe.ts'
export { deny, Reply, respond } from './model/exchange/reply.ts'
export { Request, type RequestParts } from './model/exchange/request.ts'
export type { BackendLabels, RouteLabels, Snapshot } from './model/resources/snapshot.ts'
export type { JsonMembers, JsonValue } from './model/json-value.ts'
export type { McpStep } from './model/mcp/mcp-step.ts'
export type { A2aOutcome, GuardrailCheck, LlmCostEvent, PolicyEvent } from './model/trace/policy-event.ts'
export type {
  PolicyResult,
  RuleResult,
  TraceEvent,
  TraceMessage,
  TraceEntry,
} from './model/trace/trace-event.ts'
export type { TraceState } from './model/trace/trace-state.ts'
export { delegate } from './pipeline/delegate.ts'
export { faultReply } from './pipeline/fault-reply.ts'
export { rescue } from './pipeline/rescue.ts'
export { sequence } from './pipeline/sequence.ts'
export { type Decide, onReply, onRequest, type Operator, type Verdict } from './pipeline/stage.ts'
export { Trace, type Watch } from './pipeline/trace.ts'
export { KeyRing, readKeyRing } from './protocols/jwk/key-ring.ts'
export { Keyring } from './protocols/seal/aead-keyring.ts'
export type { RawFields, UpstreamCall, UpstreamEvents } from './upstream/call.ts'
export { GrpcClient, type GrpcClientOptions, type GrpcService } from './upstream/grpc/grpc-client.ts'
export { fixedKeySet, type KeySet } from './upstream/jwks/key-set.ts'
export { IdentityProvider, type IdentityProviderOptions } from './upstream/oidc/identity-provider.ts'
export { type PasswordClaim, Passwords, type PasswordVerdict } from './upstream/passwords/passwords.ts'
export { RemoteKeySet, type RemoteKeySetOptions } from './upstream/jwks/remote-key-set.ts'
export type { HttpUpstream } from './upstream/upstream.ts'
export { OriginUpstream, upstreamOf, type UpstreamOfOptions } from './upstream/origin-upstream.ts'
export {
  backendPipeline,
  type BackendStages,
  listenerPipeline,
  type ListenerStages,
  type Rescuer,
  routePipeline,
  type RouteStages,
} from './gateway.ts'
export type { Phases } from './operators/phases.ts'
