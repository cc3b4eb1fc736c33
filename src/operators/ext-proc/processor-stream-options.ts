import type { JsonObject } from '@bufbuild/protobuf'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import type { ExchangeModes } from './processing-mode.ts'

/** The processor, and how its stream is run. */
export interface ProcessorStreamOptions {
  readonly service: GrpcService
  /** How long the processor may take for a response; undefined sets no limit. */
  readonly messageTimeoutMs: number | undefined
  readonly modes: ExchangeModes
  /** The exchange may continue without an unreachable processor. */
  readonly failsOpen: boolean
  /** Whether the processor may override the processing mode. */
  readonly allowsOverride: boolean
  /** Metadata of the call, sent before all messages. */
  readonly initial: readonly (readonly [name: string, value: string])[]
  /** Whether a header without an action replaces those of its name, in place of being added to them. */
  readonly replacesFields: boolean
  /** Receives the dynamic metadata of the processor. */
  readonly onMetadata: (metadata: JsonObject) => void
  /** Sent with every message, by namespace. */
  readonly context: Readonly<Record<string, JsonObject>>
}
