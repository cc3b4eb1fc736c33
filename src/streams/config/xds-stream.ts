import { fromBinary, type JsonObject } from '@bufbuild/protobuf'
import { Observable } from 'rxjs'
import { runInLongSlices } from '../../model/event-loop/time-slicing.ts'
import type { AppliedDelta, ReceivedResource, RefusedResource, XdsDelta } from '../../protocols/xds/delta.ts'
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
  /** What is there already, by name. */
  readonly versions: ReadonlyMap<string, string>
  /** Applies an update of several responses, one after the other. */
  readonly apply: (parts: readonly DeltaDiscoveryResponse[]) => Promise<AppliedDelta>
  readonly onRefused: (resource: RefusedResource) => void
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
    const { service, metadata, node, versions } = options
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
      const whole = parts
      parts = []
      partBytes = 0
      reply(whole, responseNonce).catch((error: unknown) => {
        out.error(error)
      })
    }
    /** Once the update is in force: what cannot be compiled or opened is refused too. */
    const reply = async (whole: readonly DeltaDiscoveryResponse[], responseNonce: string) => {
      const applied = await options.apply(whole)
      const refused = [...applied.refused, ...(await applied.opened)]
      for (const one of refused) options.onRefused(one)
      if (out.closed) return
      const message = refused.map(({ problem }) => problem).join('\n')
      stream.send({
        typeUrl: RESOURCE_TYPE,
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

/**
 * Applies the parts of an update, and keeps the versions of what there is. What is refused keeps none: the next stream
 * asks for it again.
 */
export const applyParts = async (
  parts: readonly DeltaDiscoveryResponse[],
  versions: Map<string, string>,
  accept: (delta: XdsDelta) => Promise<AppliedDelta>,
): Promise<AppliedDelta> => {
  const { resources, removed, undecodable } = await runInLongSlices(decodeParts(parts))
  const applied = await accept({ resources: [...resources.values()], removed: [...removed] })
  const refused = [...undecodable, ...applied.refused]
  const names = new Set(refused.map(({ name }) => name))
  for (const name of removed) if (!names.has(name)) versions.delete(name)
  for (const { name, version } of resources.values()) if (!names.has(name)) versions.set(name, version)
  const opened = applied.opened.then((closed) => {
    for (const { name } of closed) versions.delete(name)
    return closed
  })
  return { refused, opened }
}

/** A later part may change what an earlier one has brought. A step a resource: there may be thousands. */
function* decodeParts(parts: readonly DeltaDiscoveryResponse[]) {
  const undecodable: RefusedResource[] = []
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
        undecodable.push({ name, problem: `${name}: cannot be decoded: ${String(error)}` })
      }
      yield
    }
    for (const name of part.removedResources) {
      resources.delete(name)
      removed.add(name)
    }
  }
  return { resources, removed, undecodable }
}
