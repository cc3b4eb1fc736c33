import type { Cel } from './policies.ts'
import type { PolicyBackend } from './policy-backend.ts'

/** Lets a service of somebody else's look at exchanges and change them. */
export interface ExtProc {
  readonly service: PolicyBackend
  /** How long the service may take when it is its turn. */
  readonly messageTimeoutMs: number
  /** What happens when the service fails before it was given a body. */
  readonly failureMode: 'failClosed' | 'failOpen'
  /** What the service is told with every message, by namespace. */
  readonly metadataContext: readonly (readonly [namespace: string, values: ProcessorValues])[]
  readonly requestAttributes: ProcessorValues
  readonly responseAttributes: ProcessorValues
  readonly processingOptions: ProcessingOptions
  /** Headers that the service sets: what the client sends under these names goes no further. Lower-case. */
  readonly resultHeaders: readonly string[]
}

/** Values for a service, by name. */
export type ProcessorValues = readonly (readonly [name: string, value: Cel])[]

/** Which parts of an exchange a service sees. */
export interface ProcessingOptions {
  readonly requestBodyMode: ConfiguredBodyMode
  readonly responseBodyMode: ConfiguredBodyMode
  readonly requestHeaderMode: SendMode
  readonly responseHeaderMode: SendMode
  readonly requestTrailerMode: SendMode
  readonly responseTrailerMode: SendMode
  /** Whether the service may choose other ones for an exchange. */
  readonly allowModeOverride: boolean
}

/** How a body is shown: not at all, in one piece, its beginning, or as it comes. */
export type ConfiguredBodyMode = 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'

/** Whether headers or trailers are shown. */
export type SendMode = 'send' | 'skip'
