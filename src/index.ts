/**
 * The library: exchanges, what makes operators of verdicts, the trace, and what operators are given: keys, passwords,
 * services. Operators, listeners and sinks have entry points of their own (`agentgateway/operators`,
 * `agentgateway/streams`, `agentgateway/sinks`), and so does the kit for testing what you write
 * (`agentgateway/testing`).
 *
 * @module
 */
export { type Body, type BodySink, BufferBody, emptyBody } from './model/body.ts'
export type { ClientCertificate, Connection, TlsFacts } from './model/connection.ts'
export type { CredentialPlace } from './model/credential-location.ts'
export { type Evaluate, type Evaluated, holds } from './model/evaluate.ts'
export { Exchange } from './model/exchange.ts'
export { Fault, type Reason } from './model/fault.ts'
export { Headers } from './model/headers.ts'
export type { JwtMode } from './model/jwt.ts'
export type { Probe } from './model/probe.ts'
export { deny, Reply, respond } from './model/reply.ts'
export { Request, type RequestParts } from './model/request.ts'
export type { BackendLabels, RouteLabels, Snapshot } from './model/snapshot.ts'
export type { PolicyResult, TraceEvent, TraceMessage } from './model/trace-event.ts'
export { delegate } from './pipeline/delegate.ts'
export { faultReply } from './pipeline/fault-reply.ts'
export { rescue } from './pipeline/rescue.ts'
export { sequence } from './pipeline/sequence.ts'
export { type Decide, onReply, onRequest, type Operator, type Verdict } from './pipeline/stage.ts'
export { Trace, type Watch } from './pipeline/trace.ts'
export { KeyRing, readKeyRing } from './protocols/jwk/key-ring.ts'
export { SealRing } from './protocols/seal/seal-ring.ts'
export type { RawFields, UpstreamCall, UpstreamEvents } from './upstream/call.ts'
export { GrpcClient, type GrpcClientOptions, type GrpcService } from './upstream/grpc.ts'
export { fixedKeySet, type KeySet } from './upstream/key-set.ts'
export { IdentityProvider, type IdentityProviderOptions } from './upstream/oidc/identity-provider.ts'
export { type PasswordClaim, Passwords, type PasswordVerdict } from './upstream/passwords/passwords.ts'
export { RemoteKeySet, type RemoteKeySetOptions } from './upstream/remote-key-set.ts'
export type { HttpUpstream } from './upstream/upstream.ts'
export { OriginUpstream, upstreamOf, type UpstreamOfOptions } from './upstream/upstream-of.ts'
export {
  backendPipeline,
  type BackendStages,
  listenerPipeline,
  type ListenerStages,
  type Rescuer,
  routePipeline,
  type RouteStages,
  type Sides,
} from './gateway.ts'
