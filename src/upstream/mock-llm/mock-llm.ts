import { BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import { requestBodyBroken } from '../faults.ts'
import type { HttpUpstream } from '../upstream.ts'
import { handleRequest } from './handle-request.ts'
import { MockCall } from './mock-call.ts'

/**
 * A language model that needs no network: it replies in each client's format, always the same to the same request, and
 * follows the instructions of the message: errors, delays, tools, broken connections. See `docs/reference/llm-mock.md`.
 */
export class MockLlm implements HttpUpstream {
  readonly labels: BackendLabels

  constructor(labels: BackendLabels) {
    this.labels = labels
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const { body, path } = x.request
    const call = new MockCall(events)
    x.upstream.endpoint = 'mock'
    x.probe?.snapshot('final request')
    x.probe?.record({ type: 'backendCallStart', target: 'mock' })
    if (body instanceof BufferBody) call.play(handleRequest(path, body.bytes))
    else
      body
        .read(LIMIT_BYTES)
        .then(
          (bytes) => call.play(handleRequest(path, bytes)),
          (fault: unknown) => call.fail(requestBodyBroken(fault)),
        )
        .catch((bug: unknown) => call.fail(bug))
    return call
  }
}

/** The mock parses whole bodies; longer ones are refused before. */
const LIMIT_BYTES = 128 * 1024 * 1024
