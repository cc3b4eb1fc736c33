import { fromBinary, type JsonObject } from '@bufbuild/protobuf'
import { Observable } from 'rxjs'
import type { ReceivedResource, RefusedResource, XdsDelta } from '../../protocols/xds/delta.ts'
import { AggregatedDiscoveryService, type DeltaDiscoveryResponse } from '../../protocols/xds/discovery.gen.ts'
import { ResourceSchema } from '../../protocols/xds/resource.gen.ts'
import { RESOURCE_TYPE } from '../../protocols/xds/types.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'

/** What a stream needs. */
export interface XdsStreamOptions {
  readonly service: GrpcService
  /** Sent with the call, such as the token. */
  readonly metadata: readonly (readonly [name: string, value: string])[]
  readonly node: { readonly id: string; readonly metadata: JsonObject }
  /** What is there already, by name; kept up to date. */
  readonly versions: Map<string, string>
  /** Applies an update, and returns what it does not accept. */
  readonly accept: (delta: XdsDelta) => readonly RefusedResource[]
}

/** An update that was applied. */
export interface XdsUpdate {
  readonly refused: readonly RefusedResource[]
}

/** An update in several responses may be as large. */
const MAX_UPDATE_BYTES = 256 * 2 ** 20
const LONGEST_PROBLEM = 8_192
/** `google.rpc.Code.INVALID_ARGUMENT` */
const INVALID_ARGUMENT = 3

/**
 * One stream of discovery: emits each update after it was applied, and fails when the stream ends. Every response is
 * answered; what is refused is named, and asked for again by the next stream.
 */
export const xdsStream = (options: XdsStreamOptions): Observable<XdsUpdate> =>
  new Observable((out) => {
    const { service, metadata, node, versions, accept } = options
    const ending = new AbortController()
    let parts: DeltaDiscoveryResponse[] = []
    let partBytes = 0
    const receive = (response: DeltaDiscoveryResponse) => {
      const { typeUrl, nonce: responseNonce } = response
      if (typeUrl !== RESOURCE_TYPE) return
      parts.push(response)
      partBytes += response.resources.reduce((sum, one) => sum + (one.resource?.value.length ?? 0), 0)
      if (partBytes > MAX_UPDATE_BYTES) {
        out.error(new Error(`an update has more than ${MAX_UPDATE_BYTES} bytes`))
        return
      }
      if (response.more) {
        stream.send({ typeUrl, responseNonce })
        return
      }
      const refused = apply(parts, versions, accept)
      parts = []
      partBytes = 0
      const message = refused.map(({ problem }) => problem).join('\n')
      stream.send({
        typeUrl,
        responseNonce,
        ...(refused.length > 0 && {
          errorDetail: { code: INVALID_ARGUMENT, message: message.slice(0, LONGEST_PROBLEM) },
        }),
      })
      out.next({ refused })
    }
    const stream = service.stream(
      AggregatedDiscoveryService.method.deltaAggregatedResources,
      {
        message: (response) => {
          if (!out.closed) receive(response)
        },
        ended: (fault) => {
          out.error(fault ?? new Error('the control plane has ended the stream'))
        },
      },
      { timeoutMs: undefined, metadata, signal: ending.signal },
    )
    stream.send({
      node: { ...node, cluster: '' },
      typeUrl: RESOURCE_TYPE,
      resourceNamesSubscribe: ['*'],
      initialResourceVersions: Object.fromEntries(versions),
    })
    return () => {
      ending.abort()
    }
  })

const apply = (
  parts: readonly DeltaDiscoveryResponse[],
  versions: Map<string, string>,
  accept: XdsStreamOptions['accept'],
): readonly RefusedResource[] => {
  const refused: RefusedResource[] = []
  // A later part may change what an earlier one has brought.
  const resources = new Map<string, ReceivedResource>()
  const removed = new Set<string>()
  for (const part of parts) {
    for (const { name, version, resource } of part.resources) {
      removed.delete(name)
      try {
        if (resource?.typeUrl !== RESOURCE_TYPE) throw new TypeError('its type is not known')
        const { kind, key, parents, model } = fromBinary(ResourceSchema, resource.value)
        resources.set(name, { name, version, kind, key, parents, model })
      } catch (error) {
        refused.push({ name, problem: `${name}: cannot be decoded: ${String(error)}` })
      }
    }
    for (const name of part.removedResources) {
      resources.delete(name)
      removed.add(name)
    }
  }
  refused.push(...accept({ resources: [...resources.values()], removed: [...removed] }))
  const names = new Set(refused.map(({ name }) => name))
  for (const name of removed) versions.delete(name)
  for (const { name, version } of resources.values()) if (!names.has(name)) versions.set(name, version)
  return refused
}
